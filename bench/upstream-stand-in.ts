/**
 * A remote MCP server that costs little, so that the one in between is measured: it writes its answers by hand. `legacy`
 * with a session for each client, or `modern`, as argument.
 *
 * Tools: `echo` answers a line; `huge` answers MEGABYTES; `changes` says that its list has changed, 100 times, before it
 * answers.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const isModern = process.argv[2] === 'modern';
const MEGABYTES = Number(process.env.BENCH_MEGABYTES ?? 500);
const CHANGES = 100;
const MEGABYTE = Buffer.alloc(1_000_000, 'x');

const serverInfo = { name: 'stand-in', version: '1.0.0' };
const capabilities = { tools: {} };
const tools = ['echo', 'huge', 'changes'].map((name) => ({
  name,
  description: `Answers with ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}));

interface Message {
  id?: number;
  method?: string;
  params?: { name?: string; arguments?: { text?: string } };
}

function answer({ id, method, params }: Message, response: ServerResponse): void {
  const text = (result: object): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      result: { ...result, ...(isModern && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }) },
    });
  const send = (result: object, headers = {}): void =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text(result));
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'server/discover' && isModern)
    return send({ supportedVersions: ['2026-07-28'], capabilities, _meta });
  if (method === 'initialize' && !isModern)
    return send(
      { protocolVersion: '2025-11-25', capabilities, serverInfo },
      { 'mcp-session-id': randomUUID() },
    );
  if (method === 'tools/list') return send({ tools });
  if (method !== 'tools/call') {
    const error = { code: -32_601, message: 'Method not found' };
    return void response
      .writeHead(isModern ? 400 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }
  const result = { content: [{ type: 'text', text: `echo: ${params?.arguments?.text}` }] };
  if (params?.name === 'huge') return void sendHuge(response);
  if (params?.name !== 'changes') return send(result);
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${note}\n\n`.repeat(CHANGES) + `data: ${text(result)}\n\n`);
}

async function sendHuge(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"');
  for (let sent = 0; sent < MEGABYTES && !response.destroyed; sent++)
    if (!response.write(MEGABYTE))
      await new Promise<void>((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
  response.end('"}]}}');
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST') response.writeHead(request.method === 'GET' ? 405 : 200).end();
    else answer(JSON.parse(Buffer.concat(pieces).toString()) as Message, response);
  });
});
// A busy machine may leave connections idle for longer than the usual 5 s.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
