import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { connect, crmClient, type Answer } from './crm-client.ts';

let sandbox: Sandbox;
let call: (method: string, path: string, body?: unknown) => Promise<Answer>;
/** Companies are what the seeded list holds. */
let company: string;
let robin: string;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  call = crmClient(sandbox, (await connect(sandbox)).access_token);
  company = (await call('POST', '/v2/objects/companies/records/query', {})).body.data[0]!.id.record_id!;
  robin = sandbox.crm.members[0]!.id;
});

afterEach(async () => {
  await sandbox.close();
});

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const refusal = (status: number, code: string) => ({
  status,
  body: { status_code: status, type: 'invalid_request_error', code, message: expect.any(String) },
});
const post = (path: string, data: object) => call('POST', path, { data });
const lengthOf = async (path: string): Promise<number> => (await call('GET', path)).body.data.length;

/** Created, read, deleted, gone. */
async function liveAndDie(path: string, made: Answer, idName: string): Promise<void> {
  expect(made.status).toBe(200);
  const one = `${path}/${made.body.data.id[idName]}`;
  expect((await call('GET', one)).body.data).toEqual(made.body.data);
  expect(await call('DELETE', one)).toEqual({ status: 200, body: {} });
  expect(await call('GET', one)).toEqual(refusal(404, 'not_found'));
  expect(await call('DELETE', one)).toEqual(refusal(404, 'not_found'));
}

describe('tasks', () => {
  const task = (more: object = {}) => ({
    content: 'Call Bergen',
    format: 'plaintext',
    deadline_at: null,
    is_completed: false,
    linked_records: [],
    assignees: [],
    ...more,
  });

  it('live and die', async () => {
    const linked_records = [{ target_object: 'companies', target_record_id: company }];
    const assignees = [{ referenced_actor_type: 'workspace-member', referenced_actor_id: robin }];
    const made = await post(
      '/v2/tasks',
      task({ linked_records, assignees, deadline_at: '2026-12-01T10:00:00.000+01:00' }),
    );
    expect(made.body.data).toMatchObject({
      content_plaintext: 'Call Bergen',
      deadline_at: '2026-12-01T09:00:00.000000000Z',
      linked_records: [{ target_object_id: 'companies', target_record_id: company }],
      assignees,
      completed_at: null,
    });
    expect(await lengthOf(`/v2/tasks?linked_object=companies&linked_record_id=${company}`)).toBe(1);
    await liveAndDie('/v2/tasks', made, 'task_id');
  });

  it.each(['content', 'format', 'deadline_at', 'is_completed', 'linked_records', 'assignees'])(
    'need %s',
    async (name) => {
      expect(await post('/v2/tasks', { ...task(), [name]: undefined })).toEqual(
        refusal(400, 'validation_type'),
      );
    },
  );

  it.each([
    [{ content: 'a'.repeat(2001) }, 400, 'validation_type'],
    [{ format: 'markdown' }, 400, 'validation_type'],
    [{ deadline_at: 'soon' }, 400, 'validation_type'],
    [{ linked_records: [{ target_object: 'ships', target_record_id: NOWHERE }] }, 400, 'validation_type'],
    [{ linked_records: [{ target_object: 'people', target_record_id: NOWHERE }] }, 404, 'not_found'],
    [{ assignees: [{ workspace_member_email_address: 'x' }] }, 404, 'not_found'],
  ])('are refused with %j', async (more, status, code) => {
    expect(await post('/v2/tasks', task(more))).toEqual(refusal(status, code));
  });

  it('are listed oldest first, by state and assignee', async () => {
    await post('/v2/tasks', task({ content: 'Done', is_completed: true }));
    const contents = async (search: string) =>
      (await call('GET', `/v2/tasks${search}`)).body.data.map(({ content_plaintext }) => content_plaintext);
    const [first, second] = ['Send Ines the drawings of the test bench', 'Done'];
    expect(await contents('')).toEqual([first, second]);
    expect(await contents('?sort=created_at:desc')).toEqual([second, first]);
    expect(await contents('?sort=completed_at:desc')).toEqual([second, first]);
    expect(await contents('?is_completed=true')).toEqual([second]);
    expect(await contents('?assignee=sanna@northlight.example')).toEqual([first]);
    expect(await contents('?assignee=null')).toEqual([second]);
    expect(await contents('?limit=1&offset=1')).toEqual([second]);
    expect(await call('GET', '/v2/tasks?linked_object=people')).toEqual(refusal(400, 'validation_type'));
    expect(await call('GET', '/v2/tasks?is_completed=yes')).toEqual(refusal(400, 'validation_type'));
  });
});

