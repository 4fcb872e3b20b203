/** Claims that interceptors add to a token: which names they may have, and how much they may be. Pure. */
import type { AddedClaims } from './policy.ts';

/** Names that say what a token is and whom it stands for: never from outside (docs/security.md#interceptor-claims). */
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

/** All that is added to one token, as JSON: a token travels in a header. */
const MAX_BYTES = 4_096;

/** Nobody reads deeper, and programs that walk claims recursively must not be made to. */
const MAX_DEPTH = 20;

/** What is wrong with claims as a whole, in one sentence; undefined: nothing. */
export function claimsProblem(claims: AddedClaims): string | undefined {
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
