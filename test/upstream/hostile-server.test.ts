/** A remote MCP server that does every wrong thing: what callers and operators get, and what is never done. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../src/catalog/model/types.ts';
import { silentLog } from '../../src/core/log.ts';
import type { UsableCredential } from '../../src/credentials/usable-credential.ts';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import type { ProviderFailure } from '../../src/outbound/provider-failure.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { UpstreamClient, type ToolCall } from '../../src/upstream/calls/upstream-client.ts';
import { testServices } from '../support/services.ts';

type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

interface Message {
  id?: number;
  method: string;
  params?: { cursor?: string };
}

const TOOL = { name: 'note', inputSchema: { type: 'object' } };

let origin: string;
let answer: Answer;
let seen: string[];
/** Accounts whose server has said that its tools are others. */
let changed: string[];
let db: Database;
let outbound: Outbound;
let client: UpstreamClient;

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    const message = JSON.parse(body || '{"method":"none"}') as Message;
    seen.push(message.method);
    answer(message, response, request);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ({ db } = await testServices({ db: await openDatabase({ url: 'sqlite::memory:' }) }));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await db.close();
});
beforeEach(() => {
  seen = [];
  outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
    connectTimeoutMs: 5_000,
    headersTimeoutMs: 5_000,
    totalTimeoutMs: 5_000,
    maxResponseBytes: 1_000,
  });
  changed = [];
  client = new UpstreamClient({
    outbound,
    db,
    clock: { now: () => Date.now() },
    log: silentLog,
    changed: ({ id }) => changed.push(id),
  });
});
afterEach(async () => {
  await client.close();
  await outbound.close();
});

function call(change: Partial<ToolCall> = {}, mcp: object = {}): ToolCall {
  const account = { id: 'ca_1', environmentId: 'env_test', connection: { id: 'conn_none' } };
  return {
    connector: {
      name: 'notes',
      title: 'Notes',
      hosts: [],
      mcp: { era: 'legacy', idleTimeoutMs: 5_000, timeoutMs: 5_000, max_tools: 1_000, ...mcp },
    } as unknown as Connector,
    url: new URL(`${origin}/mcp`),
    credential: {
      headers: { authorization: 'Bearer secret-token-1' },
      query: [],
      secrets: ['secret-token-1'],
      account,
    } as unknown as UsableCredential,
    executionId: 'exe_1',
    deadline: Date.now() + 1_500,
    tool: 'note',
    definition: TOOL,
    input: {},
    effect: 'create',
    isIdempotent: false,
    maxResultBytes: 32_000,
    ...change,
  };
}

