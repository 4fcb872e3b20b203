/** Every crm tool that is listed without a selection, through a real installation, against the sandbox. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServices, type Services } from '../../src/app/services/services.ts';
import { SCOPES, type Caller } from '../../src/core/caller.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog } from '../../src/core/log.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { connect, type Item } from './crm-client.ts';

interface Data {
  data: Item & Item[];
  notice?: string;
}

let folder: string;
let sandbox: Sandbox;
let services: Services;
let caller: Caller;
const used = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-crm-tools-'));
  sandbox = await startSandbox();
  const { clientId: client_id, clientSecret: client_secret } = sandbox.crm.app;
  const config = join(folder, 'gatehouse.yaml');
  const settings = {
    data_dir: '.',
    outbound: { allow_private_hosts: [new URL(sandbox.url).host] },
    connections: [
      { name: 'crm', connector: 'crm', client_id, client_secret, overrides: { base_url: sandbox.url } },
    ],
  };
  writeFileSync(config, stringify(settings));
  services = await openServices({
    settings: loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder }),
    log: silentLog,
  });
  const environmentId = services.environments.byName('development').id;
  caller = {
    kind: 'machine',
    environmentId,
    actor: 'cred_test',
    scopes: new Set(SCOPES),
    source: 'api',
    ip: '127.0.0.1',
  };
  const { access_token } = await connect(sandbox);
  await services.accounts.create(caller, {
    connector: 'crm',
    identifier: 'ada',
    user_id: 'ada',
    connected_account: { authorization_details: { oauth_token: { access_token } } },
  });
});

afterAll(async () => {
  await services.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

async function tool(name: string, input: Record<string, unknown> = {}): Promise<Data> {
  used.add(name);
  const account = { connection: 'crm', identifier: 'ada', userId: 'ada' };
  return (await services.executor.execute({ caller, toolName: name, input, account })).data as Data;
}

/** What the tool is refused with. */
async function refused(name: string, input: Record<string, unknown>): Promise<unknown> {
  const error: unknown = await tool(name, input).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error;
}

const gone = { code: 'TOOL_ERROR', details: { tool_error: { code: 'not_found', provider_status: 404 } } };
const idOf = ({ data }: Data, name: string): string => data.id[name]!;
const titles = ({ data }: Data): unknown[] => data.map(({ title, api_slug }) => title ?? api_slug);

/** Read, deleted, gone. */
async function readAndDelete(kind: string, id: Record<string, string>): Promise<void> {
  const found = await tool(`crm_get_${kind}`, id);
  expect(Object.values(found.data.id)).toContain(Object.values(id).at(-1));
  expect(await tool(`crm_delete_${kind}`, id)).toEqual({});
  expect(await refused(`crm_get_${kind}`, id)).toMatchObject(gone);
  expect(await refused(`crm_delete_${kind}`, id)).toMatchObject(gone);
}

