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

describe('the key', () => {
  it.each([
    { 'x-api-key': 'wrong' },
    { 'x-api-key': '' },
    { authorization: 'Bearer wrong', 'x-api-key': '' },
  ])('is needed: %j', async (headers: Record<string, string>) => {
    const answer = await call('POST', '/search', { query: 'tide' }, headers);
    expect(answer).toMatchObject({
      status: 401,
      body: { tag: 'INVALID_API_KEY', requestId: expect.any(String) },
    });
  });

  it('may come as a bearer token', async () => {
    const response = await fetch(`${sandbox.url}/websets/v0/websets`, {
      headers: { authorization: `Bearer ${sandbox.apiKey}` },
    });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('is another one for each sandbox', async () => {
    const other = await startSandbox();
    expect(other.apiKey).not.toBe(sandbox.apiKey);
    await other.close();
  });
});

describe('POST /search', () => {
  it('puts the page with the most words of the question first', async () => {
    const answer = await post('/search', { query: 'how do I read tide tables?', numResults: 3 });
    expect(urlsOf(answer)[0]).toBe('https://harbour-almanac.example/guides/reading-a-tide-table');
    expect(answer.body.results).toHaveLength(3);
    const scores = answer.body.results.map((result) => result.score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
  });

  it('answers the same question the same way', async () => {
    const [one, other] = [
      await post('/search', { query: 'espresso' }),
      await post('/search', { query: 'espresso' }),
    ];
    expect(other.body.results).toEqual(one.body.results);
  });

  it('gives ten results by default', async () => {
    expect((await post('/search', { query: 'coffee' })).body.results).toHaveLength(10);
  });

  it('gives no contents that were not asked for, and charges for none', async () => {
    const { body } = await post('/search', { query: 'coffee', numResults: 2 });
    expect(body.results).toHaveLength(2);
    for (const result of body.results) expect(Object.keys(result)).not.toContain('text');
    expect(body.costDollars).toEqual({ total: 0.005, search: { neural: 0.005 } });
  });

  it('gives and charges the contents that were asked for', async () => {
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
  ])('keeps to the filters %j', async (filters, count) => {
    expect(
      (await post('/search', { query: 'anything', numResults: 100, ...filters })).body.results,
    ).toHaveLength(count);
  });

  it('leaves out excluded domains', async () => {
    const answer = await post('/search', {
      query: 'tide',
      numResults: 100,
      excludeDomains: ['harbour-almanac.example'],
    });
    expect(urlsOf(answer).join()).not.toContain('harbour-almanac');
  });

  it('writes an answer with its sources when an output is asked for', async () => {
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

  it('writes the answer into the members of a declared object', async () => {
    const outputSchema = { type: 'object', properties: { ratio: { type: 'string' } } };
    const { body } = await post('/search', { query: 'espresso ratio', outputSchema });
    expect(body.output.content).toEqual({ ratio: expect.stringContaining('thirty-six grams') });
  });

  it.each([
    ['text on the top level', { query: 'a', text: true }, 'text'],
    ['highlights on the top level', { query: 'a', highlights: {} }, 'highlights'],
    ['a member nobody declared', { query: 'a', useAutoprompt: true }, 'useAutoprompt'],
    ['no query', {}, 'query'],
    ['a type that is gone', { query: 'a', type: 'keyword' }, 'type'],
    ['too many results', { query: 'a', numResults: 101 }, 'numResults'],
    ['a date without time', { query: 'a', startPublishedDate: '2026-01-01' }, 'startPublishedDate'],
    [
      'dates for companies',
      { query: 'a', category: 'company', startPublishedDate: '2026-01-01T00:00:00Z' },
      'category',
    ],
    ['an unknown member of contents', { query: 'a', contents: { markdown: true } }, 'markdown'],
    ['streaming', { query: 'a', stream: true }, 'stream'],
    ['a list', [], 'body'],
    ['broken JSON', '{"query":', 'JSON'],
  ])('refuses %s', async (_what, body, named) => {
    const answer = await post('/search', body);
    expect(answer).toMatchObject({ status: 400, body: { tag: 'INVALID_REQUEST_BODY' } });
    expect(answer.body.error).toContain(named);
  });

  it('names every problem of a body', async () => {
    const { body } = await post('/search', { numResults: 0, category: 'tweet' });
    for (const member of ['query', 'numResults', 'category']) expect(body.error).toContain(member);
  });
});

describe('POST /findSimilar', () => {
  it('finds pages about the same thing, not the page itself', async () => {
    const url = 'https://slowcup.example/brewing/espresso-extraction';
    const answer = await post('/findSimilar', { url, numResults: 3 });
    expect(urlsOf(answer)[0]).toBe('https://slowcup.example/news/coffee-harvest-outlook');
    expect(urlsOf(answer)).not.toContain(url);
  });

  it('leaves out the site of the page on request', async () => {
    const url = 'https://slowcup.example/brewing/espresso-extraction';
    const answer = await post('/findSimilar', { url, excludeSourceDomain: true, numResults: 100 });
    expect(urlsOf(answer).join()).not.toContain('slowcup');
  });

  it('goes by the words in the address of a page it does not know', async () => {
    const answer = await post('/findSimilar', {
      url: 'https://elsewhere.example/field-robots',
      numResults: 1,
    });
    expect(urlsOf(answer)[0]).toContain('fernway-robotics.example');
  });
});

describe('POST /contents', () => {
  it('answers page by page, and says which could not be fetched', async () => {
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

  it('keeps the tags of the text on request', async () => {
    const { body } = await post('/contents', {
      urls: ['https://marrowlight.example/about'],
      text: { includeHtmlTags: true },
    });
    expect(body.results[0]?.text).toMatch(/^<h1>Marrowlight: grid batteries for small islands<\/h1><p>/);
  });

  it('refuses what belongs to a search', async () => {
    const answer = await post('/contents', { urls: [], contents: { text: true } });
    expect(answer).toMatchObject({ status: 400, body: { tag: 'INVALID_REQUEST_BODY' } });
  });
});

describe('POST /answer', () => {
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

  it('cites the whole text on request', async () => {
    const { body } = await post('/answer', { query: 'espresso', text: true });
    expect(body.citations[0]?.text).toContain('Sour coffee');
  });

  it('says when it knows nothing', async () => {
    const { body } = await post('/answer', { query: 'xylophone' });
    expect(body).toMatchObject({ answer: "The sandbox's few pages say nothing about this.", citations: [] });
  });

  it.each([{ query: '' }, { query: 'a', numResults: 3 }, { query: 'a', includeDomains: ['a.example'] }])(
    'refuses %j',
    async (body) => {
      expect((await post('/answer', body)).status).toBe(400);
    },
  );
});

describe('websets', () => {
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

  it.each([
    ['person', 'person'],
    ['article', 'article'],
    ['research_paper', 'researchPaper'],
  ])('find entities of type %s', async (type, member) => {
    const { body } = await post('/websets/v0/websets', {
      search: { query: 'tide', count: 2, entity: { type } },
    });
    await call('GET', `/websets/v0/websets/${body.id}`);
    const items = await call('GET', `/websets/v0/websets/${body.id}/items`);
    expect(items.body.data).toHaveLength(2);
    for (const item of items.body.data) expect(Object.keys(item.properties)).toContain(member);
  });

  it('are listed newest first', async () => {
    const ids: string[] = [];
    for (const query of ['first of the list', 'second of the list']) {
      ids.push((await post('/websets/v0/websets', { search: { query } })).body.id);
    }
    const { body } = await call('GET', '/websets/v0/websets?limit=10&search=of%20the%20list');
    expect(body.data.map((webset) => webset.id)).toEqual(ids.toReversed());
  });

  it('are gone when deleted', async () => {
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

  it('refuse an externalId that is taken', async () => {
    const body = { search: { query: 'taken' }, externalId: 'taken-1' };
    await post('/websets/v0/websets', body);
    expect(await post('/websets/v0/websets', body)).toMatchObject({ status: 409, body: { tag: 'CONFLICT' } });
  });

  it.each([
    { search: { query: '' } },
    { search: { query: 'a', count: 0 } },
    { search: { query: 'a', entity: { type: 'custom' } } },
    { search: { query: 'a', entity: { type: 'dog' } } },
    { search: { query: 'a', criteria: [] } },
    { search: { query: 'a', includeDomains: ['a.example'] } },
    { externalId: 'x'.repeat(301) },
  ])('refuse %j', async (body) => {
    expect((await post('/websets/v0/websets', body)).status).toBe(400);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=20', 'count=10'])(
    'refuse to list with %s',
    async (query) => {
      expect((await call('GET', `/websets/v0/websets?${query}`)).status).toBe(400);
    },
  );
});

describe('the sandbox itself', () => {
  it('keeps what it received', async () => {
    await post('/search', { query: 'kept' });
    expect(sandbox.requests().at(-1)).toMatchObject({
      method: 'POST',
      path: '/search',
      headers: { 'x-api-key': sandbox.apiKey },
      body: { query: 'kept' },
      status: 200,
    });
  });

  it('knows no other operation', async () => {
    expect(await call('GET', '/search')).toMatchObject({ status: 404, body: { tag: 'NOT_FOUND' } });
  });

  it('listens on loopback only, and no longer once closed', async () => {
    const other = await startSandbox();
    expect(new URL(other.url).hostname).toBe('127.0.0.1');
    await other.close();
    await expect(fetch(other.url)).rejects.toThrow('fetch failed');
  });

  it('says so when its port is taken', async () => {
    await expect(startSandbox({ port: Number(new URL(sandbox.url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
