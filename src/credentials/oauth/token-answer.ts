/**
 * Reads answers of token and revocation endpoints. Translates the variants of providers into the form of RFC 6749
 * section 5, and gives every failure its kind. Pure.
 */
import { isObject, valueAt } from '../../core/json.ts';
import { parseJsonAnswer, textAt } from '../../outbound/json-answer.ts';
import type { OutboundResponse } from '../../outbound/outbound.ts';
import { providerWords } from './provider-words.ts';
import { TokenFailure, type TokenFailureKind } from './token-endpoint.ts';

/** Longest token that can be stored, in characters. */
const MAX_TOKEN_CHARACTERS = 65_536;

/** Longest additional member that is kept with the tokens, in characters. */
const MAX_CONTEXT_CHARACTERS = 4_096;

/** 100 years, in seconds. Longer lifetimes count as unlimited, which keeps times in range. */
const MAX_LIFETIME_SECONDS = 3_155_760_000;

/** Kinds by error code: those of RFC 6749 section 5.2, and those that known providers use instead of them. */
const KIND_OF_ERROR: Readonly<Record<string, TokenFailureKind>> = {
  invalid_grant: 'invalid_grant',
  bad_verification_code: 'invalid_grant',
  bad_refresh_token: 'invalid_grant',
  invalid_code: 'invalid_grant',
  code_already_used: 'invalid_grant',
  code_expired: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
  invalid_client: 'client_refused',
  unauthorized_client: 'client_refused',
  invalid_client_id: 'client_refused',
  bad_client_secret: 'client_refused',
  incorrect_client_credentials: 'client_refused',
  server_error: 'temporary',
  temporarily_unavailable: 'temporary',
  slow_down: 'temporary',
};

/** Our message for each kind. The provider's own text is reported next to it, as data. */
const SENTENCES: Readonly<Record<TokenFailureKind, string>> = {
  invalid_grant: 'The provider refuses the code or refresh token.',
  client_refused:
    'The provider refuses the client id or client secret of the connection. The operator has to correct the connection.',
  refused: 'The provider refuses the token request.',
  not_sent: 'The token request could not be sent.',
  temporary: 'The provider cannot answer token requests at the moment.',
  unknown: 'The provider gave no usable answer to the token request.',
};

/** The failure of a request, answered or not; see TokenFailure. */
export function tokenFailure(
  kind: TokenFailureKind,
  answer: ConstructorParameters<typeof TokenFailure>[2] = {},
  why = '',
): TokenFailure {
  return new TokenFailure(kind, `${SENTENCES[kind]}${why}`, answer);
}

/**
 * The members of a token reply, in the form of RFC 6749 section 5.1.
 *
 * Repairs: form encoding, any 2xx status, a missing `token_type`, `expires_in` as text or unreadable, an empty
 * `refresh_token`, `scope` as an array. Drops everything else, including the `id_token`.
 *
 * @param secrets values sent to the provider, which messages must not repeat
 * @param context dotted paths of further members to keep, as text
 * @throws TokenFailure for a refusal, even one with a 2xx status, and for an answer without an access token
 */
export function readTokenReply(
  response: OutboundResponse,
  secrets: readonly string[],
  retryAfterMs?: number,
  context: readonly string[] = [],
): Record<string, string | number> {
  const body = readBody(response);
  refuseFailure(response.status, body, secrets, retryAfterMs);
  const { access_token, refresh_token, token_type } = body ?? {};
  if (!isToken(access_token)) throw tokenFailure('unknown', { status: response.status });
  const type = typeof token_type === 'string' ? token_type.trim().toLowerCase() : '';
  if (type !== '' && type !== 'bearer')
    throw tokenFailure('unknown', { status: response.status }, ' Only bearer tokens can be used here.');
  const lifetime = readLifetime(body?.expires_in);
  const scope = readScope(body?.scope);
  return {
    ...readContext(body ?? {}, context),
    access_token,
    token_type: 'bearer',
    ...(isToken(refresh_token) && { refresh_token }),
    ...(lifetime !== undefined && { expires_in: lifetime }),
    ...(scope.length > 0 && { scope: scope.join(' ') }),
  };
}

