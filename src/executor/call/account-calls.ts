/**
 * Makes a call with an account: the steps that tools and proxied requests have in common.
 *
 * The order: require the account to be active and its provider to take calls, count the call in its rates, make its
 * credential usable, make the call, record it.
 */
import { callSettings, type CallSettings } from '../../connections/call-settings.ts';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import {
  CredentialEndedFailure,
  type CredentialSource,
  type CredentialUse,
} from '../../credentials/usable-credential.ts';
import type { CallLimit, Tool } from '../../catalog/model/types.ts';
import { onlyOwnerOf, type Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { CallTimes } from '../../core/telemetry/call-times.ts';
import type { LinkOptions } from '../../links/link-rules.ts';
import type { Database } from '../../store/engine/database.ts';
import { writeAuditLine } from '../../store/records/audit-store.ts';
import type { CallRecord } from '../../store/records/ended-calls.ts';
import type { ChosenAccount } from './account-choice.ts';
import { CallCredential } from './call-credential.ts';
import { takeRates, type CallRates } from './call-rates.ts';
import type { ActiveAccountGuard } from './active-account-guard.ts';
import type { ExecutionLog } from './execution-log.ts';
import type { ProviderPauses } from './provider-pauses.ts';
import { recordedFailure } from './recorded-failure.ts';

/** A call whose account has been chosen. */
export interface AccountCall extends ChosenAccount {
  caller: Caller;
  /** Options of the request for a link in its answer. */
  link: LinkOptions | undefined;
  /** In records and metrics: the tool's name, or `proxy`. */
  name: string;
  /** Limits of the catalog in which the call counts. */
  limits: readonly CallLimit[];
  /** `undefined` for a proxied request, which belongs to no tool. */
  tool?: Tool;
  /** Ends the provider call when the caller leaves. */
  signal: AbortSignal | undefined;
}

/** Everything that a call needs once it is allowed. */
export interface ReadyCall {
  executionId: string;
  /** The account's connection, and the caller that waits for the credential. */
  use: CredentialUse;
  credential: CallCredential;
  settings: CallSettings;
  /** Notes where the time of the call goes. */
  times: CallTimes;
  /** The provider wants no calls for this long. Never fails. */
  limited: (retryAfterMs: number) => Promise<void>;
  /** Counts one more request in the limits of the call. @throws ServiceError RATE_LIMITED */
  countPage: () => Promise<void>;
  /**
   * The error to answer with after the provider's own error: the same error, a missing scope, or an account that is no
   * longer active.
   */
  refused(error: unknown): Promise<unknown>;
}

/** The end of a call that was answered. */
export interface CallEnd<T> {
  value: T;
  /** Recorded if the answer is a failure nevertheless. */
  failure?: ServiceError;
}

/** Called for every finished call, for metrics. */
export type CallObserver = (call: {
  tool: string;
  status: 'ok' | 'error';
  errorCode: string | undefined;
  durationMs: number;
}) => void;

export interface AccountCallDeps {
  connections: ConnectionFinder;
  activeAccounts: ActiveAccountGuard;
  pauses: ProviderPauses;
  rates: CallRates;
  credentials: CredentialSource;
  executionLog: ExecutionLog;
  /** For the audit log. */
  db: Database;
  clock: Clock;
  observe?: CallObserver;
  /** Stores a record before each call, and refuses calls without one (`executions.required`). */
  areRecordsRequired?: boolean;
}

export class AccountCalls {
  readonly #deps: AccountCallDeps;

  constructor(deps: AccountCallDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a call and records it.
   *
   * @throws ServiceError AccountNotActive, RATE_LIMITED, TOOL_ERROR, UNAVAILABLE (also where a record is required and
   *   cannot be stored); what `perform` throws
   */
  async run<T>(
    call: AccountCall,
    perform: (ready: ReadyCall) => Promise<CallEnd<T>>,
  ): Promise<{ value: T; executionId: string }> {
    const startedAt = this.#deps.clock.now();
    const executionId = newId('exe', startedAt);
    if (isWithForeignAccount(call)) await this.#audit(call, startedAt);
    if (this.#deps.areRecordsRequired === true) await this.#begin(call, executionId, startedAt);
    const times = new CallTimes();
    let end: CallEnd<T>;
    try {
      end = await this.#perform(call, { executionId, times }, perform);
    } catch (error) {
      await this.#record(call, { executionId, startedAt, times, failure: error });
      throw error;
    }
    await this.#record(call, { executionId, startedAt, times, failure: end.failure });
    return { value: end.value, executionId };
  }

  async #perform<T>(
    call: AccountCall,
    { executionId, times }: Pick<ReadyCall, 'executionId' | 'times'>,
    perform: (ready: ReadyCall) => Promise<CallEnd<T>>,
  ): Promise<CallEnd<T>> {
    const { connections, activeAccounts, pauses, rates, credentials } = this.#deps;
    const { caller, account, tool, link } = call;
    const { connector, auth } = connections.connectorOf(account.connection);
    const asked = { link, isNew: call.isNew, tools: tool && [tool] };
    const active = await activeAccounts.requireActive(caller, account, connector, asked);
    pauses.requireNone(active, connector.title);
    const settings = callSettings(active);
    const count = async (): Promise<void> => takeRates(rates, active, call.limits, settings);
    await count();
    const limited = async (retryAfterMs: number): Promise<void> =>
      pauses.begin(active, connector.errors.retry_after?.of ?? 'account', retryAfterMs);
    const use = { connector, auth, executionId, signal: call.signal, times };
    try {
      const usable = await credentials.fresh(active, use);
      if (usable.account.generation !== active.generation) times.renewals += 1;
      const credential = new CallCredential(usable, async (refused) => {
        const newer = await credentials.afterRefusal(refused, use);
        if (newer !== undefined) times.renewals += 1;
        return newer;
      });
      const refused = async (error: unknown): Promise<unknown> => {
        // A recorded success of an earlier call resets the count of refusals.
        await this.#deps.executionLog.flush();
        return activeAccounts.afterRefusal(
          caller,
          credential.current,
          { tool, connector, auth, link },
          error,
        );
      };
      return await perform({
        executionId,
        use,
        credential,
        settings,
        times,
        limited,
        countPage: count,
        refused,
      });
    } catch (error) {
      if (!(error instanceof CredentialEndedFailure)) throw error;
      throw await activeAccounts.refusal(caller, error.account, connector, { link, tools: asked.tools });
    }
  }

  /** Before the call, so that no call of an operator is made without its line. */
  async #audit({ caller, account }: AccountCall, now: number): Promise<void> {
    await this.#deps.db.transaction(async (tx) =>
      writeAuditLine(tx, caller, { action: 'connected_account.use', target: account.id, now }),
    );
  }

  async #begin(call: AccountCall, executionId: string, startedAt: number): Promise<void> {
    const { executionLog, observe } = this.#deps;
    try {
      await executionLog.begin(
        executionOf(call, { executionId, startedAt, at: startedAt, failure: NOT_ENDED }),
      );
    } catch (error) {
      observe?.({ tool: call.name, status: 'error', errorCode: NOT_ENDED.code, durationMs: 0 });
      throw error;
    }
  }

  async #record(
    call: AccountCall,
    end: { executionId: string; startedAt: number; times: CallTimes; failure: unknown },
  ): Promise<void> {
    const { clock, executionLog, observe, areRecordsRequired = false } = this.#deps;
    const execution = executionOf(call, { ...end, at: clock.now() });
    const { status, duration_ms: durationMs } = execution;
    observe?.({ tool: call.name, status, errorCode: execution.error_code ?? undefined, durationMs });
    const { account } = call;
    const wasPaused = account.pausedUntil !== null || account.connection.pausedUntil !== null;
    const record: CallRecord = {
      ...(wasPaused && { wasPaused: account }),
      execution,
      hasBegun: areRecordsRequired,
    };
    if (call.caller.source === 'mcp') executionLog.recordSoon(record);
    else await executionLog.record(record);
  }
}

