/** The provider request of a tool: built from the catalog or by its handler, with the credential attached, and its answer. */
import type { UsableCredential } from '../auth/usable-credential.ts';
import { buildRequest } from '../catalog/request.ts';
import type { Connector, ProviderRequest, Tool, ToolHandler } from '../catalog/types.ts';
import type { ProviderClient } from '../provider/provider-client.ts';
import { buildUrl } from '../provider/url.ts';
import type { AccountRow } from '../store/account-store.ts';
import { baseUrlOf } from './target.ts';

/** Everything a provider call depends on. */
export interface PreparedCall {
  tool: Tool;
  connector: Connector;
  row: AccountRow;
  /** Checked, defaults filled in. */
  input: Readonly<Record<string, unknown>>;
  credential: UsableCredential;
  executionId: string;
  signal: AbortSignal | undefined;
  traceparent: string | undefined;
}

/**
 * Returns the provider's JSON, shaped as the catalog says.
 *
 * @param handlers code of tools that the catalog cannot express, by name
 * @throws ServiceError TOOL_ERROR, INVALID_ARGUMENT
 */
export async function performCall(
  provider: ProviderClient,
  handlers: ReadonlyMap<string, ToolHandler>,
  call: PreparedCall,
): Promise<unknown> {
  const send = (request: ProviderRequest): Promise<unknown> => sendRequest(provider, call, request);
  const { tool, input } = call;
  if (tool.handler === undefined) return shapeResponse(tool, await send(buildRequest(tool, input)));
  const handler = handlers.get(tool.handler);
  if (handler === undefined) throw new Error(`no handler ${tool.handler}`);
  return handler({ input, http: { send } });
}

async function sendRequest(
  provider: ProviderClient,
  call: PreparedCall,
  request: ProviderRequest,
): Promise<unknown> {
  const { tool, connector, credential, row } = call;
  const base = baseUrlOf(connector, request.host, row, credential.details);
  const url = buildUrl(base, request.path, [...request.query, ...credential.query]);
  const hasBody = request.body !== undefined;
  const { json } = await provider.call({
    request: {
      method: request.method,
      url,
      headers: {
        accept: 'application/json',
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
    secrets: credential.secrets,
    ...(call.signal !== undefined && { signal: call.signal }),
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
