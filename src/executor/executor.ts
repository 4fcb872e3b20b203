/**
 * Executes one tool call from input to result. REST, MCP and the command line are thin layers on top of `execute`.
 *
 * The steps in order: find the tool, check the input, find the account, require it to be active, count in its
 * rate, make its credential usable, build the request or run the handler, send, shape the answer, record.
 */
import { nextLinkIn } from './link-header.ts';
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import { accountNameViolations } from '../core/text-rules.ts';
import { renamedIn, toolNamed, type Renamed } from '../catalog/model/aliases.ts';
import { inputViolations, inputWarnings } from '../catalog/call/input.ts';
import type { MendedInput } from '../catalog/call/mended-input.ts';
import { withScopesOf } from '../catalog/model/scope-groups.ts';
import type { Catalog, ProviderSend, Tool } from '../catalog/model/types.ts';
import type { Caller } from '../core/caller.ts';
import { ServiceError, type FieldViolation } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { nearest } from '../core/text.ts';
import { InFlight } from '../core/in-flight.ts';
import type { ProviderClient } from '../outbound/provider-client.ts';
import type { Account } from '../store/accounts/account.ts';
import type { LinkOptions } from '../links/link-rules.ts';
import type { Links } from '../links/links.ts';
import type { AccountChoice, AccountReference, ChosenAccount } from './call/account-choice.ts';
import { AccountCalls, type AccountCallDeps, type CallEnd, type ReadyCall } from './call/account-calls.ts';
import { withCallLine, type CallFacts } from './call/call-line.ts';
import { dryRun, dryRunWithoutAccount, type ShownCall } from './call/dry-run.ts';
import type { IdempotentCalls } from './idempotency/idempotent-calls.ts';
import { requireValidInput } from './call/input-check.ts';
import { requireMendedInput } from './call/lenient-input.ts';
import { OwnMembers } from './call/own-members.ts';
import { performCall, type HandlerSource, type SendObserver } from './call/perform-call.ts';
import {
  performUpstream,
  requireUpstreams,
  type OnProgress,
  type UpstreamData,
  type Upstreams,
} from './call/perform-upstream.ts';
import { deadlinesOf } from './call/provider-request.ts';
import { proxyRequest, type ProxyAnswer, type ProxyCall } from './proxy/proxy.ts';

export interface ExecuteCall {
  caller: Caller;
  toolName: string;
  /** Not checked yet. */
  input: unknown;
  account: AccountReference;
  /** About the link of the answer, if the account is not connected. */
  link?: LinkOptions | undefined;
  /** Ends the provider call when the caller leaves. */
  signal?: AbortSignal | undefined;
  /** W3C trace context to pass on. */
  traceparent?: string | undefined;
  /** Makes repeated calls with the same key happen once: at most 255 characters. */
  idempotencyKey?: string | undefined;
  /**
   * Makes the check of the input lenient, for calls of language models; strict if absent. Called with the input
   * that is used, before an account is looked for, and again if the tool's own code corrects more of it.
   */
  onMended?: ((mended: MendedInput) => void) | undefined;
  /** When the call has to be over, in Unix milliseconds; absent: by the deadline of the tool. */
  deadline?: number | undefined;
  /**
   * Receives progress reports of a remote MCP server's tool. Such a call may take as long as the connector's
   * `mcp.timeout`, because its caller sees that it is running.
   */
  onProgress?: OnProgress | undefined;
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
  /** A sentence for each thing that was not done as requested; absent if everything was. */
  warnings?: readonly string[];
  /** Target of the relation `next` in the answer's `Link` header, `null` without one; absent without such a header. */
  nextLink?: string | null;
  /** When the call had to be over, in Unix milliseconds; absent for a stored result. */
  deadline?: number;
  /** Answers of the provider that the result was made from; absent for a stored result. */
  answers?: number;
  /** The result is the stored one of an earlier call with the same key. */
  isReplay?: boolean;
}

export interface ExecutorDeps extends AccountCallDeps {
  catalog: Catalog;
  accounts: AccountChoice;
  provider: ProviderClient;
  /** Code of tools that the catalog cannot express. */
  handlers: HandlerSource;
  idempotentCalls: IdempotentCalls;
  /** Gets one line for each call; absent if calls are not logged. */
  callLog?: Log;
  links: Pick<Links, 'optionViolations'>;
  /** Remote MCP servers; absent where no connector is one. */
  upstreams?: Upstreams;
  /** Larger results are cut for a model (`mcp.max_result_bytes`). */
  maxResultBytes?: number;
}

