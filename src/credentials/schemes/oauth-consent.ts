/** The consent of OAUTH: an authorization request, and the exchange of its code (RFC 6749 section 4.1, RFC 7636). */
import type { AuthOf } from '../../catalog/model/types.ts';
import { newSecret } from '../../core/ids.ts';
import { authorizationUrl } from '../oauth/authorization-url.ts';
import { consentAddresses, oauthClientOf } from '../oauth/oauth-client.ts';
import { readMetadata } from './consent-metadata.ts';
import type { TokenReply } from '../oauth/token-endpoint.ts';
import { ConnectionChangedFailure, type ConsentCredentials, type ConsentStep } from './consent-step.ts';
import { bearerAuthorization } from './scheme.ts';

export const oauthConsent: ConsentStep<AuthOf<'OAUTH'>> = {
  answer: () => 'code',

  outline({ connection, auth, fill }) {
    const rules = auth.oauth;
    return {
      address: consentAddresses(connection, rules, fill).authorizationUrl,
      defaultScopes: undefined,
      rules,
    };
  },

  async begin({ connection, auth, fill }, { state, redirectUri, scopes }) {
    const rules = auth.oauth;
    const addresses = consentAddresses(connection, rules, fill);
    const verifier = rules.pkce ? newSecret() : undefined;
    const request = { clientId: addresses.clientId, redirectUri, state, scopes, verifier };
    return {
      redirectTo: authorizationUrl(addresses.authorizationUrl, rules, request),
      secret: verifier,
      tokenUrl: addresses.tokenUrl,
      issuer: addresses.issuer,
    };
  },

  async finish({ connection, auth, fill }, back, { vault, tokens }) {
    const rules = auth.oauth;
    const client = await oauthClientOf(vault, connection, rules, fill);
    if (client.tokenUrl !== back.tokenUrl || client.issuer !== back.issuer)
      throw new ConnectionChangedFailure();
    const { redirectUri, secret: verifier } = back;
    const code = back.query.get('code') ?? '';
    const reply = await tokens.exchange(client, { code, redirectUri, verifier });
    return { ...receivedTokens(reply, back.scopes), context: reply.context };
  },

  async learn(subject, { query, came }, { http }) {
    const token = came.details.oauth_token?.access_token ?? '';
    const said = { token: came.context, callback: query, attachment: bearerAuthorization(token) };
    return readMetadata(subject, said, http);
  },
};

/**
 * The stored part of a token reply.
 *
 * @param asked scopes that were asked for, which count as granted if the reply does not say (RFC 6749 section 5.1). A
 *   provider that grants what is ticked in the app is expected to grant these
 */
export function receivedTokens(reply: TokenReply, asked: readonly string[]): ConsentCredentials {
  const { accessToken, refreshToken, expiresInSeconds } = reply;
  const scopes = reply.scopes ?? asked;
  return {
    details: {
      oauth_token: {
        access_token: accessToken,
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        scopes: [...scopes],
      },
    },
    expiresInSeconds,
  };
}