describe('notes', () => {
  const note = (more: object = {}) => ({
    parent_object: 'companies',
    parent_record_id: company,
    title: 'Visit',
    format: 'plaintext',
    content: 'All well',
    ...more,
  });

  it('live and die, with plaintext and Markdown', async () => {
    const content = '# Berth\n- **black** and [white](https://a.example)';
    const made = await post('/v2/notes', note({ format: 'markdown', content }));
    expect(made.body.data).toMatchObject({
      title: 'Visit',
      content_plaintext: 'Berth\nblack and white',
      content_markdown: content,
      created_at: '2026-11-20T12:00:00.000000000Z',
      meeting_id: null,
    });
    await liveAndDie('/v2/notes', made, 'note_id');
  });

  it.each([
    [{ title: undefined }, 400, 'validation_type'],
    [{ format: undefined }, 400, 'validation_type'],
    [{ content: undefined }, 400, 'validation_type'],
    [{ created_at: '1969-12-31T23:59:59Z' }, 400, 'validation_type'],
    [{ created_at: '2026-11-20T12:00:01Z' }, 400, 'validation_type'],
    [{ created_at: 'yesterday' }, 400, 'validation_type'],
    [{ content: 'a'.repeat(250_001) }, 413, 'validation_type'],
    [{ parent_object: 'ships' }, 404, 'not_found'],
    [{ parent_record_id: NOWHERE }, 404, 'not_found'],
    [{ meeting_id: NOWHERE }, 404, 'not_found'],
  ])('are refused with %j', async (more, status, code) => {
    expect(await post('/v2/notes', note(more))).toEqual(refusal(status, code));
  });

  it('are listed for a record, fifty at most', async () => {
    for (let index = 0; index < 12; index++) await post('/v2/notes', note({ title: String(index) }));
    expect(await lengthOf('/v2/notes')).toBe(10);
    expect(await lengthOf('/v2/notes?limit=50')).toBe(13);
    expect(await lengthOf('/v2/notes?limit=50&offset=12')).toBe(1);
    expect(await lengthOf(`/v2/notes?parent_object=companies&parent_record_id=${company}&limit=50`)).toBe(13);
    expect(await lengthOf('/v2/notes?parent_object=people')).toBe(0);
    expect(await call('GET', '/v2/notes?limit=51')).toEqual(refusal(400, 'validation_type'));
    expect(await call('GET', `/v2/notes?parent_record_id=${company}`)).toEqual(
      refusal(400, 'validation_type'),
    );
  });
});

