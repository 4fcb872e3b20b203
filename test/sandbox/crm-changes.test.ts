/** CRM tools beyond the specified ones, through a real installation, against the sandbox: what they change can be read afterwards. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { shippedCatalog } from '../tools/tool-request.ts';
import { connect } from './crm-client.ts';
import { openSandboxTools, type SandboxTools } from './stand-in-client.ts';

interface Found {
  id: Record<string, string>;
  values: Record<string, Record<string, unknown>[]>;
  entry_values: Record<string, Record<string, unknown>[]>;
  comments: Found[];
  [member: string]: unknown;
}

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox();
  tools = await openSandboxTools(sandbox, 'crm', (await connect(sandbox)).access_token);
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

async function one(name: string, input: Record<string, unknown> = {}): Promise<Found> {
  return ((await tools.call(name, input)) as { data: Found }).data;
}

async function many(name: string, input: Record<string, unknown> = {}): Promise<Found[]> {
  return ((await tools.call(name, input)) as { data: Found[] }).data;
}

async function recordId(object: string, name: string): Promise<string> {
  const [found] = await many('crm_list_records', { object, filter: { name } });
  return found!.id.record_id!;
}

const refusedWith = (code: string) => ({ details: { tool_error: { code } } });
const titles = (values: Record<string, unknown>[] = []) =>
  values.map(({ option, status }) => ((option ?? status) as { title: string }).title);

describe('CRM tools that change records against the stand-in', () => {
  it('move a deal to another stage, and keep the stages before', async () => {
    const record_id = await recordId('deals', 'Test bench for tidal storage');
    const deal = await one('crm_update_deal', { record_id, values: { stage: [{ status: 'In Progress' }] } });
    expect(titles(deal.values.stage)).toEqual(['In Progress']);
    const stages = await many('crm_get_record_attribute_values', {
      object: 'deals',
      record_id,
      attribute: 'stage',
      show_historic: true,
    });
    expect(titles(stages)).toEqual(['Lead', 'In Progress']);
    const gone = { record_id, values: { stage: [{ status: 'Gone' }] } };
    expect(await tools.refusal('crm_update_deal', gone)).toMatchObject(refusedWith('value_not_found'));
    const unnamed = { record_id, values: { name: [] }, multiselect: 'replace' };
    expect(await tools.refusal('crm_update_deal', unnamed)).toMatchObject(refusedWith('missing_value'));
  });

  it('add values to those of an attribute, or replace them', async () => {
    const record_id = await recordId('companies', 'Quillmark');
    const categories = (...options: string[]) => ({
      record_id,
      values: { categories: options.map((option) => ({ option })) },
    });
    const added = await one('crm_update_company', categories('Research'));
    expect(titles(added.values.categories)).toEqual(['Research', 'Software']);
    expect(titles((await one('crm_update_company', categories('Software'))).values.categories)).toEqual([
      'Research',
      'Software',
    ]);
    const replaced = { ...categories('Energy'), object: 'companies', multiselect: 'replace' };
    expect(titles((await one('crm_update_record', replaced)).values.categories)).toEqual(['Energy']);
    const emptied = { ...categories(), multiselect: 'replace' };
    expect((await one('crm_update_company', emptied)).values.categories).toEqual([]);
  });

  it('change a person, and refuse an address that another one has', async () => {
    const record_id = await recordId('people', 'Livia Conti');
    const person = await one('crm_update_person', {
      record_id,
      values: { job_title: [{ value: 'Roaster' }] },
    });
    expect(person.values.job_title).toMatchObject([{ value: 'Roaster' }]);
    const taken = {
      record_id,
      values: { email_addresses: [{ email_address: 'ole@marrowlight.example' }] },
    };
    expect(await tools.refusal('crm_update_person', taken)).toMatchObject(refusedWith('uniqueness_conflict'));
  });

  it('find a record by a unique attribute, or create it', async () => {
    const person = (email: string, title: string) => ({
      values: { email_addresses: [{ email_address: email }], job_title: [{ value: title }] },
    });
    const before = (await many('crm_list_people')).length;
    const ole = await one('crm_upsert_person', person('ole@marrowlight.example', 'Buyer'));
    expect(ole.id.record_id).toBe(await recordId('people', 'Ole Lindqvist'));
    expect(ole.values.job_title).toMatchObject([{ value: 'Buyer' }]);
    await one('crm_upsert_person', person('tora@skerry.example', 'Buyer'));
    await one('crm_upsert_person', person('tora@skerry.example', 'Owner'));
    expect(await many('crm_list_people')).toHaveLength(before + 1);

    const company = {
      values: { domains: [{ domain: 'skerry.example' }], categories: [{ option: 'Energy' }] },
    };
    const { id } = await one('crm_upsert_company', company);
    const domains = [{ domain: 'skerry.example' }, { domain: 'skerry-works.example' }];
    const again = await one('crm_upsert_record', {
      object: 'companies',
      matching_attribute: 'domains',
      values: { domains, categories: [{ option: 'Robotics' }] },
    });
    expect(again.id).toEqual(id);
    expect(again.values.domains).toHaveLength(2);
    expect(titles(again.values.categories)).toEqual(['Robotics']);
    const both = { domains: [{ domain: 'skerry.example' }, { domain: 'slowcup.example' }] };
    expect(await tools.refusal('crm_upsert_company', { values: both })).toMatchObject(
      refusedWith('multiple_match_results'),
    );
    const byName = { matching_attribute: 'name', values: { name: [{ value: 'Tow' }] } };
    expect(await tools.refusal('crm_upsert_deal', byName)).toMatchObject(refusedWith('validation_type'));
  });

  it('create, change and match users and workspaces of the product', async () => {
    const user = { user_id: [{ value: 'usr-tora' }] };
    const { record_id } = (await one('crm_create_user_record', { values: user })).id;
    const email = { primary_email_address: [{ email_address: 'tora@skerry.example' }] };
    await one('crm_update_user_record', { record_id, values: email });
    expect((await one('crm_upsert_user_record', { values: user })).id.record_id).toBe(record_id);
    expect((await one('crm_get_user_record', { record_id })).values.primary_email_address).toMatchObject([
      { email_address: 'tora@skerry.example' },
    ]);
    const workspace = { workspace_id: [{ value: 'ws-skerry' }] };
    const made = (await one('crm_create_workspace_record', { values: workspace })).id;
    const name = { name: [{ value: 'Skerry night grid' }] };
    await one('crm_update_workspace_record', { record_id: made.record_id, values: name });
    const matched = await one('crm_upsert_workspace_record', { values: workspace });
    expect(matched).toMatchObject({ id: made, values: { name: [{ value: 'Skerry night grid' }] } });
  });

  it('merge two records into a new one, which has what belonged to both', async () => {
    const values = { name: [{ value: 'Slow Cup Turin' }], domains: [{ domain: 'slowcup-turin.example' }] };
    const twin = (await one('crm_create_company', { values })).id.record_id!;
    const note = {
      parent_object: 'companies',
      parent_record_id: twin,
      title: 'Twin',
      content: 'Same owner.',
    };
    await one('crm_create_note', note);
    const primary = await recordId('companies', 'Slow Cup');
    const pair = { object: 'companies', primary_record_id: primary, secondary_record_id: twin };
    const { new_record_id } = await one('crm_merge_records', pair);
    const merged = await one('crm_get_company', { record_id: new_record_id });
    expect(merged.values).toMatchObject({
      name: [{ value: 'Slow Cup' }],
      domains: [{ domain: 'slowcup.example' }, { domain: 'slowcup-turin.example' }],
    });
    const notes = { parent_object: 'companies', parent_record_id: new_record_id };
    expect(await many('crm_list_notes', notes)).toMatchObject([{ title: 'Twin' }]);
    expect(await tools.refusal('crm_merge_records', pair)).toMatchObject(refusedWith('not_found'));
    const itself = { ...pair, primary_record_id: new_record_id, secondary_record_id: new_record_id };
    expect(await tools.refusal('crm_merge_records', itself)).toMatchObject(refusedWith('self_merge'));
  });

  it('search several objects at once', async () => {
    const found = await many('crm_search_everything', { query: 'marrowlight' });
    expect(found.map(({ object_slug }) => object_slug)).toEqual(['people', 'people', 'companies']);
    const unknown = { query: 'x', objects: ['ships'] };
    expect(await tools.refusal('crm_search_everything', unknown)).toMatchObject(
      refusedWith('value_not_found'),
    );
  });
});

describe('CRM tools that change tasks, notes and lists against the stand-in', () => {
  it('mark a task done and open again, and take its due date', async () => {
    const [task] = await many('crm_list_tasks');
    const { task_id } = task!.id;
    const done = await one('crm_update_task', { task_id, is_completed: true });
    expect(done).toMatchObject({ is_completed: true, completed_at: expect.any(String) as unknown });
    const open = await one('crm_update_task', { task_id, is_completed: false, deadline_at: null });
    expect(open).toMatchObject({ is_completed: false, completed_at: null, deadline_at: null });
    expect(open.linked_records).toEqual(task!.linked_records);
    const [robin, , teo] = await many('crm_list_workspace_members');
    const member = { referenced_actor_type: 'workspace-member' };
    const referenced_actor_id = teo!.id.workspace_member_id!;
    const assignees = [{ ...member, referenced_actor_id }];
    await one('crm_update_task', { task_id, assignees, linked_records: [] });
    expect(await many('crm_list_tasks', { assignee: referenced_actor_id, sort: 'created_at:desc' })).toEqual([
      { ...open, assignees, linked_records: [] },
    ]);
    expect(await many('crm_list_tasks', { assignee: robin!.id.workspace_member_id })).toEqual([]);
  });

  it('change title and text of a note, each alone', async () => {
    const [note] = await many('crm_list_notes');
    const { note_id } = note!.id;
    const titled = await one('crm_update_note', { note_id, title: 'Visit' });
    expect(titled).toEqual({ ...note, title: 'Visit' });
    const written = await one('crm_update_note', { note_id, content: '# Five', format: 'markdown' });
    expect(written).toMatchObject({
      title: 'Visit',
      content_plaintext: 'Five',
      content_markdown: '# Five',
      parent_record_id: note!.parent_record_id,
    });
  });

  it('move an entry on in its list, and add a record once', async () => {
    const list = 'spring_visits';
    const [entry] = await many('crm_list_entries', { list });
    const { entry_id } = entry!.id;
    const called = { list, entry_id, entry_values: { stage: [{ status: 'Called' }] } };
    expect(titles((await one('crm_update_list_entry', called)).entry_values.stage)).toEqual(['Called']);
    const history = { list, entry_id, attribute: 'stage', show_historic: true };
    const stages = await many('crm_get_list_entry_attribute_values', history);
    expect(titles(stages)).toEqual(['To call', 'Called']);
    const before = (await many('crm_list_entries', { list })).length;
    const record_id = await recordId('companies', 'Harbour Almanac');
    const invited = { list, record_id, entry_values: { stage: [{ status: 'Invited' }] } };
    const added = await one('crm_upsert_list_entry', invited);
    expect((await one('crm_upsert_list_entry', { list, record_id })).id).toEqual(added.id);
    expect(await many('crm_list_entries', { list })).toHaveLength(before + 1);
    await one('crm_add_to_list', { list, record_id });
    expect(await tools.refusal('crm_upsert_list_entry', invited)).toMatchObject(
      refusedWith('multiple_match_results'),
    );
  });

  it('rename a list, and keep somebody with full access', async () => {
    const list = 'spring_visits';
    expect(await one('crm_update_list', { list, name: 'Visits' })).toMatchObject({ name: 'Visits' });
    expect(await tools.refusal('crm_update_list', { list, workspace_access: 'private' })).toMatchObject(
      refusedWith('validation_type'),
    );
    const [robin] = await many('crm_list_workspace_members');
    const { workspace_member_id } = robin!.id;
    const workspace_member_access = [{ workspace_member_id, level: 'full-access' }];
    const closed = { list, workspace_access: 'private', workspace_member_access };
    expect(await one('crm_update_list', closed)).toMatchObject({ workspace_access: null });
  });
});

describe('CRM tools for the workspace against the stand-in', () => {
  it('add, rename and archive options and statuses, and change attributes', async () => {
    const tags = { object: 'companies', attribute: 'categories' };
    await one('crm_create_select_option', { ...tags, title: 'Fishing' });
    expect(await tools.refusal('crm_create_select_option', { ...tags, title: 'Fishing' })).toMatchObject(
      refusedWith('slug_conflict'),
    );
    const archived = { ...tags, option: 'Fishing', title: 'Fisheries', is_archived: true };
    expect(await one('crm_update_select_option', archived)).toMatchObject({
      title: 'Fisheries',
      is_archived: true,
    });
    const stage = { list: 'spring_visits', attribute: 'stage' };
    await one('crm_create_status', { ...stage, title: 'Visited', target_time_in_status: 'P7D' });
    await one('crm_update_status', { ...stage, status: 'Visited', title: 'Seen' });
    const statuses = await many('crm_list_attribute_statuses', stage);
    expect(statuses.at(-1)).toMatchObject({ title: 'Seen', target_time_in_status: 'P7D' });
    const renamed = { object: 'sites', attribute: 'name', title: 'Site name', description: 'As on maps.' };
    expect(await one('crm_update_attribute', renamed)).toMatchObject({
      title: 'Site name',
      api_slug: 'name',
    });
    const own = { object: 'sites', attribute: 'created_at', title: 'Made' };
    expect(await tools.refusal('crm_update_attribute', own)).toMatchObject(
      refusedWith('system_edit_unauthorized'),
    );
  });

  it('read a thread, a meeting, its recordings, and what was said page by page', async () => {
    const [thread] = await many('crm_list_threads', {
      record_object: 'companies',
      record_id: await recordId('companies', 'Marrowlight'),
    });
    expect(await one('crm_get_thread', { thread_id: thread!.id.thread_id })).toEqual(thread);
    const [meeting, second] = await many('crm_list_meetings');
    const { meeting_id } = meeting!.id;
    expect(await one('crm_get_meeting', { meeting_id })).toEqual(meeting);
    const [recording] = await many('crm_list_call_recordings', { meeting_id });
    const { call_recording_id } = recording!.id;
    const call = { meeting_id, call_recording_id };
    expect(await one('crm_get_call_recording', call)).toMatchObject({ status: 'completed' });
    const page = (await tools.call('crm_get_call_transcript', call)) as {
      data: { transcript: { speech: string }[] };
      pagination: { next_cursor: string };
    };
    expect(page.data.transcript).toHaveLength(4);
    const rest = await one('crm_get_call_transcript', { ...call, cursor: page.pagination.next_cursor });
    expect(rest.transcript).toMatchObject([{ speech: 'And the budget?' }, { start_time: 30 }]);
    const [unready] = await many('crm_list_call_recordings', { meeting_id: second!.id.meeting_id });
    expect(unready).toMatchObject({ status: 'processing' });
    const { workspace_id: _, ...unreadyCall } = unready!.id;
    expect(await tools.refusal('crm_get_call_transcript', unreadyCall)).toMatchObject({ status: 404 });
  });

  it('list files of a record and of a folder', async () => {
    const place = { object: 'companies', record_id: await recordId('companies', 'Marrowlight') };
    const files = await many('crm_list_files', place);
    expect(files).toMatchObject([{ name: 'Contracts', file_type: 'folder' }, { name: 'Site plan.pdf' }]);
    const inFolder = await many('crm_list_files', { ...place, parent_folder_id: files[0]!.id.file_id });
    expect(inFolder).toMatchObject([{ name: 'Night batteries.pdf' }]);
    expect(await one('crm_get_file', { file_id: inFolder[0]!.id.file_id })).toEqual(inFolder[0]);
  });

  it('create a webhook with its secret, and change what it is sent', async () => {
    const target_url = 'https://hooks.northlight.example/new';
    const { id, secret } = await one('crm_create_webhook', { target_url, events: ['task.created'] });
    expect(secret).toMatch(/^[0-9a-f-]{36}$/);
    const { webhook_id } = id;
    const changed = await one('crm_update_webhook', {
      webhook_id,
      subscriptions: [{ event_type: 'task.updated' }],
    });
    expect(changed).toMatchObject({
      target_url,
      subscriptions: [{ event_type: 'task.updated', filter: null }],
    });
    expect(Object.keys(await one('crm_get_webhook', { webhook_id }))).not.toContain('secret');
    const unknown = { webhook_id, subscriptions: [{ event_type: 'deal.won' }] };
    expect(await tools.refusal('crm_update_webhook', unknown)).toMatchObject(refusedWith('validation_type'));
  });

  it('appear completely in these tests', () => {
    // What counts is in crm-tools.test.ts.
    const added = tools.all.filter(
      (name) => shippedCatalog.tools.get(name)?.unlisted === true && name !== 'crm_aggregate_records',
    );
    expect(added.length).toBeGreaterThan(30);
    expect(added.filter((name) => !tools.called.has(name))).toEqual([]);
  });
});
