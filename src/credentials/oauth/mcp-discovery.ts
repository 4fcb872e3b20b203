/**
 * Finds out where consents to a remote MCP server go, from its own documents and those of its authorization server.
 *
 * Codes, refresh tokens, client secrets and people are sent to these addresses, so every value is compared exactly.
 * A value that the operator wrote replaces the expected one and is compared as strictly. Follows no redirect,
 * retries nothing, stores nothing.
 *
 * @see RFC 9728, RFC 8414, RFC 9207
 */
import type { BlockRules } from '../../catalog/model/types.ts';
import { loadOnce } from '../../core/load-once.ts';
import { SCOPE_TOKEN } from '../../core/text-rules.ts';
import { fetchFace, RedirectFailure, type FetchLike, type Opener } from '../../outbound/fetch-face.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { McpAuthorization } from '../../store/tables/upstream-tables.ts';
import { TokenFailure, type TokenFailureKind } from './token-endpoint.ts';

/** Functions of the official client; loaded with the first discovery. */
export const mcpLibrary = loadOnce(async () => import('@modelcontextprotocol/client'));

/** Limit of an unpacked document. */
const MAX_DOCUMENT_BYTES = 256 * 1024;

/** Longest wait for a document, in milliseconds. */
const DOCUMENT_MS = 10_000;

/** Most scopes that are taken of one list. */
const MAX_SCOPES = 100;

/** Longest value of a document that a message repeats, in characters. */
const MAX_QUOTED = 200;

const CLIENT = { name: 'gatehouse', version: '1' };

const MODERN = '2026-07-28';

/**
 * Requests that are sent to a server without a credential until it refuses one. The refusal names its metadata.
 * Some servers let everybody begin a session, and refuse the requests after that.
 */
const QUESTIONS: readonly { headers: Readonly<Record<string, string>>; body: string }[] = [
  {
    headers: {},
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
    }),
  },
  {
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientInfo': CLIENT,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  },
];

/** The part of an answer without a credential that tells how to get one. */
export interface Challenge {
  /** Address of the metadata of the server. */
  metadataUrl?: string | undefined;
  scopes: readonly string[];
}

/** The server to examine, and the allowed addresses. */
export interface Discovery {
  /** The address of the server. */
  url: URL;
  rules: BlockRules<'MCP_OAUTH'>;
  /** The issuer that consents use so far. It is chosen if the server names several. */
  pinned?: string | undefined;
  /** Whether requests may go to an address, judged by its text. */
  isReachable: (url: URL) => boolean;
  opener: Opener;
}

/** The result of a discovery. */
export interface Discovered {
  authorization: McpAuthorization;
  /** Scopes of the challenge. */
  challengeScopes: readonly string[];
}

/** @throws TokenFailure `refused` for an unusable document, else `not_sent` or `temporary`; its message is for the operator */
export async function discoverMcp(discovery: Discovery): Promise<Discovered> {
  const documents = new Documents(discovery.opener);
  const { url, rules } = discovery;
  if (rules.discovery === 'legacy')
    return { authorization: await legacyAuthorization(documents, discovery), challengeScopes: [] };
  const challenge = await documents.challengeOf(url);
  const metadata = await resourceMetadata(documents, discovery, challenge);
  const named = authorizationServerOf(discovery, metadata?.authorization_servers);
  const resource = resourceOf(url, rules, metadata?.resource);
  const authorization = await authorizationAt(documents, discovery, named);
  return {
    authorization: {
      ...authorization,
      resource,
      resourceScopes: readableScopes(metadata?.scopes_supported ?? []),
    },
    challengeScopes: challenge.scopes,
  };
}

/** Reads documents, and remembers the status of the last answer. */
class Documents {
  readonly fetch: FetchLike;
  #status = 0;

  constructor(opener: Opener) {
    const limits = {
      headersTimeoutMs: DOCUMENT_MS,
      idleTimeoutMs: DOCUMENT_MS,
      totalTimeoutMs: DOCUMENT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
      maxEventBytes: MAX_DOCUMENT_BYTES,
      maxEvents: 1,
    };
    const face = fetchFace(opener, { limits: () => limits });
    this.fetch = async (target, init) => {
      const response = await face(target, init);
      this.#status = response.status;
      return response;
    };
  }

  /** Sends a request without a credential. Only a 401 tells something. */
  async challengeOf(url: URL): Promise<Challenge> {
    const { extractWWWAuthenticateParams } = await mcpLibrary();
    for (const { headers: own, body } of QUESTIONS) {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...own,
      };
      const response = await this.read('the server', async () => {
        const answer = await this.fetch(url, { method: 'POST', headers, body });
        await answer.body?.cancel();
        return answer;
      });
      if (response.status !== 401) continue;
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      const metadataUrl = resourceMetadataUrl?.href;
      return { metadataUrl, scopes: readableScopes(scope?.split(' ') ?? []) };
    }
    return { scopes: [] };
  }

  /** @param what completes "could not be read from …" */
  async read<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw failureOf(cause, what, this.#status);
    }
  }
}