describe('comments', () => {
  const comment = (more: object) => ({
    format: 'plaintext',
    content: 'Who?',
    author: { type: 'workspace-member', id: robin },
    ...more,
  });
  const onRecord = () => comment({ record: { object: 'companies', record_id: company } });

  it('live and die', async () => {
    await liveAndDie('/v2/comments', await post('/v2/comments', onRecord()), 'comment_id');
  });

  it('form threads that go with their head', async () => {
    const head = await post('/v2/comments', onRecord());
    const { thread_id } = head.body.data;
    const answer = await post('/v2/comments', comment({ thread_id, content: 'I' }));
    expect(answer.body.data).toMatchObject({ thread_id, record: head.body.data.record });
    const path = `/v2/threads?object=companies&record_id=${company}`;
    expect((await call('GET', path)).body.data[1]!.comments).toHaveLength(2);
    await call('DELETE', `/v2/comments/${head.body.data.id.comment_id}`);
    expect(await lengthOf(path)).toBe(1);
    expect((await call('GET', `/v2/comments/${answer.body.data.id.comment_id}`)).status).toBe(404);
  });

  it('belong to an entry, and not to the threads of its record', async () => {
    const [entry] = (await call('POST', '/v2/lists/spring_visits/entries/query', {})).body.data;
    const { entry_id, list_id } = entry!.id;
    const made = await post('/v2/comments', comment({ entry: { list: 'spring_visits', entry_id } }));
    expect(made.body.data).toMatchObject({ entry: { entry_id, list_id }, record: { record_id: company } });
    expect(await lengthOf(`/v2/threads?list=spring_visits&entry_id=${entry_id}`)).toBe(1);
    expect(await lengthOf(`/v2/threads?object=companies&record_id=${company}`)).toBe(1);
    expect(await lengthOf('/v2/threads?limit=50')).toBe(2);
  });

  it.each([
    ['two places', () => ({ ...onRecord(), thread_id: NOWHERE }), 'validation_type'],
    ['no place', () => comment({}), 'validation_type'],
    ['an unknown thread', () => comment({ thread_id: NOWHERE }), 'value_not_found'],
    [
      'an unknown record',
      () => comment({ record: { object: 'people', record_id: NOWHERE } }),
      'value_not_found',
    ],
    [
      'an unknown author',
      () => ({ ...onRecord(), author: { type: 'workspace-member', id: NOWHERE } }),
      'value_not_found',
    ],
  ])('are refused with %s, and spell the status in their own way', async (_, data, code) => {
    expect(await post('/v2/comments', data())).toEqual({
      status: 400,
      body: { statusCode: 400, type: 'invalid_request_error', code, message: expect.any(String) },
    });
  });

  it.each(['limit=51', 'object=people', 'entry_id=00000000-0000-4000-8000-000000000000'])(
    'are not listed by %s',
    async (search) => {
      expect(await call('GET', `/v2/threads?${search}`)).toEqual(refusal(400, 'validation_type'));
    },
  );
});

describe('lists and entries', () => {
  const list = (more: object = {}) => ({
    name: 'Berths',
    api_slug: 'berths',
    parent_object: 'companies',
    workspace_access: 'full-access',
    workspace_member_access: [],
    ...more,
  });
  const entry = (more: object = {}) => ({
    parent_record_id: company,
    parent_object: 'companies',
    entry_values: {},
    ...more,
  });

  it('are made, and entries live and die', async () => {
    const made = await post('/v2/lists', list());
    expect(made.body.data).toMatchObject({ api_slug: 'berths', parent_object: ['companies'] });
    expect((await call('GET', '/v2/lists/berths')).body.data).toEqual(made.body.data);
    expect(await lengthOf('/v2/lists')).toBe(2);
    await liveAndDie('/v2/lists/berths/entries', await post('/v2/lists/berths/entries', entry()), 'entry_id');
  });

  it('hold a record as often as it is added, with values of their own', async () => {
    const entry_values = { stage: [{ status: 'Called' }] };
    expect((await post('/v2/lists/spring_visits/entries', entry({ entry_values }))).status).toBe(200);
    const found = async (filter: object) =>
      (await call('POST', '/v2/lists/spring_visits/entries/query', { filter })).body.data.length;
    expect(await found({})).toBe(4);
    expect(await found({ stage: 'Called' })).toBe(1);
    expect(await found({ parent_record_id: company })).toBe(2);
    const entries = await call('GET', `/v2/objects/companies/records/${company}/entries`);
    expect(entries.body.data).toMatchObject([
      { list_api_slug: 'spring_visits' },
      { list_api_slug: 'spring_visits' },
    ]);
    expect((await call('GET', `/v2/objects/companies/records/${company}/entries?limit=1001`)).status).toBe(
      400,
    );
  });

  it.each([
    [{ parent_object: undefined }, 400, 'validation_type'],
    [{ parent_object: 'ships' }, 404, 'not_found'],
    [{ api_slug: 'spring_visits' }, 409, 'slug_conflict'],
    [{ workspace_access: 'read-only' }, 400, 'validation_type'],
    [
      { workspace_member_access: [{ workspace_member_id: NOWHERE, level: 'read-only' }] },
      400,
      'value_not_found',
    ],
  ])('are refused with %j', async (more, status, code) => {
    expect(await post('/v2/lists', list(more))).toEqual(refusal(status, code));
  });

  it.each([
    [{ parent_object: undefined }, 'validation_type'],
    [{ entry_values: undefined }, 'validation_type'],
    [{ parent_object: 'people' }, 'value_not_found'],
    [{ parent_record_id: NOWHERE }, 'value_not_found'],
    [{ entry_values: { stage: [{ status: 'Lost' }] } }, 'value_not_found'],
  ])('refuse entries with %j', async (more, code) => {
    expect(await post('/v2/lists/spring_visits/entries', entry(more))).toEqual(refusal(400, code));
  });
});

