/** Tool crm_aggregate_records: what it sends, how it counts and sums, and what it says where it did not read everything. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { aggregateRecords } from '../../src/connectors/crm/aggregate-records.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, get, post, refusals } from './tool-request.ts';

const description = readProviderDescription('crm');

const ATTRIBUTES = [
  ['name', 'text'],
  ['stage', 'status'],
  ['tags', 'select'],
  ['value', 'currency'],
  ['weight', 'number'],
  ['close_date', 'date'],
  ['company', 'record-reference'],
  ['__proto__', 'number'],
].map(([api_slug, type]) => ({ id: { attribute_id: `id-${api_slug}` }, api_slug, type }));

const status = (title: string, status_id = title) => ({ status: { id: { status_id }, title } });
const option = (title: string) => ({ option: { id: { option_id: title }, title } });
const money = (currency_value: unknown, currency_code: unknown = 'EUR') => ({
  currency_value,
  currency_code,
});

type Values = Record<string, unknown[]>;

/** Attio with these records; `refuse` may throw for a page. */
function attio(records: readonly Values[], refuse: (offset: number) => void = () => {}) {
  return ({ path, body }: ProviderRequest) => {
    if (path.endsWith('/attributes')) return { data: ATTRIBUTES };
    const { limit, offset } = body as { limit: number; offset: number };
    refuse(offset);
    return { data: records.slice(offset, offset + limit).map((values) => ({ values })) };
  };
}

async function aggregate(input: Record<string, unknown>, records: readonly Values[]) {
  return (await callTool('crm_aggregate_records', { object: 'deals', ...input }, attio(records))).data;
}

const failing = (code: string, provider_status: number | null) => () => {
  throw new ServiceError('TOOL_ERROR', 'Refused.', { details: { tool_error: { code, provider_status } } });
};

const many = (count: number): Values[] => Array.from({ length: count }, () => ({ weight: [{ value: 0.1 }] }));

