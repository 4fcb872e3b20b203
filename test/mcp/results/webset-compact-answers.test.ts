/** What a model gets of websets, their columns and their monitors, from answers of the stand-in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compacted } from '../../../src/mcp/results/compaction.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { callTool, shippedTool } from '../../tools/tool-request.ts';

let sandbox: Sandbox;
let webset_id: string;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const started = await compact('websearch_websets', {
    query: 'batteries',
    count: 1,
    entity_type: 'company',
  });
  webset_id = started.id;
});

afterAll(async () => {
  await sandbox?.close();
});

/** The compact form of what a tool answers. */
async function compact(name: string, input: Record<string, unknown>): Promise<{ id: string }> {
  const { data } = await callTool(name, input, async ({ method, path, query, body }) => {
    const response = await fetch(
      `${sandbox.url}${path}?${new URLSearchParams(query.map(([...pair]) => pair)).toString()}`,
      {
        method,
        headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
    );
    return response.json();
  });
  return compacted(shippedTool(name).result!, data, { input })?.value as { id: string };
}

describe('compact results of web-search tools for websets', () => {
  it('contain the id and the new values after a change of the webset', async () => {
    const labeled = await compact('websearch_update_webset', { webset_id, metadata: { owner: 'sales' } });
    expect(labeled).toEqual({ id: webset_id, metadata: { owner: 'sales' } });
    expect(await compact('websearch_cancel_webset', { webset_id })).toEqual({
      id: webset_id,
      status: 'cancelled',
    });
  });

  it('contain the properties of an item and its result for each criterion, without sources', () => {
    const item = {
      id: 'item_1',
      object: 'webset_item',
      source: 'search',
      sourceId: 'search_1',
      websetId: 'ws_1',
      properties: {
        type: 'company',
        url: 'https://cells.example/',
        description: 'Makes cells.',
        content: 'The whole page.',
        company: { name: 'Cells', location: 'Oslo', logoUrl: 'https://cells.example/logo.png' },
      },
      evaluations: [
        {
          criterion: 'Makes batteries.',
          reasoning: 'It sells cells.',
          satisfied: 'yes',
          references: [{ title: 'Cells', snippet: 'We make cells.', url: 'https://cells.example/' }],
        },
      ],
      enrichments: null,
      createdAt: '2026-11-23T09:00:00Z',
      updatedAt: '2026-11-23T09:00:00Z',
    };
    const page = { data: [item], hasMore: false, nextCursor: null };
    expect(compacted(shippedTool('websearch_list_webset_items').result!, page)?.value).toEqual({
      data: [
        {
          id: 'item_1',
          properties: {
            type: 'company',
            url: 'https://cells.example/',
            description: 'Makes cells.',
            company: { name: 'Cells', location: 'Oslo' },
          },
          evaluations: [{ criterion: 'Makes batteries.', reasoning: 'It sells cells.', satisfied: 'yes' }],
        },
      ],
      hasMore: false,
    });
  });

  it('contain the criteria of a preview, and items without page texts', async () => {
    const input = { query: 'tide tables', entity_type: 'article', count: 1 };
    expect(await compact('websearch_preview_webset', input)).toEqual({
      search: { entity: { type: 'article' }, criteria: [{ description: 'tide tables' }] },
      items: [
        {
          properties: {
            type: 'article',
            url: 'https://harbour-almanac.example/guides/reading-a-tide-table',
            description: 'A tide table lists the times and heights of high and low water for one harbour.',
            article: {
              title: 'How to read a tide table',
              author: 'Marit Solheim',
              publishedAt: '2026-03-14T08:00:00.000Z',
            },
          },
        },
      ],
    });
  });

  it('contain the criteria of a search, then its progress, then its end', async () => {
    const search = { query: 'tide tables', count: 2 };
    const { id, ...started } = await compact('websearch_create_webset_search', { webset_id, ...search });
    const known = { websetId: webset_id, ...search, behavior: 'append' };
    expect(started).toEqual({ ...known, status: 'running' });
    const place = { webset_id, search_id: id };
    const progress = { found: 1, analyzed: 1, completion: 50 };
    expect(await compact('websearch_get_webset_search', place)).toEqual({
      ...known,
      id,
      status: 'running',
      progress: { ...progress, timeLeft: 2 },
    });
    expect(await compact('websearch_cancel_webset_search', place)).toEqual({
      id,
      websetId: webset_id,
      status: 'canceled',
      progress: { ...progress, timeLeft: 0 },
    });
  });

  it('contain the question of a column, and only the status of an ended one', async () => {
    const asked = { description: 'Founded when?', format: 'number' };
    const { id } = await compact('websearch_create_webset_enrichment', { webset_id, ...asked });
    const place = { webset_id, enrichment_id: id };
    const ids = { id, websetId: webset_id };
    const column = { ...ids, ...asked, status: 'pending', title: 'Founded when?' };
    expect(await compact('websearch_get_webset_enrichment', place)).toEqual(column);
    const changes = { format: 'options', options: ['before 2020', 'later'] };
    expect(await compact('websearch_update_webset_enrichment', { ...place, ...changes })).toEqual({
      ...column,
      format: 'options',
      options: [{ label: 'before 2020' }, { label: 'later' }],
    });
    const stopped = { ...ids, status: 'canceled' };
    expect(await compact('websearch_cancel_webset_enrichment', place)).toEqual(stopped);
    expect(await compact('websearch_delete_webset_enrichment', place)).toEqual(stopped);
  });

  it('contain the page and values of an item, and only the address of a deleted one', async () => {
    const { data } = (await compact('websearch_list_webset_items', { webset_id })) as unknown as {
      data: { id: string }[];
    };
    const item = { webset_id, item_id: data[0]!.id };
    const ids = { id: item.item_id, websetId: webset_id };
    const url = 'https://marrowlight.example/about';
    expect(await compact('websearch_get_webset_item', item)).toMatchObject({ ...ids, properties: { url } });
    expect(await compact('websearch_delete_webset_item', item)).toEqual({ ...ids, url });
  });

  it('contain the schedule and search of a monitor, flat', async () => {
    const schedule = { cron: '0 9 * * 1', timezone: 'Europe/Oslo', count: 3, query: 'tide tables' };
    const made = await compact('websearch_create_webset_monitor', { webset_id, ...schedule });
    const monitor_id = made.id;
    const monitor = {
      id: monitor_id,
      websetId: webset_id,
      ...schedule,
      status: 'enabled',
      behavior: 'append',
    };
    expect(made).toEqual(monitor);
    expect(await compact('websearch_get_webset_monitor', { monitor_id })).toEqual(monitor);
    expect(await compact('websearch_list_webset_monitors', { webset_id })).toEqual({
      data: [monitor],
      hasMore: false,
    });
    const paused = { ...monitor, status: 'disabled' };
    expect(await compact('websearch_update_webset_monitor', { monitor_id, status: 'disabled' })).toEqual(
      paused,
    );
    expect(await compact('websearch_delete_webset_monitor', { monitor_id })).toEqual({
      id: monitor_id,
      websetId: webset_id,
      status: 'disabled',
    });
  });
});