describe('objects and attributes', () => {
  const attribute = (more: object = {}) => ({
    title: 'Draught',
    description: 'In metres',
    api_slug: 'draught',
    type: 'number',
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
    ...more,
  });
  const boats = { api_slug: 'boats', singular_noun: 'Boat', plural_noun: 'Boats' };

  it('are made, and used at once', async () => {
    expect((await post('/v2/objects', boats)).status).toBe(200);
    expect(await post('/v2/objects', boats)).toEqual(refusal(409, 'slug_conflict'));
    const reference = attribute({
      api_slug: 'owner',
      type: 'record-reference',
      config: { record_reference: { allowed_objects: ['companies'] } },
    });
    expect((await post('/v2/objects/boats/attributes', attribute())).status).toBe(200);
    expect((await post('/v2/objects/boats/attributes', reference)).status).toBe(200);
    const values = (object: string) => ({
      draught: [{ value: 2.1 }],
      owner: [{ target_object: object, target_record_id: company }],
    });
    expect((await post('/v2/objects/boats/records', { values: values('companies') })).status).toBe(200);
    const person = (await call('POST', '/v2/objects/people/records/query', {})).body.data[0]!.id.record_id;
    const wrong = { owner: [{ target_object: 'people', target_record_id: person }] };
    expect(await post('/v2/objects/boats/records', { values: wrong })).toEqual(
      refusal(400, 'validation_type'),
    );
  });

  it('are twelve custom objects at most', async () => {
    const answers = [];
    for (let index = 0; index < 12; index++)
      answers.push(await post('/v2/objects', { ...boats, api_slug: `b${index}` }));
    expect(answers.slice(0, 11).map(({ status }) => status)).toEqual(Array(11).fill(200));
    expect(answers[11]).toEqual(refusal(400, 'quota_exceeded'));
  });

  it.each([
    [{ type: 'multiselect' }, 400, 'validation_type'],
    [{ type: 'interaction' }, 400, 'validation_type'],
    [{ config: undefined }, 400, 'validation_type'],
    [{ description: undefined }, 400, 'validation_type'],
    [{ is_multiselect: true }, 400, 'validation_type'],
    [{ extra: 1 }, 400, 'validation_type'],
    [{ api_slug: 'name' }, 409, 'slug_conflict'],
    [
      { type: 'record-reference', config: { record_reference: { allowed_objects: ['ships'] } } },
      404,
      'not_found',
    ],
  ])('are refused: an attribute with %j', async (more, status, code) => {
    expect(await post('/v2/objects/people/attributes', attribute(more))).toEqual(refusal(status, code));
  });

  it('are found by slug and id, with options for selects and statuses for statuses', async () => {
    const { body } = await call('GET', '/v2/objects/companies/attributes/categories');
    const id = body.data.id.attribute_id;
    expect((await call('GET', `/v2/objects/companies/attributes/${id}`)).body.data).toEqual(body.data);
    const titles = async (path: string) => (await call('GET', path)).body.data.map(({ title }) => title);
    expect(await titles(`/v2/objects/companies/attributes/${id}/options`)).toContain('Robotics');
    expect(await titles('/v2/lists/spring_visits/attributes/stage/statuses')).toEqual([
      'To call',
      'Called',
      'Invited',
    ]);
    expect(await call('GET', '/v2/objects/companies/attributes/name/options')).toEqual(
      refusal(404, 'not_found'),
    );
    expect(await call('GET', '/v2/objects/companies/attributes/none')).toEqual(refusal(404, 'not_found'));
    expect(await call('GET', '/v2/objects/people/records/x/attributes/none/values')).toEqual(
      refusal(404, 'not_found'),
    );
  });

  it('have no history where they are computed', async () => {
    const ines = (await call('POST', '/v2/objects/people/records/query', {})).body.data[0]!.id.record_id;
    const path = `/v2/objects/people/records/${ines}/attributes/last_interaction/values`;
    expect(await lengthOf(path)).toBe(1);
    expect(await call('GET', `${path}?show_historic=true`)).toEqual(refusal(400, 'validation_type'));
  });
});

