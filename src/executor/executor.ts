/**
 * Executes one tool call from input to result. REST, MCP and the command line are thin layers on top of `execute`.
 *
 * The steps in order: find the tool, check the input, find the account, require it to be active, count in its
 * rate, make its credential usable, build the request or run the handler, send, shape the answer, record.
 */
import { accountNameViolations } from '../core/text-rules.ts';
import { renamedIn, toolNamed, type Renamed } from '../catalog/model/aliases.ts';
import { inputViolations } from '../catalog/call/input.ts';
import type { Catalog, Tool } from '../catalog/model/types.ts';
import type { Caller } from '../core/caller.ts';
import { ServiceError, type FieldViolation } from '../core/errors.ts';
import { nearest } from '../core/text.ts';
import { InFlight } from '../core/in-flight.ts';
import type { ProviderClient } from '../outbound/provider-client.ts';
import type { Account } from '../store/accounts/account.ts';
import type { AccountChoice, AccountReference } from './call/account-choice.ts';
import { AccountCalls, type AccountCallDeps } from './call/account-calls.ts';
import { dryRun, type ShownCall } from './call/dry-run.ts';
import type { IdempotentCalls } from './idempotency/idempotent-calls.ts';
import { requireValidInput } from './call/input-check.ts';
import { performCall, type HandlerSource, type SendObserver } from './call/perform-call.ts';
import { proxyRequest, type ProxyAnswer, type ProxyCall } from './proxy/proxy.ts';

export interface ExecuteCall {
  caller: Caller;
  toolName: string;
  /** Not checked yet. */
  input: unknown;
  account: AccountReference;
  /** Ends the provider call when the caller leaves. */
  signal?: AbortSignal | undefined;
  /** W3C trace context to pass on. */
  traceparent?: string | undefined;
  /** Makes repeated calls with the same key happen once: at most 255 characters. */
  idempotencyKey?: string | undefined;
  /** Called with the account as soon as it is known, so that a failure can name it too. */
  onAccount?: ((account: UsedAccount) => void) | undefined;
}

/** The account of a call. */
export interface UsedAccount {
  id: string;
  identifier: string;
  /** Name of its connection. */
  connection: string;
}

export interface ExecuteResult {
  /** The provider's JSON; null for an empty answer. */
  data: unknown;
  executionId: string;
  account: UsedAccount;
  /** Old names that the call used; absent if it used only current names. */
  renamed?: readonly Renamed[];
}

/** The result of a call, or the stored result of an earlier call with the same key. */
export interface ExecutedOnce extends ExecuteResult {
  isReplay?: boolean;
}

export interface ExecutorDeps extends AccountCallDeps {
  catalog: Catalog;
  accounts: AccountChoice;
  provider: ProviderClient;
  /** Code of tools that the catalog cannot express. */
  handlers: HandlerSource;
  idempotentCalls: IdempotentCalls;
  /** Larger results are cut for a model (`mcp.max_result_bytes`). */
  maxResultBytes?: number;
}

/** A call that has been checked and whose account is known. */
interface ChosenCall {
  call: ExecuteCall;
  tool: Tool;
  input: Readonly<Record<string, unknown>>;
  account: Account;
  renamed: readonly Renamed[];
}

