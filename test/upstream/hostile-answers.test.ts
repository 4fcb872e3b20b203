/** Answers of a remote MCP server that are not what was asked: whose they are, and what is left of them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ToolCall } from '../../src/upstream/calls/upstream-client.ts';
import {
  ERAS,
  events,
  failureOf,
  GOOD,
  json,
  startHostileServer,
  type Answer,
  type HostileServer,
  type Message,
} from './hostile-server.ts';

const bad = (text = 'bad'): object => ({ content: [{ type: 'text', text }] });

describe.each(ERAS)('MCP server of the %s era', (era) => {
  let hostile: HostileServer;
  beforeAll(async () => {
    hostile = await startHostileServer(era);
  });
  beforeEach(async () => hostile.reset());
  afterAll(async () => hostile.close());

  const behave = (then: Answer): void => {
    hostile.answer = hostile.afterHandshake(then);
  };
  const called = async (change: Partial<ToolCall> = {}, account?: string, mcp = {}) =>
    hostile.client.call(hostile.call(change, mcp, account));
  const count = (method: string): number => hostile.seen.filter((each) => each === method).length;
  const isOf = (account: string, { headers }: IncomingMessage): boolean =>
    headers.authorization === `Bearer secret-token-of-${account}`;

  it('never answers one account with a message from the stream of another one', async () => {
    const waiting = Promise.withResolvers<[Message, ServerResponse]>();
    behave((message, response, request) => {
      if (isOf('ca_ada', request)) return waiting.resolve([message, response]);
      const ids = Array.from({ length: 50 }, (_, i) => (i === message.id ? undefined : i));
      const foreign = ids.flatMap((id) =>
        id === undefined ? [] : [hostile.reply({ ...message, id }, bad())],
      );
      events(response, ...foreign, hostile.reply(message, bad('of bob')));
      return response.end();
    });
    const ada = called({}, 'ca_ada');
    const [message, response] = await waiting.promise;
    expect((await called({}, 'ca_bob')).content).toEqual([{ type: 'text', text: 'of bob' }]);
    json(response, hostile.reply(message, GOOD));
    expect((await ada).content).toEqual(GOOD.content);
  });

  it('announces changed tools only to the account in whose answer it says so', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    behave((message, response, request) => {
      events(response, ...(isOf('ca_bob', request) ? [note] : []), hostile.reply(message, GOOD));
      response.end();
    });
    await Promise.all(['ca_ada', 'ca_bob', 'ca_cyd'].map(async (account) => called({}, account)));
    expect(hostile.changed).toEqual(['ca_bob']);
  });

  it('answers no request that was not sent yet', async () => {
    behave((message, response) => {
      const later = [1, 2, 3].map((step) =>
        hostile.reply({ ...message, id: (message.id ?? 0) + step }, bad()),
      );
      events(response, ...later, hostile.reply(message, GOOD));
      response.end();
    });
    for (let i = 0; i < 3; i++) expect((await called()).content).toEqual(GOOD.content);
  });

  it.each<[string, (message: Message, response: ServerResponse) => void]>([
    ['a page of an error', (_, response) => json(response, { error: 'no such page' })],
    ['a list', (_, response) => json(response, [])],
    ['a text', (_, response) => json(response, 'ok')],
    [
      'a message of another type',
      (message, response) =>
        response
          .writeHead(200, { 'content-type': 'text/plain' })
          .end(JSON.stringify(hostile.reply(message, GOOD))),
    ],
    ['a result that is none', (message, response) => json(response, hostile.reply(message, { content: 7 }))],
    [
      'a stream that ends at once',
      (_, response) => {
        events(response);
        response.end();
      },
    ],
    [
      'the answer to another question',
      (message, response) => json(response, hostile.reply({ ...message, id: 4_711 }, GOOD)),
    ],
    [
      'the answer to another question on a stream',
      (message, response) => {
        events(response, hostile.reply({ ...message, id: 4_711 }, GOOD));
        response.end();
      },
    ],
  ])('fails the protocol with %s', async (_case, then) => {
    behave(then);
    const { toolError, message } = await failureOf(called());
    expect([toolError.code, message]).toEqual([
      'PROVIDER_ANSWER_UNREADABLE',
      'Notes answered with something that is not MCP. Its operator has to look at it.',
    ]);
  });

  it.each<[string, Answer]>([
    [
      'bytes without a line end',
      (_, response) => drip(response, { 'content-type': 'text/event-stream' }, 'x'),
    ],
    ['one byte now and then', (_, response) => drip(response, { 'content-type': 'application/json' }, ' ')],
    ['no headers', () => {}],
  ])('has the time of one call with %s, and its session is not used again', async (_case, then) => {
    const good: Answer = (message, response) => json(response, hostile.reply(message, GOOD));
    // The session is open before, so that the short deadline is that of the call alone.
    behave(good);
    await called();
    behave(then);
    const { toolError } = await failureOf(called({ deadline: Date.now() + 600 }));
    expect(toolError.code).toBe('PROVIDER_TIMEOUT');
    behave(good);
    expect((await called()).content).toEqual(GOOD.content);
    expect(count('initialize')).toBe(era === 'legacy' ? 2 : 0);
  });

  it('waits at most an hour if Retry-After says a year', async () => {
    behave((_, response) => json(response, {}, 429, { 'retry-after': '31536000' }));
    const waits: number[] = [];
    const limited = async (waitMs: number): Promise<void> => void waits.push(waitMs);
    const { toolError } = await failureOf(called({ effect: 'read', limited }));
    expect([toolError.code, toolError.retry_after, waits, count('tools/call')]).toEqual([
      'HTTP_429',
      3_600,
      [3_600_000],
      1,
    ]);
  });

  it('gets none of its cookies back from us', async () => {
    behave((message, response) =>
      json(response, hostile.reply(message, GOOD), 200, { 'set-cookie': 'sid=of-ada; Path=/' }),
    );
    await called({}, 'ca_ada');
    await called({}, 'ca_ada');
    await called({}, 'ca_bob');
    expect(hostile.requests.filter(({ headers }) => headers.cookie !== undefined)).toEqual([]);
  });

  it('gets no request after its name resolves to another address', async () => {
    const url = new URL(`${hostile.origin.replace('127.0.0.1', 'rebind.test')}/mcp`);
    // Each request gets a connection of its own.
    const good = hostile.afterHandshake((message, response) => json(response, hostile.reply(message, GOOD)));
    hostile.answer = (message, response, request) => {
      response.setHeader('connection', 'close');
      good(message, response, request);
    };
    hostile.addressOf = () => '127.0.0.1';
    expect((await called({ url })).content).toEqual(GOOD.content);
    const before = hostile.seen.length;
    hostile.addressOf = () => '127.0.0.2';
    for (const effect of ['read', 'create'] as const)
      expect((await failureOf(called({ url, effect }))).toolError.code).toBe('ADDRESS_REFUSED');
    expect(hostile.seen).toHaveLength(before);
  });

  it.runIf(era === 'modern')('gets parameters as headers, but never instead of one of our own', async () => {
    behave((message, response) => json(response, hostile.reply(message, GOOD)));
    const header = (name: string): object => ({ type: 'string', 'x-mcp-header': name });
    const properties = { a: header('Authorization'), b: header('Region') };
    const definition = { name: 'note', inputSchema: { type: 'object', properties } };
    await called({ definition, input: { a: 'Bearer evil\r\nx-evil: 1', b: 'eu' } });
    const { headers } = hostile.requests.at(-1)!;
    expect(headers).toMatchObject({
      authorization: 'Bearer secret-token-of-ca_1',
      'mcp-param-region': 'eu',
      'mcp-param-authorization': expect.stringMatching(/^=\?base64\?[A-Za-z0-9+/=]+\?=$/),
    });
    expect(headers).not.toHaveProperty('x-evil');
  });

  it.runIf(era === 'legacy')(
    'gets one new session for each call whose session it has forgotten',
    async () => {
      let known = 0;
      let opened = 0;
      const good = hostile.afterHandshake((message, response) =>
        json(response, hostile.reply(message, GOOD)),
      );
      hostile.answer = (message, response, request) => {
        if (message.method === 'initialize') known = ++opened;
        if (message.method === 'tools/call' && known === 0) return json(response, {}, 404);
        good(message, response, request);
        if (message.method === 'tools/call') known = 0;
      };
      for (let i = 0; i < 3; i++) expect((await called()).content).toEqual(GOOD.content);
      expect([count('initialize'), count('tools/call')]).toEqual([3, 5]);
      // One that forgets each of them at once is asked twice, and no more.
      behave((_, response) => json(response, {}, 404));
      await failureOf(called());
      expect([count('initialize'), count('tools/call')]).toEqual([4, 7]);
    },
  );

  it.runIf(era === 'legacy')('gets no session if the session id is not a valid header', async () => {
    hostile.answer = (_message, response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\nmcp-session-id: a\rx-evil: b\r\ncontent-length: 2\r\n\r\n{}');
    };
    expect((await failureOf(called())).toolError.code).toMatch(/^PROVIDER_/);
    expect(hostile.seen).toEqual(['initialize']);
  });
});

/** Sends a byte each 20 ms until the connection or the test ends. */
function drip(response: ServerResponse, headers: Record<string, string>, byte: string): void {
  response.writeHead(200, headers);
  const timer = setInterval(() => response.write(byte), 20);
  const stop = (): void => clearInterval(timer);
  response.on('close', stop);
  onTestFinished(stop);
}
