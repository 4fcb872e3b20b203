/**
 * Servers of others that show what MCP has: `server-everything` as it is published, which speaks the older era, and one of
 * the newer era with the same tools, made of the SDK of today.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';

/** A running server. */
export interface EverythingServer {
  url: string;
  origin: string;
  close: () => Promise<void>;
}

const PROGRAM = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

/** An image of one point. */
export const POINT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The published one, as a process. */
export async function startPublishedServer(): Promise<EverythingServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM, 'streamableHttp'], {
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('server-everything ended')));
  ended.catch(() => {});
  let errors = '';
  while (!errors.includes('listening on port')) {
    const [piece] = (await Promise.race([once(child.stderr, 'data'), ended])) as [Buffer];
    errors += piece.toString();
  }
  child.stderr.resume();
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/mcp`,
    origin,
    close: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The one of the newer era. */
export async function startModernServer(): Promise<EverythingServer> {
  const handler = createMcpHandler(modernServer, { legacy: 'reject' });
  const answer = toNodeHandler(handler);
  const http = createServer((request, response) => {
    answer(request as Parameters<typeof answer>[0], response).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    origin,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await handler.close();
    },
  };
}

function modernServer(): McpServer {
  const server = new McpServer({ name: 'modern-everything', version: '1.0.0' });
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  server.registerTool(
    'echo',
    {
      title: 'Echo Tool',
      description: 'Echoes back the input string',
      inputSchema: z.object({ message: z.string().describe('Message to echo') }),
      annotations,
    },
    ({ message }) => ({ content: [{ type: 'text', text: `Echo: ${message}` }] }),
  );
  server.registerTool(
    'get-tiny-image',
    { title: 'Get Tiny Image Tool', description: 'Returns a tiny MCP logo image.', annotations },
    () => ({
      content: [
        { type: 'text', text: "Here's the image you requested:" },
        { type: 'image', data: POINT, mimeType: 'image/png' },
        { type: 'text', text: 'The image above is the MCP logo.' },
      ],
    }),
  );
  server.registerTool(
    'get-structured-content',
    {
      title: 'Get Structured Content Tool',
      description: 'Returns structured content along with an output schema for client data validation',
      inputSchema: z.object({
        location: z.enum(['New York', 'Chicago', 'Los Angeles']).describe('Choose city'),
      }),
      outputSchema: z.object({
        temperature: z.number().describe('Temperature in celsius'),
        conditions: z.string().describe('Weather conditions description'),
        humidity: z.number().describe('Humidity percentage'),
      }),
      annotations,
    },
    () => {
      const structuredContent = { temperature: 33, conditions: 'Cloudy', humidity: 82 };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  server.registerTool(
    'get-annotated-message',
    {
      title: 'Get Annotated Message Tool',
      description: 'Demonstrates how annotations can be used to provide metadata about content.',
      inputSchema: z.object({ messageType: z.enum(['error', 'success', 'debug']) }),
      annotations,
    },
    () => ({
      content: [
        {
          type: 'text',
          text: 'Error: Operation failed',
          annotations: { priority: 1, audience: ['user', 'assistant'] },
        },
      ],
    }),
  );
  server.registerTool(
    'get-resource-links',
    {
      title: 'Get Resource Links Tool',
      description: 'Returns up to ten resource links that reference different types of resources',
      inputSchema: z.object({ count: z.number().min(1).max(10).default(3) }),
      annotations,
    },
    () => ({
      content: [
        { type: 'text', text: 'Here are 1 resource links to resources available in this server:' },
        {
          type: 'resource_link',
          uri: 'demo://resource/dynamic/blob/1',
          name: 'Blob Resource 1',
          description: 'Resource 1: binary blob resource',
          mimeType: 'text/plain',
        },
      ],
    }),
  );
  server.registerTool(
    'get-resource-reference',
    {
      title: 'Get Resource Reference Tool',
      description: 'Returns a resource reference that can be used by MCP clients',
      inputSchema: z.object({
        resourceType: z.enum(['Text', 'Blob']).default('Text'),
        resourceId: z.number().default(1).describe('ID of the text resource to fetch'),
      }),
      annotations,
    },
    ({ resourceId }) => {
      if (resourceId < 1)
        throw new Error(`Invalid resourceId: ${resourceId}. Must be a finite positive integer.`);
      const uri = `demo://resource/dynamic/text/${resourceId}`;
      return {
        content: [
          { type: 'text', text: `Returning resource reference for Resource ${resourceId}:` },
          {
            type: 'resource',
            resource: {
              uri,
              mimeType: 'text/plain',
              text: `Resource ${resourceId}: This is a plaintext resource`,
            },
          },
          { type: 'text', text: `You can access this resource using the URI: ${uri}` },
        ],
      };
    },
  );
  server.registerTool(
    'trigger-long-running-operation',
    {
      title: 'Trigger Long Running Operation Tool',
      description: 'Demonstrates a long running operation with progress updates.',
      inputSchema: z.object({ duration: z.number().default(10), steps: z.number().default(5) }),
      annotations,
    },
    async ({ duration, steps }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= steps; progress++) {
        await new Promise((resolve) => setTimeout(resolve, (duration * 1_000) / steps));
        if (progressToken === undefined) continue;
        const params = { progressToken, progress, total: steps };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      const text = `Long running operation completed. Duration: ${duration} seconds, Steps: ${steps}.`;
      return { content: [{ type: 'text', text }] };
    },
  );
  return server;
}
