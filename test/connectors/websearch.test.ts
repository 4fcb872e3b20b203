/** The web-search handlers: what they make of the provider's answers. Their requests are in test/tools. */
import { describe, expect, it } from 'vitest';
import { handlers } from '../../src/connectors/index.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { callTool } from '../tools/tool-request.ts';

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
    'give a webset with the searches %j the search_status %s beside the whole answer',
    async (statuses, expected) => {
      const webset = {
        id: 'ws_1',
        status: 'idle',
        searches: statuses.map((status) => ({ status })),
        extra: [1],
      };
      const { data } = await callTool('websearch_get_webset', { webset_id: 'ws_1' }, webset);
      expect(data).toEqual({ ...webset, search_status: expected });
    },
  );

  it.each([
    [{ id: 'ws_1', searches: [] }],
    [{ id: 'ws_1' }],
    [{ searches: [null, { status: 'new word' }] }],
    [null],
    ['text'],
    [[1]],
  ])('return an answer without a known search status unchanged: %j', async (webset) => {
    expect((await callTool('websearch_get_webset', { webset_id: 'ws_1' }, webset)).data).toEqual(webset);
  });

  it('give a new webset its search_status too', async () => {
    const { data } = await callTool(
      'websearch_websets',
      { query: 'q' },
      { id: 'ws_1', searches: [{ status: 'created' }] },
    );
    expect(data).toEqual({ id: 'ws_1', searches: [{ status: 'created' }], search_status: 'created' });
  });

  it('return the other answers unchanged', async () => {
    const answer = { results: [{ url: 'https://a.example' }], costDollars: { total: 0.005 } };
    for (const [name, input] of [
      ['websearch_search', { query: 'q' }],
      ['websearch_answer', { query: 'q' }],
      ['websearch_answer', { query: 'q', num_results: 2 }],
      ['websearch_research', { query: 'q' }],
      ['websearch_find_similar', { url: 'https://a.example' }],
    ] as const)
      expect((await callTool(name, input, answer)).data).toEqual(answer);
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
