/** Who may call: API credentials, tokens and the authorization server of a process. */
import { ApiCredentials } from '../identity/api-credentials.ts';
import { AuthorizationServer } from '../identity/authorization-server.ts';
import { Sessions } from '../identity/people/sessions.ts';
import { PersonTokens } from '../identity/person-tokens.ts';
import { Mailer } from '../identity/sign-in/mailer.ts';
import { SigningKeys } from '../identity/signing-keys.ts';
import { TokenVerifier } from '../identity/token-verifier.ts';
import type { Installation } from './installation.ts';

export interface Identity {
  credentials: ApiCredentials;
  verifier: TokenVerifier;
  authorizationServer: AuthorizationServer;
  sessions: Sessions;
  personTokens: PersonTokens;
  /** undefined: `smtp` is not set. */
  mailer: Mailer | undefined;
}

/** Builds them over an open installation. */
export function buildIdentity(installation: Installation): Identity {
  const { db, vault, clock, environments, log, rates, settings, policy } = installation;
  const credentials = new ApiCredentials({ database: db, clock });
  const keys = new SigningKeys({ database: db, vault, clock, log });
  const verifier = new TokenVerifier({ environments, keys, database: db, clock });
  const { tokenMs, sessionMs } = settings.lifetimes;
  const sessions = new Sessions({ db, clock, policy, lifetimeMs: sessionMs });
  const personTokens = new PersonTokens({ database: db, vault, keys, environments, clock, tokenMs });
  const mailer = settings.smtp && new Mailer({ smtp: settings.smtp, log, now: () => clock.now() });
  const authorizationServer = new AuthorizationServer({
    database: db,
    vault,
    environments,
    credentials,
    keys,
    verifier,
    sessions,
    tokens: personTokens,
    http: installation.outbound,
    publicHttp: installation.outbound.publicOnly,
    rateLimiter: rates,
    clock,
    log,
    tokenMs,
    beforeMachineToken: async (draft) => policy.beforeMachineToken(draft),
    problemPage: async () => (await import('../pages/consent-problem.ts')).consentProblemPage,
  });
  return { credentials, verifier, authorizationServer, sessions, personTokens, mailer };
}
