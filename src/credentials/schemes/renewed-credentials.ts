/** Merges a token reply into stored credentials. Pure. */
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import type { TokenReply } from '../oauth/token-endpoint.ts';

/** The previous refresh token stays if none came (RFC 6749 section 6). */
export function withTokens(stored: AuthorizationDetails, reply: TokenReply): AuthorizationDetails {
  const { accessToken, refreshToken, scopes } = reply;
  return {
    ...stored,
    oauth_token: {
      ...stored.oauth_token,
      access_token: accessToken,
      ...(refreshToken !== undefined && refreshToken !== '' && { refresh_token: refreshToken }),
      ...(scopes !== undefined && { scopes }),
    },
  };
}

/** Counted from the receipt by our own clock, independent of the provider's; null if unknown or unlimited. */
export function renewedExpiry(expiresInSeconds: number | undefined, receivedAt: number): number | null {
  return expiresInSeconds === undefined || expiresInSeconds <= 0
    ? null
    : receivedAt + expiresInSeconds * 1_000;
}
