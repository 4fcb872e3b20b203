/** What a model gets of calendars, videos, pages and rows of the stand-ins. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultView } from '../../../src/mcp/results/result-parameters.ts';
import { renderResult } from '../../../src/mcp/result.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { openSandboxTools, standInClient, type SandboxTools } from '../../sandbox/stand-in-client.ts';
import { ALL_SCOPES } from '../../sandbox/video-client.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { shippedTool } from '../../tools/tool-request.ts';

const SCOPES = { mail: 'Calendars.ReadWrite', video: ALL_SCOPES, warehouse: 'refresh_token' };

let sandbox: Sandbox;
const tools = new Map<string, SandboxTools>();

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  for (const connector of ['mail', 'video', 'warehouse'] as const) {
    const { access_token } = await standInClient(sandbox, connector).connect({ scope: SCOPES[connector] });
    tools.set(connector, await openSandboxTools(sandbox, connector, String(access_token)));
  }
});

afterAll(async () => {
  for (const opened of tools.values()) await opened.close();
  await sandbox?.close();
});

const ACCOUNT = { id: 'ca_1', identifier: 'ada', connection: 'app' };

const wholeOf = (name: string, input: Record<string, unknown>): Promise<unknown> =>
  tools.get(shippedTool(name).connector)!.call(name, input);

/** What a model gets of an answer: the JSON of the first block, and the notice. */
function shown(name: string, data: unknown, view: ResultView = {}) {
  const call = { tool: shippedTool(name), input: {}, findTool: () => undefined };
  const { content } = renderResult(call, { data, executionId: 'exe_1', account: ACCOUNT }, 60_000, view);
  const [first, notice] = content as { text: string }[];
  return { json: JSON.parse(first!.text) as unknown, notice: notice?.text };
}

async function websearch(path: string, body: unknown): Promise<unknown> {
  const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
  return (await fetch(sandbox.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

const text = expect.any(String) as string;

describe('compact results of calendars, videos, pages and rows', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    [
      'mail_list_calendars',
      {},
      { value: [{ id: text, name: 'Calendar', isDefaultCalendar: true, canEdit: true, owner: text }] },
    ],
    [
      'video_search',
      { q: 'Fire tests', type: 'video', max_results: 1 },
      {
        pageInfo: { totalResults: 1 },
        items: [
          {
            id: { videoId: text },
            snippet: {
              publishedAt: '2026-10-31T09:00:00Z',
              channelId: text,
              title: 'Fire tests in the old boathouse',
              description: 'We try to set a battery on fire. It is hard.',
              channelTitle: 'Marrowlight',
              liveBroadcastContent: 'none',
            },
          },
        ],
      },
    ],
    [
      'warehouse_execute_query',
      { statement: "SELECT 1 AS N, '2025-11-01'::DATE AS D" },
      { columns: ['N', 'D'], rows: [[1, '2025-11-01']], row_count: 1 },
    ],
  ])('keep ids, and are whole with detail: %s', async (name, input, compact) => {
    const whole = await wholeOf(name, input);
    expect(shown(name, whole).json).toEqual(compact);
    expect(shown(name, whole, { isFull: true }).json).toEqual(whole);
  });

  it('contain the id and the changed values after a write', async () => {
    const made = (await wholeOf('video_playlist_insert', { title: 'Winter' })) as { id: string };
    expect(shown('video_playlist_insert', made).json).toEqual({ id: made.id, title: 'Winter' });
    const times = { start_timezone: 'UTC', end_timezone: 'UTC' };
    const event = await wholeOf('mail_create_calendar_event', {
      subject: 'Review',
      start_datetime: '2026-12-01T09:00:00',
      end_datetime: '2026-12-01T10:00:00',
      ...times,
    });
    expect(shown('mail_create_calendar_event', event).json).toEqual({
      id: text,
      subject: 'Review',
      start: { dateTime: '2026-12-01T09:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T10:00:00.0000000', timeZone: 'UTC' },
      webLink: text,
    });
    const webset = await websearch('/websets/v0/websets', { search: { query: 'Lamps', count: 2 } });
    expect(shown('websearch_websets', webset).json).toEqual({ id: text, status: 'running' });
  });

  it('contain addresses and ids of found pages, without costs', async () => {
    const whole = await websearch('/search', { query: 'tide', numResults: 1 });
    expect(whole).toHaveProperty('costDollars');
    expect(shown('websearch_search', whole).json).toEqual({
      requestId: text,
      searchType: 'neural',
      results: [
        {
          id: 'https://harbour-almanac.example/guides/reading-a-tide-table',
          title: 'How to read a tide table',
          url: 'https://harbour-almanac.example/guides/reading-a-tide-table',
          publishedDate: '2026-03-14T08:00:00.000Z',
          author: 'Marit Solheim',
          score: 0.95,
        },
      ],
    });
  });

  it.each([
    ['mail_list_calendars', { value: [{ name: 'without an id' }] }],
    ['video_playlist_insert', { title: 'without an id' }],
    ['websearch_search', { results: 'none' }],
    ['warehouse_execute_query', { data: [], resultSetMetaData: 'none' }],
  ])('stay whole, and say so, for an answer of %s in an unexpected form', (name, data) => {
    const { json, notice } = shown(name, data);
    expect(json).toEqual(data);
    expect(notice).toMatch(/whole/);
  });
});
