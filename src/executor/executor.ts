/**
 * One tool call from input to result. REST, MCP and the command line are thin faces of `execute`.
 *
 * Steps in order: find the tool, check the input, find the account, require it to be active, take from its
 * rate, make its credential usable, build the request or run the handler, send, shape the answer, record.
 */
import type { ConnectionFinder } from '../accounts/connection-finder.ts';
import { CredentialEnded, type CredentialSource, type CredentialUse } from '../auth/usable-credential.ts';
import { checkInput } from '../catalog/input.ts';
import type { Catalog, Tool } from '../catalog/types.ts';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { ProviderClient } from '../provider/provider-client.ts';
import type { AccountRow } from '../store/account-store.ts';
import type { AccountChoice, AccountReference } from './account-choice.ts';
import { CallCredential } from './call-credential.ts';
import { performCall, type HandlerSource } from './perform-call.ts';
import type { Readiness } from './readiness.ts';
import type { Recorder } from './recorder.ts';

export interface ExecuteCall {
  caller: Caller;
  toolName: string;
  /** As it came; checked here. */
  input: unknown;
  account: AccountReference;
  /** Ends the provider call when the caller leaves. */
  signal?: AbortSignal | undefined;
  /** W3C trace context to hand on. */
  traceparent?: string | undefined;
  /** Told which account the call uses as soon as that is known, so that a failure can name it too. */
  onAccount?: ((account: UsedAccount) => void) | undefined;
}

/** The account of a call. `connector` is the connection's name. */
export interface UsedAccount {
  id: string;
  identifier: string;
  connector: string;
}

export interface ExecuteResult {
  /** The provider's JSON; null for an empty answer. */
  data: unknown;
  executionId: string;
  account: UsedAccount;
}

/** Limits calls per minute; shared by every process of the installation. */
export interface CallRates {
  /** Returns how long to wait when the limit is reached. */
  take(key: string, perMinute: number): Promise<{ retryAfterMs: number } | undefined>;
}

/** Told about every finished call, for metrics. */
export type CallObserver = (call: {
  tool: string;
  status: 'ok' | 'error';
  errorCode: string | undefined;
  durationMs: number;
}) => void;

export interface ExecutorDeps {
  catalog: Catalog;
  accounts: AccountChoice;
  connections: ConnectionFinder;
  readiness: Readiness;
  rates: CallRates;
  credentials: CredentialSource;
  provider: ProviderClient;
  /** Code of tools that the catalog cannot express. */
  handlers: HandlerSource;
  recorder: Recorder;
  clock: Clock;
  /** Above this a result is cut for a model (`mcp.max_result_bytes`). */
  maxResultBytes?: number;
  observe?: CallObserver;
}

