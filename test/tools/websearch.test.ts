/** The web-search tools: for each input the exact provider request, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { inputViolations } from '../../src/catalog/call/input.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, get, post, requestOf, shippedTool } from './tool-request.ts';

const description = readProviderDescription('websearch');

/** Each needs a criterion of its own. */
const FIVE_LONG_DOMAINS = Array.from({ length: 5 }, (_, i) => `${i}${'x'.repeat(900)}`);

const DATE = '2026-01-31T00:00:00.000Z';

describe('web-search tools: requests', () => {
  it.each([
    // websearch_search
    ['websearch_search', { query: 'q' }, post('/search', { query: 'q', type: 'neural', numResults: 10 })],
    [
      'websearch_search',
      { query: 'q', type: 'keyword', num_results: 100 },
      post('/search', { query: 'q', type: 'auto', numResults: 100 }),
    ],
    [
      'websearch_search',
      { query: 'q', type: 'auto' },
      post('/search', { query: 'q', type: 'auto', numResults: 10 }),
    ],
    [
      'websearch_search',
      { query: 'q', include_text: true },
      post('/search', {
        query: 'q',
        type: 'neural',
        numResults: 10,
        contents: { text: { maxCharacters: 3000 } },
      }),
    ],
    [
      'websearch_search',
      { query: 'q', include_text: true, max_characters: 1 },
      post('/search', {
        query: 'q',
        type: 'neural',
        numResults: 10,
        contents: { text: { maxCharacters: 1 } },
      }),
    ],
    [
      'websearch_search',
      { query: 'q', max_characters: 500 },
      post('/search', { query: 'q', type: 'neural', numResults: 10 }),
    ],
    [
      'websearch_search',
      { query: 'q', include_text: false, max_characters: 500 },
      post('/search', { query: 'q', type: 'neural', numResults: 10 }),
    ],
    [
      'websearch_search',
      { query: 'q', use_autoprompt: true },
      post('/search', { query: 'q', type: 'neural', numResults: 10 }),
    ],
    [
      'websearch_search',
      {
        query: 'q',
        category: 'research paper',
        start_published_date: DATE,
        end_published_date: DATE,
        include_domains: ['a.example'],
        exclude_domains: ['b.example', 'c.example'],
      },
      post('/search', {
        query: 'q',
        type: 'neural',
        category: 'research paper',
        startPublishedDate: DATE,
        endPublishedDate: DATE,
        includeDomains: ['a.example'],
        excludeDomains: ['b.example', 'c.example'],
        numResults: 10,
      }),
    ],
    // websearch_find_similar
    [
      'websearch_find_similar',
      { url: 'https://a.example/x' },
      post('/findSimilar', { url: 'https://a.example/x', numResults: 10 }),
    ],
    [
      'websearch_find_similar',
      { url: 'https://a.example/x', max_characters: 9 },
      post('/findSimilar', { url: 'https://a.example/x', numResults: 10 }),
    ],
    [
      'websearch_find_similar',
      {
        url: 'https://a.example/x',
        include_text: true,
        num_results: 2,
        start_published_date: DATE,
        end_published_date: DATE,
        include_domains: ['a.example'],
        exclude_domains: ['b.example'],
      },
      post('/findSimilar', {
        url: 'https://a.example/x',
        startPublishedDate: DATE,
        endPublishedDate: DATE,
        includeDomains: ['a.example'],
        excludeDomains: ['b.example'],
        numResults: 2,
        contents: { text: { maxCharacters: 3000 } },
      }),
    ],
    // websearch_crawl
    [
      'websearch_crawl',
      { urls: ['https://a.example'] },
      post('/contents', {
        urls: ['https://a.example'],
        text: { includeHtmlTags: false, maxCharacters: 5000 },
      }),
    ],
    [
      'websearch_crawl',
      { urls: ['https://a.example'], include_html_tags: true, max_characters: 7 },
      post('/contents', { urls: ['https://a.example'], text: { includeHtmlTags: true, maxCharacters: 7 } }),
    ],
    [
      'websearch_crawl',
      { urls: ['https://a.example'], include_highlights: true },
      post('/contents', {
        urls: ['https://a.example'],
        text: { includeHtmlTags: false, maxCharacters: 5000 },
        highlights: { highlightsPerUrl: 3 },
      }),
    ],
    [
      'websearch_crawl',
      { urls: ['https://a.example'], highlights_per_url: 5, summary_query: 'prices' },
      post('/contents', {
        urls: ['https://a.example'],
        text: { includeHtmlTags: false, maxCharacters: 5000 },
      }),
    ],
    [
      'websearch_crawl',
      { urls: ['https://a.example'], include_summary: true },
      post('/contents', {
        urls: ['https://a.example'],
        text: { includeHtmlTags: false, maxCharacters: 5000 },
        summary: {},
      }),
    ],
    [
      'websearch_crawl',
      {
        urls: ['https://a.example'],
        summary_query: 'prices',
        include_summary: true,
        include_highlights: false,
      },
      post('/contents', {
        urls: ['https://a.example'],
        text: { includeHtmlTags: false, maxCharacters: 5000 },
        summary: { query: 'prices' },
      }),
    ],
    // websearch_answer
    ['websearch_answer', { query: 'q' }, post('/answer', { query: 'q' })],
    ['websearch_answer', { query: 'q', include_text: true }, post('/answer', { query: 'q', text: true })],
    ['websearch_answer', { query: 'q', include_domains: [] }, post('/answer', { query: 'q' })],
    [
      'websearch_answer',
      { query: 'q', num_results: 3 },
      post('/search', { query: 'q', numResults: 3, outputSchema: { type: 'text' } }),
    ],
    [
      'websearch_answer',
      { query: 'q', include_domains: ['a.example'] },
      post('/search', { query: 'q', includeDomains: ['a.example'], outputSchema: { type: 'text' } }),
    ],
    [
      'websearch_answer',
      { query: 'q', exclude_domains: ['a.example'], include_text: true },
      post('/search', {
        query: 'q',
        excludeDomains: ['a.example'],
        outputSchema: { type: 'text' },
        contents: { text: true },
      }),
    ],
    // websearch_research
    [
      'websearch_research',
      { query: 'q' },
      post('/search', { query: 'q', contents: { text: { maxCharacters: 5000 }, summary: { query: 'q' } } }),
    ],
    [
      'websearch_research',
      {
        query: 'q',
        summary_query: 's',
        category: 'news',
        include_domains: ['a.example'],
        exclude_domains: ['b.example'],
        max_characters: 10,
        num_results: 20,
        start_published_date: DATE,
      },
      post('/search', {
        query: 'q',
        category: 'news',
        startPublishedDate: DATE,
        includeDomains: ['a.example'],
        excludeDomains: ['b.example'],
        numResults: 20,
        contents: { text: { maxCharacters: 10 }, summary: { query: 's' } },
      }),
    ],
    // websearch_websets
    ['websearch_websets', { query: 'q' }, post('/websets/v0/websets', { search: { query: 'q' } })],
    [
      'websearch_websets',
      { query: 'q', count: 25, entity_type: 'company', external_id: 'mine-1' },
      post('/websets/v0/websets', {
        search: { query: 'q', count: 25, entity: { type: 'company' } },
        externalId: 'mine-1',
      }),
    ],
    [
      'websearch_websets',
      { query: 'q', entity_type: 'Research paper' },
      post('/websets/v0/websets', { search: { query: 'q', entity: { type: 'research_paper' } } }),
    ],
    [
      'websearch_websets',
      { query: 'q', entity_type: 'podcast episode' },
      post('/websets/v0/websets', {
        search: { query: 'q', entity: { type: 'custom', description: 'podcast episode' } },
      }),
    ],
    [
      'websearch_websets',
      { query: 'q', include_domains: ['a.example', 'b.example'], exclude_domains: ['c.example'] },
      post('/websets/v0/websets', {
        search: {
          query: 'q',
          criteria: [
            { description: 'The result is on one of these domains: a.example, b.example' },
            { description: 'The result is not on any of these domains: c.example' },
          ],
        },
      }),
    ],
    // the other webset tools
    ['websearch_get_webset', { webset_id: 'ws_1' }, get('/websets/v0/websets/ws_1')],
    ['websearch_get_webset', { webset_id: 'a/b?c#d %' }, get('/websets/v0/websets/a%2Fb%3Fc%23d%20%25')],
    [
      'websearch_list_webset_items',
      { webset_id: 'ws_1' },
      get('/websets/v0/websets/ws_1/items', [['limit', '10']]),
    ],
    [
      'websearch_list_webset_items',
      { webset_id: 'ws/1', count: 100, cursor: 'a&b=c' },
      get('/websets/v0/websets/ws%2F1/items', [
        ['limit', '100'],
        ['cursor', 'a&b=c'],
      ]),
    ],
    ['websearch_list_websets', {}, get('/websets/v0/websets', [['limit', '10']])],
    [
      'websearch_list_websets',
      { count: 1, cursor: 'next' },
      get('/websets/v0/websets', [
        ['limit', '1'],
        ['cursor', 'next'],
      ]),
    ],
    [
      'websearch_delete_webset',
      { webset_id: 'ws_1' },
      { method: 'DELETE', host: 0, path: '/websets/v0/websets/ws_1', query: [], headers: {} },
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it('spread many excluded domains over several criteria, each within the limit', async () => {
    const domains = Array.from({ length: 150 }, (_, i) => `unwanted-${i}.example`);
    const { body } = await requestOf('websearch_websets', { query: 'q', exclude_domains: domains });
    const { criteria } = (body as { search: { criteria: { description: string }[] } }).search;
    expect(criteria.length).toBe(4);
    expect(criteria.every(({ description: text }) => text.length <= 1000)).toBe(true);
    expect(criteria.flatMap(({ description: text }) => text.split(': ')[1]!.split(', '))).toEqual(domains);
  });

  it.each(Array.from({ length: 12 }, (_, i) => 470 + i))(
    'keep every criterion within the limit with two domains of %i characters',
    async (length) => {
      const domain = 'x'.repeat(length);
      const request = await requestOf('websearch_websets', { query: 'q', exclude_domains: [domain, domain] });
      expectRequestMatches(description, request);
    },
  );

  it('use all five criteria for excluded domains', async () => {
    const request = await requestOf('websearch_websets', { query: 'q', exclude_domains: FIVE_LONG_DOMAINS });
    expectRequestMatches(description, request);
    expect((request.body as { search: { criteria: unknown[] } }).search.criteria.length).toBe(5);
  });
});

describe('web-search tools: invalid input', () => {
  it.each([
    ['websearch_search', ['query required'], {}],
    ['websearch_search', ['query min_length'], { query: '' }],
    ['websearch_search', ['type enum'], { query: 'q', type: 'deep' }],
    ['websearch_search', ['num_results minimum'], { query: 'q', num_results: 0 }],
    ['websearch_search', ['num_results maximum'], { query: 'q', num_results: 101 }],
    ['websearch_search', ['num_results type'], { query: 'q', num_results: 1.5 }],
    ['websearch_search', ['max_characters minimum'], { query: 'q', max_characters: 0 }],
    ['websearch_search', ['include_text type'], { query: 'q', include_text: 'yes' }],
    ['websearch_search', ['start_published_date format'], { query: 'q', start_published_date: '2026-01-31' }],
    [
      'websearch_search',
      ['end_published_date format'],
      { query: 'q', end_published_date: '2026-02-30T00:00:00.000Z' },
    ],
    ['websearch_search', ['include_domains type'], { query: 'q', include_domains: 'a.example' }],
    ['websearch_search', ['exclude_domains[1] type'], { query: 'q', exclude_domains: ['a.example', 7] }],
    [
      'websearch_search',
      ['include_domains max_items'],
      { query: 'q', include_domains: Array.from({ length: 1201 }, () => 'a.example') },
    ],
    ['websearch_find_similar', ['url min_length', 'num_results maximum'], { url: '', num_results: 101 }],
    ['websearch_crawl', ['urls min_items'], { urls: [] }],
    [
      'websearch_crawl',
      ['urls[1] min_length', 'highlights_per_url minimum'],
      { urls: ['https://a.example', ''], highlights_per_url: 0 },
    ],
    ['websearch_answer', ['num_results maximum'], { query: 'q', num_results: 21 }],
    ['websearch_answer', ['num_results minimum'], { query: 'q', num_results: 0 }],
    ['websearch_research', ['num_results maximum'], { query: 'q', num_results: 21 }],
    ['websearch_websets', ['query max_length'], { query: 'q'.repeat(5001) }],
    [
      'websearch_websets',
      ['count minimum', 'entity_type min_length'],
      { query: 'q', count: 0, entity_type: 'x' },
    ],
    ['websearch_websets', ['external_id max_length'], { query: 'q', external_id: 'x'.repeat(301) }],
    ['websearch_list_webset_items', ['count maximum', 'webset_id path'], { webset_id: '..', count: 101 }],
    ['websearch_list_websets', ['count minimum', 'cursor min_length'], { count: 0, cursor: '' }],
    ['websearch_delete_webset', ['webset_id path'], { webset_id: 'a/../b' }],
    ['websearch_delete_webset', ['webset_id required'], {}],
  ])('%s reports the violations %j', (name, expected, input) => {
    const found = inputViolations(shippedTool(name), input);
    expect(found.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual(expected);
  });

  it.each(['.', '..', 'a/../b', 'a\u0001b'])(
    'websearch_get_webset refuses the id %j before anything is sent',
    async (id) => {
      await expect(callTool('websearch_get_webset', { webset_id: id })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field_violations: [{ field: 'webset_id', constraint: 'path' }] },
      });
    },
  );

  it('websearch_websets refuses domain lists that do not fit into criteria, and names both', async () => {
    const many = Array.from({ length: 400 }, (_, i) => `domain-${i}.example`);
    await expect(
      callTool('websearch_websets', { query: 'q', include_domains: many, exclude_domains: many }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field: 'include_domains' }, { field: 'exclude_domains' }] },
    });
  });

  it('websearch_websets counts the criterion of included domains among the five', async () => {
    const input = { query: 'q', include_domains: ['a.example'], exclude_domains: FIVE_LONG_DOMAINS };
    await expect(callTool('websearch_websets', input)).rejects.toMatchObject({
      details: { field_violations: [{ field: 'exclude_domains', constraint: 'max_length' }] },
    });
  });

  it('websearch_websets refuses a single domain that is longer than a criterion', async () => {
    await expect(
      callTool('websearch_websets', { query: 'q', exclude_domains: ['x'.repeat(1000)] }),
    ).rejects.toMatchObject({ details: { field_violations: [{ field: 'exclude_domains' }] } });
  });
});
