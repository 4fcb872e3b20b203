/** Builds the services that make calls and check whether an account works. */
import type { Upstreams } from '../upstream/upstreams.ts';
import type { Finders } from '../accounts/build-accounts.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { Catalog } from '../catalog/model/types.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Timers } from '../core/timers.ts';
import type { CredentialSource } from '../credentials/usable-credential.ts';
import type { Links } from '../links/links.ts';
import type { ProviderClient } from '../outbound/provider-client.ts';
import type { Database } from '../store/engine/database.ts';
import { ExecutionStore } from '../store/records/execution-store.ts';
import { IdempotencyStore } from '../store/records/idempotency-store.ts';
import type { RateLimiter } from '../store/records/rate-limiter.ts';
import { AccountRefresh } from './account-refresh.ts';
import type { CallObserver } from './call/account-calls.ts';
import { AccountChoice } from './call/account-choice.ts';
import { ActiveAccountGuard } from './call/active-account-guard.ts';
import { ExecutionLog } from './call/execution-log.ts';
import type { HandlerSource } from './call/perform-call.ts';
import { ExecutionList } from './execution-list.ts';
import { Executor } from './executor.ts';
import { OwnAccounts } from './own-accounts.ts';
import { ProviderPauses } from './call/provider-pauses.ts';
import { IdempotentCalls, type OutcomeSeal } from './idempotency/idempotent-calls.ts';

/**
 * Builds these services.
 *
 * @param base.refresh its `lease` also limits how long an idempotency key outlives the process that took it
 * @param base.areRecordsRequired whether a call without a stored record is refused; default: no
 * @param base.maxResultBytes default: that of the executor
 */
export function buildExecutor(
  base: Finders & {
    db: Database;
    vault: OutcomeSeal & { derive(purpose: string): Buffer };
    clock: Clock;
    log: Log;
    catalog: Catalog;
    accounts: Pick<Accounts, 'describe'>;
    pageTokens: PageTokens;
    waiting: WaitingCredentials;
    links: Links;
    credentials: CredentialSource;
    rates: RateLimiter;
    provider: ProviderClient;
    handlers: HandlerSource;
    refresh: { leaseMs: number };
    timers?: Timers;
    observe?: CallObserver;
    /** Called with the number of call records that could not be stored. */
    onLostRecords?: (count: number) => void;
    areRecordsRequired?: boolean;
    callLog?: Log;
    maxResultBytes?: number;
    upstreams?: Upstreams;
  },
) {
  const { db, vault, clock, log } = base;
  const { leaseMs } = base.refresh;
  const finders = { finder: base.accountFinder, connections: base.connectionFinder };
  const activeAccounts = new ActiveAccountGuard(base);
  const accounts = new AccountChoice({ ...base, ...finders });
  const executor = new Executor({
    ...base,
    ...finders,
    activeAccounts,
    pauses: new ProviderPauses(base),
    idempotentCalls: new IdempotentCalls({
      ...base,
      store: new IdempotencyStore(db, clock, { leaseMs }),
      seal: vault,
      hashKey: vault.derive('idempotency'),
      leaseMs,
    }),
    accounts,
    executionLog: new ExecutionLog(db, log, base.onLostRecords),
  });
  return {
    activeAccounts,
    accountRefresh: new AccountRefresh({ ...base, ...finders, activeAccounts }),
    executor,
    ownAccounts: new OwnAccounts({ ...base, ...finders, accounts }),
    executions: new ExecutionList({
      ...base,
      executions: new ExecutionStore(db.longRead),
      recorded: () => executor.recorded(),
    }),
  };
}
