/** `/mcp` in front of the code that serves it, which comes with the first request. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { lazyMcp, type McpEndpoint } from '../../../src/app/serve/mcp-endpoint.ts';
import { ToolPublisher } from '../../../src/mcp/published-tools.ts';
import { CALLER, CATALOG, EVERYTHING, FakeExecutor, makeParts } from '../../mcp/fixtures.ts';

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(503).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function makeEndpoint(): McpEndpoint {
  const publisher = new ToolPublisher(CATALOG, EVERYTHING);
  const endpoint = lazyMcp(makeParts(new FakeExecutor()), { publisher, maxBodyBytes: 1_000 });
  open.push(() => endpoint.close());
  return endpoint;
}

async function list(url: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
}

it('answers the first requests, also two at once, and announces changes that came earlier', async () => {
  const endpoint = makeEndpoint();
  endpoint.toolsChanged();
  const url = await listen((request, response) => endpoint.handle(request, response, { caller: CALLER }));
  const answers = await Promise.all([list(url), list(url)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await answers[1].json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
});

it('leaves an MCP request at once whose client has gone, and whose body would never end', async () => {
  const endpoint = makeEndpoint();
  const left = Promise.withResolvers<void>();
  const url = await listen(async (request, response) => {
    request.socket.destroy();
    await once(response, 'close');
    await endpoint.handle(request, response, { caller: CALLER });
    left.resolve();
  });
  await expect(list(url)).rejects.toThrow('fetch failed');
  await left.promise;
});

it.each([
  ['before the first request', (endpoint: McpEndpoint) => endpoint.close()],
  ['while the first request waits for the code', () => Promise.resolve()],
])('refuses MCP requests when the endpoint was closed %s', async (_when, beforehand) => {
  const endpoint = makeEndpoint();
  await beforehand(endpoint);
  const url = await listen(async (request, response) => {
    const handled = endpoint.handle(request, response, { caller: CALLER });
    await endpoint.close();
    return handled;
  });
  const answer = await list(url);
  expect([answer.status, await answer.text()]).toEqual([
    503,
    'ServiceError: The server is stopping. Try again in a moment.',
  ]);
});
