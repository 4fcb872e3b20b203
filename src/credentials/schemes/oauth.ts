/**
 * OAUTH: a consent with a code (RFC 6749 section 4.1), refresh tokens, and the access token in the Authorization header, or
 * where the connector declares it.
 */
import { asWritten } from '../../connections/oauth-endpoints.ts';
import { consentFiller, placeholderValues } from '../../connections/placeholders.ts';
import { placesOf } from '../../catalog/model/credential-places.ts';
import type { AuthOf } from '../../catalog/model/types.ts';
import { consentAddresses, oauthClientOf } from '../oauth/oauth-client.ts';
import { withTokens } from './renewed-credentials.ts';
import { oauthConsent } from './oauth-consent.ts';
import type { Renewal } from './renewal.ts';
import { attachedAt, bearerAuthorization, type Scheme } from './scheme.ts';

/** Presents the refresh token (RFC 6749 section 6). It is used whatever the connector says about refresh tokens. */
export const refreshTokenRenewal: Renewal<AuthOf<'OAUTH'>> = {
  by: 'token',
  credentialOf: ({ oauth_token }) => oauth_token?.access_token || undefined,
  isPossible: ({ oauth_token }) => (oauth_token?.refresh_token ?? '') !== '',
  async prepare({ account, details, connection, connector, auth }, { vault, tokens }) {
    const rules = auth.oauth;
    const { refresh_token: refreshToken = '', domain } = details.oauth_token ?? {};
    const fill = consentFiller(rules, connector, placeholderValues(account, domain));
    const client = await oauthClientOf(vault, connection, rules, fill);
    return async (options) => {
      const reply = await tokens.refresh(client, refreshToken, options);
      return {
        applyTo: (stored) => withTokens(stored, reply),
        expiresInSeconds: reply.expiresInSeconds,
      };
    };
  },
};

export const oauth: Scheme<AuthOf<'OAUTH'>> = {
  connect: () => 'consent',
  consent: oauthConsent,
  requireComplete: ({ connection, auth }) => void consentAddresses(connection, auth.oauth, asWritten),
  renewal: refreshTokenRenewal,

  attach({ details, auth }) {
    const token = details.oauth_token?.access_token ?? '';
    const places = placesOf(auth);
    return places.length === 0 ? bearerAuthorization(token) : attachedAt(places, () => token);
  },
};
