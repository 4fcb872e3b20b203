/** Every web-search tool of the catalog, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { openSandboxTools, type SandboxTools } from './stand-in-client.ts';

/** The members of answers that tests go into. */
interface Answer {
  id: string;
  data: Answer[];
  items: Answer[];
}

const ESPRESSO = 'https://slowcup.example/brewing/espresso-extraction';
const QUESTION = 'How much espresso do eighteen grams of coffee give?';

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  tools = await openSandboxTools(sandbox, 'websearch', sandbox.apiKey);
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const call = async (name: string, input: Record<string, unknown> = {}): Promise<Answer> =>
  (await tools.call(name, input)) as Answer;

/** A webset of two companies, with everything found. */
async function collected(): Promise<{ webset_id: string }> {
  const { id: webset_id } = await call('websearch_websets', {
    query: 'companies that make batteries',
    count: 2,
    entity_type: 'company',
  });
  await call('websearch_get_webset', { webset_id });
  expect(await call('websearch_get_webset', { webset_id })).toMatchObject({ status: 'completed' });
  return { webset_id };
}

/** The first item of a webset. */
async function itemOf(webset: { webset_id: string }): Promise<Answer> {
  const [item] = (await call('websearch_list_webset_items', webset)).data;
  return item!;
}

describe('web-search tools for pages against the stand-in', () => {
  it.each<[string, Record<string, unknown>, object]>([
    [
      'websearch_search',
      { query: 'tide tables', num_results: 1 },
      { results: [{ title: 'How to read a tide table' }] },
    ],
    [
      'websearch_find_similar',
      { url: ESPRESSO, num_results: 1 },
      { results: [{ url: 'https://slowcup.example/news/coffee-harvest-outlook' }] },
    ],
    [
      'websearch_crawl',
      { urls: [ESPRESSO] },
      { results: [{ text: expect.stringContaining('thirty-six grams of espresso out') }] },
    ],
    [
      'websearch_get_contents',
      { urls: [ESPRESSO], links: 1, subpages: 1 },
      {
        results: [
          {
            extras: { links: ['https://slowcup.example/news/coffee-harvest-outlook'] },
            subpages: [{ url: 'https://slowcup.example/news/coffee-harvest-outlook' }],
          },
        ],
      },
    ],
    [
      'websearch_research',
      { query: 'batteries for island grids at night', num_results: 1 },
      { results: [{ summary: 'Marrowlight builds grid batteries for small islands.' }] },
    ],
    [
      'websearch_answer',
      { query: QUESTION },
      { answer: expect.stringContaining('thirty-six grams'), citations: [{ url: ESPRESSO }] },
    ],
    [
      'websearch_answer_structured',
      { query: QUESTION, output_schema: { type: 'object', properties: { grams: { type: 'string' } } } },
      { answer: { grams: expect.stringContaining('thirty-six grams') }, citations: [{ url: ESPRESSO }] },
    ],
    [
      'websearch_deep_search',
      { query: QUESTION, num_results: 1 },
      { results: [{ url: ESPRESSO }], output: { content: expect.stringContaining('thirty-six grams') } },
    ],
  ])('%s finds what is there for the input %j', async (name, input, expected) => {
    expect(await call(name, input)).toMatchObject(expected);
  });
});

describe('web-search tools for research against the stand-in', () => {
  it('run to an end with text and sources, and stay in the list', async () => {
    const { id: research_id } = await call('websearch_start_research', { query: QUESTION });
    expect(await call('websearch_get_research', { research_id })).toMatchObject({ status: 'running' });
    expect(await call('websearch_get_research', { research_id })).toMatchObject({
      status: 'completed',
      output: {
        text: expect.stringContaining('thirty-six grams'),
        grounding: [{ citations: [{ url: ESPRESSO }] }],
      },
    });
    expect((await call('websearch_list_research')).data).toMatchObject([{ id: research_id }]);
  });

  it('stop when they are cancelled', async () => {
    const { id: research_id } = await call('websearch_start_research', { query: 'tide tables' });
    await call('websearch_cancel_research', { research_id });
    expect(await call('websearch_get_research', { research_id })).toMatchObject({ status: 'cancelled' });
  });
});

