/** What a model gets of the stand-ins' answers: complete ids, no larger than it has to be. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compacted } from '../../../src/mcp/results/compaction.ts';
import { startSandbox, type OAuthConnector, type Sandbox } from '../../../sandbox/sandbox.ts';
import { connect } from '../../sandbox/crm-client.ts';
import { openSandboxTools, standInClient, type SandboxTools } from '../../sandbox/stand-in-client.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { shippedTool } from '../../tools/tool-request.ts';

let sandbox: Sandbox;
const tools = new Map<string, SandboxTools>();

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const tokenOf = async (connector: OAuthConnector): Promise<string> =>
    String((await standInClient(sandbox, connector).connect({ scope: 'refresh_token' })).access_token);
  const { access_token } = await connect(sandbox);
  tools.set('crm', await openSandboxTools(sandbox, 'crm', access_token));
  tools.set('warehouse', await openSandboxTools(sandbox, 'warehouse', await tokenOf('warehouse')));
});

afterAll(async () => {
  for (const opened of tools.values()) await opened.close();
  await sandbox?.close();
});

async function answers(name: string, input: Record<string, unknown>) {
  const tool = shippedTool(name);
  const whole = await tools.get(tool.connector)!.call(name, input);
  const compact = compacted(tool.result!, whole, { input })?.value;
  return { whole, compact, tokens: countTokens(JSON.stringify(compact)) };
}

/** Every text that looks like an id, without those of the workspace and of attributes. */
function idsIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  return [
    ...text.matchAll(
      /"(?:record_id|entry_id|task_id|note_id|thread_id|comment_id|target_record_id)":"([^"]+)"/g,
    ),
  ].map(([, id]) => id!);
}

describe('compact results of the stand-ins', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['crm_list_deals', { limit: 5 }, 950],
    ['crm_list_companies', { limit: 20 }, 1_250],
    ['crm_list_people', { limit: 5 }, 900],
    ['crm_list_attributes', { object: 'people' }, 100],
    ['crm_list_attribute_statuses', { object: 'deals', attribute: 'stage' }, 20],
    ['crm_list_tasks', { limit: 5 }, 230],
    ['crm_list_lists', {}, 60],
    ['crm_list_objects', {}, 280],
    ['warehouse_show_databases_schemas', { object_type: 'databases' }, 110],
    ['warehouse_execute_query', { statement: 'SELECT 1' }, 20],
  ])('costs a model little: %s', async (name, input, most) => {
    const { whole, compact, tokens } = await answers(name, input);
    expect(compact).toBeDefined();
    expect(tokens).toBeLessThanOrEqual(most);
    for (const id of idsIn(whole)) expect(JSON.stringify(compact)).toContain(id);
  });
});

