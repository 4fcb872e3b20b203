/** CRM tools for lists that take several calls: what they send in which order, and what they make of the answers. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, get, post } from './tool-request.ts';

const description = readProviderDescription('crm');

const LIST = '33ebdbe9-e529-47c9-b894-0ba25e9c15c0';
const OTHER_LIST = '7d7ba5f1-06c2-4b3c-a9de-3c0a4b6ffb2b';
const ENTRY = '2e6e29ea-c4e0-4f44-842d-78a891f8c156';
const RECORD = '891dcbfc-9141-415d-9b2a-2238a6cc012d';

const refusal = (status: number): ServiceError =>
  new ServiceError('TOOL_ERROR', 'Refused.', { details: { tool_error: { provider_status: status } } });

describe('tool crm_add_to_list', () => {
  const input = { list: 'sales', record_id: RECORD, entry_values: { stage: [{ status: 'New' }] } };
  const added = { data: { id: { entry_id: ENTRY } } };
  const entry = (parent_object?: string, entry_values: object = {}) =>
    post('/v2/lists/sales/entries', {
      data: {
        parent_record_id: RECORD,
        ...(parent_object === undefined ? {} : { parent_object }),
        entry_values,
      },
    });

  it.each([
    [{ data: { parent_object: ['companies'] } }, 'companies'],
    [{ data: { parent_object: 'companies' } }, 'companies'],
    [{ data: { parent_object: [] } }, undefined],
    [{ data: { parent_object: [7, ''] } }, undefined],
    [{}, undefined],
    [null, undefined],
  ])('asks the list for its object first: %j', async (list, parent) => {
    const answers: unknown[] = [list, added];
    const { requests, data } = await callTool('crm_add_to_list', input, () => answers.shift());
    expect(requests).toEqual([get('/v2/lists/sales'), entry(parent, { stage: [{ status: 'New' }] })]);
    expect(data).toEqual(added);
    if (parent !== undefined) for (const request of requests) expectRequestMatches(description, request);
  });

  it('sends no values where none are given', async () => {
    const { requests } = await callTool(
      'crm_add_to_list',
      { list: 'sales', record_id: RECORD },
      { data: { parent_object: ['people'] } },
    );
    expect(requests[1]).toEqual(entry('people'));
  });

  it.each([
    ['people', ['people']],
    ['companies', ['people', 'companies']],
    ['deals', ['people', 'companies']],
  ])('looks for the record in a list with several objects: found in %s', async (home, asked) => {
    const { requests, data } = await callTool('crm_add_to_list', input, ({ method, path }) => {
      if (method === 'POST') return added;
      if (path === '/v2/lists/sales') return { data: { parent_object: ['people', 'companies', 'deals'] } };
      if (path !== `/v2/objects/${home}/records/${RECORD}`) throw refusal(404);
      return { data: {} };
    });
    expect(requests).toEqual([
      get('/v2/lists/sales'),
      ...asked.map((object) => get(`/v2/objects/${object}/records/${RECORD}`)),
      entry(home, { stage: [{ status: 'New' }] }),
    ]);
    expect(data).toEqual(added);
  });

  it.each([
    ['the list cannot be read', 0],
    ['the record cannot be looked up', 1],
    ['the entry is refused', 3],
  ])('passes the failure on when %s, and sends nothing after it', async (_, failing) => {
    const failure = refusal(403);
    let step = -1;
    let sent = 0;
    const call = callTool('crm_add_to_list', input, () => {
      step += 1;
      sent += 1;
      if (step === failing) throw failure;
      if (step === 0) return { data: { parent_object: ['people', 'companies', 'deals'] } };
      if (step < 3) throw refusal(404);
      return added;
    });
    await expect(call).rejects.toBe(failure);
    expect(sent).toBe(failing + 1);
  });
});

describe('tool crm_list_lists for a record', () => {
  const input = { parent_object: 'companies', parent_record_id: RECORD };
  const list = (list_id: string) => ({ id: { list_id }, name: `List ${list_id}` });
  const entries = get(`/v2/objects/companies/records/${RECORD}/entries`, [
    ['limit', '1000'],
    ['offset', '0'],
  ]);

  it('returns the lists that the entries of the record are in, each once', async () => {
    const answers: unknown[] = [
      { data: [{ list_id: LIST }, { list_id: LIST }, { list_id: 'gone' }, null] },
      { data: [list(OTHER_LIST), list(LIST), { id: null }] },
    ];
    const { requests, data } = await callTool('crm_list_lists', input, () => answers.shift());
    expect(requests).toEqual([entries, get('/v2/lists')]);
    expect(data).toEqual({ data: [list(LIST)] });
    for (const request of requests) expectRequestMatches(description, request);
  });

  it('returns nothing for a record in no list', async () => {
    const answers: unknown[] = [{ data: [] }, { data: [list(LIST)] }];
    expect((await callTool('crm_list_lists', input, () => answers.shift())).data).toEqual({ data: [] });
  });

  it.each([0, 1])('passes on a failure of call %i', async (failing) => {
    const failure = refusal(404);
    let step = -1;
    const call = callTool('crm_list_lists', input, () => {
      step += 1;
      if (step === failing) throw failure;
      return { data: [] };
    });
    await expect(call).rejects.toBe(failure);
  });
});

describe('tool crm_list_record_entries', () => {
  const input = { object: 'companies', record_id: RECORD };
  const page = (count: number) => Array.from({ length: count }, (_, i) => ({ entry_id: i }));

  it('reads on while pages are full', async () => {
    const pages = [page(1000), page(1)];
    const { requests, data } = await callTool('crm_list_record_entries', input, () => ({
      data: pages.shift(),
    }));
    expect(requests.map(({ query }) => query)).toEqual([
      [
        ['limit', '1000'],
        ['offset', '0'],
      ],
      [
        ['limit', '1000'],
        ['offset', '1000'],
      ],
    ]);
    expect(data).toEqual({ data: [...page(1000), ...page(1)] });
  });

  it('stops after five pages and says so', async () => {
    const { requests, data } = await callTool('crm_list_record_entries', input, { data: page(1000) });
    expect(requests).toHaveLength(5);
    expect(data).toMatchObject({ notice: 'Only the first 5000 entries of the record were read.' });
  });
});