/**
 * Reads the answer to a revocation. An unknown token counts as revoked (RFC 7009 section 2.2).
 *
 * @throws TokenFailure
 */
export function readRevocation(
  response: OutboundResponse,
  secrets: readonly string[],
  retryAfterMs?: number,
): void {
  const body = readBody(response);
  const error = textAt(body, ['error']);
  if (response.status < 500 && (error === 'invalid_token' || error === 'invalid_grant')) return;
  refuseFailure(response.status, body, secrets, retryAfterMs);
}

/** The members at these paths as text. Drops all but texts, numbers, booleans and lists, and those that are too long. */
function readContext(
  body: Readonly<Record<string, unknown>>,
  paths: readonly string[],
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const path of paths) {
    const value = valueAt(body, ...path.split('.'));
    const isPlain = ['number', 'boolean'].includes(typeof value) || Array.isArray(value);
    const text = typeof value === 'string' ? value : isPlain ? JSON.stringify(value) : '';
    if (text !== '' && text.length <= MAX_CONTEXT_CHARACTERS) out[path] = text;
  }
  return out;
}

/** Scopes of a list, or of a text separated by spaces or commas, each once. */
export function readScope(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : [value];
  const names = parts.flatMap((part) => (typeof part === 'string' ? part.split(/[\s,]+/) : []));
  return [...new Set(names)].filter((name) => name !== '');
}

function refuseFailure(
  status: number,
  body: Readonly<Record<string, unknown>> | undefined,
  secrets: readonly string[],
  retryAfterMs: number | undefined,
): void {
  const isSuccess = status >= 200 && status <= 299;
  const namesError = isFilled(body?.error) || isObject(body?.error) || body?.ok === false;
  if (isSuccess && !namesError) return;
  const error = namesError ? textAt(body, ['error', 'error.type', 'error.code']) : undefined;
  const description = textAt(body, ['error_description', 'error.message', 'message']);
  const hidden = [...secrets, body?.access_token, body?.refresh_token].filter(isFilled);
  throw tokenFailure(kindOf(status, namesError, error), {
    status,
    error: providerWords(error, hidden),
    description: providerWords(description, hidden),
    retryAfterMs,
  });
}

function kindOf(status: number, namesError: boolean, error: string | undefined): TokenFailureKind {
  if (status === 429 || status >= 500) return 'temporary';
  if (status >= 300 && status <= 399) return 'unknown';
  const known = error !== undefined && Object.hasOwn(KIND_OF_ERROR, error) ? KIND_OF_ERROR[error] : undefined;
  if (known !== undefined) return known;
  // Section 5.2: 401 means that client authentication failed.
  if (status === 401) return 'client_refused';
  return namesError ? 'refused' : 'unknown';
}

/** Returns `undefined` if the text is neither a JSON object nor a form. */
function readBody(response: OutboundResponse): Readonly<Record<string, unknown>> | undefined {
  const text = response.body.toString('utf8');
  try {
    const json = parseJsonAnswer(text);
    return isObject(json) ? json : undefined;
  } catch {
    const form = text.trim();
    return /^[\w.-]+=[^\s<>"{}]*$/.test(form) ? Object.fromEntries(new URLSearchParams(form)) : undefined;
  }
}

/** Returns a token if it can be stored and sent in a header (RFC 6749 appendix A.12). */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && value.length <= MAX_TOKEN_CHARACTERS;
}

/** Whole seconds; `undefined` if the value is not a time in the future. */
function readLifetime(value: unknown): number | undefined {
  const isReadable = typeof value === 'number' || /^\s*\d+(\.\d+)?\s*$/.test(isFilled(value) ? value : '');
  const seconds = isReadable ? Math.floor(Number(value)) : Number.NaN;
  return seconds > 0 && seconds <= MAX_LIFETIME_SECONDS ? seconds : undefined;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
