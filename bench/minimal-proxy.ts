/**
 * The baseline for tools of remote MCP servers: the same SDK, a server and one shared client, and nothing between them. No
 * accounts, no approval, no checks, no records. The address of the server comes from BENCH_UPSTREAM_URL.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const client = new Client({ name: 'proxy', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.BENCH_UPSTREAM_URL ?? '')));

function makeServer(): Server {
  const server = new Server({ name: 'proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => client.listTools());
  server.setRequestHandler('tools/call', async ({ params }) =>
    client.callTool({ name: params.name, arguments: params.arguments ?? {} }),
  );
  return server;
}

const handler = toNodeHandler(createMcpHandler(makeServer));
const server = createServer((request, response) => {
  void handler(request as Parameters<typeof handler>[0], response);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