export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #running = new Set<Promise<unknown>>();

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
  }

  /**
   * @throws ServiceError RESOURCE_NOT_FOUND (tool or account), INVALID_ARGUMENT, AccountNotActive,
   *   CONNECTION_MISSING, RATE_LIMITED, TOOL_ERROR
   */
  async execute(call: ExecuteCall): Promise<ExecuteResult> {
    const work = this.#execute(call).finally(() => this.#running.delete(work));
    this.#running.add(work);
    return work;
  }

  /** Resolves when no call is under way and the record of each is stored. Before the database is closed. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.recorded();
  }

  /** Resolves when the record of every call answered so far is stored, or its failure is logged. */
  recorded(): Promise<void> {
    return this.#deps.recorder.flush();
  }

  async #execute(call: ExecuteCall): Promise<ExecuteResult> {
    const { accounts, connections, readiness } = this.#deps;
    const tool = this.#findTool(call.toolName);
    const input = checkInput(tool, call.input);
    const row = await accounts.choose(call.caller, tool, call.account);
    call.onAccount?.(usedAccount(row));
    const { connector, auth } = connections.connectorOf({ ...row, connector: row.provider });
    return this.#recorded(call, tool, row, async (executionId) => {
      const active = await readiness.requireActive(call.caller, row, connector);
      await this.#takeRate(tool, active);
      const use = { connector, auth, executionId, signal: call.signal };
      try {
        return await this.#perform(call, { tool, input, row: active, executionId, use });
      } catch (error) {
        if (!(error instanceof CredentialEnded)) throw error;
        throw await readiness.refusal(call.caller, error.row, connector);
      }
    });
  }

  async #perform(
    call: ExecuteCall,
    ready: {
      tool: Tool;
      input: Readonly<Record<string, unknown>>;
      row: AccountRow;
      executionId: string;
      use: CredentialUse;
    },
  ): Promise<unknown> {
    const { credentials, provider, handlers, readiness, maxResultBytes } = this.#deps;
    const { tool, input, row, executionId, use } = ready;
    const credential = new CallCredential(await credentials.fresh(row, use), async (refused) =>
      credentials.afterRefusal(refused, use),
    );
    try {
      return await performCall(provider, handlers, {
        tool,
        connector: use.connector,
        input,
        credential,
        executionId,
        signal: call.signal,
        traceparent: call.traceparent,
        maxResultBytes,
      });
    } catch (error) {
      // The success of an earlier call forgives refusals, once it is recorded.
      await this.recorded();
      throw await readiness.afterRefusal(call.caller, credential.current, { tool, ...use }, error);
    }
  }

  /** Connector -> account names, where the caller's owner has several connected accounts to choose from. */
  async accountChoices(caller: Caller): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#deps.accounts.choices(caller);
  }

  #findTool(name: string): Tool {
    const tool = this.#deps.catalog.tools.get(name);
    if (tool !== undefined) return tool;
    throw new ServiceError(
      'RESOURCE_NOT_FOUND',
      'There is no tool of that name. GET /api/v1/tools lists the tools.',
    );
  }

  async #takeRate(tool: Tool, row: AccountRow): Promise<void> {
    const { limit } = tool;
    if (limit === undefined) return;
    const key = `${row.environment_id}:${row.id}:${limit.group}`;
    const refused = await this.#deps.rates.take(key, limit.perMinute);
    if (refused === undefined) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(refused.retryAfterMs / 1000));
    throw new ServiceError(
      'RATE_LIMITED',
      `${limit.perMinute} calls a minute are allowed for this account and they are used up. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds, details: { limit: limit.perMinute, retry_after: retryAfterSeconds } },
    );
  }

  async #recorded(
    call: ExecuteCall,
    tool: Tool,
    row: AccountRow,
    perform: (executionId: string) => Promise<unknown>,
  ): Promise<ExecuteResult> {
    const startedAt = this.#deps.clock.now();
    const executionId = newId('exe', startedAt);
    const finish = async (status: 'ok' | 'error', errorCode: string | undefined): Promise<void> => {
      const at = this.#deps.clock.now();
      const durationMs = at - startedAt;
      this.#deps.observe?.({ tool: tool.name, status, errorCode, durationMs });
      const record = {
        succeeded: status === 'ok',
        execution: {
          id: executionId,
          environment_id: row.environment_id,
          tool_name: tool.name,
          connected_account_id: row.id,
          source: call.caller.source,
          status,
          error_code: errorCode ?? null,
          duration_ms: durationMs,
          at,
        },
      };
      if (call.caller.source === 'mcp') this.#deps.recorder.recordSoon(record);
      else await this.#deps.recorder.record(record);
    };
    let data: unknown;
    try {
      data = await perform(executionId);
    } catch (error) {
      await finish('error', error instanceof ServiceError ? error.code : 'INTERNAL');
      throw error;
    }
    await finish('ok', undefined);
    return { data, executionId, account: usedAccount(row) };
  }
}

function usedAccount(row: AccountRow): UsedAccount {
  return { id: row.id, identifier: row.identifier, connector: row.connection_name };
}
