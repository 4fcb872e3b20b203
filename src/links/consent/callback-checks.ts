/**
 * Checks a callback before its flow is claimed, in the order of docs/contract.md#callback. Pure.
 *
 * Nothing here uses up the flow, so a stranger who guesses or steals a callback address cannot end somebody
 * else's flow.
 */
import { hashSecret } from '../../core/ids.ts';
import type { PageFailureKind } from '../../core/page-failure.ts';
import { isSameText } from '../../core/same-text.ts';
import type { OAuthFlow } from '../../store/accounts/oauth-flow.ts';

/** A request to the callback address. */
export interface Callback {
  /** From the path. */
  connectionId: string;
  query: URLSearchParams;
  /** Value of the browser's cookie. */
  browser: string | undefined;
  /** Parameter that carries the provider's consent; default `code`. */
  answer?: string;
}

/** The `state` of a callback; `undefined` unless there is exactly one that could be ours. */
export function stateOf(query: URLSearchParams): string | undefined {
  const [state, second] = query.getAll('state');
  return second === undefined && state !== undefined && /^[A-Za-z0-9_-]{43}$/.test(state) ? state : undefined;
}

/**
 * Translates a refusal in a callback of OAuth 1.0a to `error`. RFC 5849 has no parameter for it: providers
 * send `oauth_problem` with a reason, or `denied` with the request token.
 */
export function withRefusal(query: URLSearchParams, answer: string): URLSearchParams {
  if (answer !== 'oauth_verifier' || query.has('error')) return query;
  const problem = query.get('oauth_problem') || (query.has('denied') ? 'access_denied' : '');
  return problem === '' ? query : new URLSearchParams([...query, ['error', problem]]);
}

/**
 * The reason why this callback does not continue the flow; `undefined` if it does.
 *
 * @see RFC 6749 section 3.1 (a parameter twice, a parameter without a value), RFC 9207 (`iss`)
 */
export function refusalOf(
  flow: OAuthFlow,
  callback: Callback,
  now: number,
): Exclude<PageFailureKind<'callback'>, 'state'> | undefined {
  const { query, answer = 'code' } = callback;
  const stray = strayOf(flow, callback, now);
  if (stray !== undefined) return stray;
  const names = [...query.keys()];
  const hasOne = ((query.get(answer) ?? '') === '') !== ((query.get('error') ?? '') === '');
  if (new Set(names).size !== names.length || !hasOne) return 'malformed';
  const issuer = query.get('iss');
  if (issuer === null ? flow.isIssuerRequired : issuer !== flow.issuer) return 'issuer';
  return undefined;
}

/** The reason why this request does not belong to the flow, whatever answer it carries. */
export function strayOf(
  flow: OAuthFlow,
  { connectionId, browser }: Pick<Callback, 'connectionId' | 'browser'>,
  now: number,
): 'expired' | 'connection' | 'browser' | undefined {
  if (flow.expiresAt <= now) return 'expired';
  if (flow.connectionId !== connectionId) return 'connection';
  if (browser === undefined || !isSameText(hashSecret(browser), flow.browserHash)) return 'browser';
  return undefined;
}
