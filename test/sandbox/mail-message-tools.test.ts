/** The mail tools for messages and folders, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { shippedTool } from '../tools/tool-request.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

interface Item {
  id: string;
  subject: string;
  displayName: string;
  parentFolderId: string;
}

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const scope = 'Mail.ReadWrite MailboxSettings.Read';
  const { access_token } = await standInClient(sandbox, 'mail').connect({ scope });
  tools = await openSandboxTools(sandbox, 'mail', String(access_token));
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const call = async <T = Item>(name: string, input: Record<string, unknown> = {}): Promise<T> =>
  (await tools.call(name, input)) as T;
const list = async (name: string, input: Record<string, unknown> = {}): Promise<Item[]> =>
  (await call<{ value: Item[] }>(name, input)).value;
const subjects = async (name: string, input: Record<string, unknown> = {}): Promise<string[]> =>
  (await list(name, input)).map(({ subject }) => subject);
const compact = (name: string, data: unknown): unknown => compacted(shippedTool(name).result!, data)?.value;
const refusedWith = (code: string) => ({ details: { tool_error: { code } } });

describe('tool mail_list_messages against the stand-in', () => {
  it.each([
    ['the newest first', { top: 2 }, ['Beacon contract: two questions', 'Load sheets for Fedje']],
    ['the unread ones', { unread_only: true }, ['Beacon contract: two questions', 'Load sheets for Fedje']],
    [
      'those of a sender in every folder',
      { folder: 'all', from: 'livia@slowcup.example' },
      ['Invoice 2041', 'Invoice 1987'],
    ],
    [
      'those of a span that fulfill a further condition',
      { received_after: '2026-11-18', received_before: '2026-11-19', filter: "contains(subject,'post')" },
      ['Charging posts: the demonstration'],
    ],
  ])('lists %s of the folder', async (_what, input, expected) => {
    expect(await subjects('mail_list_messages', input)).toEqual(expected);
  });

  it('gives a model who wrote, when, and how the text begins', async () => {
    const page = await call('mail_list_messages', { top: 1 });
    expect(compact('mail_list_messages', page)).toEqual({
      value: [
        {
          id: expect.any(String) as unknown,
          subject: 'Beacon contract: two questions',
          from: 'marit@harbour-almanac.example',
          from_name: 'Marit Solheim',
          receivedDateTime: '2026-11-20T09:00:00Z',
          importance: 'high',
          flag: 'notFlagged',
          preview: expect.stringContaining('before the spring tide') as unknown,
        },
      ],
    });
  });
});

describe('tool mail_search_messages against the stand-in', () => {
  it.each([
    ['words of the text', 'spring tide', ['Beacon contract: two questions', 'Spring tides in December']],
    ['a property with several words', 'subject:"load sheets" hasAttachments:true', ['Load sheets for Fedje']],
    ['a date and a person', 'from:livia received>=2026-11-01', ['Invoice 2041']],
    ['nothing', String.raw`"no such \ words"`, []],
  ])('finds messages by %s', async (_what, query, expected) => {
    expect(await subjects('mail_search_messages', { query })).toEqual(expected);
  });

  it('continues from the link to the next page', async () => {
    const first = await call<Record<string, unknown>>('mail_search_messages', { query: 'invoice', top: 1 });
    const cursor = first['@odata.nextLink'];
    expect(await subjects('mail_search_messages', { query: 'invoice', top: 1, cursor })).toEqual([
      'Invoice 1987',
    ]);
    expect(compact('mail_search_messages', first)).not.toHaveProperty(['@odata.nextLink']);
  });
});

describe('mail tools for one message against the stand-in', () => {
  it('reads it as text, with everything that an answer needs', async () => {
    const [{ id: message_id } = { id: '' }] = await list('mail_search_messages', { query: 'load sheets' });
    const read = compact('mail_get_message', await call('mail_get_message', { message_id }));
    expect(read).toMatchObject({
      from: 'ole@marrowlight.example',
      to: ['robin@northlight.example'],
      hasAttachments: true,
      conversationId: expect.any(String) as unknown,
      text: 'Here are the load sheets. Please bring them along on Tuesday.\nOle',
    });
    expect(await call('mail_get_message', { message_id, body_format: 'html' })).toMatchObject({
      body: { contentType: 'html' },
    });
  });

  it('marks it, moves it under a new id, and deletes it in two steps', async () => {
    const [{ id: message_id } = { id: '' }] = await list('mail_search_messages', { query: 'lunch' });
    const marked = await call('mail_update_message', { message_id, is_read: false, flag_status: 'flagged' });
    expect(compact('mail_update_message', marked)).toMatchObject({ id: message_id, flag: 'flagged' });
    expect(await subjects('mail_list_messages', { unread_only: true })).toContain('Lunch on Thursday?');
    const moved = await call('mail_move_message', { message_id, folder: 'archive' });
    expect(moved.id).not.toBe(message_id);
    expect(await tools.refusal('mail_get_message', { message_id })).toMatchObject(
      refusedWith('ErrorItemNotFound'),
    );
    await call('mail_delete_message', { message_id: moved.id });
    const [deleted] = await list('mail_list_messages', { folder: 'deleteditems' });
    await call('mail_delete_message', { message_id: deleted?.id });
    expect(await subjects('mail_search_messages', { query: 'lunch' })).toEqual([]);
  });
});

describe('mail folders against the stand-in', () => {
  it('nest in another one, get a new name, and go with their messages', async () => {
    const made = await call('mail_create_folder', { display_name: 'Offers', parent: 'inbox' });
    expect(
      await tools.refusal('mail_create_folder', { display_name: 'Offers', parent: 'inbox' }),
    ).toMatchObject(refusedWith('ErrorFolderExists'));
    await call('mail_rename_folder', { folder: made.id, display_name: 'Old offers' });
    const inside = compact('mail_list_folders', await call('mail_list_folders', { parent: 'inbox' }));
    expect(inside).toEqual({
      value: [
        {
          id: made.id,
          displayName: 'Old offers',
          unreadItemCount: 0,
          totalItemCount: 0,
          childFolderCount: 0,
        },
      ],
    });
    const [message] = await list('mail_search_messages', { query: 'charging' });
    await call('mail_move_message', { message_id: message?.id, folder: made.id });
    await call('mail_delete_folder', { folder: made.id });
    expect(await subjects('mail_search_messages', { query: 'charging' })).toEqual([]);
    expect(await tools.refusal('mail_delete_folder', { folder: 'inbox' })).toMatchObject(
      refusedWith('ErrorDeleteDistinguishedFolder'),
    );
  });

  it('have categories next to them, with names and colors', async () => {
    const page = await call('mail_list_categories');
    expect(compact('mail_list_categories', page)).toMatchObject({
      value: [
        { displayName: 'Team', color: 'preset4' },
        { displayName: 'Customers' },
        { displayName: 'Travel' },
      ],
    });
  });
});
