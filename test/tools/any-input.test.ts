/** For any input at all: what a tool accepts gives a request that the provider's description accepts; nothing else breaks. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Constraint, Group, ProviderRequest } from '../../src/catalog/model/types.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { readProviderDescription, requestFaults } from '../support/provider-description.ts';
import { ROUNDS } from '../support/rounds.ts';
import { callTool, shippedCatalog } from './tool-request.ts';

interface Schema {
  type: string;
  enum?: string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  minProperties?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Seeded, so that a failure is the same on every machine. */
const SEED = 20_261_120;

/** Inputs of each tool, by connector; 1,000 in full rounds. */
const RUNS = { crm: 10, mail: 25, video: 12, warehouse: 15, websearch: 25 };

/** Attributes of every object. */
const ATTRIBUTES = [
  { api_slug: 'stage', type: 'status' },
  { api_slug: 'close_date', type: 'date' },
  { api_slug: 'value', type: 'currency' },
];

/** Where an item of a playlist stands. */
const PLACE = { playlistId: 'PL1', position: 1, resourceId: { kind: 'youtube#video', videoId: 'v1' } };

/** What the provider says to everything: enough for tools that ask before they write. */
function answerTo({ path, query, answer }: ProviderRequest): unknown {
  if (answer === 'text') return 'day,views\n';
  if (path.endsWith('/attributes')) return { data: ATTRIBUTES };
  const id = query.find(([name]) => name === 'id')?.[1];
  const downloadUrl = 'https://youtubereporting.googleapis.com/v1/media/CHANNEL/c/jobs/j/reports/r?alt=media';
  return {
    data: { parent_object: ['people'] },
    items: [{ id, snippet: { title: 'T', categoryId: '1', ...PLACE }, status: { privacyStatus: 'private' } }],
    reports: [{ id: 'r', downloadUrl }],
  };
}

const descriptions = {
  crm: readProviderDescription('crm'),
  mail: readProviderDescription('mail'),
  video: readProviderDescription('video'),
  warehouse: readProviderDescription('warehouse'),
  websearch: readProviderDescription('websearch'),
};

/** Free text here, because the provider changes its list; only its own words give a request it accepts. */
const CATEGORIES = [
  'company',
  'research paper',
  'news',
  'pdf',
  'github',
  'personal site',
  'people',
  'financial report',
];

/** Optional for us and required by the provider, which answers for it. */
const NEEDED: Readonly<Record<string, string[]>> = { crm_create_list: ['parent_object'] };

/** Free objects: what is inside them is between the caller and the provider. These are the forms it documents. */
const FREE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  values: fc.dictionary(fc.string(), fc.array(fc.object({ maxDepth: 1 }), { maxLength: 2 }), { minKeys: 1 }),
  entry_values: fc.dictionary(fc.string(), fc.array(fc.object({ maxDepth: 1 }), { maxLength: 2 })),
  config: fc.oneof(
    fc.constant({}),
    fc.record({ relationship: fc.record({ object: fc.string({ minLength: 1 }) }) }),
    fc.constant({ currency: { default_currency_code: 'EUR', display_type: 'symbol' } }),
  ),
  filter: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  bindings: fc
    .array(
      fc.oneof(
        fc.string(),
        fc.double({ noNaN: true }),
        fc.boolean(),
        fc.constant({ type: 'DATE', value: '0' }),
      ),
    )
    .map((values) => Object.fromEntries(values.map((value, i) => [String(i + 1), value]))),
  parameters: fc.record({ QUERY_TAG: fc.string(), TIMEZONE: fc.string() }, { requiredKeys: [] }),
  output_schema: fc.constantFrom({ type: 'text' }, { type: 'object', properties: { a: { type: 'number' } } }),
  summary_schema: fc.constant({ type: 'object', properties: { a: { type: 'string' } } }),
  metadata: fc.dictionary(fc.string(), fc.string()),
};

