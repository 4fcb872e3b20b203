/** A raw client on the other end of our stdio server, in one process: lines in, lines out. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { serveStdioMcp } from '../../src/mcp/transports/stdio.ts';
import type { McpServices, McpSession } from '../../src/mcp/session.ts';
import type { RpcMessage } from './messages.ts';

export interface StdioPair {
  /** Sends a request and resolves with its answer; requests of the server are answered by `onRequest`. */
  request(method: string, params?: Record<string, unknown>): Promise<RpcMessage>;
  notify(method: string, params?: Record<string, unknown>): void;
  /** Sends a request under the id of the last one, as a client does that breaks the protocol. */
  requestAgain(method: string, params?: Record<string, unknown>): void;
  /** Opens the connection as a 2025-11-25 client. */
  initialize(capabilities?: Record<string, unknown>): Promise<RpcMessage>;
  /** Answers requests of the server; undefined: an error. */
  onRequest: (message: RpcMessage) => unknown;
  /** Everything the server wrote, line by line. */
  lines: string[];
  /** Ends the input, as a client does that goes away. */
  end(): void;
  /** Settles when the server has noticed. */
  closed: Promise<void>;
}

export function stdioPair(parts: McpServices, session: McpSession, signal?: AbortSignal): StdioPair {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const waiting = new Map<number, (message: RpcMessage) => void>();
  const lines: string[] = [];
  let lastId = 0;
  const send = (message: Record<string, unknown>) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const pair: StdioPair = {
    lines,
    onRequest: () => undefined,
    closed: serveStdioMcp(parts, session, { stdin, stdout, ...(signal && { signal }) }),
    end: () => stdin.end(),
    notify: (method, params) => void send({ method, params }),
    requestAgain: (method, params) => void send({ id: lastId, method, params }),
    request: (method, params) => {
      const id = ++lastId;
      const answer = new Promise<RpcMessage>((resolve) => waiting.set(id, resolve));
      send({ id, method, params });
      return answer;
    },
    initialize: async (capabilities = {}) => {
      const answer = await pair.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities,
        clientInfo: { name: 'test', version: '1' },
      });
      pair.notify('notifications/initialized');
      return answer;
    },
  };
  createInterface({ input: stdout }).on('line', (line) => {
    lines.push(line);
    const message = JSON.parse(line) as RpcMessage;
    if (message.method === undefined) {
      if (typeof message.id === 'number') waiting.get(message.id)?.(message);
      return;
    }
    if (message.id === undefined) return;
    const result = pair.onRequest(message);
    send({
      id: message.id,
      ...(result === undefined ? { error: { code: -32603, message: 'cannot' } } : { result }),
    });
  });
  return pair;
}
