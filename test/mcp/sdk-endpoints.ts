/** MCP endpoints made of the SDK's parts alone, around our server object: what ours is compared with. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { makeServer } from '../../src/mcp/transports/server.ts';
import type { McpServices } from '../../src/mcp/session.ts';
import { makeSession } from './fixtures.ts';

/** An endpoint that runs. */
export interface SdkEndpoint {
  url: string;
  close: () => Promise<void>;
}

/** The SDK's transport in the mode that answers with one JSON body. Knows only the protocol versions before 2026-07-28. */
export async function listenInJsonMode(parts: McpServices): Promise<SdkEndpoint> {
  return listenWith(async (request, response) => {
    const server = makeServer(parts, makeSession(), 'legacy');
    const transport = new NodeStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** The SDK's handler of every protocol version. Answers requests of 2025 with an event stream. */
export async function listenWithHandler(parts: McpServices): Promise<SdkEndpoint> {
  const session = makeSession(undefined, { listDependsOnCaller: true });
  const handler = createMcpHandler(({ era }) => makeServer(parts, session, era));
  const answer = toNodeHandler(handler);
  // The SDK's type of node's request is stricter than node's own.
  const endpoint = await listenWith((request, response) =>
    answer(request as Parameters<typeof answer>[0], response),
  );
  return {
    ...endpoint,
    close: async () => {
      await handler.close();
      await endpoint.close();
    },
  };
}

async function listenWith(
  answer: (...args: Parameters<RequestListener>) => Promise<void>,
): Promise<SdkEndpoint> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
