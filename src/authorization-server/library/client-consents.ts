/**
 * The question to a user before a client gets an authorization code, and the effect of the answer.
 *
 * An answer counts only from the browser that the client sent here (its cookie) and from the session that saw the
 * question. A session is not asked again for the same client, redirect URI and resource.
 */
import type { Clock } from '../../core/clock.ts';
import type { Environment, Environments } from '../../core/environment.ts';
import { ORGANIZATION_SCOPES, type Role, type Visitor } from '../../core/caller.ts';
import { writeAuditLine } from '../../store/records/audit-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { virtualServerNamed } from '../../store/policy/mcp-server-store.ts';
import type { Sessions, Standing } from '../../people/sessions.ts';
import type { WaitingRequest } from '../protocol/person-client.ts';
import { APPROVAL, REMEMBERED_CONSENT } from './oauth-record-names.ts';
import type { ArtifactName, OAuthRecords } from './oauth-records.ts';
import { isHttps } from '../protocol/client-metadata.ts';
import type { Approval } from './code-exchange.ts';
import type { OAuthServers } from './oauth-servers.ts';
import { personResource } from '../protocol/resources.ts';

/** A grant of the library and what belongs to it wait this long for the code exchange. */
const APPROVAL_MS = 600_000;

/** No browser session is longer. */
const REMEMBERED_MS = 12 * 60 * 60 * 1_000;

/** A user who is signed in in a browser. */
export interface ConsentingPerson {
  userId: string;
  /** `ses_…` of the browser session. */
  sessionId: string;
  /** '' without one. */
  organizationId: string;
}

/** Names a request: its id from the address of the page, and the cookies of the browser. */
export interface ConsentPlace {
  environmentId: string;
  uid: string;
  /** The header as sent. */
  cookie: string | undefined;
}

/** The known facts about the app that asks. */
export interface AskingClient {
  /** The client's own words; `undefined` without a name. */
  clientName: string | undefined;
  /** Host of the client's document, which it controls; `undefined` for clients that registered themselves. */
  clientHost: string | undefined;
}

/** Contents of the consent page. */
export interface ConsentQuestion extends AskingClient {
  /** Redirect URI that the code is sent to. */
  redirectUri: string;
  resource: string;
  /** Name of the virtual server that the resource is; absent for any other. */
  serverName?: string;
  /** The resource is a virtual server whose tools only read. */
  isReadOnly: boolean;
  /** Scopes the client would get. Empty if this user can grant none of those it asked for. */
  scopes: readonly string[];
  /** The organization that some of these scopes reach, with the user's role in it; absent if none does. */
  organization?: { name: string; role: Role };
  /** This session allowed it before, so nothing needs to be asked. */
  isAllowedBefore: boolean;
}

interface ClientConsentsDeps {
  database: Database;
  clock: Clock;
  environments: Environments;
  providers: OAuthServers;
  sessions: Pick<Sessions, 'standing'>;
}

export class ClientConsents {
  readonly #deps: ClientConsentsDeps;
  readonly #artifacts: OAuthRecords;

  constructor(deps: ClientConsentsDeps) {
    this.#deps = deps;
    this.#artifacts = deps.providers.artifacts;
  }

  /**
   * The app whose request waits for this browser. Looked up before anyone is asked to sign in for it.
   *
   * @returns `undefined` if none waits
   */
  async asking(place: ConsentPlace, ip: string): Promise<AskingClient | undefined> {
    const waiting = await this.#waiting(place);
    return waiting === undefined ? undefined : this.#client(place.environmentId, waiting, ip);
  }

