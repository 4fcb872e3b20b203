/** Lists of a remote MCP server that do not end, that are too large, or that are packed: nothing of them is taken. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';
import {
  ERAS,
  events,
  failureOf,
  json,
  startHostileServer,
  TOOL,
  type Answer,
  type HostileServer,
  type Message,
} from './hostile-server.ts';

/** 50 MB of blanks. */
const SPACES = Buffer.alloc(50_000_000, ' ');

/** Packed before the first test: that takes seconds, in which a server closes the connections that a client keeps. */
const BOMBS = Object.entries({
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  zstd: zstdCompressSync,
})
  .slice(0, ROUNDS.full ? undefined : 1)
  .map(([encoding, pack]) => ({
    encoding,
    body: pack(SPACES),
    event: pack(Buffer.concat([Buffer.from('data: '), SPACES])),
  }));

describe.each(ERAS)('MCP server of the %s era', (era) => {
  let hostile: HostileServer;
  beforeAll(async () => {
    hostile = await startHostileServer(era);
  });
  beforeEach(async () => hostile.reset());
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => hostile.close());

  const listOf = (message: Message, count: number, nextCursor?: string, description = 'd'): object => {
    const tools = Array.from({ length: count }, (_, i) => ({ ...TOOL, name: `t${i}`, description }));
    return hostile.reply(message, { tools, ...(nextCursor !== undefined && { nextCursor }) });
  };
  const pages = (): number => hostile.seen.filter((method) => method === 'tools/list').length;

  it.each<[string, Answer, number]>([
    ['has 10,000 tools', (message, response) => json(response, listOf(message, 10_000)), 1],
    [
      'has a new page behind each one',
      (message, response) => json(response, listOf(message, 1, `c${pages()}`)),
      64,
    ],
    [
      'leads back to a page that it had',
      (message, response) => {
        const tools = [{ ...TOOL, name: `t${pages()}` }];
        json(response, hostile.reply(message, { tools, nextCursor: `c${pages() % 2}` }));
      },
      3,
    ],
    [
      'is larger than 4 MB',
      (message, response) => json(response, listOf(message, 900, undefined, 'x'.repeat(10_000))),
      1,
    ],
    [
      'is larger than 4 MB with all its pages',
      (message, response) => json(response, listOf(message, 100, `c${pages()}`, 'x'.repeat(10_000))),
      5,
    ],
    [
      'ends without having come',
      (_, response) => {
        events(response);
        response.end();
      },
      1,
    ],
    ['names two tools alike', (message, response) => json(response, twice(listOf(message, 1))), 1],
  ])('has nothing taken of a list that %s', async (_case, behaves, asked) => {
    hostile.answer = hostile.afterHandshake(behaves);
    const failure = await failureOf(hostile.client.list(hostile.call()));
    expect(failure.toolError.code).toMatch(/^PROVIDER_ANSWER_/);
    expect(pages()).toBe(asked);
  });

  it('may end its list with an empty cursor, which is followed once', async () => {
    hostile.answer = hostile.afterHandshake((message, response) => json(response, listOf(message, 2, '')));
    const { tools } = await hostile.client.list(hostile.call());
    expect([tools.map(({ name }) => name), pages()]).toEqual([['t0', 't1'], 2]);
  });

  /** What a list and a call fail with. */
  const codes = async (): Promise<string[]> => [
    (await failureOf(hostile.client.list(hostile.call()))).toolError.code,
    (await failureOf(hostile.client.call(hostile.call()))).toolError.code,
  ];

  it.each(BOMBS)(
    'never makes us unpack an answer beyond the limit: $encoding',
    async ({ encoding, body, event }) => {
      hostile.answer = hostile.afterHandshake((_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
          .end(body),
      );
      expect(await codes()).toEqual(['PROVIDER_ANSWER_TOO_LARGE', 'PROVIDER_ANSWER_TOO_LARGE']);
      hostile.answer = hostile.afterHandshake((_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding })
          .end(event),
      );
      expect(await codes()).toEqual(['PROVIDER_ANSWER_TOO_LARGE', 'PROVIDER_ANSWER_TOO_LARGE']);
    },
  );

  it.each(['gzip, gzip', 'gzip, br, gzip', 'x-bomb'])(
    'never makes us unpack an answer with the encoding %s',
    async (encoding) => {
      hostile.answer = hostile.afterHandshake((_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
          .end(gzipSync(gzipSync('{}'))),
      );
      const failure = await failureOf(hostile.client.call(hostile.call()));
      expect(failure.toolError.code).toBe('PROVIDER_ANSWER_UNREADABLE');
    },
  );

  it('never makes this program write to its output', async () => {
    const written = (['log', 'info', 'debug', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level),
    );
    const inputSchema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'a\nb' } } };
    hostile.answer = hostile.afterHandshake((message, response) =>
      json(response, hostile.reply(message, { tools: [{ name: "a'\n{", inputSchema }] })),
    );
    expect((await hostile.client.list(hostile.call())).tools.map(({ name }) => name)).toEqual(["a'\n{"]);
    await hostile.reset();
    hostile.capabilities = {};
    expect((await hostile.client.list(hostile.call())).tools).toEqual([]);
    expect([written.flatMap(({ mock }) => mock.calls), pages()]).toEqual([[], 0]);
  });
});

/** The list with each tool twice. */
function twice(answer: object): object {
  const { result } = answer as { result: { tools: object[] } };
  return { ...answer, result: { ...result, tools: [...result.tools, ...result.tools] } };
}
