/**
 * Makes a call with an account: the steps that tools and proxied requests have in common.
 *
 * The order: require the account to be active, count the call in its rates, make its credential usable, make the call,
 * record it.
 */
import { callSettings, type CallSettings } from '../../connections/call-settings.ts';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import {
  CredentialEndedFailure,
  type CredentialSource,
  type CredentialUse,
} from '../../credentials/usable-credential.ts';
import type { CallLimit, Tool } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError, type ErrorCode } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Account } from '../../store/accounts/account.ts';
import { CallCredential } from './call-credential.ts';
import { takeRates, type CallRates } from './call-rates.ts';
import type { ActiveAccountGuard } from './active-account-guard.ts';
import type { CallRecord, ExecutionLog } from './execution-log.ts';

/** A call whose account has been chosen. */
export interface AccountCall {
  caller: Caller;
  account: Account;
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
  errorCode?: ErrorCode;
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
  rates: CallRates;
  credentials: CredentialSource;
  executionLog: ExecutionLog;
  clock: Clock;
  observe?: CallObserver;
}

export class AccountCalls {
  readonly #deps: AccountCallDeps;

  constructor(deps: AccountCallDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a call and records it.
   *
   * @throws ServiceError AccountNotActive, RATE_LIMITED, TOOL_ERROR, UNAVAILABLE; what `perform` throws
   */
  async run<T>(
    call: AccountCall,
    perform: (ready: ReadyCall) => Promise<CallEnd<T>>,
  ): Promise<{ value: T; executionId: string }> {
    const startedAt = this.#deps.clock.now();
    const executionId = newId('exe', startedAt);
    let end: CallEnd<T>;
    try {
      end = await this.#perform(call, executionId, perform);
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'INTERNAL';
      await this.#record(call, { executionId, startedAt, code });
      throw error;
    }
    await this.#record(call, { executionId, startedAt, code: end.errorCode });
    return { value: end.value, executionId };
  }

  async #perform<T>(
    call: AccountCall,
    executionId: string,
    perform: (ready: ReadyCall) => Promise<CallEnd<T>>,
  ): Promise<CallEnd<T>> {
    const { connections, activeAccounts, rates, credentials } = this.#deps;
    const { caller, account, tool } = call;
    const { connector, auth } = connections.connectorOf(account.connection);
    const active = await activeAccounts.requireActive(caller, account, connector);
    const settings = callSettings(active);
    await takeRates(rates, active, call.limits, settings);
    const use = { connector, auth, executionId, signal: call.signal };
    try {
      const credential = new CallCredential(await credentials.fresh(active, use), async (refused) =>
        credentials.afterRefusal(refused, use),
      );
      const refused = async (error: unknown): Promise<unknown> => {
        // A recorded success of an earlier call resets the count of refusals.
        await this.#deps.executionLog.flush();
        return activeAccounts.afterRefusal(caller, credential.current, { tool, connector, auth }, error);
      };
      return await perform({ executionId, use, credential, settings, refused });
    } catch (error) {
      if (!(error instanceof CredentialEndedFailure)) throw error;
      throw await activeAccounts.refusal(caller, error.account, connector);
    }
  }

  async #record(
    { caller, account, name }: AccountCall,
    end: { executionId: string; startedAt: number; code: string | undefined },
  ): Promise<void> {
    const { clock, executionLog, observe } = this.#deps;
    const at = clock.now();
    const durationMs = at - end.startedAt;
    const status: CallRecord['execution']['status'] = end.code === undefined ? 'ok' : 'error';
    observe?.({ tool: name, status, errorCode: end.code, durationMs });
    const record = {
      succeeded: status === 'ok',
      execution: {
        id: end.executionId,
        environment_id: account.environmentId,
        tool_name: name,
        connected_account_id: account.id,
        source: caller.source,
        status,
        error_code: end.code ?? null,
        duration_ms: durationMs,
        at,
      },
    };
    if (caller.source === 'mcp') executionLog.recordSoon(record);
    else await executionLog.record(record);
  }
}
