/**
 * A remote MCP server on loopback, of either era, made with the official SDKs: its tools are what the test says, for
 * each key. With sessions where its era has them.
 */
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server, type CallToolResult, type Tool } from '@modelcontextprotocol/server';

/** Answers a call. */
export type Handler = (
  input: Record<string, unknown>,
  key: string,
) => CallToolResult | Promise<CallToolResult>;

/** A message that wants an answer. */
export interface Message {
  id: number;
  method: string;
}

export interface NotesServer {
  /** What it speaks; may change while it runs. */
  era: 'modern' | 'legacy';
  /** Address of the server. */
  url: string;
  origin: string;
  /** Tools by key; those of '*' for other keys. */
  tools: Record<string, Tool[]>;
  /** By tool; the others answer their input. */
  handlers: Record<string, Handler>;
  /** Keys that are good; any if empty. */
  keys: Set<string>;
  /** Whether it refuses calls in the revision that it announced. */
  refusesRevision: boolean;
  /** Whether every answer is a 503. */
  fails: boolean;
  /** Answers a message instead of the SDK, or returns false. */
  instead: (message: Message, response: ServerResponse) => boolean;
  /** `<method> <key>` of each request, in order. */
  seen: string[];
  /** Sessions that are open. */
  sessions: Set<string>;
  /** The session of each call of a tool, in order; empty where there is none. */
  calledIn: string[];
  /** Forgets every session, as a restart does. */
  forgetSessions(): void;
  close(): Promise<void>;
}

/** A tool that takes text. */
export function noteTool(name: string, change: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `Does ${name.replaceAll(/[-_]/g, ' ')}.`,
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'Words.' } },
      required: ['text'],
    },
    annotations: { readOnlyHint: true },
    ...change,
  };
}

const UNSUPPORTED =
  '{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-09-01"],"requested":"2026-07-28"}}';

export async function startNotesServer(era: 'modern' | 'legacy'): Promise<NotesServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const list = (key: string): Tool[] => notes.tools[key] ?? notes.tools['*'] ?? [];
  const call = async (name: string, input: Record<string, unknown>, key: string): Promise<CallToolResult> =>
    (await notes.handlers[name]?.(input, key)) ?? {
      content: [{ type: 'text', text: `${name} by ${key}: ${JSON.stringify(input)}` }],
    };
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const key = authInfo?.token ?? '';
      const server = new Server({ name: 'notes', version: '2.0.0' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({ tools: list(key) }));
      server.setRequestHandler('tools/call', ({ params }) => call(params.name, params.arguments ?? {}, key));
      return server;
    },
    { legacy: 'reject' },
  );
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const key = String(request.headers['x-api-key'] ?? '');
    const body = JSON.parse((await textOf(request)) || 'null') as { method?: string; id?: number } | null;
    const id = request.headers['mcp-session-id'];
    notes.seen.push(`${body?.method ?? request.method} ${key}`);
    if (body?.method === 'tools/call') notes.calledIn.push(String(id ?? ''));
    if (notes.fails) return void response.writeHead(503).end('{}');
    if (notes.keys.size > 0 && !notes.keys.has(key))
      return void response.writeHead(401).end('{"error":"no"}');
    if (notes.refusesRevision && body?.method === 'tools/call')
      return void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${body.id ?? null},"error":${UNSUPPORTED}}`);
    if (body?.id !== undefined && notes.instead(body as Message, response)) return;
    if (notes.era === 'modern') {
      Object.assign(request, { auth: { token: key, clientId: 'test', scopes: [] } });
      return toNodeHandler(modern)(
        request as Parameters<ReturnType<typeof toNodeHandler>>[0],
        response,
        body,
      );
    }
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(request, response, body ?? undefined);
    if (body?.method !== 'initialize')
      return void response
        .writeHead(id === undefined ? 400 : 404)
        .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        transports.set(session, transport);
        notes.sessions.add(session);
      },
      onsessionclosed: (session) => {
        transports.delete(session);
        notes.sessions.delete(session);
      },
    });
    const server = new LegacyServer({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list(key) as never[] }));
    server.setRequestHandler(
      CallToolRequestSchema,
      async ({ params }) => (await call(params.name, params.arguments ?? {}, key)) as never,
    );
    await server.connect(transport);
    return transport.handleRequest(request, response, body);
  };
  const http: HttpServer = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const notes: NotesServer = {
    era,
    url: `${origin}/mcp`,
    origin,
    tools: {},
    handlers: {},
    keys: new Set(),
    refusesRevision: false,
    fails: false,
    instead: () => false,
    seen: [],
    sessions: new Set(),
    calledIn: [],
    forgetSessions: () => {
      transports.clear();
      notes.sessions.clear();
    },
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await modern.close();
    },
  };
  return notes;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
