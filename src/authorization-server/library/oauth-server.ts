/**
 * oidc-provider, configured for one environment: the only file that calls the library.
 *
 * It is loaded with the first request that needs it (28 MB, a fifth of a second). Every request it gets is built
 * here; those of machines from a form whose client is already authenticated.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  AdapterPayload,
  Configuration,
  InteractionResults,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { Environment } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { MachineGrant } from '../tokens/machine-tokens.ts';
import { OAuthError, toOAuthError } from '../protocol/oauth-error.ts';
import type { OAuthForm } from '../protocol/oauth-form.ts';
import { OAuthRecordAdapter, EmptyAdapter } from './oauth-record-adapter.ts';
import { REGISTERED_CLIENT } from './oauth-record-names.ts';
import type { OAuthRecords } from './oauth-records.ts';
import { fetchOnce, type FetchedDocuments } from '../protocol/client-documents.ts';
import { isRegisteredClientId } from '../protocol/client-metadata.ts';
import { holdRefusals } from './held-refusals.ts';
import { libraryRequest, unsentResponse, type LibraryRequest } from './library-request.ts';
import {
  machineConfiguration,
  nameEmptyScope,
  type MachineConfigurationOptions,
} from './machine-configuration.ts';
import { peopleConfiguration, withoutSessionCookie, type ProblemPage } from './people-configuration.ts';
import { registerGrants, type PeopleGrants } from './people-grants.ts';
import {
  isSecretOf,
  toPersonClient,
  toWaitingRequest,
  type PersonClient,
  type WaitingRequest,
} from '../protocol/person-client.ts';
import { OAUTH_PATHS } from '../protocol/server-metadata.ts';

/** The library requires a secret. The real one was checked before and is kept from it. */
const PLACEHOLDER_SECRET = 'checked-before';

/** Dependencies of one environment's provider. */
export interface OAuthServerOptions extends MachineConfigurationOptions, PeopleGrants {
  /** Signs the library's cookies. */
  cookieKey: string;
  /** Fetches documents and keys of clients. */
  fetch: NonNullable<Configuration['fetch']>;
  /** Whether a client at this address may have its document fetched. */
  mayFetchDocument: (ip: string) => Promise<boolean>;
  problemPage: ProblemPage;
}

/** The library for one environment. */
export interface OAuthServer {
  /** Answers the token request of an authenticated machine, including errors. */
  issueForMachine(grant: MachineGrant, form: OAuthForm, res: ServerResponse): Promise<void>;
  /**
   * Answers any other request: of people's browsers and clients.
   *
   * @param onClientRefused called before the answer, if a token request is refused because of its client
   */
  answer(
    request: LibraryRequest,
    ip: string,
    res: ServerResponse,
    onClientRefused?: (isKnown: boolean) => void,
  ): Promise<void>;
  /**
   * Returns `undefined` if the client's metadata document is unavailable or invalid.
   *
   * @param ip address of the sender, by which document fetches are limited
   */
  findClient(clientId: string, ip: string): Promise<PersonClient | undefined>;
  /** The authorization request that this browser's cookie belongs to. */
  waiting(uid: string, cookie: string | undefined): Promise<WaitingRequest | undefined>;
  /** Creates the grant that a code will name. @returns its id */
  grant(userId: string, request: WaitingRequest, scopes: readonly string[]): Promise<string>;
  /** Stores the user's answer. @returns the URL at which the browser continues */
  finish(uid: string, cookie: string | undefined, result: InteractionResults): Promise<string>;
}

/** Data of one request to our server. */
class CurrentRequest {
  readonly ip: string;
  readonly documents: FetchedDocuments = new Map();
  /** Whether a document may be fetched, asked once: it counts against a limit. */
  mayFetch: Promise<boolean> | undefined;

  readonly onClientRefused: ((isKnown: boolean) => void) | undefined;

  constructor(ip: string, onClientRefused?: (isKnown: boolean) => void) {
    this.ip = ip;
    this.onClientRefused = onClientRefused;
  }
}