/**
 * An error of the library or of the outbound client, as a message for the operator. The library's own text may
 * quote a document.
 */
function failureOf(cause: unknown, what: string, status: number): TokenFailure {
  if (cause instanceof TokenFailure) return cause;
  if (cause instanceof RedirectFailure)
    return new TokenFailure('refused', `${what}: ${cause.message}`, { cause, description: cause.sameOrigin });
  if (cause instanceof OutboundFailure) {
    const isUnusable = cause.kind === 'too_large' || cause.kind === 'bad_encoding';
    return failed(isUnusable ? 'refused' : 'not_sent', `${what}: ${cause.message}`, cause);
  }
  if (status === 429 || status >= 500) return failed('temporary', `${what}: it answered ${status}.`, cause);
  if (status >= 400) return unusable(`${what}: it answered ${status}.`, cause);
  return unusable(`${what}: it is not a document of the form that its specification asks for.`, cause);
}

/** The document of the server about itself; `undefined` if it has none and the operator states its content. */
async function resourceMetadata(
  documents: Documents,
  { url, rules, isReachable }: Discovery,
  challenge: Challenge,
) {
  const { discoverOAuthProtectedResourceMetadata } = await mcpLibrary();
  const { metadataUrl } = challenge;
  if (metadataUrl !== undefined) addressOf('resource_metadata of its challenge', metadataUrl, isReachable);
  const what = metadataUrl === undefined ? `The metadata of ${url.origin}` : quoted(metadataUrl);
  try {
    return await documents.read(what, async () =>
      discoverOAuthProtectedResourceMetadata(
        url,
        metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl },
        documents.fetch,
      ),
    );
  } catch (error) {
    const isAbsent = error instanceof TokenFailure && error.kind === 'refused' && metadataUrl === undefined;
    if (isAbsent && rules.authorization_server !== undefined) return undefined;
    if (!isAbsent) throw error;
    throw unusable(
      `${error.message} The operator writes authorization_server in its file, or discovery: legacy for a server of 2025-03-26.`,
      error,
    );
  }
}

/** The resource for token requests, as the document or the operator spells it. */
function resourceOf(url: URL, rules: Discovery['rules'], said: string | undefined): string {
  const configured = rules.resource;
  if (said === undefined) return configured ?? url.href;
  if (!covers(said, url) && said !== configured)
    throw unusable(
      `Its metadata is about the resource ${quoted(said)}, and its address is ${url.href}. If that is right, the operator writes resource: ${quoted(said)} in its file.`,
    );
  return configured ?? said;
}

/** Whether a resource is the address of a server or the beginning of its path, at the same origin. */
function covers(resource: string, url: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname } = new URL(resource);
  const whole = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return origin === url.origin && whole(url.pathname).startsWith(whole(pathname));
}

/**
 * The authorization server. Each of several is independent: the configured one is used, otherwise the pinned one,
 * otherwise the first.
 */
function authorizationServerOf(
  { url, rules, pinned, isReachable }: Discovery,
  listed: readonly string[] | undefined,
): string {
  const { authorization_server: configured } = rules;
  const named = listed ?? [];
  if (configured !== undefined && named.length > 0 && !named.includes(configured))
    throw unusable(
      `Its metadata names the authorization server ${quoted(named[0] ?? '')}, and its file ${configured}.`,
    );
  const taken =
    configured ?? named.find((one) => withoutSlash(one) === withoutSlash(pinned ?? '')) ?? named[0];
  if (taken === undefined)
    throw unusable(
      `The metadata of ${url.href} names no authorization server. The operator writes authorization_server in its file.`,
    );
  return addressOf('authorization_servers', taken, isReachable);
}

type Endpoints = Omit<McpAuthorization, 'resource' | 'resourceScopes'>;

/** The document of an authorization server: RFC 8414 or OpenID, with each form of its address. */
async function authorizationAt(
  documents: Documents,
  discovery: Discovery,
  server: string,
): Promise<Endpoints> {
  const { discoverAuthorizationServerMetadata } = await mcpLibrary();
  const { rules, isReachable } = discovery;
  // The library compares by the same rule, but accepts a missing slash after a path.
  const metadata = await documents.read(`The metadata of ${quoted(server)}`, async () =>
    discoverAuthorizationServerMetadata(server, { fetchFn: documents.fetch, skipIssuerValidation: true }),
  );
  if (metadata === undefined)
    throw unusable(`The authorization server ${quoted(server)} has no metadata at any of its addresses.`);
  const { issuer } = metadata;
  const expected = rules.issuer ?? server;
  const isLoneSlash =
    expected === `${issuer}/` && new URL(expected).pathname === '/' && rules.issuer === undefined;
  if (issuer !== expected && !isLoneSlash)
    throw unusable(
      `The metadata of the authorization server has the issuer ${quoted(issuer)}, and ${quoted(expected)} was expected. If that is right, the operator writes issuer: ${quoted(issuer)} in its file.`,
    );
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw unusable('The authorization server does not say that it supports the code challenge S256.');
  return endpointsOf(metadata, isReachable);
}

