/**
 * BOARD_OAUTH1: a consent whose token comes in the fragment of the callback (flow `token`), or OAuth 1.0a with signed
 * requests (flow `oauth1`, RFC 5849). The connection's client id is the API key, its secret the consumer secret.
 */
import { asWritten } from '../../connections/oauth-endpoints.ts';
import type { AuthOf } from '../../catalog/model/types.ts';
import { newSecret } from '../../core/ids.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { oauth1Header, oauthHeader } from '../oauth/oauth1-signature.ts';
import { boardAddresses, boardConsent, consumerOf } from './board-consent.ts';
import type { AttachContext, Attachment, Scheme } from './scheme.ts';
import type { ProviderFailure } from '../../outbound/provider-failure.ts';
import type { RenewalNames } from './renewal.ts';

type Auth = AuthOf<'BOARD_OAUTH1'>;

export const boardOauth1: Scheme<Auth> = {
  connect: (auth) => (auth.board_oauth1.flow === 'oauth1' ? 'consent' : 'fragment'),
  consent: boardConsent,

  requireComplete({ connection, auth }) {
    const rules = auth.board_oauth1;
    if (connection.clientId === null) throw incomplete(connection, 'client_id');
    if (rules.flow === 'oauth1' && connection.clientSecretSealed === null)
      throw incomplete(connection, 'client_secret');
    boardAddresses(connection, rules, asWritten);
  },

  operatorsRefusal,

  attach: async (context) =>
    context.auth.board_oauth1.flow === 'oauth1' ? signed(context) : keyAndToken(context),
};

async function signed({ details, clock, openConnection }: AttachContext<Auth>): Promise<Attachment> {
  const { connection, secret } = await openConnection();
  const token = {
    key: details.oauth_token?.access_token ?? '',
    secret: details.internal?.token_secret ?? '',
  };
  const credentials = { ...consumerOf(connection, secret), token };
  return {
    headers: {},
    query: [],
    sign: (request) => ({
      authorization: oauth1Header(request, credentials, { now: clock.now(), nonce: newSecret() }),
    }),
    secrets: [token.key, token.secret, credentials.consumerSecret],
  };
}

async function keyAndToken({ details, auth, openConnection }: AttachContext<Auth>): Promise<Attachment> {
  const { connection } = await openConnection();
  if (connection.clientId === null) throw incomplete(connection, 'client_id');
  const token = details.oauth_token?.access_token ?? '';
  const secrets = [token];
  if (auth.board_oauth1.attach === 'query') {
    const query = [['key', connection.clientId] as const, ['token', token] as const];
    return { headers: {}, query, secrets };
  }
  const authorization = oauthHeader([
    ['oauth_consumer_key', connection.clientId],
    ['oauth_token', token],
  ]);
  return { headers: { authorization }, query: [], secrets };
}

/** Token problems among the codes that OAuth 1.0a providers share (OAuth Problem Reporting). */
const TOKEN_PROBLEMS: ReadonlySet<string> = new Set(['token_expired', 'token_rejected', 'token_revoked']);

/** Texts about problems that only the operator can fix. */
const OPERATORS = /\b(signature|nonce|timestamp|clock|consumer|(api|app|application)?[ _-]?key)\b/i;

const REFUSED_TOKEN =
  /\b(invalid|expired|revoked|unknown|rejected|bad)\b.{0,40}\btoken\b|\btoken\b.{0,40}\b(invalid|expired|revoked|unknown|rejected|not (found|valid))\b/is;

/**
 * Decides who has to act on a refused request. It proves the account's token, the key of the connection, and with OAuth
 * 1.0a a signature with both secrets and the time. The owner can only fix the token.
 *
 * @returns advice for the operator; `undefined` if the provider means the account's token
 */
function operatorsRefusal(auth: Auth, failure: ProviderFailure, names: RenewalNames): string | undefined {
  const isSigned = auth.board_oauth1.flow === 'oauth1';
  const said = wordsOf(failure);
  const problem = /\boauth_problem\W{1,4}([a-z_]+)/i.exec(said)?.[1]?.toLowerCase();
  if (problem === undefined ? speaksOfToken(said, isSigned) : TOKEN_PROBLEMS.has(problem)) return undefined;
  const { title, connection } = names;
  const { provider_status: status } = failure.toolError;
  return isSigned
    ? `${title} refused the signed request (${status}) and does not say that it is for the account's token. The operator has to check the clock of the computer that runs Gatehouse, and client_id and client_secret of the connection ${connection}. The account stays connected.`
    : `${title} refused the key of the connection ${connection} (${status}). The operator has to correct its client_id. The account stays connected.`;
}

/** Without a text, a signed request may be refused for any reason, but an unsigned one for its token. */
function speaksOfToken(said: string, isSigned: boolean): boolean {
  const isOperators = OPERATORS.test(said);
  return isSigned ? !isOperators && REFUSED_TOKEN.test(said) : !isOperators || REFUSED_TOKEN.test(said);
}

function wordsOf({ toolError, challenge = '' }: ProviderFailure): string {
  const { code, message, provider_body: body } = toolError;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [challenge, code, message ?? '', text].join('\n');
}
