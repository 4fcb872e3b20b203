/** What a list of CRM records says when its filter finds nothing, with an Attio that answers as the test says. */
import { describe, expect, it } from 'vitest';
import type { HandlerCall, JsonObject, ProviderRequest } from '../../src/catalog/model/types.ts';
import { listEntries, listRecords } from '../../src/connectors/crm/list-records.ts';
import { ServiceError } from '../../src/core/errors.ts';

const ATTRIBUTES = [
  { api_slug: 'stage', type: 'status', id: { attribute_id: 'att_stage' } },
  { api_slug: 'tier', type: 'select', id: { attribute_id: 'att_tier' } },
  { api_slug: 'name', type: 'text', id: { attribute_id: 'att_name' } },
];
const ANSWERS: Readonly<Record<string, readonly JsonObject[]>> = {
  attributes: ATTRIBUTES,
  statuses: [{ title: 'Lead' }, { title: 'Old', is_archived: true }, { title: 'Won 🎉' }],
  options: [{ title: 'Gold' }],
  query: [],
};

/** A connected Attio, whose answers come by the last part of a path. */
function attio(answers: Readonly<Record<string, readonly JsonObject[] | ServiceError>> = ANSWERS) {
  const sent: string[] = [];
  const send = async ({ method, path }: ProviderRequest): Promise<unknown> => {
    sent.push(`${method} ${path}`);
    const data = answers[path.slice(path.lastIndexOf('/') + 1)];
    if (data instanceof ServiceError) throw data;
    return { data };
  };
  return { http: { send }, sent };
}

/** A call by a program. */
function strict<Input>(http: HandlerCall<Input>['http'], input: Input): HandlerCall<Input> {
  return { http, input, maxResultBytes: 1_000_000 };
}

/** A call by a model. */
function lenient<Input>(http: HandlerCall<Input>['http'], input: Input): HandlerCall<Input> {
  return { ...strict(http, input), onCoerced: () => {} };
}

describe('CRM list whose filter finds nothing', () => {
  it.each<[string, JsonObject, JsonObject | undefined]>([
    ['a status', { stage: 'Leed' }, { stage: ['Lead', 'Won 🎉'] }],
    ['a status by its id', { att_stage: 'Leed' }, { stage: ['Lead', 'Won 🎉'] }],
    ['a select within others', { $and: [{ name: 'Tea' }, { $not: { tier: 'Silver' } }] }, { tier: ['Gold'] }],
    ['a path', { path: [['deals', 'stage']], constraints: { title: 'Leed' } }, { stage: ['Lead', 'Won 🎉'] }],
    ['a text only', { name: 'Tea' }, undefined],
    ['an unknown attribute', { __proto__: null, constructor: 'x' }, undefined],
  ])('names the titles that there are, for a filter by %s', async (_what, filter, titles) => {
    const { http } = attio();
    expect(await listRecords('deals').call(lenient(http, { filter }))).toEqual(
      titles === undefined ? { data: [] } : { data: [], titles },
    );
  });

  it('reads them from the list for its entries', async () => {
    const { http, sent } = attio();
    const answer = await listEntries.call(lenient(http, { list: 'sales', filter: { stage: 'x' } }));
    expect(answer).toEqual({ data: [], titles: { stage: ['Lead', 'Won 🎉'] } });
    expect(sent).toEqual([
      'POST /v2/lists/sales/entries/query',
      'GET /v2/lists/sales/attributes',
      'GET /v2/lists/sales/attributes/stage/statuses',
    ]);
  });

  it.each([
    ['of a program', { filter: { stage: 'x' } }, false],
    ['without a filter', {}, true],
    ['for a later page', { filter: { stage: 'x' }, offset: 500 }, true],
  ])('reads nothing more for a call %s', async (_what, input, isLenient) => {
    const { http, sent } = attio();
    const call = (isLenient ? lenient : strict)(http, input);
    expect(await listRecords('deals').call(call)).toEqual({ data: [] });
    expect(sent).toEqual(['POST /v2/objects/deals/records/query']);
  });

  it.each(['attributes', 'statuses'])('stays an empty list when the %s cannot be read', async (part) => {
    const { http } = attio({ ...ANSWERS, [part]: new ServiceError('TOOL_ERROR', 'Attio answered 429.') });
    expect(await listRecords('deals').call(lenient(http, { filter: { stage: 'x' } }))).toEqual({ data: [] });
  });
});