describe('web-search tools for websets against the stand-in', () => {
  it('show what a query would find, and start nothing', async () => {
    const before = await call('websearch_list_websets');
    const input = { query: 'batteries', count: 1, entity_type: 'company' };
    expect((await call('websearch_preview_webset', input)).items).toMatchObject([
      { properties: { company: { name: 'Marrowlight' } } },
    ]);
    expect(await call('websearch_list_websets')).toEqual(before);
  });

  it('collect, show one item, and lose a deleted one', async () => {
    const webset = await collected();
    const { id: item_id } = await itemOf(webset);
    expect(await call('websearch_get_webset_item', { ...webset, item_id })).toMatchObject({
      id: item_id,
      properties: { company: { name: 'Marrowlight' } },
    });
    await call('websearch_delete_webset_item', { ...webset, item_id });
    expect(await itemOf(webset)).toMatchObject({ properties: { company: { name: 'Fernway Robotics' } } });
  });

  it('search for more, and stop with what was found', async () => {
    const webset = await collected();
    const more = { ...webset, query: 'tide tables', count: 2, entity_type: 'article' };
    const { id: search_id } = await call('websearch_create_webset_search', more);
    const one = { ...webset, search_id };
    expect(await call('websearch_get_webset_search', one)).toMatchObject({ progress: { found: 1 } });
    expect(await call('websearch_cancel_webset_search', one)).toMatchObject({ status: 'canceled' });
    expect((await call('websearch_list_webset_items', webset)).data).toHaveLength(3);
  });

  it('get a column, change it, stop it and lose it', async () => {
    const webset = await collected();
    const { id: enrichment_id } = await call('websearch_create_webset_enrichment', {
      ...webset,
      description: 'Address of the company',
      format: 'email',
    });
    const column = { ...webset, enrichment_id };
    await call('websearch_update_webset_enrichment', { ...column, description: 'Number', format: 'phone' });
    expect(await call('websearch_get_webset_enrichment', column)).toMatchObject({
      description: 'Number',
      format: 'phone',
    });
    await call('websearch_cancel_webset_enrichment', column);
    expect(await call('websearch_get_webset_enrichment', column)).toMatchObject({ status: 'canceled' });
    await call('websearch_delete_webset_enrichment', column);
    expect(await tools.refusal('websearch_get_webset_enrichment', column)).toMatchObject({
      details: { tool_error: { provider_status: 404 } },
    });
  });

  it('keep themselves up to date until the monitor is paused or deleted', async () => {
    const webset = await collected();
    const schedule = { ...webset, cron: '0 9 * * 1', count: 2, query: 'batteries' };
    const { id: monitor_id } = await call('websearch_create_webset_monitor', schedule);
    expect((await call('websearch_list_webset_monitors', webset)).data).toMatchObject([
      { id: monitor_id, status: 'enabled', cadence: { cron: '0 9 * * 1', timezone: 'Etc/UTC' } },
    ]);
    await call('websearch_update_webset_monitor', { monitor_id, status: 'disabled' });
    expect(await call('websearch_get_webset_monitor', { monitor_id })).toMatchObject({ status: 'disabled' });
    await call('websearch_delete_webset_monitor', { monitor_id });
    expect((await call('websearch_list_webset_monitors', webset)).data).toEqual([]);
  });

  it('take labels, stop while they run, and go', async () => {
    const { id: webset_id } = await call('websearch_websets', { query: 'robots', count: 2 });
    const webset = { webset_id };
    await call('websearch_update_webset', { ...webset, metadata: { team: 'sales' } });
    expect(await call('websearch_get_webset', webset)).toMatchObject({ metadata: { team: 'sales' } });
    expect(await call('websearch_cancel_webset', webset)).toMatchObject({ status: 'cancelled' });
    await call('websearch_delete_webset', webset);
    expect(await tools.refusal('websearch_get_webset', webset)).toMatchObject({
      code: 'TOOL_ERROR',
      details: { tool_error: { provider_status: 404, code: 'NOT_FOUND' } },
    });
  });
});

describe('web-search tools against the stand-in', () => {
  it('appear completely in these tests', () => {
    expect(tools.all).toHaveLength(35);
    expect(tools.all.filter((name) => !tools.called.has(name))).toEqual([]);
  });
});