/** Loads the library and creates the provider of one environment. */
export async function openOAuthServer(options: OAuthServerOptions): Promise<OAuthServer> {
  const library = await import('oidc-provider');
  const machines = new WeakMap<IncomingMessage, MachineGrant>();
  const requests = new AsyncLocalStorage<CurrentRequest>();
  const grantOf = (ctx: KoaContextWithOIDC | undefined): MachineGrant | undefined =>
    ctx === undefined ? undefined : machines.get(ctx.req);

  const currentIp = (): string => requests.getStore()?.ip ?? '';

  const { environment, artifacts } = options;
  const people = peopleConfiguration({
    ...options,
    fetch: fetchOnce(options.fetch, () => requests.getStore()?.documents),
    mayFetchDocument: async () => {
      const current = requests.getStore() ?? new CurrentRequest('');
      return (current.mayFetch ??= options.mayFetchDocument(current.ip));
    },
    policy: library.interactionPolicy,
  });
  const provider = new library.Provider(environment.baseUrl, {
    ...people.configuration,
    adapter: (model) => {
      if (model === 'Session') return new EmptyAdapter();
      if (model !== REGISTERED_CLIENT)
        return new OAuthRecordAdapter(artifacts, environment.id, model, currentIp);
      return new Clients(artifacts, environment.id, currentIp, () => grantOf(library.Provider.ctx));
    },
    ...machineConfiguration(options, grantOf, people.features),
  });
  provider.Client.prototype.compareClientSecret = function compareClientSecret(given: string): boolean {
    const grant = grantOf(library.Provider.ctx);
    return grant === undefined ? isSecretOf(this, given) : grant.credential.clientId === this.clientId;
  };
  provider.on('grant.error', ({ oidc }, { message }) => {
    if (message.startsWith('invalid_client'))
      requests.getStore()?.onClientRefused?.(oidc.client !== undefined);
  });
  registerGrants(provider, options, currentIp);
  listen(provider, options.log);
  holdRefusals(provider, options);

  const respond = provider.callback();
  const started = async (uid: string, cookie: string | undefined) => {
    const req = libraryRequest(environment, { method: 'GET', url: '/', accept: 'text/html', cookie });
    const found = await provider.interactionDetails(req, unsentResponse(req)).catch(notThere);
    return found?.uid === uid ? { found, req } : undefined;
  };
  return {
    issueForMachine: async (grant, form, res) => {
      const req = machineRequest(environment, grant, form);
      machines.set(req, grant);
      await respond(req, res);
    },
    answer: async (request, ip, res, onClientRefused) => {
      const req = libraryRequest(environment, request);
      await requests.run(new CurrentRequest(ip, onClientRefused), async () => respond(req, res));
    },
    findClient: async (clientId, ip) =>
      toPersonClient(
        await requests.run(new CurrentRequest(ip), async () =>
          provider.Client.find(clientId).catch(notUsable),
        ),
      ),
    waiting: async (uid, cookie) => {
      const { found } = (await started(uid, cookie)) ?? {};
      return found === undefined ? undefined : toWaitingRequest(uid, found.params);
    },
    grant: async (accountId, { clientId, resource }, scopes) => {
      const grant = new provider.Grant({ accountId, clientId });
      grant.addResourceScope(resource, scopes.join(' '));
      return grant.save();
    },
    finish: async (uid, cookie, result) => {
      const { req } = (await started(uid, cookie)) ?? {};
      if (req === undefined) throw new Error('an answer to a request that is not there');
      return provider.interactionResult(req, unsentResponse(req), result, { mergeWithLastSubmission: false });
    },
  };
}

function listen(provider: Provider, log: Log): void {
  provider.use(async (ctx, next) => {
    await next();
    for (const name of ['access-control-allow-origin', 'access-control-expose-headers', 'vary'])
      ctx.remove(name);
    ctx.set('pragma', 'no-cache');
    withoutSessionCookie(ctx.res);
    nameEmptyScope(ctx);
  });
  provider.on('grant.error', (ctx, err) => {
    if (err instanceof OAuthError) ctx.set({ ...err.headers });
  });
  provider.on('server_error', (ctx, err) => sayUnavailable(ctx, toOAuthError(err, log)));
  const emitter: EventEmitter = provider;
  emitter.on('error', (err) => log.warn('oauth_answer_failed', { err }));
}

/** The library has no temporary failures and reports each one as its own bug. */
function sayUnavailable(ctx: KoaContextWithOIDC, refusal: OAuthError): void {
  if (refusal.statusCode !== 503) return;
  ctx.status = 503;
  ctx.set({ ...refusal.headers });
  const { message, error_description } = refusal;
  if (ctx.body !== null && typeof ctx.body === 'object') ctx.body = { error: message, error_description };
}

/** Without `scope`, all scopes of the credential are requested. */
function machineRequest(
  environment: Environment,
  { credential }: MachineGrant,
  form: OAuthForm,
): IncomingMessage {
  const parameters = new Map([['scope', credential.scopes.join(' ')], ...form]);
  parameters.set('client_id', credential.clientId).set('client_secret', PLACEHOLDER_SECRET);
  return libraryRequest(environment, {
    method: 'POST',
    url: OAUTH_PATHS.token,
    accept: 'application/json',
    body: {
      type: 'application/x-www-form-urlencoded',
      text: new URLSearchParams([...parameters]).toString(),
    },
  });
}

/** The already authenticated machine of the current request, otherwise registered clients. */
class Clients extends OAuthRecordAdapter {
  readonly #currentGrant: () => MachineGrant | undefined;

  constructor(
    artifacts: OAuthRecords,
    environmentId: string,
    currentIp: () => string,
    currentGrant: () => MachineGrant | undefined,
  ) {
    super(artifacts, environmentId, REGISTERED_CLIENT, currentIp);
    this.#currentGrant = currentGrant;
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const grant = this.#currentGrant();
    if (grant === undefined) return isRegisteredClientId(id) ? super.find(id) : undefined;
    if (grant.credential.clientId !== id) return undefined;
    return {
      client_id: id,
      client_secret: PLACEHOLDER_SECRET,
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    };
  }
}

/** A client id whose document is unavailable or invalid is an unknown client. */
function notUsable(error: unknown): undefined {
  if (error instanceof Error && 'expose' in error && error.expose === true) return undefined;
  throw error;
}

/** With a missing, forged or old cookie there is no request to answer. */
function notThere(error: unknown): undefined {
  if (error instanceof Error && error.name === 'SessionNotFound') return undefined;
  throw error;
}
