/** What a tool sends, without sending it: the shipped catalog and the real handlers, with a client that only listens. */
import { fileURLToPath } from 'node:url';
import { checkInput } from '../../src/catalog/input.ts';
import { loadCatalog } from '../../src/catalog/load.ts';
import { buildRequest } from '../../src/catalog/request.ts';
import type { ProviderRequest, Tool } from '../../src/catalog/types.ts';
import { handlers } from '../../src/connectors/index.ts';

export const shippedCatalog = loadCatalog([fileURLToPath(new URL('../../catalogs', import.meta.url))], {
  handlers: new Set(handlers.keys()),
});

export function shippedTool(name: string): Tool {
  const tool = shippedCatalog.tools.get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** Calls a tool; `answer` is what the provider would say. */
export async function callTool(
  name: string,
  input: unknown,
  answer: unknown = {},
): Promise<{ requests: ProviderRequest[]; data: unknown }> {
  const tool = shippedTool(name);
  const checked = checkInput(tool, input);
  const requests: ProviderRequest[] = [];
  const http = {
    send: async (request: ProviderRequest) => {
      requests.push(request);
      return answer;
    },
  };
  const handler = handlers.get(tool.handler ?? '');
  const data =
    handler === undefined
      ? await http.send(buildRequest(tool, checked))
      : await handler({ input: checked, http });
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
