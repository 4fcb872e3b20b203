/** The web-search handlers: what they make of the provider's answers. Their requests are in test/tools. */
import { describe, expect, it } from 'vitest';
import { handlers } from '../../src/connectors/index.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool } from '../tools/tool-request.ts';

const description = readProviderDescription('websearch');

describe('answers of the web-search tools', () => {
  it.each([
    [['created'], 'created'],
    [['pending'], 'created'],
    [['running', 'completed'], 'running'],
    [['completed', 'pending'], 'running'],
    [['completed', 'completed'], 'completed'],
    [['canceled'], 'cancelled'],
    [['completed', 'canceled'], 'cancelled'],
  ])(
    'give a webset with the searches %j the status %s, and the word of Exa next to the whole answer',
    async (statuses, expected) => {
      const webset = {
        id: 'ws_1',
        status: 'idle',
        searches: statuses.map((status) => ({ status })),
        extra: [1],
      };
      const { data } = await callTool('websearch_get_webset', { webset_id: 'ws_1' }, webset);
      expect(data).toEqual({ ...webset, status: expected, provider_status: 'idle' });
    },
  );

  it.each([
    ['pending', 'created'],
    ['running', 'running'],
    ['paused', 'running'],
    ['idle', 'completed'],
  ])('say of a webset without searches that is %s: %s', async (own, status) => {
    const webset = { id: 'ws_1', status: own, searches: [] };
    const { data } = await callTool('websearch_get_webset', { webset_id: 'ws_1' }, webset);
    expect(data).toEqual({ ...webset, status, provider_status: own });
  });

  it.each([
    [{ id: 'ws_1', searches: [] }],
    [{ id: 'ws_1' }],
    [{ id: 'ws_1', status: 'new word', searches: [] }],
    [{ status: ['idle'], searches: 'x' }],
    [{ searches: [null, { status: 'new word' }] }],
    [null],
    ['text'],
    [[1]],
  ])('return an answer without a known status unchanged: %j', async (webset) => {
    expect((await callTool('websearch_get_webset', { webset_id: 'ws_1' }, webset)).data).toEqual(webset);
  });

  it('give a new webset its status too', async () => {
    const { data } = await callTool(
      'websearch_websets',
      { query: 'q' },
      { id: 'ws_1', searches: [{ status: 'created' }] },
    );
    expect(data).toEqual({ id: 'ws_1', searches: [{ status: 'created' }], status: 'created' });
  });

  it('give every webset of a list its status', async () => {
    const page = {
      data: [
        { id: 'a', status: 'idle', searches: [{ status: 'canceled' }] },
        { id: 'b', status: 'running' },
        null,
      ],
      hasMore: true,
      nextCursor: 'c/2',
    };
    const { data, requests } = await callTool('websearch_list_websets', { count: 3, cursor: 'c/1' }, page);
    expect(data).toEqual({
      ...page,
      data: [
        { ...page.data[0], status: 'cancelled', provider_status: 'idle' },
        { ...page.data[1], status: 'running', provider_status: 'running' },
        null,
      ],
    });
    for (const request of requests) expectRequestMatches(description, request);
  });

  it.each([[null], ['text'], [{ data: 'x' }], [[1]]])(
    'return an answer without a list of websets unchanged: %j',
    async (answer) => {
      expect((await callTool('websearch_list_websets', {}, answer)).data).toEqual(answer);
    },
  );

  it('return the other answers unchanged', async () => {
    const answer = { results: [{ url: 'https://a.example' }], costDollars: { total: 0.005 } };
    for (const [name, input] of [
      ['websearch_search', { query: 'q' }],
      ['websearch_research', { query: 'q' }],
      ['websearch_find_similar', { url: 'https://a.example' }],
    ] as const)
      expect((await callTool(name, input, answer)).data).toEqual(answer);
  });
});

describe('tool websearch_answer', () => {
  const page = (name: string) => ({
    id: name,
    url: `https://${name}.example`,
    title: name,
    author: null,
    publishedDate: '2026-01-01',
    text: `Text of ${name}.`,
  });
  const results = [page('a'), { ...page('b'), score: 0.5 }];

  it('leaves the answer of /answer as it is', async () => {
    const answer = {
      requestId: 'r',
      answer: 'Forty-two.',
      citations: [page('a')],
      costDollars: { total: 1 },
    };
    expect((await callTool('websearch_answer', { query: 'q' }, answer)).data).toEqual(answer);
  });

  it.each([[{ num_results: 2 }], [{ include_domains: ['a.example'] }], [{ exclude_domains: ['c.example'] }]])(
    'takes answer and citations out of the search that it makes for %j, and keeps the whole result',
    async (limits) => {
      const grounding = [
        { field: 'content', citations: [{ url: 'https://b.example', title: 'b' }], confidence: 'high' },
      ];
      const found = { requestId: 'r', results, output: { content: 'Forty-two.', grounding } };
      const { data, requests } = await callTool('websearch_answer', { query: 'q', ...limits }, found);
      expect(data).toEqual({ answer: 'Forty-two.', citations: [page('b')], ...found });
      for (const request of requests) expectRequestMatches(description, request);
    },
  );

  it.each([[[]], ['none'], [[{ citations: [{ url: 'https://elsewhere.example' }] }, null]]])(
    'cites all pages that were found where the grounding is %j',
    async (grounding) => {
      const found = { results, output: { content: 'Forty-two.', grounding } };
      const { data } = await callTool('websearch_answer', { query: 'q', num_results: 2 }, found);
      expect(data).toMatchObject({ citations: [page('a'), page('b')] });
    },
  );

  it.each([[{}], [{ results: 'x', output: null }], [{ results: [], output: { content: null } }]])(
    'has a null answer and no citations where nothing was written: %j',
    async (found) => {
      const { data } = await callTool('websearch_answer', { query: 'q', num_results: 2 }, found);
      expect(data).toEqual({ answer: null, citations: [], ...found });
    },
  );

  it.each([[null], ['text'], [[1]]])('returns an answer that is no object unchanged: %j', async (answer) => {
    expect((await callTool('websearch_answer', { query: 'q', num_results: 2 }, answer)).data).toEqual(answer);
  });
});

describe('tool websearch_find_similar after its removal by the provider', () => {
  const call = async (error: unknown) =>
    handlers.get('websearch/find-similar')!.call({
      input: { url: 'https://a.example', num_results: 10, max_characters: 3000 },
      http: {
        send: async () => {
          throw error;
        },
      },
      maxResultBytes: 60_000,
    });

  it.each([404, 410])('names the replacement when the provider answers %i', async (status) => {
    const details = { tool_error: { provider_status: status, provider_body: 'x' } };
    const error = new ServiceError('TOOL_ERROR', 'The provider answered with an error.', {
      status: 404,
      details,
    });
    await expect(call(error)).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      status: 404,
      message:
        'The provider no longer offers the search for similar pages. Read the page with websearch_crawl and look for its topic with websearch_search.',
      details,
      cause: error,
    });
  });

  it.each([
    new ServiceError('TOOL_ERROR', 'Other.', { details: { tool_error: { provider_status: 500 } } }),
    new ServiceError('TOOL_ERROR', 'Timeout.', { status: 504 }),
    new ServiceError('UNAVAILABLE', 'Other.'),
    new Error('defect'),
  ])('passes on any other error: %s', async (error) => {
    await expect(call(error)).rejects.toBe(error);
  });
});
