/**
 * Whom a refused request of BOARD_OAUTH1 is about. It proves more than the account's token: the key of the connection,
 * and with OAuth 1.0a a signature with both secrets and the time. Only the token is its owner's to mend. Pure.
 */
import type { ConnectorAuth } from '../../catalog/model/types.ts';
import type { ProviderFailure } from '../../outbound/provider-failure.ts';
import { boardRules } from './board-consent.ts';
import type { RenewalNames } from './renewal.ts';

/** Of the vocabulary that providers of OAuth 1.0a share (OAuth Problem Reporting), those about the token. */
const TOKEN_PROBLEMS: ReadonlySet<string> = new Set(['token_expired', 'token_rejected', 'token_revoked']);

/** Words for what is the operator's. */
const OPERATORS = /\b(signature|nonce|timestamp|clock|consumer|(api|app|application)?[ _-]?key)\b/i;

const REFUSED_TOKEN =
  /\b(invalid|expired|revoked|unknown|rejected|bad)\b.{0,40}\btoken\b|\btoken\b.{0,40}\b(invalid|expired|revoked|unknown|rejected|not (found|valid))\b/is;

/** @returns what the operator looks at; undefined: the provider speaks of the account's token */
export function operatorsRefusal(
  auth: ConnectorAuth,
  failure: ProviderFailure,
  names: RenewalNames,
): string | undefined {
  const isSigned = boardRules(auth).flow === 'oauth1';
  const said = wordsOf(failure);
  const problem = /\boauth_problem\W{1,4}([a-z_]+)/i.exec(said)?.[1]?.toLowerCase();
  if (problem === undefined ? speaksOfToken(said, isSigned) : TOKEN_PROBLEMS.has(problem)) return undefined;
  const { title, connection } = names;
  const { provider_status: status } = failure.toolError;
  return isSigned
    ? `${title} refused the signed request (${status}) and does not say that it is for the account's token. The operator has to check the clock of the computer that runs Gatehouse, and client_id and client_secret of the connection ${connection}. The account stays connected.`
    : `${title} refused the key of the connection ${connection} (${status}). The operator has to correct its client_id. The account stays connected.`;
}

/** Without words a signed request may be refused for anything, and another one for its token. */
function speaksOfToken(said: string, isSigned: boolean): boolean {
  const isOperators = OPERATORS.test(said);
  return isSigned ? !isOperators && REFUSED_TOKEN.test(said) : !isOperators || REFUSED_TOKEN.test(said);
}

function wordsOf({ toolError, challenge = '' }: ProviderFailure): string {
  const { code, message, provider_body: body } = toolError;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [challenge, code, message ?? '', text].join('\n');
}
