/**
 * A remote MCP server on loopback that answers as a test says, of either era, and a client that calls it with the
 * credential of one account.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connector } from '../../src/catalog/model/types.ts';
import { silentLog } from '../../src/core/log.ts';
import type { UsableCredential } from '../../src/credentials/usable-credential.ts';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import type { ProviderFailure } from '../../src/outbound/provider-failure.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { openDatabase } from '../../src/store/open.ts';
import { UpstreamClient, type ToolCall } from '../../src/upstream/calls/upstream-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { ENVIRONMENT_ID, testServices } from '../support/services.ts';

/** Servers that begin with `initialize` and have sessions, or those of 2026-07-28. */
export type ServerEra = 'legacy' | 'modern';

/** Quick rounds try one. */
export const ERAS: readonly ServerEra[] = ROUNDS.full ? ['legacy', 'modern'] : ['legacy'];

/** A message as it arrives. */
export interface Message {
  id?: number;
  method: string;
  params?: { name?: string; cursor?: string };
  /** What the client refuses. */
  error?: { code: number };
}

/** Answers a message, or does not. */
export type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

/** The tool that is called. */
export const TOOL = { name: 'note', inputSchema: { type: 'object' } };

/** What a good tool answers. */
export const GOOD = { content: [{ type: 'text', text: 'good' }] };

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

/** Starts one, and opens a database for its client. */
export async function startHostileServer(era: ServerEra) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const message = JSON.parse(body || '{"method":"none"}') as Message;
      hostile.seen.push(message.method);
      hostile.messages.push(message);
      hostile.requests.push(request);
      hostile.answer(message, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { db } = await testServices({ db: await openDatabase({ url: 'sqlite::memory:' }) });
  const { id: connectionId } = (await new ConnectionStore(db.read).list(ENVIRONMENT_ID))[0]!;
  const clientOf = (): { outbound: Outbound; client: UpstreamClient } => {
    const outbound = new Outbound({
      policy: new AddressPolicy({
        allowPrivateHosts: ['127.0.0.1/32'],
        resolve: (_, callback) => callback(null, [{ address: hostile.addressOf(), family: 4 }]),
      }),
      connectTimeoutMs: 60_000,
      headersTimeoutMs: 60_000,
      totalTimeoutMs: 60_000,
      maxResponseBytes: 1_000,
    });
    const clock = { now: () => hostile.now ?? Date.now() };
    const changed = ({ id }: { id: string }): number => hostile.changed.push(id);
    return { outbound, client: new UpstreamClient({ outbound, db, clock, log: silentLog, changed }) };
  };
  let used = clientOf();
  const closeClient = async (): Promise<void> => {
    await used.client.close();
    await used.outbound.close();
  };
  const hostile = {
    origin,
    /** The time of the client, in Unix milliseconds; `undefined`: that of the machine. */
    now: undefined as number | undefined,
    /** What it says that it can do. */
    capabilities: { tools: {} } as object,
    /** The address of every name. */
    addressOf: (): string => '127.0.0.1',
    /** Answers every message. */
    answer: ((_message, response) => response.destroy()) as Answer,
    /** Methods of the messages, in order. */
    seen: [] as string[],
    messages: [] as Message[],
    /** The requests that carried them. */
    requests: [] as IncomingMessage[],
    /** Accounts whose server has said that its tools are others. */
    changed: [] as string[],
    get client(): UpstreamClient {
      return used.client;
    },
    /** Forgets everything: another client, nothing seen. */
    reset: async (): Promise<void> => {
      await closeClient();
      await db.transaction(async (tx) =>
        rows(tx, 'upstream_connections').delete(ENVIRONMENT_ID, connectionId),
      );
      used = clientOf();
      hostile.now = undefined;
      hostile.capabilities = { tools: {} };
      hostile.seen = [];
      hostile.messages = [];
      hostile.requests = [];
      hostile.changed = [];
    },
    /** A call of the tool with the token of an account. @param mcp keys of the connector's file */
    call: (change: Partial<ToolCall> = {}, mcp: object = {}, id = 'ca_1'): ToolCall => ({
      connector: {
        name: 'notes',
        title: 'Notes',
        hosts: [],
        mcp: { era, idleTimeoutMs: 60_000, timeoutMs: 60_000, max_tools: 1_000, ...mcp },
      } as unknown as Connector,
      url: new URL(`${origin}/mcp`),
      credential: {
        headers: { authorization: `Bearer secret-token-of-${id}` },
        query: [],
        secrets: [`secret-token-of-${id}`],
        account: {
          id,
          generation: 1,
          environmentId: ENVIRONMENT_ID,
          connection: { id: connectionId, environmentId: ENVIRONMENT_ID },
        },
      } as unknown as UsableCredential,
      executionId: 'exe_1',
      deadline: Date.now() + 60_000,
      tool: TOOL.name,
      definition: TOOL,
      input: {},
      effect: 'create',
      isIdempotent: false,
      maxResultBytes: 32_000,
      ...change,
    }),
    /** The message that answers another one with a result. */
    reply: (message: Message, result: object, resultType?: string): object =>
      replyOf(era, message, result, resultType),
    /** A server that says what it speaks, and does this with everything else. */
    afterHandshake:
      (then: Answer): Answer =>
      (message, response, request) => {
        const serverInfo = { name: 'hostile', version: '1' };
        const { capabilities } = hostile;
        if (message.method === 'server/discover') {
          const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
          return json(
            response,
            hostile.reply(message, { supportedVersions: ['2026-07-28'], capabilities, _meta }),
          );
        }
        if (message.method === 'initialize') {
          const result = { protocolVersion: '2025-11-25', capabilities, serverInfo };
          return json(response, hostile.reply(message, result), 200, { 'mcp-session-id': 's1' });
        }
        if (message.method === 'notifications/initialized') return void response.writeHead(202).end();
        if (message.method === 'none') return void response.writeHead(200).end();
        then(message, response, request);
      },
    close: async (): Promise<void> => {
      await closeClient();
      server.closeAllConnections();
      server.close();
      await db.close();
    },
  };
  return hostile;
}

/** The message of a server of this era that answers another one with a result. */
export function replyOf(
  era: ServerEra,
  { id }: Pick<Message, 'id'>,
  result: object,
  resultType = 'complete',
): object {
  const ofModern = era === 'modern' && { resultType, ttlMs: 0, cacheScope: 'private' };
  return { jsonrpc: '2.0', id, result: { ...result, ...ofModern } };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Begins a stream of events, and sends some. */
export function events(response: ServerResponse, ...messages: object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
}

/** What a call failed with. @throws Error if it worked */
export async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  return work.then(
    () => {
      throw new Error('it worked');
    },
    (error: unknown) => error as ProviderFailure,
  );
}
