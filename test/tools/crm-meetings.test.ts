/** crm_list_meetings: the exact provider requests, the filter, and an offset reached over pages with cursors. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, get, refusals, requestOf, type Answer } from './tool-request.ts';

const description = readProviderDescription('crm');

const RECORD = '891dcbfc-9141-415d-9b2a-2238a6cc012d';
const DATE = '2026-12-01T15:00:00.000Z';

const ask = (input: object, answer?: Answer) => callTool('crm_list_meetings', input, answer);

describe('tool crm_list_meetings: requests', () => {
  it.each([
    [{}, [['limit', '50']]],
    [{ limit: 3 }, [['limit', '3']]],
    [{ limit: 200 }, [['limit', '200']]],
    [{ limit: 3, offset: 10 }, [['limit', '13']]],
    [{ offset: 1000 }, [['limit', '200']]],
    [{ filter: {} }, [['limit', '50']]],
    [
      {
        participants: ['ada@example.com', 'bob@example.com'],
        sort: 'start_desc',
        filter: { ends_from: DATE },
      },
      [
        ['ends_from', DATE],
        ['participants', 'ada@example.com,bob@example.com'],
        ['sort', 'start_desc'],
        ['limit', '50'],
      ],
    ],
    [
      { filter: { participants: ['ada@example.com', 'bob@example.com'] } },
      [
        ['participants', 'ada@example.com,bob@example.com'],
        ['limit', '50'],
      ],
    ],
    [
      {
        filter: {
          linked_object: 'companies',
          linked_record_id: RECORD,
          ends_from: DATE,
          starts_before: '2026-12-31',
          timezone: 'Europe/Berlin',
          sort: 'start_desc',
        },
        limit: 1,
      },
      [
        ['linked_object', 'companies'],
        ['linked_record_id', RECORD],
        ['ends_from', DATE],
        ['starts_before', '2026-12-31'],
        ['timezone', 'Europe/Berlin'],
        ['sort', 'start_desc'],
        ['limit', '1'],
      ],
    ],
  ])('sends the query for the input %j', async (input, query) => {
    const request = await requestOf('crm_list_meetings', input);
    expect(request).toEqual(get('/v2/meetings', query as [string, string][]));
    expectRequestMatches(description, request);
  });
});

describe('tool crm_list_meetings: invalid input', () => {
  it.each([
    [['limit minimum', 'offset minimum'], { limit: 0, offset: -1 }],
    [['limit maximum', 'offset maximum'], { limit: 201, offset: 2001 }],
    [['filter type'], { filter: 'ada@example.com' }],
  ])('reports the violations %j of the input', (expected, input) => {
    expect(refusals('crm_list_meetings', input)).toEqual(expected);
  });

  it.each([
    [['filter.participants format'], { participants: 'ada@example.com' }],
    [['filter.participants format'], { participants: [] }],
    [['filter.participants format'], { participants: ['ada@example.com,bob@example.com'] }],
    [['filter.linked_record_id together'], { linked_object: 'people' }],
    [['filter.linked_object together'], { linked_record_id: RECORD }],
    [
      ['filter.linked_object format', 'filter.linked_record_id format'],
      { linked_object: '', linked_record_id: 'x' },
    ],
    [
      [
        'filter.ends_from format',
        'filter.starts_before format',
        'filter.timezone format',
        'filter.sort format',
      ],
      { ends_from: 'today', starts_before: null, timezone: 7, sort: 'start' },
    ],
    [['filter unknown', 'filter unknown'], { title: 'x', constructor: 1 }],
  ])('reports in the filter %j: %j', async (expected, filter) => {
    const call = ask({ filter }, () => expect.unreachable());
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const violations = await call.catch(
      (error: { details: { field_violations: { field: string; constraint: string }[] } }) =>
        error.details.field_violations.map(({ field, constraint }) => `${field} ${constraint}`),
    );
    expect(violations).toEqual(expected);
  });

  it('suggests the correct name of a filter member', async () => {
    await expect(ask({ filter: { participant: ['ada@example.com'] } })).rejects.toMatchObject({
      details: {
        field_violations: [{ description: 'Has a member that is not known. Did you mean participants?' }],
      },
    });
  });
});

/** Attio with this many meetings, in pages of at most `largest`. */
function attio(total: number, largest = 200) {
  return ({ query }: ProviderRequest) => {
    const asked = new Map(query);
    const start = Number(asked.get('cursor') ?? 0);
    const end = Math.min(total, start + Math.min(Number(asked.get('limit')), largest));
    const data = Array.from({ length: end - start }, (_, i) => start + i);
    return { data, pagination: { next_cursor: end < total ? String(end) : null } };
  };
}

describe('tool crm_list_meetings: offset', () => {
  it.each([
    [{ limit: 3 }, 2, { data: [0, 1] }, 1],
    [{ limit: 3 }, 3, { data: [0, 1, 2] }, 1],
    [{ limit: 2 }, 9, { data: [0, 1], has_more: true }, 1],
    [{ limit: 2, offset: 5 }, 9, { data: [5, 6], has_more: true }, 1],
    [{ limit: 2, offset: 7 }, 9, { data: [7, 8] }, 1],
    [{ limit: 2, offset: 20 }, 9, { data: [] }, 1],
    [{ limit: 2, offset: 399 }, 401, { data: [399, 400] }, 3],
    [{ limit: 1, offset: 2000 }, 5000, { data: [2000], has_more: true }, 11],
  ])('answers %j with a part of %i meetings', async (input, total, expected, calls) => {
    const { requests, data } = await ask(input, attio(total));
    expect(data).toEqual(expected);
    expect(requests).toHaveLength(calls);
    for (const request of requests) expectRequestMatches(description, request);
  });

  it('follows the page token and repeats the filter', async () => {
    const { requests } = await ask({ filter: { sort: 'start_asc' }, limit: 1, offset: 200 }, attio(300));
    expect(requests.map(({ query }) => query)).toEqual([
      [
        ['sort', 'start_asc'],
        ['limit', '200'],
      ],
      [
        ['sort', 'start_asc'],
        ['limit', '1'],
        ['cursor', '200'],
      ],
    ]);
  });

  it('continues over pages that are shorter than requested', async () => {
    const { requests, data } = await ask({ limit: 3, offset: 4 }, attio(8, 2));
    expect(data).toMatchObject({ data: [4, 5, 6] });
    expect(requests).toHaveLength(4);
  });

  it('stops after 15 pages, with the meetings so far or with advice', async () => {
    const some = await ask({ limit: 20 }, attio(100, 1));
    expect(some.requests).toHaveLength(15);
    expect(some.data).toMatchObject({ has_more: true });
    const none = await ask({ limit: 20, offset: 20 }, attio(100, 1));
    expect(none.data).toEqual({
      data: [],
      notice: 'The offset is too large to be reached. Narrow the filter, for example by ends_from.',
    });
  });

  it.each([{}, null, { data: 'x' }, { data: [], pagination: null }])(
    'returns nothing for an answer such as %j',
    async (answer) => {
      expect((await ask({}, answer)).data).toEqual({ data: [] });
    },
  );

  it('passes on a failure of a later page', async () => {
    const failure = new Error('broken');
    let calls = 0;
    const answer = (request: ProviderRequest) => {
      calls += 1;
      if (calls === 2) throw failure;
      return attio(1000)(request);
    };
    await expect(ask({ offset: 500 }, answer)).rejects.toBe(failure);
  });
});
