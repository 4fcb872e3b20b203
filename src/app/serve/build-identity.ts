/** Who may call: API credentials, tokens and the authorization server of a process. */
import { ApiCredentials } from '../../api-credentials/api-credentials.ts';
import { AuthorizationServer } from '../../authorization-server/authorization-server.ts';
import { Sessions } from '../../people/sessions.ts';
import { PersonTokens } from '../../authorization-server/tokens/person-tokens.ts';
import { Mailer } from '../../people/mailer.ts';
import { SigningKeys } from '../../authorization-server/tokens/signing-keys.ts';
import { TokenVerifier } from '../../authorization-server/tokens/token-verifier.ts';
import type { Services } from '../services/services.ts';

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
export function buildIdentity(installation: Services): Identity {
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
    problemPage: async () => (await import('../../pages/consent/consent-problem.ts')).consentProblemPage,
  });
  return { credentials, verifier, authorizationServer, sessions, personTokens, mailer };
}
