/** Client authentication with a signed JWT (RFC 7523 section 2.2), for `private_key_jwt`. */
import { SignJWT } from 'jose';
import { readPrivateKey } from '../../connections/secret-params.ts';
import { newSecret } from '../../core/ids.ts';
import { TokenFailure, type OAuthClient } from './token-endpoint.ts';

/** An assertion is used at once, but clocks differ. */
const LIFETIME_SECONDS = 300;

/** JWT algorithms by OpenSSL's name of the curve. */
const EC_ALGORITHMS: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * @param privateKey PEM
 * @param now Unix milliseconds
 * @throws TokenFailure `client_refused` for a key that cannot sign
 */
export async function clientAssertion(
  {
    clientId,
    tokenUrl,
    keyId,
    rsaAlgorithm = 'RS256',
  }: Pick<OAuthClient, 'clientId' | 'tokenUrl' | 'keyId' | 'rsaAlgorithm'>,
  privateKey: string,
  now: number,
): Promise<string> {
  const key = readPrivateKey(privateKey);
  if (key === undefined)
    throw new TokenFailure('client_refused', 'The private key of the connection cannot sign assertions.');
  const alg =
    key.asymmetricKeyType === 'rsa'
      ? rsaAlgorithm
      : (EC_ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? '');
  const issuedAt = Math.floor(now / 1_000);
  return new SignJWT({ jti: newSecret() })
    .setProtectedHeader({ alg, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME_SECONDS)
    .sign(key);
}