describe('the workspace', () => {
  it('lists its members whole, without paging', async () => {
    const { body } = await call('GET', '/v2/workspace_members');
    expect(body.data.map(({ access_level }) => access_level)).toEqual([
      'admin',
      'member',
      'member',
      'suspended',
    ]);
    expect((await call('GET', `/v2/workspace_members/${robin}`)).body.data).toEqual(body.data[0]);
    expect(await call('GET', '/v2/workspace_members?limit=1')).toEqual(refusal(400, 'validation_type'));
    expect(await call('GET', `/v2/workspace_members/${NOWHERE}`)).toEqual(refusal(404, 'not_found'));
  });

  it('lists webhooks in pages of ten to a hundred, and deletes them', async () => {
    expect(await lengthOf('/v2/webhooks')).toBe(10);
    expect(await lengthOf('/v2/webhooks?limit=100')).toBe(12);
    expect(await lengthOf('/v2/webhooks?offset=10')).toBe(2);
    for (const limit of [9, 101])
      expect(await call('GET', `/v2/webhooks?limit=${limit}`)).toEqual(refusal(400, 'validation_type'));
    const [webhook] = (await call('GET', '/v2/webhooks')).body.data;
    await liveAndDie(
      '/v2/webhooks',
      {
        status: 200,
        body: { ...(await call('GET', '/v2/webhooks')).body, data: webhook as Answer['body']['data'] },
      },
      'webhook_id',
    );
  });

  it('lists meetings by cursor, for participants or a record, and between times', async () => {
    const titles = async (search: string) =>
      (await call('GET', `/v2/meetings${search}`)).body.data.map(({ title }) => title);
    expect(await titles('')).toHaveLength(8);
    const first = await call('GET', '/v2/meetings?limit=5');
    const cursor = first.body.pagination.next_cursor;
    const second = await call('GET', `/v2/meetings?limit=5&cursor=${cursor}`);
    expect([first, second].map(({ body }) => body.data.length)).toEqual([5, 3]);
    expect(second.body.pagination.next_cursor).toBeNull();
    const ines = (await call('POST', '/v2/objects/people/records/query', {})).body.data[0]!.id.record_id;
    const or = `?participants=livia@slowcup.example&linked_object=people&linked_record_id=${ines}`;
    expect(await titles(or)).toEqual(['Call with Ines Duarte', 'Call with Livia Conti']);
    expect(await titles('?sort=start_desc&limit=1')).toEqual(['Call with Priya Raman']);
    expect(await titles('?starts_before=2026-05-05T00:00:00Z')).toEqual(['Call with Ines Duarte']);
    expect(await titles('?ends_from=2026-05-11T00:00:00Z')).toEqual(['Call with Priya Raman']);
  });

  it.each([
    'limit=0',
    'limit=201',
    'offset=1',
    'cursor=x',
    'sort=title',
    'linked_object=people',
    'ends_from=x',
  ])('refuses meetings by %s', async (search) => {
    expect(await call('GET', `/v2/meetings?${search}`)).toEqual(refusal(400, 'validation_type'));
  });
});