/** Whether an operator calls from the dashboard with an account that is not theirs. */
function isWithForeignAccount({ caller, account }: AccountCall): boolean {
  const isOperator = caller.source === 'dashboard' && onlyOwnerOf(caller) === undefined;
  return isOperator && account.owner.userId !== caller.actor;
}

/** The error in a required record while its call runs, which stays if the process ends before the call. */
const NOT_ENDED = new ServiceError(
  'UNAVAILABLE',
  'The call has begun and not ended yet, or its end could not be recorded.',
);

function executionOf(
  { caller, account, name }: AccountCall,
  end: { executionId: string; startedAt: number; at: number; times?: CallTimes; failure: unknown },
): CallRecord['execution'] {
  return {
    id: end.executionId,
    environment_id: account.environmentId,
    tool_name: name,
    connected_account_id: account.id,
    source: caller.source,
    status: end.failure === undefined ? 'ok' : 'error',
    duration_ms: end.at - end.startedAt,
    at: end.at,
    user_id: account.owner.userId,
    organization_id: account.owner.organizationId,
    connector: account.connection.name,
    queue_ms: end.times?.queueMs ?? null,
    provider_ms: end.times?.providerMs ?? null,
    attempts: end.times?.attempts ?? null,
    renewals: end.times?.renewals ?? null,
    client_id: caller.clientId ?? null,
    virtual_server_id: caller.virtualServerId ?? null,
    ...recordedFailure(end.failure),
  };
}
