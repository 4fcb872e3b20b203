import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { readAnswerDescription } from './answer-description.ts';

const problemsOf = readAnswerDescription('websearch-answers.json');

describe("web-search stand-in: answers by the provider's description", () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
    await call('POST', '/websets/v0/websets', {
      search: { query: 'tide', count: 5, entity: { type: 'custom', description: 'pages' } },
      externalId: 'all',
      metadata: { purpose: 'test' },
    });
  });

  afterAll(async () => {
    await sandbox.close();
  });

  async function call(method: string, path: string, body?: unknown, key = sandbox.apiKey): Promise<unknown> {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  const everything = {
    text: true,
    highlights: { highlightsPerUrl: 2, query: 'tide' },
    summary: { query: 'tide' },
  };
  const entities = ['company', 'person', 'article', 'research_paper'].map((type) => ({
    search: { query: 'tide', count: 3, entity: { type }, criteria: [{ description: 'about the sea' }] },
  }));

  it.each([
    ['search', 'POST', '/search', { query: 'tide' }],
    [
      'search',
      'POST',
      '/search',
      { query: 'tide', type: 'deep', contents: everything, outputSchema: { type: 'text' } },
    ],
    ['search', 'POST', '/search', { query: 'x', outputSchema: { type: 'object', properties: { a: {} } } }],
    [
      'findSimilar',
      'POST',
      '/findSimilar',
      { url: 'https://marrowlight.example/about', contents: everything },
    ],
    [
      'getContents',
      'POST',
      '/contents',
      { urls: ['https://marrowlight.example/about', 'x:y'], ...everything },
    ],
    ['answer', 'POST', '/answer', { query: 'tide', text: true }],
    [
      'answer',
      'POST',
      '/answer',
      { query: 'xylophone', outputSchema: { type: 'object', properties: { a: {} } } },
    ],
    ...entities.map((body) => ['websets-create', 'POST', '/websets/v0/websets', body] as const),
    ['websets-create', 'POST', '/websets/v0/websets', {}],
    ['websets-get', 'GET', '/websets/v0/websets/all?expand=items', undefined],
    ['websets-get', 'GET', '/websets/v0/websets/all?expand=items', undefined],
    ['websets-items-list', 'GET', '/websets/v0/websets/all/items?limit=2', undefined],
    ['websets-list', 'GET', '/websets/v0/websets?limit=2', undefined],
    ['websets-delete', 'DELETE', '/websets/v0/websets/all', undefined],
    ['error', 'DELETE', '/websets/v0/websets/all', undefined],
    ['error', 'POST', '/search', {}],
  ] as const)('match the description: %s by %s %s', async (operation, method, path, body) => {
    expect(problemsOf(operation, await call(method, path, body))).toEqual([]);
  });

  it.each(entities)('contain items that match the description: %j', async (body) => {
    const { id } = (await call('POST', '/websets/v0/websets', body)) as { id: string };
    await call('GET', `/websets/v0/websets/${id}`);
    const items = (await call('GET', `/websets/v0/websets/${id}/items`)) as { data: unknown[] };
    expect(items.data.length).toBeGreaterThan(1);
    expect(problemsOf('websets-items-list', items)).toEqual([]);
  });

  it('match the description of an error for a wrong key', async () => {
    expect(problemsOf('error', await call('POST', '/search', { query: 'tide' }, 'wrong'))).toEqual([]);
  });

  it('fail the check with an invented member, at any depth', () => {
    const result = { id: 'a', url: 'https://a.example/', title: 'a' };
    expect(problemsOf('search', { results: [result] })).toEqual([]);
    expect(problemsOf('search', { results: [{ ...result, invented: 1 }] })).not.toEqual([]);
    expect(problemsOf('search', { results: [{ ...result, url: 'no url' }] })).not.toEqual([]);
    expect(problemsOf('search', { results: [], invented: 1 })).not.toEqual([]);
  });
});
