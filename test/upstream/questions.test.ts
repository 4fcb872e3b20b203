/** Questions of a remote MCP server: none reaches a person, a model or a page. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ERAS,
  events,
  failureOf,
  GOOD,
  json,
  startHostileServer,
  type HostileServer,
} from './hostile-server.ts';

const PAGE = 'https://pay.example.com/confirm?id=7';
const PASSED_ON =
  'Questions of other servers are not passed on. Give what it needs in the input, or do this in Notes itself.';
const UNLISTED =
  'Its operator has not listed this host (elicitation_hosts), so the address is not passed on.';

const form = { message: 'Your password?', requestedSchema: { type: 'object', properties: {} } };
const page = (url: string): object => ({ mode: 'url', message: 'Trust me', elicitationId: 'e1', url });

describe.each(ERAS)('MCP server of the %s era', (era) => {
  let hostile: HostileServer;
  beforeAll(async () => {
    hostile = await startHostileServer(era);
  });
  beforeEach(async () => hostile.reset());
  afterAll(async () => hostile.close());

  /** The server answers a call with a question, in the way of its era. */
  const asked = async (method: string, params: object, hosts: readonly string[] = []) => {
    hostile.answer = hostile.afterHandshake((message, response) => {
      const elicitations = [params];
      if (era === 'legacy')
        return json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32_042, message: 'Trust me', data: { elicitations } },
        });
      const inputRequests = { q: { method, params } };
      return json(response, hostile.reply(message, { inputRequests }, 'input_required'));
    });
    return failureOf(hostile.client.call(hostile.call({}, { elicitation_hosts: hosts })));
  };

  it.each([
    ['a host that the operator lists', ['pay.example.com'], PAGE, 'pay.example.com', PAGE],
    ['another host', [], PAGE, 'pay.example.com', null],
    ['a look-alike', ['pay.example.com'], 'https://p\u0430y.example.com/', 'xn--py-7kc.example.com', null],
    ['a host below it', ['example.com'], PAGE, 'pay.example.com', null],
  ])(
    'names the host of a page, and shows the address if that is allowed: %s',
    async (_case, hosts, url, host, shown) => {
      const { status, message, toolError } = await asked('elicitation/create', page(url), hosts);
      expect([status, toolError.code, toolError.message]).toEqual([422, 'QUESTION', shown]);
      expect(message).toBe(
        shown === null
          ? `Notes asks for a page at ${host} to be opened. ${UNLISTED}`
          : `Notes asks the user to open a page at ${host}, and to call again after that.`,
      );
      expect(hostile.seen.filter((method) => method === 'tools/call')).toHaveLength(1);
    },
  );

  it.each(['http://pay.example.com/', 'javascript:alert(1)', 'https://you@pay.example.com/', 'pay'])(
    'shows no page at %s',
    async (url) => {
      const { message, toolError } = await asked('elicitation/create', page(url), ['pay.example.com']);
      expect([message, toolError.message]).toEqual([
        `Notes asks for an answer of a person before it goes on. ${PASSED_ON}`,
        null,
      ]);
    },
  );

  it.runIf(era === 'modern').each([
    ['elicitation/create', form, 'an answer of a person'],
    ['sampling/createMessage', { messages: [], maxTokens: 1 }, 'an answer of a model'],
    ['roots/list', {}, 'folders of its client'],
    ['tasks/evil', form, 'something'],
  ])('never gets its own words shown with %s', async (method, params, what) => {
    const { message, toolError } = await asked(method, params);
    expect([message, toolError.message]).toEqual([
      `Notes asks for ${what} before it goes on. ${PASSED_ON}`,
      null,
    ]);
  });

  it('gets no answer to a question on a stream, and the call continues', async () => {
    const questions = [
      ['elicitation/create', form],
      ['sampling/createMessage', { messages: [], maxTokens: 1 }],
      ['roots/list', {}],
    ] as const;
    hostile.answer = hostile.afterHandshake((message, response) => {
      if (message.method !== 'tools/call') return void response.writeHead(202).end();
      const requests = questions.map(([method, params], i) => ({
        jsonrpc: '2.0',
        id: 90 + i,
        method,
        params,
      }));
      events(response, ...requests, hostile.reply(message, GOOD));
      return response.end();
    });
    expect((await hostile.client.call(hostile.call())).content).toEqual(GOOD.content);
    const refused = (): (number | undefined)[] =>
      hostile.messages.filter(({ method }) => method === undefined).map(({ error }) => error?.code);
    // Servers of 2026-07-28 may ask nothing on a stream, and are not answered.
    const expected = era === 'legacy' ? [-32_601, -32_601, -32_601] : [];
    await expect.poll(refused).toEqual(expected);
  });
});
