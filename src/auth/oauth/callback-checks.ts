/**
 * What a callback has to be before its flow is claimed, in the order of contract section 6. Pure.
 *
 * Nothing here spends the flow: a stranger who guesses or steals a callback address cannot end somebody
 * else's way back.
 */
import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../../core/ids.ts';
import type { OAuthFlowRow } from '../../store/oauth-flow-store.ts';
import type { CallbackProblemKind } from './callback-problem.ts';

/** A request to the callback address. */
export interface Callback {
  /** From the path. */
  connectionId: string;
  query: URLSearchParams;
  /** Value of the browser's cookie. */
  browser: string | undefined;
}

/** The `state` of a callback; undefined when there is not exactly one that could be ours. */
export function stateOf(query: URLSearchParams): string | undefined {
  const [state, second] = query.getAll('state');
  return second === undefined && state !== undefined && /^[A-Za-z0-9_-]{43}$/.test(state) ? state : undefined;
}

/**
 * Why this callback does not continue the flow; undefined when it does.
 *
 * @see RFC 6749 section 3.1 (a parameter twice, a parameter without a value), RFC 9207 (`iss`)
 */
export function refusalOf(
  flow: OAuthFlowRow,
  { connectionId, query, browser }: Callback,
  now: number,
): Exclude<CallbackProblemKind, 'state'> | undefined {
  if (flow.expires_at <= now) return 'expired';
  if (flow.connection_id !== connectionId) return 'connection';
  if (browser === undefined || !isSame(hashSecret(browser), flow.browser_hash)) return 'browser';
  const names = [...query.keys()];
  const hasOne = ((query.get('code') ?? '') === '') !== ((query.get('error') ?? '') === '');
  if (new Set(names).size !== names.length || !hasOne) return 'malformed';
  const issuer = query.get('iss');
  if (issuer !== null && issuer !== flow.issuer) return 'issuer';
  return undefined;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
