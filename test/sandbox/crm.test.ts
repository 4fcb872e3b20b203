import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { connect, crmClient, type Answer } from './crm-client.ts';

let clock: FixedClock;
let sandbox: Sandbox;
let call: (method: string, path: string, body?: unknown) => Promise<Answer>;

beforeEach(async () => {
  clock = fixedClock();
  sandbox = await startSandbox({ clock });
  call = crmClient(sandbox, (await connect(sandbox)).access_token);
});

afterEach(async () => {
  await sandbox.close();
});

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const create = (object: string, values: object) =>
  call('POST', `/v2/objects/${object}/records`, { data: { values } });
const query = async (object: string, body: object = {}) =>
  (await call('POST', `/v2/objects/${object}/records/query`, body)).body.data;
const firstId = async (object: string): Promise<string> => (await query(object))[0]!.id.record_id!;
const namesOf = (records: Answer['body']['data']): unknown[] =>
  records.map(({ values }) => values.name?.[0]?.full_name ?? values.name?.[0]?.value);
const refusal = (status: number, code: string, type = 'invalid_request_error') => ({
  status,
  body: { status_code: status, type, code, message: expect.any(String) },
});
const member = (index: number): string => sandbox.crm.members[index]!.id;

describe('CRM stand-in: access token', () => {
  it('authorizes a request, also as the user name of HTTP Basic', async () => {
    const ask = (authorization?: string) =>
      fetch(`${sandbox.url}/v2/objects`, { headers: authorization === undefined ? {} : { authorization } });
    const { access_token } = await connect(sandbox);
    expect((await ask()).status).toBe(401);
    expect(await (await ask('Bearer crm-access-x')).json()).toMatchObject({
      code: 'unauthorized',
      type: 'auth_error',
    });
    expect((await ask(`Basic ${Buffer.from(`${access_token}:`).toString('base64')}`)).status).toBe(200);
    expect((await ask(`Basic ${Buffer.from('x:').toString('base64')}`)).status).toBe(401);
  });

  it('allows reading and writing by its scopes', async () => {
    const scopes = ['record_permission:read', 'object_configuration:read-write'];
    const small = await startSandbox({ crm: { scopes } });
    const ask = crmClient(small, (await connect(small)).access_token);
    expect((await ask('POST', '/v2/objects/people/records/query', {})).status).toBe(200);
    expect(await ask('POST', '/v2/objects/people/records', { data: { values: {} } })).toMatchObject(
      refusal(403, 'insufficient_scope', 'auth_error'),
    );
    expect((await ask('GET', '/v2/tasks')).body.message).toBe(
      'The token lacks the scope task:read, user_management:read.',
    );
    await small.close();
  });

  it('appears as the creator of a record', async () => {
    const asSanna = crmClient(sandbox, (await connect(sandbox, 1)).access_token);
    const { body } = await asSanna('POST', '/v2/objects/people/records', {
      data: { values: { name: ['Ada Byron'] } },
    });
    const sanna = { type: 'workspace-member', id: member(1) };
    expect(body.data.values).toMatchObject({
      name: [{ created_by_actor: sanna, active_from: '2026-11-20T12:00:00.000000000Z', active_until: null }],
      created_by: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: member(1) }],
    });
  });
});

describe('CRM stand-in: records', () => {
  it('take their default stage, and keep a history of values', async () => {
    const { body } = await create('deals', { name: [{ value: 'Lamps' }] });
    expect(body.data.values.stage).toMatchObject([{ status: { title: 'Lead' } }]);
    const path = `/v2/objects/deals/records/${await firstId('deals')}/attributes/stage/values`;
    const titles = async (search: string) =>
      (await call('GET', path + search)).body.data.map(({ status }) => (status as { title: string }).title);
    expect(await titles('')).toEqual(['Won 🎉']);
    expect(await titles('?show_historic=true')).toEqual(['Lead', 'Won 🎉']);
    expect(await titles('?show_historic=true&limit=1&offset=1')).toEqual(['Won 🎉']);
  });

  it.each([
    ['a taken domain', 'companies', { domains: [{ domain: 'MARROWLIGHT.example' }] }, 'uniqueness_conflict'],
    ['no name for a deal', 'deals', { value: [{ currency_value: 1 }] }, 'missing_value'],
    ['an unknown option', 'companies', { categories: [{ option: 'Ships' }] }, 'value_not_found'],
    ['two values for one', 'people', { job_title: [{ value: 'a' }, { value: 'b' }] }, 'validation_type'],
  ])('refuse a new record with %s', async (_, object, values, code) => {
    expect(await create(object, values)).toEqual(refusal(400, code));
  });

  it('take their notes, entries and comments with them, and their links from tasks and records', async () => {
    const company = await firstId('companies');
    const count = async (path: string) => (await call('GET', path)).body.data.length;
    const notes = `/v2/notes?parent_object=companies&parent_record_id=${company}`;
    expect(await count(notes)).toBe(1);
    expect(await count('/v2/threads')).toBe(1);
    await call('DELETE', `/v2/objects/companies/records/${company}`);
    expect((await call('GET', notes)).status).toBe(404);
    expect(await count('/v2/notes')).toBe(0);
    expect(await count('/v2/threads')).toBe(0);
    expect((await call('POST', '/v2/lists/spring_visits/entries/query', {})).body.data).toHaveLength(2);
    const [ole] = await query('people', { filter: { name: 'Ole Lindqvist' } });
    expect(ole!.values.company).toEqual([]);
    const ines = await firstId('people');
    await call('DELETE', `/v2/objects/people/records/${ines}`);
    expect((await call('GET', '/v2/tasks')).body.data[0]).toMatchObject({ linked_records: [] });
  });
});

