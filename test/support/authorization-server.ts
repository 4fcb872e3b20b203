/** Who may call, as an installation has it: credentials, tokens, sessions and the authorization server, of tests. */
import { buildAuthorizationServer } from '../../src/authorization-server/build-authorization-server.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Environments } from '../../src/core/environment.ts';
import { silentLog } from '../../src/core/log.ts';
import { PageTokens } from '../../src/core/page-token.ts';
import type { Policy } from '../../src/interceptors/policy.ts';
import { consentProblemPage } from '../../src/pages/consent/consent-problem.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { RateLimiter } from '../../src/store/records/rate-limiter.ts';
import type { Vault } from '../../src/vault/vault.ts';

type Base = Parameters<typeof buildAuthorizationServer>[0];

/** What a test has otherwise than usual. */
export type IdentityChanges = Partial<
  Pick<Base, 'log' | 'policy' | 'lifetimes' | 'http' | 'publicHttp' | 'pageTokens'>
>;

/** A policy without interceptors. */
export const ALLOWING: Policy = {
  beforeSignup: async () => {},
  beforeSession: async () => ({}),
  beforeInvitation: async () => {},
  beforeMachineToken: async () => ({ customClaims: {} }),
};

/** For tests in which no client publishes a document. */
const NO_WAY_OUT = {
  send: async (): Promise<never> => {
    throw new Error('nothing may be fetched here');
  },
};

/** Tokens and sessions live for an hour. */
export function testAuthorizationServer(
  {
    db,
    vault,
    clock,
    environments,
  }: { db: Database; vault: Vault; clock: Clock; environments: Environments },
  changes: IdentityChanges = {},
) {
  return buildAuthorizationServer({
    log: silentLog,
    policy: ALLOWING,
    rates: new RateLimiter(db, clock),
    pageTokens: new PageTokens(Buffer.alloc(32, 7)),
    lifetimes: { tokenMs: 3_600_000, sessionMs: 3_600_000 },
    http: NO_WAY_OUT,
    publicHttp: NO_WAY_OUT,
    problemPage: async () => consentProblemPage,
    db,
    vault,
    clock,
    environments,
    ...changes,
  });
}