describe('CRM tools against the stand-in', () => {
  it.each([
    ['person', 'people', { name: [{ full_name: 'Ada Byron' }] }],
    ['company', 'companies', { name: [{ value: 'Byron Looms' }], domains: [{ domain: 'byron.example' }] }],
    ['deal', 'deals', { name: [{ value: 'Looms' }], value: [{ currency_value: 12 }] }],
  ])('create, list, get and delete a %s', async (kind, plural, values) => {
    const before = (await tool(`crm_list_${plural}`)).data.length;
    const id = idOf(await tool(`crm_create_${kind}`, { values }), 'record_id');
    expect((await tool(`crm_list_${plural}`)).data).toHaveLength(before + 1);
    const sorts = [{ attribute: 'created_at', direction: 'desc' }];
    const [last] = (await tool(`crm_list_${plural}`, { sorts, limit: 1 })).data;
    expect(last!.id.record_id).toBe(id);
    const found = await tool(`crm_list_${plural}`, { filter: { name: { $contains: 'b' } }, offset: 0 });
    expect(found.data.length).toBeLessThan(before + 1);
    await readAndDelete(kind, { record_id: id });
  });

  it('answer a taken domain and a taken address as conflicts', async () => {
    const conflict = { code: 'TOOL_ERROR', details: { tool_error: { code: 'uniqueness_conflict' } } };
    const domain = { domains: [{ domain: 'marrowlight.example' }] };
    expect(await refused('crm_create_company', { values: domain })).toMatchObject(conflict);
    const email = { email_addresses: [{ email_address: 'livia@slowcup.example' }] };
    expect(await refused('crm_create_person', { values: email })).toMatchObject(conflict);
  });

  it('work with custom objects and their attributes', async () => {
    await tool('crm_create_object', { singular_noun: 'Boat', plural_noun: 'Boats', api_slug: 'boats' });
    expect(titles(await tool('crm_list_objects'))).toContain('boats');
    expect((await tool('crm_get_object', { object: 'boats' })).data).toMatchObject({ singular_noun: 'Boat' });
    const attribute = { description: '', is_required: false, is_unique: false, is_multiselect: false };
    const make = (more: object) => tool('crm_create_attribute', { object: 'boats', ...attribute, ...more });
    await make({ api_slug: 'draught', title: 'Draught', type: 'number', config: {} });
    await make({ api_slug: 'colours', title: 'Colours', type: 'multiselect', config: {} });
    await make({
      api_slug: 'owner',
      title: 'Owner',
      type: 'record-reference',
      config: { relationship: { object: 'people' } },
    });
    expect(titles(await tool('crm_list_attributes', { object: 'boats' }))).toContain('Draught');
    const colours = await tool('crm_get_attribute', { object: 'boats', attribute: 'colours' });
    expect(colours.data).toMatchObject({ type: 'select', is_multiselect: true });
    expect(await tool('crm_list_attribute_options', { object: 'boats', attribute: 'colours' })).toEqual({
      data: [],
    });
    const statuses = await tool('crm_list_attribute_statuses', { object: 'deals', attribute: 'stage' });
    expect(titles(statuses)).toEqual(['Lead', 'In Progress', 'Won 🎉', 'Lost']);

    const boat = { object: 'boats' };
    const values = { name: [{ value: 'Wren' }], draught: [{ value: 2.1 }] };
    const record_id = idOf(await tool('crm_create_record', { ...boat, values }), 'record_id');
    expect((await tool('crm_list_records', { ...boat, filter: { draught: { $gt: 2 } } })).data).toHaveLength(
      1,
    );
    const history = { ...boat, record_id, attribute: 'draught', show_historic: true };
    expect((await tool('crm_get_record_attribute_values', history)).data).toMatchObject([{ value: 2.1 }]);
    expect((await tool('crm_search_records', { ...boat, query: 'wre' })).data).toMatchObject([
      { record_text: 'Wren' },
    ]);
    await readAndDelete('record', { ...boat, record_id });
  });

  it('search with an offset and a limit of their own', async () => {
    const all = (await tool('crm_search_records', { object: 'people', query: '' })).data;
    expect(all.length).toBeGreaterThan(5);
    expect(all).toHaveLength((await tool('crm_list_people')).data.length);
    const found = (await tool('crm_search_records', { object: 'people', query: 'a', limit: 25 })).data;
    const same = all.filter(({ id }) => found.some((record) => record.id.record_id === id.record_id));
    expect(Object.keys(same[0] ?? {})).toEqual(Object.keys(found[0] ?? {}));
    expect(new Set(same.map((record) => JSON.stringify(record)))).toEqual(
      new Set(found.map((record) => JSON.stringify(record))),
    );
    const cut = (await tool('crm_search_records', { object: 'people', query: '', limit: 2, offset: 3 })).data;
    expect(cut).toEqual(all.slice(3, 5));
  });

  it('count and sum records by the title of their stage', async () => {
    const input = {
      object: 'deals',
      filter: { stage: 'In Progress' },
      group_by: 'stage',
      sum: ['value'],
    };
    expect(await tool('crm_aggregate_records', input)).toEqual({
      groups: [{ group: 'In Progress', count: 2, sum: { value: { EUR: 109_700 } } }],
      records_read: 2,
      is_all: true,
    });
  });

  it('read and delete users and workspaces of the product', async () => {
    const [user] = (await tool('crm_list_user_records', { limit: 5 })).data;
    const [workspace] = (await tool('crm_list_workspace_records', { filter: { workspace_id: 'ws-fedje' } }))
      .data;
    expect(await tool('crm_delete_user_record', { record_id: user!.id.record_id })).toEqual({});
    expect((await tool('crm_list_user_records')).data).toEqual([]);
    await readAndDelete('workspace_record', { record_id: workspace!.id.record_id! });
  });

  it('create, list, get and delete tasks, notes and comments of a record', async () => {
    const [company] = (await tool('crm_list_companies', { filter: { name: 'Quillmark' } })).data;
    const record_id = company!.id.record_id!;
    const [member] = (await tool('crm_list_workspace_members', { limit: 1, offset: 1 })).data;
    const memberId = member!.id.workspace_member_id!;

    const linked_records = [{ target_object: 'companies', target_record_id: record_id }];
    const assignees = [{ referenced_actor_type: 'workspace-member', referenced_actor_id: memberId }];
    const task = await tool('crm_create_task', { content: 'Call', linked_records, assignees });
    const linked = { linked_object: 'companies', linked_record_id: record_id, is_completed: false };
    expect((await tool('crm_list_tasks', linked)).data).toEqual([task.data]);
    await readAndDelete('task', { task_id: idOf(task, 'task_id') });

    const parent = { parent_object: 'companies', parent_record_id: record_id };
    const note = await tool('crm_create_note', {
      ...parent,
      title: 'Visit',
      content: '**Good**',
      format: 'markdown',
    });
    expect((await tool('crm_list_notes', parent)).data).toMatchObject([{ content_plaintext: 'Good' }]);
    await readAndDelete('note', { note_id: idOf(note, 'note_id') });
    const bare = await tool('crm_create_note', parent);
    expect(bare.data).toMatchObject({ title: '', content_plaintext: '' });

    const place = { record_object: 'companies', record_id };
    const head = await tool('crm_create_comment', { author_actor_id: memberId, content: 'Who?', ...place });
    const { thread_id } = head.data;
    await tool('crm_create_comment', { author_actor_id: memberId, content: 'I', thread_id, ...place });
    const [thread] = (await tool('crm_list_threads', place)).data;
    expect(thread!.comments.map(({ content_plaintext }) => content_plaintext)).toEqual(['Who?', 'I']);
    await readAndDelete('comment', { comment_id: idOf(head, 'comment_id') });
    expect((await tool('crm_list_threads', place)).data).toEqual([]);
  });

  it('make lists, and add and remove entries', async () => {
    const access = { workspace_access: 'full-access', workspace_member_access: [] };
    await tool('crm_create_list', {
      name: 'Berths',
      api_slug: 'berths',
      parent_object: 'companies',
      ...access,
    });
    const withoutParent = { name: 'Piers', api_slug: 'piers', ...access };
    expect((await tool('crm_create_list', withoutParent)).data).toMatchObject({ parent_object: ['people'] });
    expect((await tool('crm_get_list', { list: 'berths' })).data).toMatchObject({ name: 'Berths' });
    const [company] = (await tool('crm_list_companies', { filter: { name: 'Slow Cup' } })).data;
    const record_id = company!.id.record_id!;
    const entry_id = idOf(await tool('crm_add_to_list', { list: 'berths', record_id }), 'entry_id');
    const again = await tool('crm_add_to_list', { list: 'berths', record_id, entry_values: {} });
    expect(idOf(again, 'entry_id')).not.toBe(entry_id);
    const entry = { list: 'berths', entry_id };
    expect((await tool('crm_list_entries', { list: 'berths', filter: { entry_id } })).data).toHaveLength(1);
    const parent = { parent_object: 'companies', parent_record_id: record_id };
    expect(titles(await tool('crm_list_lists', parent))).toEqual(['berths']);
    expect(titles(await tool('crm_list_lists'))).toEqual(['spring_visits', 'berths', 'piers']);
    expect((await tool('crm_list_record_entries', { object: 'companies', record_id })).data).toHaveLength(2);
    expect((await tool('crm_get_list_entry', entry)).data).toMatchObject({ parent_record_id: record_id });
    expect(await tool('crm_remove_from_list', entry)).toEqual({});
    expect(await refused('crm_get_list_entry', entry)).toMatchObject(gone);
    expect(titles(await tool('crm_list_attributes', { list: 'berths' }))).toEqual([
      'Created at',
      'Created by',
    ]);
  });

  it('read members, webhooks and meetings of the workspace', async () => {
    expect((await tool('crm_list_workspace_members')).data).toHaveLength(4);
    const workspace_member_id = sandbox.crm.members[0]!.id;
    const member = await tool('crm_get_workspace_member', { workspace_member_id });
    expect(member.data).toMatchObject({ first_name: 'Robin' });
    const webhooks = (await tool('crm_list_webhooks', { limit: 3, offset: 2 })).data;
    expect(webhooks).toHaveLength(3);
    await readAndDelete('webhook', { webhook_id: webhooks[0]!.id.webhook_id! });
    const meetings = { filter: { participants: ['livia@slowcup.example'] }, limit: 5 };
    expect(titles(await tool('crm_list_meetings', meetings))).toEqual(['Call with Livia Conti']);
    expect((await tool('crm_list_meetings', { limit: 3, offset: 6 })).data).toHaveLength(2);
    expect(await tool('crm_get_current_token_info')).toEqual({
      active: true,
      workspace: { id: expect.any(String), name: 'Northlight Supply' },
      actor: {
        type: 'workspace-member',
        id: workspace_member_id,
        name: 'Robin Vale',
        email: 'robin@northlight.example',
      },
      scopes: expect.arrayContaining(['meeting:read']),
    });
  });

  it('appear completely in these tests', () => {
    const all = [...services.catalog.tools.values()].filter(
      ({ connector, unlisted }) => connector === 'crm' && unlisted !== true,
    );
    expect(all).toHaveLength(58);
    expect(all.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });
});