const ROWS = fc.array(fc.dictionary(fc.string(), fc.string()), { minLength: 1, maxLength: 3 });

const MEETING_FILTER = fc.record(
  {
    participants: fc.array(fc.constantFrom('ada@example.com', 'bob+x@example.co.uk'), { minLength: 1 }),
    timezone: fc.string({ minLength: 1 }),
  },
  { requiredKeys: [] },
);

const SUBSCRIPTIONS = fc.array(
  fc.record(
    {
      event_type: fc.constantFrom('task.created', 'record.updated'),
      filter: fc.constant({ $or: [{ field: 'id.list_id', operator: 'not_equals', value: 'x' }] }),
    },
    { requiredKeys: ['event_type'] },
  ),
  { minLength: 1 },
);

const addresses = fc
  .array(fc.constantFrom('ada@example.com', 'Bob <bob+x@example.co.uk>'))
  .chain((list) => fc.constantFrom(list.join(', '), JSON.stringify(list)));

const mailAddresses = fc.array(fc.constantFrom('ada@example.com', 'Bob <bob+x@example.co.uk>'), {
  minLength: 1,
  maxLength: 3,
});

/** Values in a form of their own, by connector or tool; undefined: left out. */
const FORMS: Readonly<Record<string, Record<string, fc.Arbitrary<unknown>>>> = {
  crm_aggregate_records: {
    group_by: fc.constantFrom('stage', 'close_date:month'),
    sum: fc.constant(['value']),
  },
  // Its filter has them.
  crm_list_meetings: {
    filter: MEETING_FILTER,
    participants: fc.constant(undefined),
    timezone: fc.constant(undefined),
  },
  // The provider knows the events and the forms of a filter.
  crm_create_webhook: { subscriptions: SUBSCRIPTIONS, target_url: fc.constant('https://hooks.example/a') },
  crm_update_webhook: { subscriptions: SUBSCRIPTIONS, target_url: fc.constant('https://hooks.example/a') },
  video: { type: fc.constantFrom('video', 'channel,playlist') },
  warehouse: { constraint_type: fc.constantFrom('UNIQUE', 'primary_key', 'foreign key') },
  warehouse_ask_analyst: { history: fc.constantFrom(['Revenue?', 'SELECT 1'], ['a', 'b', 'c', 'd']) },
  websearch: { known_rows: ROWS, exclude_rows: ROWS },
  websearch_start_research: { effort: fc.constant('auto') },
  websearch_create_webset_enrichment: { format: fc.constant('options') },
  // It has to be a statement that reads.
  warehouse_explain_query: { statement: fc.string().map((text) => `SELECT ${JSON.stringify(text)}`) },
  warehouse_query: { statement: fc.string().map((text) => `SELECT ${JSON.stringify(text)}`) },
  warehouse_show_grants: {
    grant_view: fc.constant('on_object'),
    object_type: fc.constantFrom('TABLE', 'materialized_view'),
    object_name: fc.constantFrom('orders', 'sales.public."a.b"', 'x y'),
    role_name: fc.constant(undefined),
    user_name: fc.constant(undefined),
  },
  mail: {
    start_datetime: fc.constant('2026-12-01T00:00:00+09:00'),
    end_datetime: fc.constantFrom('2026-12-01T15:00:00Z', '2026-12-03T00:00:00+09:00'),
    timezone: fc.constantFrom('Europe/Oslo', 'UTC'),
    user: fc.constant('ada@example.com'),
    mailbox: fc.constant('ada@example.com'),
    email_addresses: fc.constantFrom(['ada@example.com'], ['ada@example.com', 'bob@example.com']),
    attendees: fc.constant(['ada@example.com']),
    proposed_start: fc.constant('2026-12-01T09:00:00'),
    proposed_end: fc.constant('2026-12-01T10:00:00+01:00'),
    proposed_timezone: fc.constant('Europe/Berlin'),
    scheduled_start: fc.constant('2026-12-01T09:00:00'),
    scheduled_end: fc.constant('2026-12-02T09:00:00'),
    scheduled_timezone: fc.constant('Europe/Berlin'),
    to: mailAddresses,
    cc: mailAddresses,
    bcc: mailAddresses,
    reply_to: mailAddresses,
    attachments: fc.constantFrom([], [{ name: 'a.txt', text: 'x' }]),
    content_base64: fc.constant('AAEC'),
    from: fc.constantFrom('ada@example.com', "o'hara@example.com"),
    received_after: fc.constantFrom('2026-11-01', '2026-11-01T09:00:00+01:00'),
    received_before: fc.constant('2026-12-01T00:00:00'),
    cursor: fc.constant('https://graph.microsoft.com/v1.0/me/messages?$skiptoken=MjA'),
    start_timezone: fc.constant('Asia/Tokyo'),
    end_timezone: fc.constant('Asia/Tokyo'),
    attendees_required: addresses,
    attendees_optional: addresses,
    attendees_resource: addresses,
    locations: fc
      .array(
        fc.record(
          {
            displayName: fc.string(),
            coordinates: fc.record({ latitude: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
          },
          { requiredKeys: [] },
        ),
      )
      .map((list) => JSON.stringify(list)),
    recurrence_days_of_week: fc.subarray(['monday', 'Tuesday', ' sunday']).map((days) => days.join()),
    recurrence_start_date: fc.constant('2026-12-01'),
    recurrence_end_date: fc.constantFrom('2026-12-01', '2030-02-28'),
  },
};

/** Given always, because most of the other parameters need them. */
const series = [
  'body_content',
  'recurrence_type',
  'recurrence_range_type',
  'recurrence_end_date',
  'recurrence_occurrences',
];
const GIVEN: Readonly<Record<string, string[]>> = {
  websearch_start_research: ['effort'],
  websearch_get_contents: ['subpages'],
  websearch_create_webset_enrichment: ['format', 'options'],
  video_search: ['type'],
  video_videos_update: ['title', 'category_id'],
  warehouse_show_grants: ['object_type', 'object_name'],
  warehouse_show_imported_exported_keys: ['schema_name'],
  warehouse_show_primary_keys: ['database_name', 'schema_name'],
  warehouse_list_semantic_views: ['database_name'],
  warehouse_show_tables: ['database_name'],
  mail_create_calendar_event: series,
  mail_update_calendar_event: [...series, 'start_datetime', 'end_datetime', 'start_timezone', 'end_timezone'],
};

const anyText = (constraints: fc.StringConstraints) =>
  fc.oneof(fc.string({ ...constraints, unit: 'binary' }), fc.string({ ...constraints, unit: 'grapheme' }));

function fitting(name: string, schema: Schema): fc.Arbitrary<unknown> {
  if (name === 'category') return fc.constantFrom(...CATEGORIES);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map(dayOf);
  if (schema.format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59Z') })
      .map((date) => date.toISOString());
  switch (schema.type) {
    case 'string':
      return anyText({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 40, 300) });
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.ceil(schema.minimum ?? -100), max: schema.maximum ?? 10_000 });
    case 'boolean':
      return fc.boolean();
    case 'object':
      return schema.properties === undefined
        ? FREE[name]!
        : fc.record(members(schema.properties), { requiredKeys: schema.required ?? [] });
    default:
      return fc.array(fitting('', schema.items!), { minLength: schema.minItems ?? 0, maxLength: 6 });
  }
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function members(properties: Record<string, Schema>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, fitting(key, schema)]));
}

