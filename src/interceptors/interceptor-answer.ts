/**
 * Reads the answer of an interceptor (docs/contract.md#what-an-interceptor-answers). Pure.
 *
 * Only a completely valid answer counts; for any other it returns the reason, and the fallback decides. One
 * exception, for safety: a DENY stays a DENY without a readable message.
 */
import { isObject, parsedJson } from '../core/json.ts';
import type { TriggerPoint } from '../core/stored-words.ts';
import { SCOPE_TOKEN } from '../core/text-rules.ts';
import type { AddedClaims } from '../store/tables/people-tables.ts';

/** Changes that the interceptors called so far made to what is about to be issued. */
export interface Granted {
  claims: AddedClaims;
  /** Scopes of a machine token; `undefined` if unchanged. */
  scopes?: readonly string[];
  audience?: readonly string[];
}

/** A valid answer, or our own sentence about what is wrong with it. */
export type Answer =
  | { decision: 'ALLOW'; granted: Granted }
  | { decision: 'DENY'; message: string }
  | { decision: 'UNREADABLE'; failure: string };

type Json = Readonly<Record<string, unknown>>;

/** Users read it, so it has to fit on a page. */
const MAX_MESSAGE_LENGTH = 500;

const DEFAULT_MESSAGE =
  'A policy of this service stopped the request. If that is wrong, ask its administrator.';

const MAX_SCOPES = 100;
const MAX_AUDIENCES = 20;
const MAX_AUDIENCE_LENGTH = 2_048;

/**
 * @param given body and content type of an answer with a 2xx status
 * @param before changes by the interceptors called earlier
 */
export function readAnswer(
  triggerPoint: TriggerPoint,
  { body, contentType }: { body: Buffer; contentType: string | null },
  before: Granted,
): Answer {
  if (contentType !== null && !/^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i.test(contentType))
    return unreadable('The content type of the answer is not application/json.');
  const answer = parsed(body);
  if (!isObject(answer)) return unreadable('The answer is not a JSON object.');
  const { decision } = answer;
  if (decision === 'DENY') return { decision, message: messageOf(answer) };
  if (decision !== 'ALLOW') return unreadable('The decision of the answer is neither "ALLOW" nor "DENY".');
  if (triggerPoint !== 'PRE_SESSION_CREATION' && triggerPoint !== 'PRE_M2M_TOKEN_CREATION')
    return { decision, granted: before };
  const { response = {} } = answer;
  if (!isObject(response)) return unreadable('The member response of the answer is not an object.');
  const { claims = {} } = response;
  if (!isObject(claims)) return unreadable('The member response.claims of the answer is not an object.');
  return triggerPoint === 'PRE_SESSION_CREATION'
    ? withClaims(claims, before)
    : withTokenClaims(claims, before);
}

/** `scope` and `aud` of a machine token may be replaced; everything else is an added claim. */
function withTokenClaims({ scope, aud, ...claims }: Json, before: Granted): Answer {
  const scopes = scope === undefined ? before.scopes : scopesOf(scope);
  const audience = aud === undefined ? before.audience : audienceOf(aud);
  if (scope !== undefined && scopes === undefined)
    return unreadable('The claim scope of the answer is not a text of words separated by spaces.');
  if (aud !== undefined && audience === undefined)
    return unreadable('The claim aud of the answer is not a text, nor a list of texts.');
  return withClaims(claims, {
    ...before,
    ...(scopes !== undefined && { scopes }),
    ...(audience !== undefined && { audience }),
  });
}

function withClaims(added: Json, before: Granted): Answer {
  const claims = { ...before.claims, ...added };
  const problem = claimsProblem(claims);
  return problem === undefined ? { decision: 'ALLOW', granted: { ...before, claims } } : unreadable(problem);
}

function scopesOf(scope: unknown): readonly string[] | undefined {
  if (typeof scope !== 'string') return undefined;
  const words = [...new Set(scope.split(' ').filter((word) => word !== ''))];
  return words.length <= MAX_SCOPES && words.every((word) => SCOPE_TOKEN.test(word)) ? words : undefined;
}

function audienceOf(aud: unknown): readonly string[] | undefined {
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return all.length > 0 && all.length <= MAX_AUDIENCES && all.every(isAudience) ? all : undefined;
}

function isAudience(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_AUDIENCE_LENGTH &&
    value.isWellFormed() &&
    !/[\s\p{Cc}]/u.test(value)
  );
}

/** The reason shown to the user whose flow is stopped, in one line. */
function messageOf({ error }: Json): string {
  const given = isObject(error) && typeof error['message'] === 'string' ? error['message'] : '';
  const line = given
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line === '') return DEFAULT_MESSAGE;
  return line.length <= MAX_MESSAGE_LENGTH
    ? line
    : `${line.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…`;
}

function parsed(body: Buffer): unknown {
  try {
    return parsedJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function unreadable(failure: string): Answer {
  return { decision: 'UNREADABLE', failure };
}

/** Claims that say what a token is and whom it identifies: never set from outside (docs/security.md#interceptor-claims). */
const RESERVED: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'client_id',
  'scope',
  'scopes',
  'gid',
  'oid',
  'sid',
  'azp',
  'act',
  'cnf',
  'custom_claims',
]);

/** Limit for all claims added to one token, as JSON: a token is sent in a header. */
const MAX_BYTES = 4_096;

/** Nobody needs deeper claims, and programs that walk them recursively must be safe. */
const MAX_DEPTH = 20;

/**
 * Finds a fault in all claims added to a token: their names and their total size. Returns one sentence, or
 * `undefined` if they are valid.
 */
function claimsProblem(claims: AddedClaims): string | undefined {
  const reserved = Object.keys(claims).filter((name) => RESERVED.has(name) || name === '__proto__');
  if (reserved.length > 0) return `Claims of these names cannot be set: ${reserved.join(', ')}.`;
  if (isDeeperThan(claims, MAX_DEPTH)) return `Claims are nested deeper than ${MAX_DEPTH} levels.`;
  if (Buffer.byteLength(JSON.stringify(claims)) > MAX_BYTES)
    return `All added claims together are more than ${MAX_BYTES} bytes of JSON.`;
  return undefined;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
