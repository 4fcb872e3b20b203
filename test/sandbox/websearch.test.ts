import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
});

afterAll(async () => {
  await sandbox.close();
});

/** The members of answers that tests go into; which of them are there depends on the operation. */
interface Body {
  id: string;
  error: string;
  results: { url: string; score: number; text: string }[];
  costDollars: unknown;
  output: { content: unknown };
  statuses: unknown;
  answer: string;
  citations: { text: string }[];
  data: { id: string; properties: object }[];
  nextCursor: string | null;
}

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: {
      'x-api-key': sandbox.apiKey,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const post = (path: string, body: unknown) => call('POST', path, body);
const urlsOf = (answer: { body: Body }): string[] => answer.body.results.map((result) => result.url);

describe('web-search stand-in: API key', () => {
  it.each([
    { 'x-api-key': 'wrong' },
    { 'x-api-key': '' },
    { authorization: 'Bearer wrong', 'x-api-key': '' },
  ])('answers 401 to the headers %j', async (headers: Record<string, string>) => {
    const answer = await call('POST', '/search', { query: 'tide' }, headers);
    expect(answer).toMatchObject({
      status: 401,
      body: { tag: 'INVALID_API_KEY', requestId: expect.any(String) },
    });
  });

  it('accepts the API key as a bearer token', async () => {
    const response = await fetch(`${sandbox.url}/websets/v0/websets`, {
      headers: { authorization: `Bearer ${sandbox.apiKey}` },
    });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('differs for each started sandbox', async () => {
    const other = await startSandbox();
    expect(other.apiKey).not.toBe(sandbox.apiKey);
    await other.close();
  });
});

describe('web-search stand-in: search', () => {
  it('ranks the page with the most words of the question first', async () => {
    const answer = await post('/search', { query: 'how do I read tide tables?', numResults: 3 });
    expect(urlsOf(answer)[0]).toBe('https://harbour-almanac.example/guides/reading-a-tide-table');
    expect(answer.body.results).toHaveLength(3);
    const scores = answer.body.results.map((result) => result.score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
  });

  it('returns no contents by default, and charges for none', async () => {
    const { body } = await post('/search', { query: 'coffee', numResults: 2 });
    expect(body.results).toHaveLength(2);
    for (const result of body.results) expect(Object.keys(result)).not.toContain('text');
    expect(body.costDollars).toEqual({ total: 0.005, search: { neural: 0.005 } });
  });

  it('returns and charges the requested contents', async () => {
    const { body } = await post('/search', {
      query: 'grid batteries for islands',
      numResults: 1,
      contents: {
        text: { maxCharacters: 20 },
        highlights: { highlightsPerUrl: 2 },
        summary: { query: 'founded' },
      },
    });
    expect(body.results[0]).toMatchObject({
      text: 'Marrowlight: grid ba',
      highlights: [
        'Marrowlight builds grid batteries for small islands.',
        'The company was founded in Bergen in 2019 and supplies thirty-one islands.',
      ],
      summary: 'The company was founded in Bergen in 2019 and supplies thirty-one islands.',
    });
    expect(body.costDollars).toEqual({
      total: 0.008,
      search: { neural: 0.005 },
      contents: { text: 0.001, highlights: 0.001, summary: 0.001 },
    });
  });

  it.each([
    [{ includeDomains: ['slowcup.example'] }, 2],
    [{ includeDomains: ['cup.example'] }, 0],
    [{ category: 'people' }, 2],
    [{ category: 'publication' }, 3],
    [{ startPublishedDate: '2026-08-01T00:00:00.000Z', endPublishedDate: '2026-08-31T00:00:00.000Z' }, 2],
    [{ includeText: ['Bergen'] }, 1],
  ])('applies the filters %j', async (filters, count) => {
    expect(
      (await post('/search', { query: 'anything', numResults: 100, ...filters })).body.results,
    ).toHaveLength(count);
  });

  it('writes an answer with its sources for an output schema', async () => {
    const { body } = await post('/search', { query: 'espresso ratio', outputSchema: { type: 'text' } });
    expect(body.output).toEqual({
      content: expect.stringContaining('eighteen grams of coffee in'),
      grounding: [
        {
          field: 'content',
          citations: [
            {
              url: 'https://slowcup.example/brewing/espresso-extraction',
              title: 'Espresso extraction, explained with a kitchen scale',
            },
          ],
          confidence: 'high',
        },
      ],
    });
  });

  it.each([
    ['text on the top level', { query: 'a', text: true }, 'text'],
    ['a member nobody declared', { query: 'a', useAutoprompt: true }, 'useAutoprompt'],
    ['too many results', { query: 'a', numResults: 101 }, 'numResults'],
    ['broken JSON', '{"query":', 'JSON'],
  ])('refuses a search with %s', async (_what, body, named) => {
    const answer = await post('/search', body);
    expect(answer).toMatchObject({ status: 400, body: { tag: 'INVALID_REQUEST_BODY' } });
    expect(answer.body.error).toContain(named);
  });
});

describe('web-search stand-in: similar pages', () => {
  it('finds pages about the same subject, without the page itself', async () => {
    const url = 'https://slowcup.example/brewing/espresso-extraction';
    const answer = await post('/findSimilar', { url, numResults: 3 });
    expect(urlsOf(answer)[0]).toBe('https://slowcup.example/news/coffee-harvest-outlook');
    expect(urlsOf(answer)).not.toContain(url);
  });
});

describe('web-search stand-in: contents', () => {
  it('answers page by page, and reports which could not be fetched', async () => {
    const urls = ['https://marrowlight.example/about', 'https://nowhere.example/', 'mailto:a@b.example'];
    const { status, body } = await post('/contents', { urls, text: { maxCharacters: 10 } });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([{ url: urls[0], text: 'Marrowligh' }]);
    expect(body.statuses).toEqual([
      { id: urls[0], status: 'success' },
      { id: urls[1], status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 } },
      { id: urls[2], status: 'error', error: { tag: 'UNSUPPORTED_URL', httpStatusCode: null } },
    ]);
    expect(body.costDollars).toEqual({ total: 0.001, contents: { text: 0.001 } });
  });
});

describe('web-search stand-in: answers', () => {
  it('answers from its pages and cites them', async () => {
    const { body } = await post('/answer', { query: 'What does an espresso weigh?' });
    expect(body.answer).toContain('thirty-six grams of espresso out');
    expect(body.citations).toEqual([
      {
        id: 'https://slowcup.example/brewing/espresso-extraction',
        url: 'https://slowcup.example/brewing/espresso-extraction',
        title: 'Espresso extraction, explained with a kitchen scale',
        author: 'Livia Conti',
        publishedDate: '2025-11-20T09:15:00.000Z',
      },
    ]);
  });

  it('admits that it knows no answer', async () => {
    const { body } = await post('/answer', { query: 'xylophone' });
    expect(body).toMatchObject({ answer: "The sandbox's few pages say nothing about this.", citations: [] });
  });
});

describe('web-search stand-in: websets', () => {
  it('run, complete and give their items page by page', async () => {
    const search = {
      query: 'batteries',
      count: 2,
      entity: { type: 'company' },
      criteria: [{ description: 'builds batteries' }],
    };
    const created = await post('/websets/v0/websets', { search, externalId: 'run-1' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        object: 'webset',
        status: 'running',
        searches: [{ status: 'running', progress: { completion: 0 } }],
      },
    });
    const path = `/websets/v0/websets/${created.body.id}`;
    expect((await call('GET', path)).body).toMatchObject({
      status: 'running',
      searches: [{ progress: { found: 1 } }],
    });
    const done = await call('GET', '/websets/v0/websets/run-1?expand=items');
    expect(done.body).toMatchObject({
      status: 'idle',
      searches: [{ status: 'completed', progress: { found: 2, completion: 100 } }],
      items: [{ object: 'webset_item' }, { object: 'webset_item' }],
    });
    const first = await call('GET', `${path}/items?limit=1`);
    expect(first.body).toMatchObject({
      data: [
        { properties: { type: 'company', company: { name: 'Marrowlight', location: 'Bergen, Norway' } } },
      ],
      hasMore: true,
    });
    const second = await call('GET', `${path}/items?limit=1&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ data: [{}], hasMore: false, nextCursor: null });
    expect(second.body.data[0]?.id).not.toBe(first.body.data[0]?.id);
  });

  it('appear in lists newest first', async () => {
    const ids: string[] = [];
    for (const query of ['first of the list', 'second of the list']) {
      ids.push((await post('/websets/v0/websets', { search: { query } })).body.id);
    }
    const { body } = await call('GET', '/websets/v0/websets?limit=10&search=of%20the%20list');
    expect(body.data.map((webset) => webset.id)).toEqual(ids.toReversed());
  });

  it('answer 404 after their deletion', async () => {
    const { body } = await post('/websets/v0/websets', { search: { query: 'short-lived' } });
    const path = `/websets/v0/websets/${body.id}`;
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { id: body.id } });
    for (const again of [
      await call('DELETE', path),
      await call('GET', path),
      await call('GET', `${path}/items`),
    ]) {
      expect(again).toMatchObject({ status: 404, body: { tag: 'NOT_FOUND' } });
    }
  });

  it('refuse a duplicate externalId', async () => {
    const body = { search: { query: 'taken' }, externalId: 'taken-1' };
    await post('/websets/v0/websets', body);
    expect(await post('/websets/v0/websets', body)).toMatchObject({ status: 409, body: { tag: 'CONFLICT' } });
  });
});

describe('sandbox server', () => {
  it('records the requests it received', async () => {
    await post('/search', { query: 'kept' });
    expect(sandbox.requests().at(-1)).toMatchObject({
      method: 'POST',
      path: '/search',
      headers: { 'x-api-key': sandbox.apiKey },
      body: { query: 'kept' },
      status: 200,
    });
  });

  it('answers 404 to a path of no stand-in, also without its key', async () => {
    expect(await call('GET', '/me/messages', undefined, { 'x-api-key': 'wrong' })).toMatchObject({
      status: 404,
      body: { tag: 'NOT_FOUND', requestId: expect.any(String) },
    });
    expect(await call('GET', '/agent/runs/none', undefined, { 'x-api-key': 'wrong' })).toMatchObject({
      status: 401,
    });
  });

  it('answers 404 to every other operation', async () => {
    expect(await call('GET', '/search')).toMatchObject({ status: 404, body: { tag: 'NOT_FOUND' } });
  });

  it('listens on loopback only, and no longer once closed', async () => {
    const other = await startSandbox();
    expect(new URL(other.url).hostname).toBe('127.0.0.1');
    await other.close();
    await expect(fetch(other.url)).rejects.toThrow('fetch failed');
  });

  it('reports a port that is taken', async () => {
    await expect(startSandbox({ port: Number(new URL(sandbox.url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
