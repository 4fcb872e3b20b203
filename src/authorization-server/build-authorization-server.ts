/**
 * Builds the services that authenticate callers: API credentials, tokens and the authorization server of a process.
 */
import { ApiCredentials } from '../api-credentials/api-credentials.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { loadOnce } from '../core/load-once.ts';
import type { Log } from '../core/log.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Policy } from '../interceptors/policy.ts';
import { Sessions } from '../people/sessions.ts';
import type { Database } from '../store/engine/database.ts';
import type { RateLimiter } from '../store/records/rate-limiter.ts';
import type { Vault } from '../vault/vault.ts';
import type { ApiSessions } from './api-sessions.ts';
import { AuthorizationServer, type AuthorizationServerOptions } from './authorization-server.ts';
import type { BeforeMachineToken } from './tokens/machine-tokens.ts';
import { OperatorTokens } from './tokens/operator-tokens.ts';
import { PersonTokens } from './tokens/person-tokens.ts';
import { SigningKeys } from './tokens/signing-keys.ts';
import { TokenVerifier } from './tokens/token-verifier.ts';

/**
 * Builds them; sessions as the REST API has them load with their first use.
 *
 * @param base.lifetimes of access tokens and sessions
 * @param base.machineTokenMade called for each token of an API credential before it is sent; must not throw
 */
export function buildAuthorizationServer(
  base: Pick<AuthorizationServerOptions, 'http' | 'publicHttp' | 'problemPage'> & {
    db: Database;
    vault: Vault;
    clock: Clock;
    log: Log;
    environments: Environments;
    policy: Policy;
    rates: RateLimiter;
    pageTokens: PageTokens;
    lifetimes: { tokenMs: number; sessionMs: number };
    machineTokenMade?: ((environmentId: string, clientId: string) => void) | undefined;
  },
) {
  const { db: database, clock, policy, lifetimes } = base;
  const { tokenMs } = lifetimes;
  const credentials = new ApiCredentials({ database, clock });
  const keys = new SigningKeys({ ...base, database });
  const verifier = new TokenVerifier({ ...base, keys, database });
  const sessions = new Sessions({ ...base, lifetimeMs: lifetimes.sessionMs });
  const tokens = new PersonTokens({ ...base, database, keys, tokenMs });
  const beforeMachineToken: BeforeMachineToken = async (draft) => policy.beforeMachineToken(draft);
  const operatorTokens = new OperatorTokens({
    ...base,
    database,
    credentials,
    keys,
    tokenMs,
    beforeMachineToken,
  });
  const authorizationServer = new AuthorizationServer({
    ...base,
    database,
    credentials,
    keys,
    verifier,
    sessions,
    tokens,
    rateLimiter: base.rates,
    tokenMs,
    beforeMachineToken: async (draft) => {
      const change = await beforeMachineToken(draft);
      base.machineTokenMade?.(draft.environmentId, draft.clientId);
      return change;
    },
  });
  const { consents } = authorizationServer;
  const load = loadOnce(async () => {
    const { ApiSessions } = await import('./api-sessions.ts');
    return new ApiSessions({ ...base, sessions, tokens, consents });
  });
  const apiSessions: Pick<ApiSessions, 'create' | 'list' | 'get' | 'end'> = {
    create: async (...given) => (await load()).create(...given),
    list: async (...given) => (await load()).list(...given),
    get: async (...given) => (await load()).get(...given),
    end: async (...given) => (await load()).end(...given),
  };
  return {
    credentials,
    keys,
    verifier,
    sessions,
    personTokens: tokens,
    operatorTokens,
    authorizationServer,
    apiSessions,
  };
}
