/** Research, deep search and contents: for each input the exact provider request, refusals, and what a model gets. */
import { describe, expect, it } from 'vitest';
import { renderResult } from '../../src/mcp/result.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, get, post, refusals, requestOf, shippedTool } from './tool-request.ts';

const description = readProviderDescription('websearch');

const BETA = { headers: { 'Exa-Beta': 'agent-2026-05-07' } };
const RUN = 'agent_run_1';
const SCHEMA = { type: 'object', properties: { price: { type: 'number' } } };
const DATE = '2026-01-31T00:00:00.000Z';

/** The text that a model gets, and the help with it. */
async function shownTo(name: string, input: Record<string, unknown>, answer: object) {
  const { data } = await callTool(name, input, answer);
  const call = { tool: shippedTool(name), input, findTool: (other: string) => shippedTool(other) };
  const account = { id: 'ca_1', identifier: 'ada', connection: 'x' };
  const { content } = renderResult(call, { data, executionId: 'exe_1', account }, 32_000);
  const [text = '', help] = content.map((block) => (block as { text: string }).text);
  return { shown: JSON.parse(text) as unknown, help };
}

describe('web-search tools for research: requests', () => {
  it.each([
    [
      'websearch_start_research',
      { query: 'q' },
      { ...post('/agent/runs', { query: 'q', effort: 'low' }), ...BETA },
    ],
    [
      'websearch_start_research',
      {
        query: 'q',
        effort: 'auto',
        output_schema: SCHEMA,
        instructions: 'Prefer makers.',
        previous_research_id: RUN,
        known_rows: [{ company: 'Acme' }],
        exclude_rows: [{ company: 'Apex' }],
        max_cost_dollars: 0.5,
      },
      {
        ...post('/agent/runs', {
          query: 'q',
          effort: 'auto',
          outputSchema: SCHEMA,
          systemPrompt: 'Prefer makers.',
          previousRunId: RUN,
          input: { data: [{ company: 'Acme' }], exclusion: [{ company: 'Apex' }] },
          budget: { maxCostDollars: 0.5 },
        }),
        ...BETA,
      },
    ],
    ['websearch_get_research', { research_id: RUN }, { ...get(`/agent/runs/${RUN}`), ...BETA }],
    ['websearch_list_research', {}, { ...get('/agent/runs', [['limit', '20']]), ...BETA }],
    [
      'websearch_list_research',
      { limit: 5, cursor: 'a&b' },
      {
        ...get('/agent/runs', [
          ['limit', '5'],
          ['cursor', 'a&b'],
        ]),
        ...BETA,
      },
    ],
    [
      'websearch_cancel_research',
      { research_id: RUN },
      { ...get(`/agent/runs/${RUN}/cancel`), method: 'POST', ...BETA },
    ],
    [
      'websearch_deep_search',
      { query: 'q' },
      post('/search', { query: 'q', type: 'deep', outputSchema: { type: 'text' }, numResults: 10 }),
    ],
    [
      'websearch_deep_search',
      {
        query: 'q',
        depth: 'reasoning',
        output_schema: SCHEMA,
        num_results: 100,
        include_domains: ['a.example'],
        exclude_domains: ['b.example'],
        start_published_date: DATE,
        end_published_date: DATE,
        additional_queries: ['r'],
      },
      post('/search', {
        query: 'q',
        type: 'deep-reasoning',
        outputSchema: SCHEMA,
        numResults: 100,
        includeDomains: ['a.example'],
        excludeDomains: ['b.example'],
        startPublishedDate: DATE,
        endPublishedDate: DATE,
        additionalQueries: ['r'],
      }),
    ],
    [
      'websearch_deep_search',
      { query: 'q', depth: 'lite' },
      post('/search', { query: 'q', type: 'deep-lite', outputSchema: { type: 'text' }, numResults: 10 }),
    ],
    [
      'websearch_get_contents',
      { urls: ['https://a.example'] },
      post('/contents', { urls: ['https://a.example'], text: { maxCharacters: 5000 } }),
    ],
    [
      'websearch_get_contents',
      {
        urls: ['https://a.example'],
        max_characters: 9,
        max_age_hours: -1,
        subpages: 2,
        subpage_target: ['pricing'],
        links: 3,
        image_links: 0,
        highlights_query: 'h',
        summary_query: 's',
        summary_schema: SCHEMA,
      },
      post('/contents', {
        urls: ['https://a.example'],
        text: { maxCharacters: 9 },
        maxAgeHours: -1,
        subpages: 2,
        subpageTarget: ['pricing'],
        extras: { links: 3, imageLinks: 0 },
        highlights: { query: 'h' },
        summary: { query: 's', schema: SCHEMA },
      }),
    ],
    [
      'websearch_answer_structured',
      {
        query: 'q',
        output_schema: SCHEMA,
        include_text: true,
        instructions: 'Briefly.',
        user_location: 'NO',
      },
      post('/answer', {
        query: 'q',
        outputSchema: SCHEMA,
        text: true,
        systemPrompt: 'Briefly.',
        userLocation: 'NO',
      }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('web-search tools for research: invalid input', () => {
  it.each([
    ['websearch_start_research', ['query required', 'effort enum'], { effort: 'max' }],
    ['websearch_start_research', ['effort require_value'], { query: 'q', max_cost_dollars: 1 }],
    [
      'websearch_start_research',
      ['effort require_value'],
      { query: 'q', effort: 'high', max_cost_dollars: 1 },
    ],
    [
      'websearch_start_research',
      ['previous_research_id pattern'],
      { query: 'q', previous_research_id: 'a/b' },
    ],
    [
      'websearch_start_research',
      ['output_schema min_properties', 'known_rows[0] type'],
      { query: 'q', output_schema: {}, known_rows: ['Acme'] },
    ],
    ['websearch_get_research', ['research_id pattern'], { research_id: 'a b' }],
    ['websearch_get_research', ['research_id path'], { research_id: '..' }],
    ['websearch_cancel_research', ['research_id required'], {}],
    ['websearch_list_research', ['limit maximum'], { limit: 101 }],
    [
      'websearch_deep_search',
      ['depth enum', 'num_results maximum'],
      { query: 'q', depth: 'x', num_results: 101 },
    ],
    ['websearch_get_contents', ['urls min_items', 'max_age_hours minimum'], { urls: [], max_age_hours: -2 }],
    ['websearch_get_contents', ['subpages maximum'], { urls: ['u'], subpages: 11 }],
    ['websearch_get_contents', ['subpages require'], { urls: ['u'], subpage_target: ['pricing'] }],
    ['websearch_answer_structured', ['output_schema required'], { query: 'q' }],
    [
      'websearch_answer_structured',
      ['user_location pattern'],
      { query: 'q', output_schema: SCHEMA, user_location: 'Norway' },
    ],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('compact results of web-search tools for research', () => {
  it.each([
    ['websearch_start_research', { query: 'q' }],
    ['websearch_get_research', { research_id: RUN }],
  ])('say of a running research its id and status, and the next call: %s', async (name, input) => {
    const answer = {
      id: RUN,
      object: 'agent_run',
      status: 'queued',
      stopReason: null,
      request: { query: 'q' },
      output: null,
    };
    const { shown, help } = await shownTo(name, input, answer);
    expect(shown).toEqual({ id: RUN, status: 'queued' });
    expect(help).toContain(`Call websearch_get_research with {"research_id": "${RUN}"} a little later.`);
  });

  it('give of a finished run its text, its object, the addresses it rests on and its cost', async () => {
    const answer = {
      id: RUN,
      status: 'completed',
      stopReason: 'schema_satisfied',
      request: { query: 'q' },
      output: {
        text: 'Seven.',
        structured: { price: 7 },
        grounding: [
          { field: 'price', citations: [{ url: 'https://a.example/', title: 'A' }], confidence: 'high' },
        ],
      },
      usage: { searches: 3 },
      costDollars: { total: 0.025, search: 0.02 },
    };
    const { shown, help } = await shownTo('websearch_get_research', { research_id: RUN }, answer);
    expect(shown).toEqual({
      id: RUN,
      status: 'completed',
      stopReason: 'schema_satisfied',
      text: 'Seven.',
      structured: { price: 7 },
      grounding: [{ field: 'price', citations: [{ url: 'https://a.example/' }] }],
      costDollars: 0.025,
    });
    expect(help ?? '').not.toContain('a little later');
  });

  it('give the reason of a run that failed', async () => {
    const answer = { id: RUN, status: 'failed', stopReason: 'error', error: { message: 'No credits.' } };
    const { shown } = await shownTo('websearch_get_research', { research_id: RUN }, answer);
    expect(shown).toEqual({ id: RUN, status: 'failed', stopReason: 'error', error: 'No credits.' });
  });

  it('give of a page its links and subpages, and which pages could not be read', async () => {
    const answer = {
      requestId: 'r',
      results: [
        {
          id: 'https://a.example/',
          url: 'https://a.example/',
          title: 'A',
          text: 'Text.',
          favicon: 'https://a.example/i',
          extras: { links: ['https://b.example/'] },
          subpages: [{ id: 'https://a.example/p', url: 'https://a.example/p', title: 'P' }],
        },
      ],
      statuses: [{ id: 'https://c.example/', status: 'error', error: { tag: 'CRAWL_NOT_FOUND' } }],
      costDollars: { total: 0.001 },
    };
    const { shown } = await shownTo('websearch_get_contents', { urls: ['https://a.example/'] }, answer);
    expect(shown).toEqual({
      requestId: 'r',
      results: [
        {
          url: 'https://a.example/',
          title: 'A',
          text: 'Text.',
          links: ['https://b.example/'],
          subpages: [{ url: 'https://a.example/p', title: 'P' }],
        },
      ],
      statuses: [{ id: 'https://c.example/', status: 'error', error: { tag: 'CRAWL_NOT_FOUND' } }],
    });
  });
});

describe('effect of web-search tools for research', () => {
  it.each([
    ['websearch_start_research', 'create'],
    ['websearch_get_research', 'read'],
    ['websearch_list_research', 'read'],
    ['websearch_cancel_research', 'update'],
  ])('lets only reads be repeated, and needs no scope: %s', (name, effect) => {
    expect(shippedTool(name)).toMatchObject({ effect, scopes: [], unlisted: true });
  });
});
