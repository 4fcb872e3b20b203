/** The mail tools that write, send and read files of messages, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { shippedTool } from '../tools/tool-request.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

interface Item {
  id: string;
  subject: string;
  name: string;
}

const SANNA = 'sanna@northlight.example';

let sandbox: Sandbox;
let tools: SandboxTools;
let sannas: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const scope = 'Mail.ReadWrite Mail.Send';
  const client = standInClient(sandbox, 'mail');
  tools = await openSandboxTools(sandbox, 'mail', String((await client.connect({ scope })).access_token));
  const hers = await client.connect({ scope: 'Mail.Read' }, 1);
  sannas = await openSandboxTools(sandbox, 'mail', String(hers.access_token));
});

afterAll(async () => {
  await tools?.close();
  await sannas?.close();
  await sandbox?.close();
});

const call = async <T = Item>(name: string, input: Record<string, unknown> = {}, by = tools): Promise<T> =>
  (await by.call(name, input)) as T;
const list = async (name: string, input: Record<string, unknown>, by = tools): Promise<Item[]> =>
  (await call<{ value: Item[] }>(name, input, by)).value;
const compact = (name: string, data: unknown): unknown => compacted(shippedTool(name).result!, data)?.value;
const found = async (query: string): Promise<string> =>
  (await list('mail_search_messages', { query, folder: 'inbox' }))[0]?.id ?? '';
const received = async (subject: string): Promise<unknown> => {
  const [message] = await list(
    'mail_search_messages',
    { query: `subject:"${subject}"`, folder: 'inbox' },
    sannas,
  );
  return compact('mail_get_message', await call('mail_get_message', { message_id: message?.id }, sannas));
};

describe('mail tools that send against the stand-in', () => {
  it('put a message into the inbox of its recipients, once', async () => {
    const mail = {
      to: [`Sanna <${SANNA}>`],
      subject: 'Ferry times',
      body: 'At 08:40.',
      bcc: ['x@example.com'],
    };
    expect(
      await call('mail_send_message', { ...mail, attachments: [{ name: 'a.txt', text: 'Pier 2' }] }),
    ).toEqual({
      sent: true,
      note: 'Outlook gives no id for a message that is sent. It is in the folder sentitems.',
    });
    expect(await received('Ferry times')).toMatchObject({
      from: 'robin@northlight.example',
      hasAttachments: true,
      text: 'At 08:40.',
    });
    expect(await list('mail_list_messages', { folder: 'sentitems' })).toHaveLength(1);
  });

  it('answer a message to its sender or to all, with the history', async () => {
    const message_id = await found('subject:lunch');
    await call('mail_reply_to_message', { message_id, comment: 'Gladly.' });
    expect(await received('RE: Lunch on Thursday?')).toMatchObject({
      to: [SANNA],
      text: expect.stringMatching(/^Gladly\.[^]*the new place at the harbour/) as unknown,
    });
    await call('mail_forward_message', {
      message_id: await found('subject:"load sheets"'),
      to: [SANNA],
      cc: ['teo@northlight.example'],
      comment: 'For you.',
    });
    expect(await received('FW: Load sheets for Fedje')).toMatchObject({
      cc: ['teo@northlight.example'],
      hasAttachments: true,
    });
  });

  it('send a draft only when it is asked for, after changes and a file', async () => {
    const draft = await call('mail_create_draft', { subject: 'Plan', body: 'First.' });
    const message_id = draft.id;
    expect(compact('mail_create_draft', draft)).toMatchObject({
      id: message_id,
      subject: 'Plan',
      isDraft: true,
    });
    await call('mail_update_draft', { message_id, subject: 'Second plan', to: [SANNA] });
    await call('mail_add_attachment', { message_id, name: 'plan.csv', text: 'a,b' });
    expect(await list('mail_search_messages', { query: 'subject:plan', folder: 'inbox' }, sannas)).toEqual(
      [],
    );
    expect(await call('mail_send_draft', { message_id })).toMatchObject({ sent: true });
    expect(await received('Second plan')).toMatchObject({ text: 'First.', hasAttachments: true });
    expect(await tools.refusal('mail_send_draft', { message_id })).toMatchObject({
      details: { tool_error: { code: 'ErrorItemNotFound' } },
    });
  });

  it('draft an answer and a message that is passed on', async () => {
    const reply = await call('mail_create_reply_draft', {
      message_id: await found('subject:beacon'),
      comment: 'Before March.',
    });
    expect(reply).toMatchObject({ subject: 'RE: Beacon contract: two questions', isDraft: true });
    const passedOn = await call('mail_create_forward_draft', {
      message_id: await found('invoice'),
      to: [SANNA],
    });
    expect(passedOn).toMatchObject({ subject: 'FW: Invoice 2041', hasAttachments: true });
  });

  it('fail where the recipients, the draft or the scope is missing', async () => {
    const draft = await call('mail_create_draft', { subject: 'Nobody' });
    const refused = async (name: string, input: Record<string, unknown>, by = tools) =>
      by.refusal(name, input);
    expect(await refused('mail_send_draft', { message_id: draft.id })).toMatchObject({
      details: { tool_error: { code: 'ErrorInvalidRecipients' } },
    });
    const sent = { message_id: await found('invoice'), subject: 'x' };
    expect(await refused('mail_update_draft', sent)).toMatchObject({
      details: { tool_error: { code: 'ErrorInvalidPropertySet' } },
    });
    expect(
      await refused('mail_send_message', { to: [SANNA], subject: 'x', body: 'y' }, sannas),
    ).toMatchObject({ details: { tool_error: { required_scopes: ['Mail.Send'] } } });
  });
});

describe('attachments against the stand-in', () => {
  it('show their names and sizes, and the content of text', async () => {
    const message_id = await found('subject:"load sheets"');
    const page = await call('mail_list_attachments', { message_id });
    const [sheet, picture] = (page as unknown as { value: Item[] }).value;
    expect(compact('mail_list_attachments', page)).toEqual({
      value: [
        { id: sheet?.id, name: 'load-sheets.csv', contentType: 'text/csv', size: 31 },
        { id: picture?.id, name: 'pier.png', contentType: 'image/png', size: expect.any(Number) as unknown },
      ],
    });
    const read = async ({ id: attachment_id }: Item) =>
      compact('mail_get_attachment', await call('mail_get_attachment', { message_id, attachment_id }));
    expect(await read(sheet!)).toMatchObject({ text: 'battery,kg\nNorth,412\nSouth,398\n' });
    expect(await read(picture!)).toMatchObject({ notice: expect.stringContaining('not text') as unknown });
  });
});
