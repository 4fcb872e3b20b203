/**
 * Metadata of a client, registered (RFC 7591) or published at its client id: checked and reduced to the members that
 * have a meaning here. Pure.
 */
import { randomBytes } from 'node:crypto';
import { isList, isObject } from '../../core/json.ts';
import { OAuthError } from './oauth-error.ts';

const MAX_REDIRECT_URIS = 10;
const MAX_URI_LENGTH = 2_048;
const MAX_NAME_LENGTH = 200;

/** Names of this machine (RFC 8252 section 7.3); any port is allowed there. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A scheme made from a domain name, `com.example.app:`, which no other app should have (RFC 8252 section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

const AUTHENTICATION_METHODS: readonly unknown[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];

/** Members of metadata in the library's format. */
export type ClientMetadata = Readonly<Record<string, unknown>> & { redirect_uris: readonly string[] };

/** Prefix of the ids of registered clients; credentials of machines have others. */
const REGISTERED = 'ghapp_';

export function newRegisteredClientId(): string {
  return `${REGISTERED}${randomBytes(16).toString('hex')}`;
}

export function isRegisteredClientId(clientId: string): boolean {
  return clientId.startsWith(REGISTERED);
}

/** Whether a client id is that of an app people sign in to: registered, or the address of its metadata document. */
export function isPersonClientId(clientId: string): boolean {
  return isRegisteredClientId(clientId) || clientId.startsWith('https://');
}

/**
 * The metadata to store. Members without meaning here (logos, contacts, scopes) are dropped, as RFC 7591 section
 * 2 allows; grant types are limited to those of people's clients.
 *
 * @param input the parsed JSON
 * @param unnamed default authentication method: registered clients have a secret, documents never do
 * @throws OAuthError `invalid_redirect_uri`, `invalid_client_metadata`
 */
export function toClientMetadata(
  input: unknown,
  unnamed: 'client_secret_basic' | 'none' = 'client_secret_basic',
): ClientMetadata {
  if (!isObject(input)) throw wrong('Send the metadata of the client as a JSON object.');
  const given = input;
  const redirectUris = requireRedirectUris(given['redirect_uris']);
  const method = given['token_endpoint_auth_method'] ?? unnamed;
  if (!AUTHENTICATION_METHODS.includes(method))
    throw wrong(`token_endpoint_auth_method must be one of ${AUTHENTICATION_METHODS.join(', ')}.`);
  const grantTypes = words(given['grant_types'] ?? ['authorization_code'], 'grant_types');
  const responseTypes = words(given['response_types'] ?? ['code'], 'response_types');
  if (!grantTypes.includes('authorization_code')) throw wrong('grant_types must include authorization_code.');
  if (!responseTypes.includes('code')) throw wrong('response_types must include code.');
  return {
    ...(typeof given['client_id'] === 'string' && { client_id: given['client_id'] }),
    ...(typeof given['client_secret'] === 'string' && { client_secret: given['client_secret'] }),
    ...shown(given),
    redirect_uris: redirectUris,
    application_type: redirectUris.every(isHttps) ? 'web' : 'native',
    token_endpoint_auth_method: method,
    grant_types: ['authorization_code', ...grantTypes.filter((type) => type === 'refresh_token').slice(0, 1)],
    response_types: ['code'],
    response_modes: ['query'],
    ...(method === 'private_key_jwt' && keysOf(given)),
  };
}

/** Whether a redirect URI is on the web, where its host shows who owns it. */
export function isHttps(uri: string): boolean {
  return uri.startsWith('https://');
}

function requireRedirectUris(given: unknown): readonly string[] {
  if (!isList(given) || given.length === 0 || given.length > MAX_REDIRECT_URIS)
    throw wrongUri(`redirect_uris must have 1 to ${MAX_REDIRECT_URIS} members.`);
  if (!given.every((uri): uri is string => typeof uri === 'string' && isRedirectUri(uri))) {
    throw wrongUri(
      'Each of redirect_uris must be an absolute https URL, an http URL on loopback, or one with a scheme of the app made from a domain name (com.example.app:/done), without fragment, user name, spaces or a host with a wildcard.',
    );
  }
  return [...new Set(given)];
}

function isRedirectUri(uri: string): boolean {
  if (uri.length > MAX_URI_LENGTH || !/^[!-~]+$/.test(uri) || /[#\\]/.test(uri) || !URL.canParse(uri))
    return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '' || hostname.includes('*')) return false;
  if (protocol === 'https:') return /^https:\/\/[^/]/.test(uri) && !LOOPBACK_HOSTS.has(hostname);
  if (protocol === 'http:') return /^http:\/\/[^/]/.test(uri) && LOOPBACK_HOSTS.has(hostname);
  return PRIVATE_SCHEME.test(protocol);
}

function words(given: unknown, name: string): readonly string[] {
  if (Array.isArray(given) && given.every((word) => typeof word === 'string')) return given;
  throw wrong(`${name} must be a list of strings.`);
}

/** The members that the consent page shows. Both come unchecked from the client. */
function shown({ client_name: name, client_uri: uri }: Record<string, unknown>): Record<string, string> {
  if (name !== undefined && (typeof name !== 'string' || name.length > MAX_NAME_LENGTH))
    throw wrong(`client_name must be a string of at most ${MAX_NAME_LENGTH} characters.`);
  const text = name?.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim() ?? '';
  const isUrl = typeof uri === 'string' && uri.length <= MAX_URI_LENGTH && isHttps(uri) && URL.canParse(uri);
  return { ...(text !== '' && { client_name: text }), ...(isUrl && { client_uri: uri }) };
}

function keysOf({ jwks, jwks_uri: uri }: Record<string, unknown>): Record<string, unknown> {
  if (jwks !== undefined && uri === undefined) return { jwks };
  if (typeof uri === 'string' && jwks === undefined && isHttps(uri) && URL.canParse(uri))
    return { jwks_uri: uri };
  throw wrong('private_key_jwt needs either jwks or jwks_uri, an https URL.');
}

function wrong(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}

function wrongUri(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', description);
}