/** Those of a connector's own forms that a tool has parameters for. */
function fitted(forms: Record<string, fc.Arbitrary<unknown>> = {}, properties: Record<string, Schema>) {
  return Object.fromEntries(Object.entries(forms).filter(([name]) => Object.hasOwn(properties, name)));
}

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    '',
    '\0',
    '\ud800',
    '..',
    '2026-13-01T00:00:00Z',
    -1,
    0,
    101,
    1e300,
    1.5,
    'x'.repeat(100_001),
    JSON.parse('{"__proto__": {"polluted": true}}'),
    { constructor: { prototype: { polluted: true } } },
  ),
);

describe.each([...shippedCatalog.tools.values()])(
  'tool $name with any input',
  ({ name, connector, inputSchema, constraints }) => {
    const { properties, required } = inputSchema as {
      properties: Record<string, Schema>;
      required: string[];
    };
    const shape = { ...members(properties), ...fitted({ ...FORMS[connector], ...FORMS[name] }, properties) };
    const description = descriptions[connector as keyof typeof descriptions];
    const numRuns = ROUNDS.full ? 1_000 : RUNS[connector as keyof typeof RUNS];

    it('sends only requests the provider describes', async () => {
      const rules = constraints.map(ruleGroups).filter((groups) => groups.length > 0);
      const choices = fc.tuple(...rules.map((groups) => fc.constantFrom(...groups)));
      const inputs = choices.chain((groups) => {
        const chosen = groups.flat();
        const others = new Set(rules.flat(2).filter((key) => !chosen.includes(key)));
        const open = Object.entries(shape).filter(([key]) => !others.has(key));
        return fc.record(Object.fromEntries(open), {
          requiredKeys: [...required, ...chosen, ...(NEEDED[name] ?? []), ...(GIVEN[name] ?? [])],
        });
      });
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          const result = await callTool(name, input, answerTo).catch(refused);
          if (result === undefined) return;
          sent += 1;
          expect(result.requests.flatMap((request) => requestFaults(description, request))).toEqual([]);
        }),
        { seed: SEED, numRuns },
      );
      expect(sent).toBeGreaterThan(numRuns / 4);
    });

    it('answers any other input with violations that have a description', async () => {
      const broken = fc.record(
        {
          ...Object.fromEntries(Object.keys(properties).map((key) => [key, hostile])),
          unknown: hostile,
          constructor: hostile,
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.oneof({ weight: 3, arbitrary: broken }, { weight: 1, arbitrary: hostile }),
          async (input) => {
            const result = await callTool(name, input, answerTo).catch(refused);
            if (result === undefined || isForTheProvider(name, properties, input as object)) return;
            expect(result.requests.flatMap((request) => requestFaults(description, request))).toEqual([]);
          },
        ),
        { seed: SEED, numRuns },
      );
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });
  },
);