/** The authorization of a server of 2025-03-26: metadata at its own origin, otherwise three fixed paths there. */
async function legacyAuthorization(
  documents: Documents,
  { url, rules, isReachable }: Discovery,
): Promise<McpAuthorization> {
  const { discoverAuthorizationServerMetadata } = await mcpLibrary();
  const server = rules.authorization_server ?? url.origin;
  addressOf('authorization_server', server, isReachable);
  const metadata = await documents.read(`The metadata of ${server}`, async () =>
    discoverAuthorizationServerMetadata(server, { fetchFn: documents.fetch, skipIssuerValidation: true }),
  );
  const { resource } = rules;
  const common = { resourceScopes: [], ...(resource !== undefined && { resource }) };
  if (metadata === undefined) {
    const at = (path: string): string => new URL(path, server).href;
    const said = {
      issuer: server,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      registration_endpoint: at('/register'),
    };
    return { ...endpointsOf(said, isReachable), ...common };
  }
  const expected = rules.issuer ?? server;
  if (withoutSlash(metadata.issuer) !== withoutSlash(expected))
    throw unusable(
      `The metadata of ${server} has the issuer ${quoted(metadata.issuer)}, and ${quoted(expected)} was expected. If that is right, the operator writes issuer: ${quoted(metadata.issuer)} in its file.`,
    );
  return { ...endpointsOf(metadata, isReachable), ...common };
}

/** The used members of a document. */
interface Said {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint?: string | undefined;
  registration_endpoint?: string | undefined;
  token_endpoint_auth_methods_supported?: string[] | undefined;
  scopes_supported?: string[] | undefined;
  authorization_response_iss_parameter_supported?: unknown;
  client_id_metadata_document_supported?: unknown;
}

function endpointsOf(said: object & Said, isReachable: Discovery['isReachable']): Endpoints {
  const { revocation_endpoint: revocation, registration_endpoint: registration } = said;
  const { token_endpoint_auth_methods_supported: authentication, scopes_supported: scopes = [] } = said;
  const address = (name: string, value: string): string => addressOf(name, value, isReachable);
  return {
    issuer: said.issuer,
    authorizationUrl: address('authorization_endpoint', said.authorization_endpoint),
    tokenUrl: address('token_endpoint', said.token_endpoint),
    ...(revocation !== undefined && { revocationUrl: address('revocation_endpoint', revocation) }),
    ...(registration !== undefined && { registrationUrl: address('registration_endpoint', registration) }),
    isIssuerAnnounced: said.authorization_response_iss_parameter_supported === true,
    takesDocuments: said.client_id_metadata_document_supported === true,
    ...(authentication !== undefined && { authentication }),
    scopes: readableScopes(scopes),
  };
}

/** Keeps the valid scopes of a document. A page shows them to people, so any other text is left out. */
function readableScopes(names: readonly string[]): string[] {
  return names.filter((name) => SCOPE_TOKEN.test(name)).slice(0, MAX_SCOPES);
}

/** An address that a document names. @throws TokenFailure */
function addressOf(name: string, value: string, isReachable: Discovery['isReachable']): string {
  const problem = addressProblem(value, isReachable);
  if (problem === undefined) return value;
  throw unusable(`The ${name}, ${quoted(value)}, ${problem}.`);
}

function addressProblem(value: string, isReachable: Discovery['isReachable']): string | undefined {
  // The value is shown to people exactly as it came.
  if (!URL.canParse(value) || !/^[!-~]+$/.test(value)) return 'is not an address';
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is not a web address';
  if (url.username !== '' || url.password !== '') return 'has a user name';
  if (value.includes('#')) return 'has a fragment';
  return isReachable(url) ? undefined : 'may not be reached: it is not public, or not https';
}

/** A value of a document for a message: short, and unable to look like our own words. */
function quoted(value: string): string {
  const clean = value.replaceAll(/[^\x21-\x7e]/g, '?');
  return clean.length > MAX_QUOTED ? `${clean.slice(0, MAX_QUOTED)}…` : clean;
}

function withoutSlash(value: string): string {
  return value.replace(/\/$/, '');
}

function unusable(why: string, cause?: unknown): TokenFailure {
  return failed('refused', why, cause);
}

function failed(kind: TokenFailureKind, why: string, cause?: unknown): TokenFailure {
  return new TokenFailure(kind, why, { cause });
}
