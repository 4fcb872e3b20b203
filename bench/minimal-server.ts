/**
 * The baseline for Gatehouse: the same SDK, one tool, the same provider call, and nothing around it. No
 * accounts, no credentials, no checks, no records. `stdio` or `http` as argument.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Agent } from 'undici';

const api = process.env.BENCH_API_URL ?? '';
const agent = new Agent();

const tools = [
  {
    name: 'bench_search',
    description: 'Searches the stand-in API and returns what it answers.',
    inputSchema: {
      type: 'object' as const,
      properties: { query: { type: 'string', description: 'What to look for.' } },
      required: ['query'],
      additionalProperties: false,
    },
  },
];

function makeServer(): Server {
  const server = new Server({ name: 'minimal', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async (request) => {
    const query = encodeURIComponent(String(request.params.arguments?.query));
    const { body } = await agent.request({
      origin: api,
      path: `/search?q=${query}`,
      method: 'GET',
      headers: { 'x-api-key': 'key' },
    });
    return { content: [{ type: 'text', text: JSON.stringify(await body.json()) }] };
  });
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(makeServer);
} else {
  const handler = toNodeHandler(createMcpHandler(makeServer));
  const server = createServer((request, response) => {
    void handler(request as Parameters<typeof handler>[0], response);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
}
