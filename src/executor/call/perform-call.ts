/** Sends the provider request of a tool, built from the catalog or by its handler, and shapes the answer. */
import type { CallSettings } from '../../connections/call-settings.ts';
import { valueAt } from '../../core/json.ts';
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import { buildRequest, withAccountValues } from '../../catalog/call/request.ts';
import type {
  Connector,
  HandlerCall,
  ProviderRequest,
  ProviderSend,
  Tool,
  ToolHandler,
} from '../../catalog/model/types.ts';
import type { CallTimes } from '../../core/telemetry/call-times.ts';
import type { ProviderClient } from '../../outbound/provider-client.ts';
import type { CallCredential } from './call-credential.ts';
import { baseUrlOf, deadlinesOf, draftOf, targetOf, withCredential } from './provider-request.ts';
import { isRefusal } from './active-account-guard.ts';
import { withOwnMember } from './own-members.ts';

/** Code of tools that the catalog cannot express, by name; loaded when the first of them runs. */
export type HandlerSource = () => Promise<ReadonlyMap<string, ToolHandler>>;

/** A tool with the input it is called with. */
export interface PreparedTool {
  tool: Tool;
  /** Checked, with defaults filled in. */
  input: Readonly<Record<string, unknown>>;
  /** Absent for a strict call; see HandlerCall. */
  onCoerced?: ((parameter: string) => void) | undefined;
  /** Results larger than this are cut for a model, in bytes of their JSON. */
  maxResultBytes?: number | undefined;
}

/** Notified about the requests of a call, to know later whether the provider may have seen one. */
export interface SendObserver {
  /** Called before a request is sent. @throws to prevent it from being sent */
  sending(): Promise<void>;
  /** The provider may have seen it. */
  reached(): void;
  /** The provider has refused the credential of the only request, so nothing was done. */
  refused(): void;
}

/** Everything a provider call depends on. */
export interface PreparedCall extends PreparedTool {
  connector: Connector;
  credential: CallCredential;
  settings: CallSettings;
  executionId: string;
  signal: AbortSignal | undefined;
  traceparent: string | undefined;
  observer?: SendObserver | undefined;
  times?: CallTimes;
  /** The provider wants no calls for this long. Never fails. */
  limited?: (retryAfterMs: number) => Promise<void>;
  /** Counts a further page in the account's limits. @throws ServiceError RATE_LIMITED */
  countPage?: () => Promise<void>;
  /** When all requests have to be over, in Unix milliseconds; absent: by the deadline of the tool. */
  deadline?: number;
  /** Parameters with `OWN_MEMBER` instead of the id of the account's person. */
  me?: readonly string[];
  /** Finds that id with the given sender of reads; `undefined` if the provider names nobody. */
  findOwnMember?: ((read: ProviderSend) => Promise<string | undefined>) | undefined;
  /** Called with the headers of each 2xx answer; their names are in lower case. */
  onAnswer?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
}

/** Fallback: the default of `mcp.max_result_bytes`. */
const MAX_RESULT_BYTES = 32_000;

/**
 * Adds the deadline of all requests together, in Unix milliseconds, and the duration of the credential's renewal, which
 * does not count as the tool's time.
 */
type RunningCall = PreparedCall & { deadline: number; renewal: { ms: number } };

/**
 * Returns the provider's JSON, shaped as the catalog says.
 *
 * @param handlers used only for a tool that the catalog cannot express
 * @throws ServiceError TOOL_ERROR, INVALID_ARGUMENT
 */
export async function performCall(
  provider: ProviderClient,
  handlers: HandlerSource,
  call: PreparedCall,
): Promise<unknown> {
  const { totalTimeoutMs } = deadlinesOf(call.tool, call.settings);
  const deadline = call.deadline ?? provider.deadlineFromNow(totalTimeoutMs);
  const running = { ...call, deadline, renewal: { ms: 0 } };
  const originOf = (host: number): string => {
    const { account, details } = call.credential.current;
    return baseUrlOf(call.connector, host, account, details).origin;
  };
  const ownMember = async (): Promise<string | undefined> =>
    call.findOwnMember?.(async (request) => sendRequest(provider, asRead(running), request));
  const { input, me = [] } = call;
  const whole = me.length === 0 ? input : withOwnMember(input, me, await ownMember());
  const send: ProviderSend = async (request) => sendRequest(provider, running, request);
  return runTool(
    handlers,
    { ...call, input: whole },
    { send, originOf, ownMember, ...(call.countPage && { countPage: call.countPage }) },
  );
}

/** For a read that belongs to a call but is not what its tool does. It shares the call's deadline. */
function asRead(call: RunningCall): RunningCall {
  return { ...call, tool: { ...call.tool, effect: 'read' }, observer: undefined, onAnswer: undefined };
}

/** Makes a tool's requests one after the other, with the given sender. */
export async function runTool(
  handlers: HandlerSource,
  { tool, input, onCoerced, maxResultBytes = MAX_RESULT_BYTES }: PreparedTool,
  http: HandlerCall<unknown>['http'],
): Promise<unknown> {
  if (tool.handler === undefined) return shapeResponse(tool, await http.send(buildRequest(tool, input)));
  const handler = (await handlers()).get(tool.handler);
  if (handler === undefined) throw new Error(`no handler ${tool.handler}`);
  return handler.call({ input, http, onCoerced, maxResultBytes });
}

async function sendRequest(
  provider: ProviderClient,
  call: RunningCall,
  request: ProviderRequest,
): Promise<unknown> {
  const sent = await call.credential.send(
    async (credential, renewalMs) => {
      // Requests that are refused at the same time wait for the same renewal.
      call.renewal.ms = Math.max(call.renewal.ms, renewalMs);
      return outcomeOf(sendWith(credential, provider, call, request));
    },
    {
      isRefused: (outcome) => outcome.status === 'rejected' && isRefusal(outcome.reason, call.connector),
      now: () => provider.deadlineFromNow(0),
    },
  );
  if (sent.status === 'rejected') throw sent.reason;
  return sent.value;
}

async function outcomeOf(sent: Promise<unknown>): Promise<PromiseSettledResult<unknown>> {
  try {
    return { status: 'fulfilled', value: await sent };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

async function sendWith(
  credential: UsableCredential,
  provider: ProviderClient,
  call: RunningCall,
  request: ProviderRequest,
): Promise<unknown> {
  const { tool, connector, observer } = call;
  const target = targetOf(connector, request.host, credential.account, credential.details);
  const whole = withAccountValues(request, credential.fromAccount);
  const attached = withCredential(draftOf(whole, target, call.traceparent), credential);
  await observer?.sending();
  const { json, headers } = await provider.call({
    request: { ...attached, ...deadlinesOf(tool, call.settings), tenant: credential.account.id },
    effect: tool.effect,
    connector: connector.name,
    errors: connector.errors,
    title: connector.title,
    executionId: call.executionId,
    sign: credential.sign,
    secrets: credential.secrets,
    deadline: call.deadline + call.renewal.ms,
    reached: () => observer?.reached(),
    limited: call.limited,
    ...(request.answer !== undefined && { answer: request.answer }),
    ...(call.signal !== undefined && { signal: call.signal }),
    ...(call.times !== undefined && { times: call.times }),
  });
  call.onAnswer?.(headers);
  return json;
}

function shapeResponse(tool: Tool, json: unknown): unknown {
  const { pick, empty } = tool.response;
  if (json === null) return empty ?? null;
  if (pick === undefined) return json;
  return valueAt(json, ...pick.split('.')) ?? null;
}