  /** @returns `undefined` if this browser has no such request (any more), or the session has ended */
  async question(
    place: ConsentPlace,
    person: ConsentingPerson,
    ip: string,
  ): Promise<ConsentQuestion | undefined> {
    const waiting = await this.#waiting(place);
    const environment = this.#deps.environments.get(place.environmentId);
    const standing = await this.#deps.sessions.standing(environment.id, person.sessionId);
    if (waiting === undefined || standing === undefined) return undefined;
    const scopes = grantable(environment, standing, waiting);
    const client = await this.#client(environment.id, waiting, ip);
    if (client === undefined) return undefined;
    return {
      ...client,
      redirectUri: waiting.redirectUri,
      resource: waiting.resource,
      ...(await this.#server(environment, waiting)),
      scopes,
      ...(await this.#organization(standing, scopes)),
      isAllowedBefore: !waiting.mustAsk && (await this.#isRemembered(environment, person, waiting, scopes)),
    };
  }

  /**
   * The user agrees.
   *
   * @param shown scopes on the page that the user answers: what they could grant only since then is not granted
   * @returns the address where the browser continues; `undefined` as in `question`
   */
  async allow(
    place: ConsentPlace,
    person: ConsentingPerson,
    visitor: Visitor,
    shown: readonly string[],
  ): Promise<string | undefined> {
    const environment = this.#deps.environments.get(place.environmentId);
    const waiting = await this.#waiting(place);
    const standing = await this.#deps.sessions.standing(environment.id, person.sessionId);
    if (waiting === undefined || standing === undefined) return undefined;
    const scopes = grantable(environment, standing, waiting).filter((scope) => shown.includes(scope));
    if (scopes.length === 0) return this.deny(place, person, visitor);
    const provider = await this.#deps.providers.of(environment);
    const grantId = await provider.grant(person.userId, waiting, scopes);
    const approval: Approval = {
      userId: person.userId,
      organizationId: person.organizationId,
      sessionId: person.sessionId,
      connectionDetails: standing.session.connectionDetails,
      visitor,
      resource: waiting.resource,
      scopes,
    };
    const name = { environmentId: environment.id, model: APPROVAL, id: grantId };
    await this.#artifacts.save(
      name,
      { ...approval },
      {
        lifetimeMs: APPROVAL_MS,
        audit: { actor: person.userId, ip: visitor.ip, action: 'consent.allow', target: waiting.clientId },
      },
    );
    await this.#artifacts.save(
      remembered(environment, person, waiting),
      { scopes, organizationId: person.organizationId },
      { lifetimeMs: REMEMBERED_MS, isShared: true, grantId: allowedTo(person.userId, waiting.clientId) },
    );
    return provider.finish(place.uid, place.cookie, {
      login: { accountId: person.userId, remember: false },
      consent: { grantId },
    });
  }

  /** The user refuses, or can grant no requested scope: the client gets `access_denied`. */
  async deny(place: ConsentPlace, person: ConsentingPerson, visitor: Visitor): Promise<string | undefined> {
    const waiting = await this.#waiting(place);
    if (waiting === undefined) return undefined;
    const { environmentId } = place;
    const by = { environmentId, actor: person.userId, ip: visitor.ip };
    const line = { action: 'consent.deny', target: waiting.clientId, now: this.#deps.clock.now() };
    await this.#deps.database.transaction(async (tx) => writeAuditLine(tx, by, line));
    const provider = await this.#deps.providers.of(this.#deps.environments.get(environmentId));
    return provider.finish(place.uid, place.cookie, {
      error: 'access_denied',
      error_description: 'The person did not allow it.',
    });
  }

  /** The user withdraws the consent for a client, and is asked again in every session that had given it. */
  async forget(environmentId: string, userId: string, clientId: string): Promise<void> {
    await this.#artifacts.removeOfGrant(environmentId, REMEMBERED_CONSENT, allowedTo(userId, clientId));
  }

  async #client(
    environmentId: string,
    { clientId }: WaitingRequest,
    ip: string,
  ): Promise<AskingClient | undefined> {
    const provider = await this.#deps.providers.of(this.#deps.environments.get(environmentId));
    const client = await provider.findClient(clientId, ip);
    if (client === undefined) return undefined;
    return { clientName: client.name, clientHost: isHttps(clientId) ? new URL(clientId).host : undefined };
  }

  async #server({ id, baseUrl }: Environment, { resource }: WaitingRequest) {
    const name = personResource(baseUrl, resource)?.serverName;
    const server =
      name === undefined ? undefined : await virtualServerNamed(this.#deps.database.read, id, name);
    if (server === undefined) return { isReadOnly: false };
    return { serverName: server.name, isReadOnly: server.read_only };
  }

  async #organization({ session, role }: Standing, scopes: readonly string[]) {
    if (role === undefined || !scopes.some(isOfOrganization)) return {};
    const { environmentId, organizationId } = session;
    const row = await rows(this.#deps.database.read, 'organizations').find(environmentId, organizationId);
    return { organization: { name: row?.name ?? '', role } };
  }

  async #waiting({ environmentId, uid, cookie }: ConsentPlace): Promise<WaitingRequest | undefined> {
    const provider = await this.#deps.providers.of(this.#deps.environments.get(environmentId));
    return provider.waiting(uid, cookie);
  }

  /**
   * On loopback and private schemes any program can pose as the client, so these always ask (RFC 8252 section 8.6). A
   * consent without an organization was given when scopes of accounts reached it too: that session is asked again.
   */
  async #isRemembered(
    environment: Environment,
    person: ConsentingPerson,
    waiting: WaitingRequest,
    scopes: readonly string[],
  ): Promise<boolean> {
    if (!isHttps(waiting.redirectUri) || scopes.length === 0) return false;
    const found = await this.#artifacts.findLive(remembered(environment, person, waiting));
    if (found?.payload['organizationId'] !== person.organizationId) return false;
    const before = (found.payload['scopes'] ?? []) as string[];
    return scopes.every((scope) => before.includes(scope));
  }
}

function remembered(
  { id: environmentId }: Environment,
  { sessionId }: ConsentingPerson,
  { clientId, redirectUri, resource }: WaitingRequest,
): ArtifactName {
  const id = JSON.stringify([sessionId, clientId, redirectUri, resource]);
  return { environmentId, model: REMEMBERED_CONSENT, id };
}

/** Key that finds all consents of a user for a client. */
function allowedTo(userId: string, clientId: string): string {
  return JSON.stringify([userId, clientId]);
}

function isOfOrganization(scope: string): boolean {
  return ORGANIZATION_SCOPES.some((known) => known === scope);
}

/** The requested scopes that this user can grant. */
function grantable(
  { baseUrl }: Environment,
  { isOperator, role }: Standing,
  { resource, scopes }: WaitingRequest,
): readonly string[] {
  const known: readonly string[] = personResource(baseUrl, resource)?.scopes ?? [];
  const mayGrant = (scope: string): boolean => {
    if (isOfOrganization(scope)) return role === 'admin' || role === 'owner';
    return scope !== 'admin' || isOperator;
  };
  return known.filter((scope) => scopes.includes(scope) && mayGrant(scope));
}