describe('CRM stand-in: queries', () => {
  it.each([
    ['a short form', { name: 'Marit Solheim' }, ['Marit Solheim']],
    ['$eq', { job_title: { $eq: 'Editor' } }, ['Marit Solheim']],
    ['a property', { name: { first_name: 'Jonas' } }, ['Jonas Brandt']],
    [
      'a property with an operator',
      { email_addresses: { email_domain: { $eq: 'slowcup.example' } } },
      ['Livia Conti'],
    ],
    ['$contains, whatever the case', { name: { $contains: 'SOL' } }, ['Marit Solheim']],
    ['$starts_with and $ends_with', { name: { $starts_with: 'in', $ends_with: 'te' } }, ['Ines Duarte']],
    ['$in', { job_title: { $in: ['Editor', 'Owner'] } }, ['Marit Solheim', 'Livia Conti']],
    [
      'several conditions',
      { job_title: { $contains: 'e' }, name: { $contains: 'ra' } },
      ['Jonas Brandt', 'Priya Raman'],
    ],
    ['$or', { $or: [{ job_title: 'Owner' }, { job_title: 'Editor' }] }, ['Marit Solheim', 'Livia Conti']],
    [
      '$and',
      { $and: [{ name: { $contains: 'a' } }, { job_title: { $starts_with: 'head' } }] },
      ['Hana Novak'],
    ],
    ['$not', { $not: { email_addresses: { $contains: 'a' } } }, []],
    ['$not_empty', { description: { $not_empty: true } }, []],
    ['a time', { created_at: { $lt: '2026-03-10T00:00:00Z' } }, ['Ines Duarte']],
  ])('filter records by %s', async (_, filter, names) => {
    expect(namesOf(await query('people', { filter }))).toEqual(names);
  });

  it('filter by status, number and reference', async () => {
    const company = await firstId('companies');
    expect(namesOf(await query('deals', { filter: { stage: 'Won 🎉' } }))).toEqual([
      'Night batteries for Fedje',
    ]);
    expect(namesOf(await query('deals', { filter: { value: { $gte: 120_000 } } }))).toEqual([
      'Night batteries for Fedje',
      'Test bench for tidal storage',
    ]);
    expect(namesOf(await query('people', { filter: { company } }))).toEqual(['Ole Lindqvist', 'Priya Raman']);
    expect(namesOf(await query('companies', { filter: { record_id: company } }))).toEqual(['Marrowlight']);
  });

  it('sort, empty values last, and cut by limit and offset', async () => {
    await create('deals', { name: [{ value: 'Nothing yet' }] });
    const sorts = [{ attribute: 'value', direction: 'desc' }];
    const names = namesOf(await query('deals', { sorts }));
    expect(names[0]).toBe('Night batteries for Fedje');
    expect(names.at(-1)).toBe('Nothing yet');
    expect(namesOf(await query('deals', { sorts, limit: 2, offset: 1 }))).toEqual(names.slice(1, 3));
    const byPath = [{ path: [['people', 'name']], direction: 'asc', field: 'last_name' }];
    expect(namesOf(await query('people', { sorts: byPath, limit: 1 }))).toEqual(['Jonas Brandt']);
  });
});

describe('CRM stand-in: error codes in the catalog', () => {
  const object = (api_slug: string) => ({ data: { api_slug, singular_noun: 'Boat', plural_noun: 'Boats' } });

  it('answers filter_error to a filter with an unknown attribute', async () => {
    const answer = await call('POST', '/v2/objects/people/records/query', { filter: { shoe_size: 38 } });
    expect(answer).toEqual(refusal(400, 'filter_error'));
  });

  it('answers 409 slug_conflict to a slug that is taken', async () => {
    expect(await call('POST', '/v2/objects', object('people'))).toEqual(refusal(409, 'slug_conflict'));
  });

  it('answers quota_exceeded to the object after the twelfth', async () => {
    const answers = [];
    for (let index = 0; index < 12; index++)
      answers.push(await call('POST', '/v2/objects', object(`b${index}`)));
    expect(answers.slice(0, 11).map(({ status }) => status)).toEqual(Array(11).fill(200));
    expect(answers[11]).toEqual(refusal(400, 'quota_exceeded'));
  });

  it('spells the member of the status differently for comments', async () => {
    const author = { type: 'workspace-member', id: member(0) };
    const data = { format: 'plaintext', content: 'Who?', author, thread_id: NOWHERE };
    expect(await call('POST', '/v2/comments', { data })).toEqual({
      status: 400,
      body: {
        statusCode: 400,
        type: 'invalid_request_error',
        code: 'value_not_found',
        message: expect.any(String),
      },
    });
  });
});

describe('CRM stand-in: search', () => {
  const search = (body: object) =>
    call('POST', '/v2/objects/records/search', { request_as: { type: 'workspace' }, ...body });

  it('finds by name, address and domain, over several objects', async () => {
    const found = async (text: string) =>
      (await search({ query: text, objects: ['people', 'companies'] })).body.data.map(
        ({ record_text }) => record_text,
      );
    expect(await found('marrowlight')).toEqual(['Ole Lindqvist', 'Priya Raman', 'Marrowlight']);
    expect(await found('INES du')).toEqual(['Ines Duarte']);
    expect(await found('zebra')).toEqual([]);
  });
});