describe('compact results of CRM tools that change something', () => {
  const first = async (name: string, list: Record<string, unknown> = {}) => {
    const { data } = (await tools.get('crm')!.call(name, list)) as { data: { id: Record<string, string> }[] };
    return data[0]!.id;
  };
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
  const url = expect.stringMatching(/^https:/) as string;

  it('contain the id and the given values, for a record and an entry', async () => {
    const { record_id } = await first('crm_list_deals');
    const values = { stage: [{ status: 'Lost' }], value: [{ currency_value: 7 }] };
    const { compact } = await answers('crm_update_deal', { record_id, values });
    const changed = { stage: 'Lost', value: { currency_value: 7, currency_code: 'EUR' } };
    expect(compact).toEqual({ record_id, web_url: url, ...changed });
    const { entry_id } = await first('crm_list_entries', { list: 'spring_visits' });
    const entry = { list: 'spring_visits', entry_id, entry_values: { stage: [{ status: 'Called' }] } };
    expect((await answers('crm_update_list_entry', entry)).compact).toEqual({
      entry_id,
      list_id: uuid,
      parent_record_id: uuid,
      stage: 'Called',
    });
  });

  it('contain the current state of a task, and only the title of a note', async () => {
    const { task_id } = await first('crm_list_tasks');
    expect(
      (await answers('crm_update_task', { task_id, is_completed: true, assignees: [] })).compact,
    ).toEqual({
      task_id,
      content_plaintext: 'Send Ines the drawings of the test bench',
      is_completed: true,
      deadline_at: '2026-12-04T09:00:00.000000000Z',
      linked_records: [{ target_object_id: 'people', target_record_id: uuid }],
    });
    const { note_id } = await first('crm_list_notes');
    const note = { note_id, content: 'Five containers.' };
    expect((await answers('crm_update_note', note)).compact).toEqual({ note_id, title: 'Visit in Bergen' });
  });

  it('contain the id of a merged record, and the secret of a webhook', async () => {
    const [one, other] = (
      (await tools.get('crm')!.call('crm_list_companies')) as {
        data: { id: { record_id: string } }[];
      }
    ).data;
    const pair = { primary_record_id: one!.id.record_id, secondary_record_id: other!.id.record_id };
    const merged = await answers('crm_merge_records', { object: 'companies', ...pair });
    expect(merged.compact).toEqual({ record_id: uuid });
    const webhook = { target_url: 'https://hooks.example/a', events: ['task.created'] };
    expect((await answers('crm_create_webhook', webhook)).compact).toEqual({
      webhook_id: uuid,
      target_url: 'https://hooks.example/a',
      status: 'active',
      secret: uuid,
    });
  });

  it('contain for each value of an attribute when it was set, also for a single value', async () => {
    const { record_id } = await first('crm_list_deals');
    const deal = { object: 'deals', record_id };
    const time = expect.stringMatching(/^2026-/) as string;
    const set = { active_from: time, created_by_actor: { id: uuid } };
    const history = await answers('crm_get_record_attribute_values', {
      ...deal,
      attribute: 'stage',
      show_historic: true,
    });
    expect(history.compact).toEqual({
      data: [
        { ...set, active_until: time, status: { title: 'Lead', status_id: uuid } },
        { ...set, active_until: time, status: { title: 'Won 🎉', status_id: uuid } },
        { ...set, status: { title: 'Lost', status_id: uuid } },
      ],
    });
    const amount = await answers('crm_get_record_attribute_values', { ...deal, attribute: 'value' });
    expect(amount.compact).toEqual({
      data: [{ ...set, currency_value: 7, currency_code: 'EUR' }],
    });
    const { entry_id } = await first('crm_list_entries', { list: 'spring_visits' });
    const entry = { list: 'spring_visits', entry_id, attribute: 'stage' };
    expect((await answers('crm_get_list_entry_attribute_values', entry)).compact).toMatchObject({
      data: [{ active_from: time, status: { title: 'Called' } }],
    });
  });

  it('contain a transcript as a table, once', async () => {
    const { meeting_id } = await first('crm_list_meetings');
    const { call_recording_id } = await first('crm_list_call_recordings', { meeting_id });
    const call = { meeting_id, call_recording_id };
    const { compact } = await answers('crm_get_call_transcript', call);
    expect(compact).toEqual({
      data: {
        ...call,
        transcript: {
          columns: ['speaker', 'start_time', 'speech'],
          rows: [
            ['Robin Vale', 0, 'Thank you for making time. Shall we begin with the test bench?'],
            ['Ines Duarte', 6, 'Yes. The drawings are what we wait for.'],
            ['Robin Vale', 12, 'You have them by the fourth of December.'],
            ['Ines Duarte', 18, 'Then we can test before the winter tides.'],
          ],
        },
        web_url: url,
      },
      pagination: { next_cursor: 'after-4' },
    });
  });
});

