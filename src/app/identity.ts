/** Who may call: API credentials, tokens and the authorization server of a process. */
import { ApiCredentials } from '../identity/api-credentials.ts';
import { AuthorizationServer } from '../identity/authorization-server.ts';
import { SigningKeys } from '../identity/signing-keys.ts';
import { TokenVerifier } from '../identity/token-verifier.ts';
import type { Installation } from './installation.ts';

export interface Identity {
  credentials: ApiCredentials;
  verifier: TokenVerifier;
  authorizationServer: AuthorizationServer;
}

/** Builds them over an open installation. */
export function buildIdentity(installation: Installation): Identity {
  const { db, vault, clock, environments, log, rates, settings } = installation;
  const credentials = new ApiCredentials({ database: db, clock });
  const keys = new SigningKeys({ database: db, vault, clock });
  const verifier = new TokenVerifier({ environments, keys, database: db, clock });
  const authorizationServer = new AuthorizationServer({
    database: db,
    credentials,
    keys,
    verifier,
    rateLimiter: rates,
    clock,
    log,
    tokenMs: settings.lifetimes.tokenMs,
  });
  return { credentials, verifier, authorizationServer };
}