function json(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A server that opens a session, and does this with everything else. */
function afterHandshake(then: Answer): Answer {
  return (message, response, request) => {
    if (message.method === 'initialize') {
      const capabilities = { tools: {} };
      const serverInfo = { name: 'hostile', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities, serverInfo };
      return json(response, { jsonrpc: '2.0', id: message.id, result }, 200, { 'mcp-session-id': 's1' });
    }
    if (message.method === 'notifications/initialized') return void response.writeHead(202).end();
    if (message.method === 'none') return void response.writeHead(200).end();
    then(message, response, request);
  };
}

const GOOD = { content: [{ type: 'text', text: 'good' }] };

function events(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  return work.then(
    () => {
      throw new Error('it worked');
    },
    (error: unknown) => error as ProviderFailure,
  );
}

describe('calls of a hostile MCP server', () => {
  it.each<[string, Answer, string]>([
    [
      'answers with a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'PROVIDER_ANSWER_UNREADABLE',
    ],
    [
      'answers nothing',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
      'PROVIDER_ANSWER_UNREADABLE',
    ],
    [
      'sends to another origin',
      (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      'REDIRECT',
    ],
    ['wants another credential', (_, response) => json(response, {}, 401), 'HTTP_401'],
    [
      'lacks a scope',
      (_, response) => json(response, { error: 'insufficient_scope' }, 403),
      'insufficient_scope',
    ],
    ['fails', (_, response) => json(response, {}, 503), 'HTTP_503'],
    [
      'refuses the call',
      (message, response) =>
        json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32602, message: 'no secret-token-1' },
        }),
      'RPC_-32602',
    ],
    [
      'sends an event of 50 MB',
      (_, response) => {
        events(response);
        response.end(`data: ${'x'.repeat(50_000_000)}\n\n`);
      },
      'PROVIDER_ANSWER_TOO_LARGE',
    ],
    [
      'sends progress for ever',
      (_, response) => {
        events(response);
        const timer = setInterval(() => response.write(': ping\n\n'.repeat(50)), 1);
        response.on('close', () => clearInterval(timer));
      },
      'PROVIDER_ANSWER_TOO_LARGE',
    ],
    [
      'never ends its stream',
      (_, response) => {
        events(response);
        response.write(': here\n\n');
      },
      'PROVIDER_TIMEOUT',
    ],
    [
      'answers another question',
      (_, response) => {
        events(response);
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 4_711, result: GOOD })}\n\n`);
      },
      'PROVIDER_TIMEOUT',
    ],
  ])('end with a failure in our words where it %s', async (_, behaves, code) => {
    answer = afterHandshake(behaves);
    const failure = await failureOf(client.call(call()));
    expect(failure.toolError).toMatchObject({ code, execution_id: 'exe_1' });
    expect(failure.message).toContain('Notes');
    expect(JSON.stringify(failure.details)).not.toContain('secret-token-1');
    // What was sent may have been done.
    expect(seen.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('take the first right answer, and refuse what the server asks meanwhile', async () => {
    answer = afterHandshake((message, response) => {
      if (message.method !== 'tools/call') return void response.writeHead(202).end();
      events(response);
      for (const sent of [
        {
          jsonrpc: '2.0',
          id: 99,
          method: 'elicitation/create',
          params: { message: 'Password?', requestedSchema: {} },
        },
        { jsonrpc: '2.0', id: message.id, result: GOOD },
        { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'bad' }] } },
      ])
        response.write(`data: ${JSON.stringify(sent)}\n\n`);
      return response.end();
    });
    expect((await client.call(call())).content).toEqual([{ type: 'text', text: 'good' }]);
  });

  it('note that its tools are others now, and end where it says so without end', async () => {
    const note = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';
    answer = afterHandshake((message, response) => {
      events(response);
      const result = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: GOOD });
      response.end(`${note}data: ${result}\n\n`);
    });
    expect((await client.call(call())).content).toEqual([{ type: 'text', text: 'good' }]);
    expect(changed).toEqual(['ca_1']);
    answer = afterHandshake((_, response) => {
      events(response);
      response.write(note.repeat(1_001));
    });
    const failure = await failureOf(client.call(call()));
    expect(failure.toolError.code).toBe('PROVIDER_ANSWER_TOO_LARGE');
  });

  it('open no session whose id is longer than a header', async () => {
    answer = (message, response) => {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 'h', version: '1' },
      };
      const headers = { 'mcp-session-id': 'x'.repeat(1_000_000) };
      json(response, { jsonrpc: '2.0', id: message.id, result }, 200, headers);
    };
    const failure = await failureOf(client.call(call()));
    expect([failure.toolError.code, seen]).toEqual(['PROVIDER_ANSWER_UNREADABLE', ['initialize']]);
  });

  it('refuse the transport of 2024-11-05 before anything is sent', async () => {
    const failure = await failureOf(client.call(call({}, { transport: 'sse' })));
    expect([failure.toolError.message, seen]).toEqual([
      'The transport of 2024-11-05 (sse) is not supported.',
      [],
    ]);
  });

  it('repeat a read once, and never what changes something', async () => {
    let failures = 0;
    answer = afterHandshake((message, response) => {
      failures += 1;
      if (failures === 1) return json(response, {}, 503);
      return json(response, { jsonrpc: '2.0', id: message.id, result: GOOD });
    });
    expect((await client.call(call({ effect: 'read' }))).content).toHaveLength(1);
  });

  it('spare a server that fails five times in a row', async () => {
    answer = (_, response) => json(response, {}, 500);
    for (let i = 0; i < 5; i++) await failureOf(client.call(call()));
    const before = seen.length;
    const failure = await failureOf(client.call(call()));
    expect([failure.toolError.code, failure.toolError.retry_after, seen.length]).toEqual([
      'PROVIDER_UNREACHABLE',
      1,
      before,
    ]);
  });

  it('say that a caller gave up, which is no failure of the server', async () => {
    for (let i = 0; i < 6; i++) {
      const stop = new AbortController();
      answer = afterHandshake(() => stop.abort());
      const failure = await failureOf(client.call(call({ signal: stop.signal })));
      expect(failure.toolError.code).toBe('CANCELLED');
    }
    answer = afterHandshake((message, response) =>
      json(response, { jsonrpc: '2.0', id: message.id, result: GOOD }),
    );
    expect((await client.call(call())).content).toEqual([{ type: 'text', text: 'good' }]);
  });

  it('wait for a session that another caller began to open and then left', async () => {
    const stop = new AbortController();
    const opens = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    const good = afterHandshake((message, response) =>
      json(response, { jsonrpc: '2.0', id: message.id, result: GOOD }),
    );
    answer = (message, response, request) => {
      if (message.method !== 'initialize') return good(message, response, request);
      opens.resolve();
      return void mayAnswer.promise.then(() => good(message, response, request));
    };
    const left = failureOf(client.call(call({ signal: stop.signal })));
    await opens.promise;
    const waiting = client.call(call());
    stop.abort();
    mayAnswer.resolve();
    expect((await waiting).content).toEqual([{ type: 'text', text: 'good' }]);
    expect((await left).toolError.code).toBe('CANCELLED');
    expect(seen.filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('keep the path that a server redirects to out of our sentence', async () => {
    answer = (_, response) => response.writeHead(307, { location: '/obey-me' }).end();
    const failure = await failureOf(client.call(call()));
    expect([failure.message, failure.toolError.message]).toEqual([
      'Notes sends to another address. Redirects are not followed; its operator has to look at it.',
      `${origin}/obey-me`,
    ]);
  });
});

describe('lists of a hostile MCP server', () => {
  it.each<[string, Answer]>([
    ['has 10,000 tools', (message, response) => json(response, listOf(message, 10_000))],
    ['has pages for ever', (message, response) => json(response, listOf(message, 1, `c${Math.random()}`))],
    [
      'is larger than 4 MB',
      (message, response) => json(response, listOf(message, 900, undefined, 'x'.repeat(10_000))),
    ],
  ])('take nothing of a list that %s', async (_, behaves) => {
    answer = afterHandshake(behaves);
    const failure = await failureOf(client.list(call({ deadline: Date.now() + 10_000 })));
    expect(failure.toolError.code).toMatch(/^PROVIDER_ANSWER_/);
    expect(seen.filter((method) => method === 'tools/list').length).toBeLessThanOrEqual(65);
  });
});

function listOf({ id }: Message, count: number, nextCursor?: string, description = 'd'): unknown {
  const tools = Array.from({ length: count }, (_, i) => ({ ...TOOL, name: `t${i}`, description }));
  return { jsonrpc: '2.0', id, result: { tools, ...(nextCursor !== undefined && { nextCursor }) } };
}