/** A call that has been checked and whose account is known. */
interface ChosenCall extends ChosenAccount {
  call: ExecuteCall;
  tool: Tool;
  input: Readonly<Record<string, unknown>>;
  renamed: readonly Renamed[];
  /** Absent for a strict call. */
  mended?: MendedInput;
}

export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #calls: AccountCalls;
  readonly #members = new OwnMembers();
  readonly #running = new InFlight();

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
    this.#calls = new AccountCalls(deps);
  }

  /**
   * @throws ServiceError RESOURCE_NOT_FOUND (tool or account), INVALID_ARGUMENT, AccountNotActive,
   *   CONNECTION_MISSING, RATE_LIMITED, TOOL_ERROR; IDEMPOTENCY_CONFLICT; the stored error of the same call
   */
  async execute(call: ExecuteCall): Promise<ExecuteResult> {
    const { callLog } = this.#deps;
    return this.#running.track(withCallLine(callLog, call, (facts) => this.#execute(call, facts)));
  }

  /** Sends the caller's own request to the provider of an account. @throws as `proxyRequest` */
  async proxy(call: ProxyCall): Promise<ProxyAnswer> {
    const deps = { ...this.#deps, calls: this.#calls };
    return this.#running.track(
      withCallLine(deps.callLog, call, async (facts) => proxyRequest(deps, call, facts)),
    );
  }

  /** The provider request that a call would make. Nothing is sent and nothing is recorded. @throws as `execute` */
  async dryRun(call: ExecuteCall): Promise<ShownCall> {
    const checked = await this.#check(call);
    const options = { mayMake: false };
    const chosen = await this.#deps.accounts.choose(call.caller, checked.tool, call.account, options);
    return dryRun(this.#deps, { ...checked, ...chosen });
  }

  /** The same where no account is connected; `undefined` if the request depends on the account. */
  async dryRunWithoutAccount(call: ExecuteCall): Promise<ShownCall | undefined> {
    const checked = await this.#check(call);
    const { environmentId } = call.caller;
    const connector = catalogIn(this.#deps.catalog, environmentId).connectors.get(checked.tool.connector);
    return connector && dryRunWithoutAccount(this.#deps.handlers, connector, checked);
  }

  /** Violations of a call before any look-up, so that an answer can list more. Skips the input of an unknown tool. */
  violations({
    caller,
    link = {},
    ...call
  }: Pick<ExecuteCall, 'caller' | 'toolName' | 'input' | 'account' | 'link'>): readonly FieldViolation[] {
    const tool = toolNamed(catalogIn(this.#deps.catalog, caller.environmentId).tools, call.toolName);
    return [
      ...(tool === undefined ? [] : inputViolations(tool, call.input)),
      ...referenceViolations(call.account),
      ...this.#deps.links.optionViolations(caller, link),
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

  /** Whether records of calls can be stored at the moment. Never rejects. */
  async canRecord(environmentId: string): Promise<boolean> {
    return this.#deps.executionLog.canStore(environmentId);
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

  /** The form of each tool that the caller's owner is shown. @param among as for `accountChoices` */
  async toolForms(caller: Caller, among?: readonly string[]): Promise<(tool: Tool) => Tool | undefined> {
    const { upstreams, accounts } = this.#deps;
    if (upstreams === undefined) return (tool) => tool;
    return upstreams.formsFor(caller.environmentId, await accounts.connected(caller, among));
  }

  async #execute(call: ExecuteCall, facts: CallFacts): Promise<ExecuteResult> {
    const chosen = await this.#choose(call, facts);
    const { tool, input, account } = chosen;
    facts.connected_account_id = account.id;
    call.onAccount?.(usedAccount(account));
    if (call.idempotencyKey === undefined) return this.#call(chosen, facts);
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
        facts,
        observer,
      );
      return { data, executionId };
    });
    return { ...outcome, ...aboutCall(chosen), isReplay };
  }

  async #choose(call: ExecuteCall, facts: CallFacts = {}): Promise<ChosenCall> {
    const checked = await this.#check(call, facts);
    const chosen = await this.#deps.accounts.choose(call.caller, checked.tool, call.account);
    return { ...checked, ...chosen };
  }

  async #check(call: ExecuteCall, facts: CallFacts = {}): Promise<Omit<ChosenCall, keyof ChosenAccount>> {
    const tool = this.#findTool(call.caller.environmentId, call.toolName);
    facts.tool_name = tool.name;
    const { handlers, links } = this.#deps;
    const others = [
      ...referenceViolations(call.account),
      ...links.optionViolations(call.caller, call.link ?? {}),
    ];
    const renamed = renamedIn(tool, call.toolName, call.input);
    if (call.onMended === undefined)
      return { call, tool, input: await requireValidInput(handlers, tool, call.input, others), renamed };
    const { checked, mended } = await requireMendedInput(handlers, tool, call.input, others);
    call.onMended(mended);
    return { call, tool, input: checked, renamed, mended };
  }

  async #call(chosen: ChosenCall, facts: CallFacts, observer?: SendObserver): Promise<ExecuteResult> {
    const { provider, handlers, maxResultBytes } = this.#deps;
    const { call, tool, input, account, isNew, mended } = chosen;
    const { caller, link, signal, traceparent } = call;
    const limits = tool.limit === undefined ? [] : [tool.limit];
    const asked = withScopesOf(tool, input);
    const planned = { caller, account, isNew, link, name: tool.name, limits, tool: asked, signal };
    let links: string | undefined;
    let answers = 0;
    let { deadline } = call;
    const { value: data, executionId } = await this.#calls.run<unknown>(planned, async (ready) => {
      const { use, credential, settings, limited, countPage, times } = ready;
      facts.execution_id = ready.executionId;
      try {
        const prepared = {
          tool,
          connector: use.connector,
          input,
          credential,
          settings,
          limited,
          countPage,
          times,
          executionId: ready.executionId,
          signal,
          traceparent,
          maxResultBytes,
          onCoerced:
            mended &&
            ((parameter: string) => {
              const names = [...new Set([...mended.coerced, parameter])];
              call.onMended?.({ ...mended, coerced: names });
            }),
          observer,
          me: mended?.me ?? [],
          findOwnMember: async (read: ProviderSend) =>
            this.#members.idOf(credential.current.account, use.auth, read),
          onAnswer: (headers: Readonly<Record<string, string>>) => {
            links = headers['link'];
            answers += 1;
          },
        };
        if (tool.upstream !== undefined)
          return await this.#performUpstream(chosen, ready, deadline, observer);
        deadline ??= provider.deadlineFromNow(deadlinesOf(tool, settings).totalTimeoutMs);
        return { value: await performCall(provider, handlers, { ...prepared, deadline }) };
      } catch (error) {
        throw await ready.refused(error);
      }
    });
    return {
      data,
      executionId,
      ...aboutCall(chosen),
      ...(links !== undefined && { nextLink: nextLinkIn(links) }),
      ...(deadline !== undefined && { deadline }),
      answers,
    };
  }

  /** A call of a tool of a remote MCP server, within the steps that all calls have. */
  async #performUpstream(
    { call, tool, input }: ChosenCall,
    ready: ReadyCall,
    wanted: number | undefined,
    observer: SendObserver | undefined,
  ): Promise<CallEnd<UpstreamData>> {
    const { provider, upstreams, maxResultBytes } = this.#deps;
    const { signal, traceparent, onProgress } = call;
    const { totalTimeoutMs } = deadlinesOf(tool, ready.settings);
    const waitedForMs = onProgress && ready.use.connector.mcp?.timeoutMs;
    const deadline = wanted ?? provider.deadlineFromNow(waitedForMs ?? totalTimeoutMs);
    const value = await performUpstream(requireUpstreams(upstreams), {
      ...ready,
      tool,
      input,
      deadline,
      signal,
      traceparent,
      onProgress,
      observer,
      ...(maxResultBytes !== undefined && { maxResultBytes }),
      now: () => provider.deadlineFromNow(0),
    });
    return { value };
  }

  #findTool(environmentId: string, name: string): Tool {
    const { tools } = catalogIn(this.#deps.catalog, environmentId);
    const tool = toolNamed(tools, name);
    if (tool !== undefined) return tool;
    const close = name.length > 100 ? undefined : nearest(name, tools.keys());
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

function aboutCall({
  tool,
  input,
  account,
  renamed,
  mended,
}: ChosenCall): Pick<ExecuteResult, 'account' | 'renamed' | 'warnings'> {
  const warnings = [...(mended?.notes ?? []), ...inputWarnings(tool, input)];
  return {
    account: usedAccount(account),
    ...(renamed.length > 0 && { renamed }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function usedAccount(account: Account): UsedAccount {
  return { id: account.id, identifier: account.identifier, connection: account.connection.name };
}