describe('tool crm_aggregate_records', () => {
  it('reads the attributes, then the records that the filter finds, page by page', async () => {
    const filter = { stage: 'Lead' };
    const { requests } = await callTool(
      'crm_aggregate_records',
      { object: 'deals', filter },
      attio(many(501)),
    );
    expect(requests).toEqual([
      get('/v2/objects/deals/attributes'),
      post('/v2/objects/deals/records/query', { filter, limit: 500, offset: 0 }),
      post('/v2/objects/deals/records/query', { filter, limit: 500, offset: 500 }),
    ]);
    for (const request of requests) expectRequestMatches(description, request);
  });

  it.each<[string, Record<string, unknown>, Values[], unknown[]]>([
    ['no records', { sum: ['weight'] }, [], [{ count: 0, sum: { weight: 0 } }]],
    ['everything together', {}, many(3), [{ count: 3 }]],
    ['decimals exactly', { sum: ['weight'] }, many(3), [{ count: 3, sum: { weight: 0.3 } }]],
    [
      'more digits than a number has, as text',
      { sum: ['weight'] },
      [{ weight: [{ value: '9007199254740993.01' }] }, { weight: [{ value: 1e-7 }] }],
      [{ count: 2, sum: { weight: '9007199254740993.0100001' } }],
    ],
    [
      'groups by size, records without a value last in their size',
      { group_by: 'stage' },
      [{ stage: [status('Won')] }, { stage: [status('Lead')] }, {}, { stage: [status('Lead')] }],
      [{ group: 'Lead', count: 2 }, { group: 'Won', count: 1 }, { count: 1 }],
    ],
    [
      'currencies apart, and records without an amount',
      { group_by: 'stage', sum: ['value'], count: false },
      [
        { stage: [status('Lead')], value: [money(10.5)] },
        { stage: [status('Lead')], value: [money(2, 'USD')] },
        { stage: [status('Lead')], value: [money(-0.5)] },
        { stage: [status('Lead')], value: [money(1, null)] },
        { stage: [status('Lead')], value: [money(null)] },
        { stage: [status('Lead')] },
      ],
      [{ group: 'Lead', sum: { value: { EUR: 10, USD: 2, unknown: 1 } }, without: { value: 2 } }],
    ],
    [
      'dates by month, in their order',
      { group_by: 'close_date:month' },
      ['2026-11-30', '2026-02-01', '2026-11-01'].map((value) => ({ close_date: [{ value }] })),
      [
        { group: '2026-02', count: 1 },
        { group: '2026-11', count: 2 },
      ],
    ],
    [
      'dates by quarter, by the id of the attribute',
      { group_by: 'id-close_date:quarter' },
      [{ close_date: [{ value: '2026-10-01' }] }],
      [{ group: '2026-Q4', count: 1 }],
    ],
    [
      'records by the record that they refer to',
      { group_by: 'company' },
      [{ company: [{ target_object: 'companies', target_record_id: 'r1' }] }],
      [{ group: 'r1', count: 1 }],
    ],
    [
      'titles that are names of members, and two of one title, as what they are',
      { group_by: 'stage' },
      [
        { stage: [status('__proto__', 'a')] },
        { stage: [status('__proto__', 'b')] },
        { stage: [status('constructor')] },
      ],
      [
        { group: '__proto__', count: 1 },
        { group: '__proto__', count: 1 },
        { group: 'constructor', count: 1 },
      ],
    ],
  ])('counts and sums %s', async (_what, input, records, groups) => {
    expect(await aggregate(input, records)).toEqual({ groups, records_read: records.length, is_all: true });
  });

  it('says that groups overlap where a record has several values', async () => {
    expect(await aggregate({ group_by: 'tags' }, [{ tags: [option('a'), option('b')] }])).toEqual({
      groups: [
        { group: 'a', count: 1 },
        { group: 'b', count: 1 },
      ],
      records_read: 1,
      is_all: true,
      notice: 'A record with several values is in several groups.',
    });
  });

  it.each([
    [2_000, 6, true, undefined],
    [
      2_001,
      6,
      false,
      'Only the first 2000 records are counted. One call reads no more; a filter makes them fewer.',
    ],
  ])(
    'reads at most 2,000 records and knows whether these are all: %i',
    async (count, sent, isAll, notice) => {
      const { requests, data } = await callTool(
        'crm_aggregate_records',
        { object: 'deals', sum: ['weight'] },
        attio(many(count)),
      );
      expect(requests).toHaveLength(sent);
      expect(data).toEqual({
        groups: [{ count: 2_000, sum: { weight: 200 } }],
        records_read: 2_000,
        is_all: isAll,
        ...(notice !== undefined && { notice }),
      });
    },
  );

  it.each([
    ['rate_limit_exceeded', 429],
    ['unavailable', 503],
    ['PROVIDER_TIMEOUT', null],
  ])('answers with what it has read where a later page fails by %s', async (code, statusOfPage) => {
    const fail = failing(code, statusOfPage);
    const answer = attio(many(700), (offset) => offset > 0 && fail());
    const { data } = await callTool('crm_aggregate_records', { object: 'deals' }, answer);
    expect(data).toEqual({
      groups: [{ count: 500 }],
      records_read: 500,
      is_all: false,
      notice: 'Only the first 500 records are counted. The next page failed: call again a little later.',
    });
  });

  it('counts each further page, and answers with what it has read where the limit is used up', async () => {
    let pages = 1;
    const countPage = async (): Promise<void> => {
      if (pages === 2) throw new ServiceError('RATE_LIMITED', '2 calls a minute are allowed.');
      pages += 1;
    };
    const send = async (request: ProviderRequest) => attio(many(1_200))(request);
    const input = { object: 'deals', count: true };
    expect(
      await aggregateRecords.call({ input, http: { send, countPage }, maxResultBytes: 60_000 }),
    ).toMatchObject({
      records_read: 1_000,
      is_all: false,
      notice:
        'Only the first 1000 records are counted. The calls that a minute allows are used up: call again a little later.',
    });
  });

  it.each([
    ['the first page is refused', 0, 'rate_limit_exceeded', 429],
    ['the caller has left', 500, 'CANCELLED', null],
    ['the account is refused', 500, 'unauthorized', 401],
  ])('fails as a whole where %s', async (_what, from, code, statusOfPage) => {
    const fail = failing(code, statusOfPage);
    const answer = attio(many(700), (offset) => offset >= from && fail());
    await expect(callTool('crm_aggregate_records', { object: 'deals' }, answer)).rejects.toThrow('Refused.');
  });

  it('names every wrong attribute with those that there are, and sends no query', async () => {
    const sent: string[] = [];
    const input = { object: 'deals', group_by: 'phase', sum: ['stage', 'worth', 'value'] };
    const call = callTool('crm_aggregate_records', input, (request) => {
      sent.push(request.path);
      return attio([])(request);
    });
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [
        {
          field: 'sum[0]',
          description: 'stage has another type. There are: value, weight, __proto__.',
        },
        {
          field: 'sum[1]',
          description: 'There is no attribute worth. There are: value, weight, __proto__.',
        },
        {
          field: 'group_by',
          description:
            'There is no attribute phase. There are: name, stage, tags, weight, close_date, company, __proto__.',
        },
      ],
    });
    expect(sent).toEqual(['/v2/objects/deals/attributes']);
  });

  it.each(['stage:month', 'close_date:week'])('refuses the part of %s', async (groupBy) => {
    await expect(aggregate({ group_by: groupBy }, [])).rejects.toMatchObject({
      violations: [
        {
          field: 'group_by',
          description: 'After ":" comes one of day, month, quarter, year, for dates only.',
        },
      ],
    });
  });

  it('refuses what the schema does not allow', () => {
    expect(refusals('crm_aggregate_records', { object: '', sum: [], group_by: '' })).toEqual([
      'object min_length',
      'group_by min_length',
      'sum min_items',
    ]);
  });
});
