/** The provider request of a tool: built from the catalog or by its handler, with the credential attached, and its answer. */
import type { UsableCredential } from '../auth/usable-credential.ts';
import { buildRequest } from '../catalog/request.ts';
import type { Connector, ProviderRequest, Tool, ToolHandler } from '../catalog/types.ts';
import type { ProviderClient } from '../provider/provider-client.ts';
import { buildUrl } from '../provider/url.ts';
import type { CallCredential } from './call-credential.ts';
import { isRefusal } from './readiness.ts';
import { baseUrlOf } from './target.ts';

/** Code of tools that the catalog cannot express, by name; loaded when the first of them is called. */
export type HandlerSource = () => Promise<ReadonlyMap<string, ToolHandler>>;

/** Everything a provider call depends on. */
export interface PreparedCall {
  tool: Tool;
  connector: Connector;
  /** Checked, defaults filled in. */
  input: Readonly<Record<string, unknown>>;
  credential: CallCredential;
  executionId: string;
  signal: AbortSignal | undefined;
  traceparent: string | undefined;
  /** Above this a result is cut for a model, in bytes of its JSON. */
  maxResultBytes?: number | undefined;
}

/** Where nothing is set: the default of `mcp.max_result_bytes`. */
const MAX_RESULT_BYTES = 60_000;

/**
 * With the time by which all its requests are over, however many there are, in Unix milliseconds; and how long the
 * renewal of the credential took, which is not the tool's time.
 */
type RunningCall = PreparedCall & { deadline: number; renewal: { ms: number } };

/**
 * Returns the provider's JSON, shaped as the catalog says.
 *
 * @param handlers asked only for a tool that the catalog cannot express
 * @throws ServiceError TOOL_ERROR, INVALID_ARGUMENT
 */
export async function performCall(
  provider: ProviderClient,
  handlers: HandlerSource,
  call: PreparedCall,
): Promise<unknown> {
  const { tool, input } = call;
  const running = { ...call, deadline: provider.deadlineFromNow(tool.deadline?.totalMs), renewal: { ms: 0 } };
  if (tool.handler === undefined)
    return shapeResponse(tool, await sendRequest(provider, running, buildRequest(tool, input)));
  const handler = (await handlers()).get(tool.handler);
  if (handler === undefined) throw new Error(`no handler ${tool.handler}`);
  return handler({
    input,
    http: { send: (request) => sendRequest(provider, running, request) },
    maxResultBytes: call.maxResultBytes ?? MAX_RESULT_BYTES,
  });
}

/** A request that is refused with 401 was not processed: it is repeated once, also a write, with a newer credential. */
async function sendRequest(
  provider: ProviderClient,
  call: RunningCall,
  request: ProviderRequest,
): Promise<unknown> {
  const credential = call.credential.current;
  try {
    return await sendWith(credential, provider, call, request);
  } catch (error) {
    if (!isRefusal(error, call.connector)) throw error;
    const refusedAt = provider.deadlineFromNow(0);
    const newer = await call.credential.insteadOf(credential);
    if (newer === undefined) throw error;
    const waitedMs = provider.deadlineFromNow(0) - refusedAt;
    // Requests that are refused at once wait for the same renewal.
    call.renewal.ms = Math.max(call.renewal.ms, waitedMs);
    return sendWith(newer, provider, call, request);
  }
}

async function sendWith(
  credential: UsableCredential,
  provider: ProviderClient,
  call: RunningCall,
  request: ProviderRequest,
): Promise<unknown> {
  const { tool, connector } = call;
  const base = baseUrlOf(connector, request.host, credential.row, credential.details);
  const url = buildUrl(base, request.path, [...request.query, ...credential.query]);
  const hasBody = request.body !== undefined;
  const { json } = await provider.call({
    request: {
      method: request.method,
      url,
      headers: {
        accept: request.answer === 'text' ? '*/*' : 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
        ...request.headers,
        ...credential.headers,
      },
      ...(hasBody && { body: JSON.stringify(request.body) }),
      ...(tool.deadline !== undefined && {
        headersTimeoutMs: tool.deadline.headersMs,
        totalTimeoutMs: tool.deadline.totalMs,
      }),
    },
    effect: tool.effect,
    errors: connector.errors,
    title: connector.title,
    executionId: call.executionId,
    ...(request.answer !== undefined && { answer: request.answer }),
    secrets: credential.secrets,
    ...(call.signal !== undefined && { signal: call.signal }),
    deadline: call.deadline + call.renewal.ms,
  });
  return json;
}

function shapeResponse(tool: Tool, json: unknown): unknown {
  const { pick, empty } = tool.response;
  if (json === null) return empty ?? null;
  if (pick === undefined) return json;
  return pick
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : null,
      json,
    );
}
