/** What a tool sends, without sending it: the shipped catalog and the real handlers, with a client that only listens. */
import { fileURLToPath } from 'node:url';
import { checkInput, inputViolations } from '../../src/catalog/call/input.ts';
import { loadCatalog } from '../../src/catalog/load/load.ts';
import { buildRequest } from '../../src/catalog/call/request.ts';
import type { ProviderRequest, Tool } from '../../src/catalog/model/types.ts';
import { handlers } from '../../src/connectors/index.ts';
import { invalidArgument, ServiceError } from '../../src/core/errors.ts';

export const shippedCatalog = loadCatalog([fileURLToPath(new URL('../../catalogs', import.meta.url))], {
  handlers: new Set(handlers.keys()),
});

export function shippedTool(name: string): Tool {
  const tool = shippedCatalog.tools.get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** What the provider would say: always the same, or by request; a function may throw. */
export type Answer = object | string | number | null | ((request: ProviderRequest) => unknown);

/** Calls a tool; `answer` is what the provider would say. */
export async function callTool(
  name: string,
  input: unknown,
  answer: Answer = {},
): Promise<{ requests: ProviderRequest[]; data: unknown }> {
  const tool = shippedTool(name);
  const checked = checkInput(tool, input);
  const requests: ProviderRequest[] = [];
  const http = {
    send: async (request: ProviderRequest) => {
      requests.push(request);
      return typeof answer === 'function'
        ? (answer as (request: ProviderRequest) => unknown)(request)
        : answer;
    },
  };
  const handler = handlers.get(tool.handler ?? '');
  const violations = handler?.check?.(checked) ?? [];
  if (violations.length > 0) throw invalidArgument(violations);
  const data =
    handler === undefined
      ? await http.send(buildRequest(tool, checked))
      : await handler.call({ input: checked, http, maxResultBytes: 60_000 });
  return { requests, data };
}

/** The one request that a call makes. */
export async function requestOf(name: string, input: unknown): Promise<ProviderRequest> {
  const { requests } = await callTool(name, input);
  const [request] = requests;
  if (request === undefined || requests.length > 1)
    throw new Error(`${name} made ${requests.length} requests`);
  return request;
}

/** A request of the connector's first host, as tests write it. */
export const get = (path: string, query: [string, string][] = []): ProviderRequest => ({
  method: 'GET',
  host: 0,
  path,
  query,
  headers: {},
});

/** A request with a body. */
export const post = (path: string, body: unknown): ProviderRequest => ({
  method: 'POST',
  host: 0,
  path,
  query: [],
  headers: {},
  body,
});

/** A request that deletes. */
export const del = (path: string): ProviderRequest => ({
  method: 'DELETE',
  host: 0,
  path,
  query: [],
  headers: {},
});

/** Every violation of an input as `field constraint`. */
export function refusals(name: string, input: unknown): string[] {
  return inputViolations(shippedTool(name), input).map(({ field, constraint }) => `${field} ${constraint}`);
}

/** A request that changes what there is. */
export const patch = (path: string, body: unknown): ProviderRequest => ({
  ...post(path, body),
  method: 'PATCH',
});

/** A request that replaces what there is. */
export const put = (path: string, body: unknown): ProviderRequest => ({ ...post(path, body), method: 'PUT' });

/** The same for a tool with a handler, whose own refusals come from the call; nothing may be sent. */
export async function callRefusals(name: string, input: unknown): Promise<string[]> {
  const sent = () => {
    throw new Error(`${name} sent a request`);
  };
  try {
    await callTool(name, input, sent);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INVALID_ARGUMENT') throw error;
    return error.violations.map(({ field, constraint }) => `${field} ${constraint}`);
  }
  return [];
}
