/**
 * BOARD_OAUTH1: a consent whose token comes in the fragment of the callback (flow `token`), or OAuth 1.0a with signed
 * requests (flow `oauth1`, RFC 5849). The connection's client id is the API key, its secret the consumer secret.
 */
import { asWritten } from '../../connections/oauth-endpoints.ts';
import { newSecret } from '../../core/ids.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { oauth1Header, oauthHeader } from '../oauth/oauth1-signature.ts';
import { boardAddresses, boardConsent, boardRules, consumerOf } from './board-consent.ts';
import { operatorsRefusal } from './board-refusal.ts';
import type { AttachContext, Attachment, Scheme } from './scheme.ts';

export const boardOauth1: Scheme = {
  connect: (auth) => (boardRules(auth).flow === 'oauth1' ? 'consent' : 'fragment'),
  consent: boardConsent,

  requireComplete({ connection, auth }) {
    const rules = boardRules(auth);
    if (connection.client_id === null) throw incomplete(connection, 'client_id');
    if (rules.flow === 'oauth1' && connection.client_secret_sealed === null)
      throw incomplete(connection, 'client_secret');
    boardAddresses(connection, rules, asWritten);
  },

  operatorsRefusal,

  attach: async (context) =>
    boardRules(context.auth).flow === 'oauth1' ? signed(context) : keyAndToken(context),
};

async function signed({ details, clock, connection }: AttachContext): Promise<Attachment> {
  const { row, secret } = await connection();
  const token = {
    key: details.oauth_token?.access_token ?? '',
    secret: details.internal?.token_secret ?? '',
  };
  const credentials = { ...consumerOf(row, secret), token };
  return {
    headers: {},
    query: [],
    sign: (request) => ({
      authorization: oauth1Header(request, credentials, { now: clock.now(), nonce: newSecret() }),
    }),
    secrets: [token.key, token.secret, credentials.consumerSecret],
  };
}

async function keyAndToken({ details, auth, connection }: AttachContext): Promise<Attachment> {
  const { row } = await connection();
  if (row.client_id === null) throw incomplete(row, 'client_id');
  const token = details.oauth_token?.access_token ?? '';
  const secrets = [token];
  if (boardRules(auth).attach === 'query') {
    const query = [['key', row.client_id] as const, ['token', token] as const];
    return { headers: {}, query, secrets };
  }
  const authorization = oauthHeader([
    ['oauth_consumer_key', row.client_id],
    ['oauth_token', token],
  ]);
  return { headers: { authorization }, query: [], secrets };
}