describe('compact results of warehouse tools that only read', () => {
  const SHOP = { database_name: 'SALES', schema_name: 'PUBLIC' };
  const VIEW = 'ORDER_ANALYSIS';
  const made = '2026-01-12T08:15:00Z';

  it.each<[string, Record<string, unknown>, string[], unknown[]]>([
    [
      'warehouse_query',
      { statement: 'select id, total, ordered_on from sales.public.orders order by id limit 1' },
      ['ID', 'TOTAL', 'ORDERED_ON'],
      [1, 1280, '2025-11-01'],
    ],
    [
      'warehouse_describe_table',
      { ...SHOP, table_name: 'PRODUCTS' },
      ['name', 'type', 'kind', 'null?', 'default', 'primary_key', 'comment'],
      ['ID', 'NUMBER(38,0)', 'COLUMN', 'N', null, 'Y', null],
    ],
    [
      'warehouse_sample_rows',
      { ...SHOP, table_name: 'PRODUCTS', columns: ['ID', 'NAME'], limit: 1 },
      ['ID', 'NAME'],
      [1, 'Reading lamp Skerry'],
    ],
    [
      'warehouse_explain_query',
      { statement: 'select 1', format: 'text' },
      ['content'],
      [expect.stringContaining('GlobalStats')],
    ],
    [
      'warehouse_show_tables',
      { ...SHOP, limit: 1 },
      ['created_on', 'name', 'kind', 'database_name', 'schema_name', 'comment', 'rows', 'owner'],
      [made, 'CUSTOMERS', 'TABLE', 'SALES', 'PUBLIC', 'Who buys', '40', 'SYSADMIN'],
    ],
    [
      'warehouse_list_semantic_views',
      {},
      ['created_on', 'name', 'database_name', 'schema_name', 'comment', 'owner'],
      [made, VIEW, 'SALES', 'PUBLIC', expect.stringMatching(/^Orders and revenue/), 'SYSADMIN'],
    ],
    [
      'warehouse_describe_semantic_view',
      { ...SHOP, view_name: VIEW },
      ['object_kind', 'object_name', 'parent_entity', 'property', 'property_value'],
      ['TABLE', 'ORDERS', null, 'BASE_TABLE', 'SALES.PUBLIC.ORDERS'],
    ],
  ])('hold a table of decoded values: %s', async (name, input, columns, row) => {
    const { compact } = await answers(name, input);
    expect(compact).toEqual({ columns, rows: expect.any(Array), row_count: expect.any(Number) });
    expect((compact as { rows: unknown[][] }).rows[0]).toEqual(row);
  });

  it('contain the id of each past statement, which cancels it', async () => {
    const { compact } = await answers('warehouse_list_queries', {
      database_name: 'SALES',
      status: 'all',
      limit: 1,
    });
    const { columns, rows } = compact as { columns: string[]; rows: string[][] };
    expect(columns.slice(0, 2)).toEqual(['QUERY_ID', 'QUERY_TEXT']);
    expect(rows[0]?.[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('contain the SQL of the analyst, and the columns and hits of a search service', async () => {
    const question = { question: 'revenue per month', semantic_view: `SALES.PUBLIC.${VIEW}` };
    expect((await answers('warehouse_ask_analyst', question)).compact).toEqual({
      content: [
        { type: 'text', text: expect.stringContaining('by Month of the order') },
        { type: 'sql', statement: expect.stringMatching(/^SELECT DATE_TRUNC/) },
      ],
    });
    expect((await answers('warehouse_list_search_services', SHOP)).compact).toEqual({
      services: [
        {
          name: 'PRODUCT_SEARCH',
          ...SHOP,
          search_column: 'NAME',
          attribute_columns: ['SKU', 'CATEGORY'],
          comment: 'Products by their names',
        },
      ],
    });
    const search = { ...SHOP, service_name: 'PRODUCT_SEARCH', query: 'lamp', limit: 1 };
    expect((await answers('warehouse_search', search)).compact).toEqual({
      results: [{ NAME: 'Reading lamp Skerry' }],
      request_id: expect.any(String),
    });
  });
});
