/** Dynamic registration of a client (RFC 7591), and the metadata by which servers know us without registration. */
import { fetchFace, RedirectFailure, type Opener } from '../../outbound/fetch-face.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { McpAuthorization } from '../../store/tables/upstream-tables.ts';
import { mcpLibrary } from './mcp-discovery.ts';
import { providerWords } from './provider-words.ts';
import type { McpTarget } from './mcp-servers.ts';
import { TokenFailure } from './token-endpoint.ts';

/** Limits of the request, in milliseconds and bytes. */
const REGISTRATION_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Longest client id and secret, in characters. */
const MAX_TEXT = 4_096;

/** Shortest useful lifetime of a secret, because a consent takes minutes. */
const SHORTEST_LIFE_MS = 10 * 60_000;

/** A client as its authorization server has registered it. */
export interface NewClient {
  clientId: string;
  /** `undefined` for a public client. */
  clientSecret: string | undefined;
  authentication: 'basic' | 'post';
  /** Unix milliseconds; null: never. */
  secretExpiresAt: number | null;
}

/** The client metadata that we send to every authorization server. */
export function clientMetadata(redirectUri: string, homepage: string) {
  return {
    client_name: 'Gatehouse',
    client_uri: homepage,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

/**
 * Registers a client. Sends one request.
 *
 * @throws TokenFailure: `client_refused` if it is refused or its answer cannot be used; `not_sent`, `temporary`
 */
export async function registeredClient(
  opener: Opener,
  request: { target: McpTarget; authorization: McpAuthorization; homepage: string; now: number },
): Promise<NewClient> {
  const { target, authorization, homepage, now } = request;
  const { redirectUri, title } = target;
  const { registerClient, resolveClientMetadata, RegistrationRejectedError } = await mcpLibrary();
  const wanted = authenticationAt(authorization);
  const limits = {
    headersTimeoutMs: REGISTRATION_MS,
    idleTimeoutMs: REGISTRATION_MS,
    totalTimeoutMs: REGISTRATION_MS,
    maxBytes: MAX_ANSWER_BYTES,
    maxEventBytes: MAX_ANSWER_BYTES,
    maxEvents: 1,
  };
  const said = {
    ...clientMetadata(redirectUri, homepage),
    token_endpoint_auth_method: wanted === undefined ? 'none' : `client_secret_${wanted}`,
  };
  const metadata = {
    issuer: authorization.issuer,
    authorization_endpoint: authorization.authorizationUrl,
    token_endpoint: authorization.tokenUrl,
    registration_endpoint: authorization.registrationUrl,
    response_types_supported: ['code'],
  };
  try {
    const made = await registerClient(authorization.issuer, {
      metadata,
      clientMetadata: resolveClientMetadata({ redirectUrl: redirectUri, clientMetadata: said }),
      fetchFn: fetchFace(opener, { limits: () => limits }),
    });
    return checked(made, { wanted, redirectUri, title, now });
  } catch (cause) {
    if (cause instanceof TokenFailure) throw cause;
    if (cause instanceof RegistrationRejectedError) throw rejected(title, cause);
    if (cause instanceof OutboundFailure && !['too_large', 'bad_encoding'].includes(cause.kind))
      throw new TokenFailure('not_sent', `A client could not be registered with ${title}. ${cause.message}`, {
        cause,
      });
    const why =
      cause instanceof RedirectFailure || cause instanceof OutboundFailure
        ? cause.message
        : 'Its answer is not the one that RFC 7591 asks for.';
    throw refused(title, why, cause);
  }
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof mcpLibrary>>['registerClient']>>;

/**
 * Checks the answer, which decides how the client authenticates. Members that it leaves out are as they were
 * requested.
 */
function checked(
  made: Answer,
  asked: { wanted: 'basic' | 'post' | undefined; redirectUri: string; title: string; now: number },
): NewClient {
  const {
    client_id: clientId,
    client_secret: secret,
    client_secret_expires_at: expires,
    redirect_uris: uris,
  } = made;
  const { wanted, redirectUri, title, now } = asked;
  const isText = (value: string): boolean => /^[\x20-\x7e]+$/.test(value) && value.length <= MAX_TEXT;
  if (!isText(clientId) || (secret !== undefined && secret !== '' && !isText(secret)))
    throw refused(title, 'It gave a client that cannot be used.');
  if (!uris.includes(redirectUri))
    throw refused(title, `It registered another redirect URI than ${redirectUri}.`);
  const secretExpiresAt = expires === undefined || expires === 0 ? null : expires * 1_000;
  if (secretExpiresAt !== null && secretExpiresAt < now + SHORTEST_LIFE_MS)
    throw refused(title, 'It gave a client secret that has ended, or ends at once.');
  const method =
    made.token_endpoint_auth_method ?? (wanted === undefined ? 'none' : `client_secret_${wanted}`);
  if (!['none', 'client_secret_basic', 'client_secret_post'].includes(method))
    throw refused(title, 'It asks for a way of authentication that was not asked for.');
  const isPublic = method === 'none' || secret === undefined || secret === '';
  return {
    clientId,
    clientSecret: isPublic ? undefined : secret,
    authentication: method === 'client_secret_basic' ? 'basic' : 'post',
    secretExpiresAt: isPublic ? null : secretExpiresAt,
  };
}

function rejected(title: string, { status, body }: { status: number; body: string }): TokenFailure {
  const message = `${title} answered ${status} when a client was to be registered.`;
  if (status === 429 || status >= 500) return new TokenFailure('temporary', message, { status });
  return new TokenFailure(
    'client_refused',
    `${message} The operator registers one there by hand, and sets client_id and client_secret of the connection.`,
    { status, description: providerWords(body, []) },
  );
}

function refused(title: string, why: string, cause?: unknown): TokenFailure {
  return new TokenFailure('client_refused', `${title} registered no client that can be used. ${why}`, {
    cause,
  });
}

/**
 * Authentication of a confidential client; `undefined` if only public clients are accepted. If the metadata says
 * nothing, it is `basic` (RFC 8414).
 */
export function authenticationAt({ authentication }: McpAuthorization): 'basic' | 'post' | undefined {
  if (authentication === undefined || authentication.includes('client_secret_basic')) return 'basic';
  return authentication.includes('client_secret_post') ? 'post' : undefined;
}