export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #calls: AccountCalls;
  readonly #running = new InFlight();

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
    this.#calls = new AccountCalls(deps);
  }

  /**
   * @throws ServiceError RESOURCE_NOT_FOUND (tool or account), INVALID_ARGUMENT, AccountNotActive,
   *   CONNECTION_MISSING, RATE_LIMITED, TOOL_ERROR; IDEMPOTENCY_CONFLICT; the stored error of the same call
   */
  async execute(call: ExecuteCall): Promise<ExecutedOnce> {
    return this.#running.track(this.#execute(call));
  }

  /** Sends the caller's own request to the provider of an account. @throws as `proxyRequest` */
  async proxy(call: ProxyCall): Promise<ProxyAnswer> {
    return this.#running.track(proxyRequest({ ...this.#deps, calls: this.#calls }, call));
  }

  /** The provider request that a call would make. Nothing is sent and nothing is recorded. @throws as `execute` */
  async dryRun(call: ExecuteCall): Promise<ShownCall> {
    return dryRun(this.#deps, await this.#choose(call));
  }

  /** Violations of a call before any look-up, so that an answer can list more. Skips the input of an unknown tool. */
  violations(call: Pick<ExecuteCall, 'toolName' | 'input' | 'account'>): readonly FieldViolation[] {
    const tool = toolNamed(this.#deps.catalog.tools, call.toolName);
    return [
      ...(tool === undefined ? [] : inputViolations(tool, call.input)),
      ...referenceViolations(call.account),
    ];
  }

  /** Resolves when no call is running and all records are stored. Call it before the database is closed. */
  async settled(): Promise<void> {
    await this.#running.settled();
    await this.recorded();
  }

  /** Resolves when the record of every call answered so far is stored, or its failure is logged. */
  recorded(): Promise<void> {
    return this.#deps.executionLog.flush();
  }

  /**
   * Connector -> account names, if the caller's owner has several connected accounts to choose from.
   *
   * @param among names of the only connections that count; `undefined` means all
   */
  async accountChoices(
    caller: Caller,
    among?: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#deps.accounts.choices(caller, among);
  }

  async #execute(call: ExecuteCall): Promise<ExecutedOnce> {
    const chosen = await this.#choose(call);
    const { tool, input, account } = chosen;
    call.onAccount?.(usedAccount(account));
    if (call.idempotencyKey === undefined) return this.#call(chosen);
    const once = {
      caller: call.caller,
      account,
      key: call.idempotencyKey,
      input: [tool.name, input],
      effect: tool.effect,
      hasSeveralRequests: tool.handler !== undefined,
      signal: call.signal,
    };
    const { outcome, isReplay } = await this.#deps.idempotentCalls.run(once, async (observer) => {
      // A caller that repeats the call must find its outcome, so the call continues if the caller leaves.
      const { data, executionId } = await this.#call(
        { ...chosen, call: { ...call, signal: undefined } },
        observer,
      );
      return { data, executionId };
    });
    return { ...outcome, ...aboutCall(chosen), isReplay };
  }

  async #choose(call: ExecuteCall): Promise<ChosenCall> {
    const tool = this.#findTool(call.toolName);
    const input = await requireValidInput(
      this.#deps.handlers,
      tool,
      call.input,
      referenceViolations(call.account),
    );
    const account = await this.#deps.accounts.choose(call.caller, tool, call.account);
    return { call, tool, input, account, renamed: renamedIn(tool, call.toolName, call.input) };
  }

  async #call(chosen: ChosenCall, observer?: SendObserver): Promise<ExecuteResult> {
    const { provider, handlers, maxResultBytes } = this.#deps;
    const { call, tool, input, account } = chosen;
    const { caller, signal, traceparent } = call;
    const limits = tool.limit === undefined ? [] : [tool.limit];
    const planned = { caller, account, name: tool.name, limits, tool, signal };
    const { value: data, executionId } = await this.#calls.run(planned, async (ready) => {
      const { use, credential, settings } = ready;
      try {
        const value = await performCall(provider, handlers, {
          tool,
          connector: use.connector,
          input,
          credential,
          settings,
          executionId: ready.executionId,
          signal,
          traceparent,
          maxResultBytes,
          observer,
        });
        return { value };
      } catch (error) {
        throw await ready.refused(error);
      }
    });
    return { data, executionId, ...aboutCall(chosen) };
  }

  #findTool(name: string): Tool {
    const tool = toolNamed(this.#deps.catalog.tools, name);
    if (tool !== undefined) return tool;
    const close = name.length > 100 ? undefined : nearest(name, this.#deps.catalog.tools.keys());
    const hint = close === undefined ? '' : ` Did you mean ${close}?`;
    throw new ServiceError(
      'RESOURCE_NOT_FOUND',
      `There is no tool of that name.${hint} GET /api/v1/tools lists the tools.`,
    );
  }
}

/** Violations in the reference to the account, independent of existing accounts. */
function referenceViolations(account: AccountReference): FieldViolation[] {
  const { connection, identifier, userId, organizationId } = account;
  return accountNameViolations({
    connector: connection,
    identifier,
    user_id: userId,
    organization_id: organizationId,
  });
}

function aboutCall({ account, renamed }: ChosenCall): Pick<ExecuteResult, 'account' | 'renamed'> {
  return { account: usedAccount(account), ...(renamed.length > 0 && { renamed }) };
}

function usedAccount(account: Account): UsedAccount {
  return { id: account.id, identifier: account.identifier, connection: account.connection.name };
}
