/**
 * Configuration of oidc-provider for people: allowed authorization requests, allowed clients, and where the
 * browser goes for consent. The library's browser sessions are not used; every request shows our own page.
 */
import type { ServerResponse } from 'node:http';
import type { Configuration, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import type { Environment } from '../../core/environment.ts';
import { newSecret } from '../../core/ids.ts';
import { OAuthError, type OAuthErrorCode } from '../protocol/oauth-error.ts';
import { newRegisteredClientId } from '../protocol/client-metadata.ts';
import { personResource } from '../protocol/resources.ts';

/** Path of the consent page, followed by the id of the authorization request. */
export const INTERACTION_PATH = '/oauth/interaction/';

/** The library's cookie that ties a consent page to the browser of the request. */
const COOKIES = {
  session: 'gatehouse_oauth',
  interaction: 'gatehouse_consent',
  resume: 'gatehouse_consent_resume',
} as const;

/** A consent may need a sign-in by e-mail first. */
const CONSENT_SECONDS = 1_800;

/** Limit for a client's document and keys. */
const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Cache time of a document in seconds: its own, but within these limits. */
const DOCUMENT_CACHE = { min: 30, max: 86_400 };

/**
 * Parameters of ours that replace values which the library would not refuse in the query. Another `response_mode` would
 * end on a page whose script our headers forbid. A `response_type` with a token would put the refusal in the fragment.
 */
export const SET_ASIDE = {
  mode: 'other_response_mode',
  type: 'other_response_type',
  /** Its value is the name of a parameter that is too long to be stored. */
  tooLong: 'too_long_parameter',
} as const;

/** Limit for each parameter of an authorization request, which waits in the database. */
export const MAX_PARAMETER_BYTES = 2_048;

export interface PeopleConfigurationOptions {
  /** Signs the library's cookies. */
  cookieKey: string;
  fetch: NonNullable<Configuration['fetch']>;
  /** Whether a document may be fetched for the current request. */
  mayFetchDocument: () => Promise<boolean>;
  /** HTML of a refusal that cannot be redirected to the client. */
  problemPage: ProblemPage;
  policy: typeof interactionPolicy;
  environment: Environment;
}

/**
 * Renders the page of a refusal and sets its headers.
 *
 * @param problem.wayBack the client's redirect URI with the refusal; absent if no redirect is allowed
 */
export type ProblemPage = (
  res: ServerResponse,
  problem: { error: string; description: string; wayBack?: string },
  environment: Environment,
) => Promise<string>;

/** The part of the configuration that is about people; its features join those of machines. */
export function peopleConfiguration(options: PeopleConfigurationOptions) {
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true } as const;
  const configuration: Configuration = {
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    // Apps that request a token directly do not use PKCE. They should get the error about the response type
    // instead.
    pkce: { required: ({ oidc }) => oidc.params?.[SET_ASIDE.type] === undefined },
    extraParams: {
      [SET_ASIDE.mode]: refuse('invalid_request', () => 'The response_mode must be query, or be left out.'),
      [SET_ASIDE.type]: refuse('unsupported_response_type', () => 'The response_type must be code.'),
      [SET_ASIDE.tooLong]: refuse('invalid_request', (name) => {
        const known = /^[a-z_]{1,40}$/.test(name) ? `The parameter ${name}` : 'A parameter';
        return `${known} is longer than ${MAX_PARAMETER_BYTES} bytes. Send a shorter one.`;
      }),
    },
    cookies: { names: COOKIES, keys: [options.cookieKey], short: cookie, long: cookie },
    interactions: {
      policy: [consentPrompt(options.policy)],
      url: (_ctx, { uid }) => `${INTERACTION_PATH}${uid}`,
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    expiresWithSession: () => false,
    fetch: options.fetch,
    fetchResponseBodyLimits: {
      'client_id metadata document': MAX_DOCUMENT_BYTES,
      jwks_uri: MAX_DOCUMENT_BYTES,
    },
    renderError: async (ctx, { error, error_description: description = '' }) => {
      ctx.type = 'html';
      ctx.body = await options.problemPage(ctx.res, { error, description }, options.environment);
    },
  };
  const features: NonNullable<Configuration['features']> = {
    registration: {
      enabled: true,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory: newRegisteredClientId,
      secretFactory: newSecret,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async () => options.mayFetchDocument(),
      cacheDuration: DOCUMENT_CACHE,
    },
  };
  return { configuration, features };
}

/** Refuses a request in which a parameter was set aside. @param describe what its value says */
function refuse(code: OAuthErrorCode, describe: (value: string) => string) {
  return (_ctx: KoaContextWithOIDC, value: string | undefined): void => {
    if (value !== undefined) throw new OAuthError(code, describe(value));
  };
}

/** Lifetimes of the library's records before a code is exchanged, in seconds. */
export const PEOPLE_TTL = {
  AuthorizationCode: 60,
  Grant: 600,
  Interaction: CONSENT_SECONDS,
  Session: CONSENT_SECONDS,
} as const;

function consentPrompt({ Prompt, Check }: typeof interactionPolicy): interactionPolicy.Prompt {
  const isUnanswered = new Check(
    'unanswered',
    'Nobody has allowed this yet.',
    'consent_required',
    (ctx) => ctx.oidc.result?.consent === undefined,
  );
  return new Prompt({ name: 'consent', requestable: true }, isUnanswered);
}

/**
 * The resource of an authorization request.
 *
 * @throws OAuthError `invalid_target`, and `invalid_scope` if none of the requested scopes exists there
 */
export function personResourceServer(environment: Environment, ctx: KoaContextWithOIDC, resource: string) {
  const given = ctx.oidc.params?.['resource'];
  if (Array.isArray(given) && given.length > 1)
    throw new OAuthError('invalid_target', 'A token serves one resource. Name one.');
  const found = personResource(environment.baseUrl, resource);
  if (found === undefined) {
    throw new OAuthError(
      'invalid_target',
      `The resource must be ${environment.baseUrl}/mcp, one of its virtual servers, or ${environment.baseUrl}/api.`,
    );
  }
  const known: readonly string[] = found.scopes;
  if (![...ctx.oidc.requestParamScopes].some((scope) => known.includes(scope)))
    throw new OAuthError('invalid_scope', `Scopes of ${resource} are ${known.join(' ')}.`);
  return { audience: resource, scope: known.join(' '), accessTokenFormat: 'opaque' as const };
}

/** Removes the cookie of the library's browser sessions from a response: nothing is stored for it. */
export function withoutSessionCookie(res: ServerResponse): void {
  const cookies = [res.getHeader('set-cookie') ?? []].flat().map(String);
  const kept = cookies.filter(
    (cookie) => !cookie.startsWith(COOKIES.session + '=') && !cookie.startsWith(`${COOKIES.session}.`),
  );
  if (kept.length === 0) res.removeHeader('set-cookie');
  else res.setHeader('set-cookie', kept);
}
