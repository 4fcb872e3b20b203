/** Reads the bearer token of a request. Does not judge the token itself; the token verifier does. */
import { ServiceError } from '../../core/errors.ts';

const CREDENTIALS = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/**
 * The token of an `Authorization` header. A token in the query is never read.
 *
 * @throws ServiceError UNAUTHENTICATED saying how to get a token
 * @see RFC 6750 section 2.1
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new ServiceError(
      'UNAUTHENTICATED',
      'This call needs an access token. Get one from POST /oauth/token and send it as "Authorization: Bearer <token>".',
    );
  }
  const token = CREDENTIALS.exec(authorization)?.[1];
  if (token === undefined) {
    throw new ServiceError(
      'UNAUTHENTICATED',
      'The Authorization header must be "Bearer <token>" with a token from POST /oauth/token.',
    );
  }
  return token;
}