/** The groups a rule chooses among, or keeps together; an empty one where none has to be given. */
function ruleGroups(rule: Constraint): string[][] {
  if ('when' in rule) return [];
  if ('together' in rule) return [[], [...rule.together]];
  if ('at_most_one_of' in rule) return [[], ...rule.at_most_one_of.map((group) => [group].flat())];
  return Object.values(rule).flatMap((groups: readonly Group[]) => groups.map((group) => [group].flat()));
}

/** Whether a value is passed on unseen, for the provider to judge: free text with its words, free objects. */
function isForTheProvider(name: string, properties: Record<string, Schema>, input: object): boolean {
  return (
    Object.keys(input).some((key) => key === 'category' || properties[key]?.type === 'object') ||
    (NEEDED[name] ?? []).some((key) => !Object.hasOwn(input, key))
  );
}

/** Any failure but a refusal with violations fails the test. */
function refused(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
  expect(error.code).toBe('INVALID_ARGUMENT');
  const violations = error.details['field_violations'] as {
    field: string;
    description: string;
    constraint: string;
  }[];
  expect(violations.length).toBeGreaterThan(0);
  for (const violation of violations) {
    expect(violation.description).toMatch(/^[A-Z_a-z].*[.?]$/s);
    expect(violation.constraint).toMatch(/^[a-z_]+$/);
    expect(JSON.stringify(violation).length).toBeLessThan(700);
  }
  return undefined;
}
