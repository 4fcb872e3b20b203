/** The mail tools for contacts, people and settings, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { shippedTool } from '../tools/tool-request.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const scope = 'Contacts.ReadWrite People.Read MailboxSettings.ReadWrite User.Read';
  const { access_token } = await standInClient(sandbox, 'mail').connect({ scope });
  tools = await openSandboxTools(sandbox, 'mail', String(access_token));
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const compact = async (name: string, input: Record<string, unknown> = {}): Promise<unknown> =>
  compacted(shippedTool(name).result!, await tools.call(name, input))?.value;

describe('mail tools for contacts against the stand-in', () => {
  it('create a contact, find it by the beginning of a name, and change what is given', async () => {
    const made = (await tools.call('mail_create_contact', {
      given_name: 'Ada',
      surname: 'Lovelace',
      email_addresses: ['ada@example.com'],
    })) as { id: string };
    expect(await compact('mail_search_contacts', { query: 'love' })).toEqual({
      value: [{ id: made.id, displayName: 'Ada Lovelace', emails: ['ada@example.com'] }],
    });
    const input = { contact_id: made.id, mobile_phone: '+44 20', email_addresses: ['a.l@example.com'] };
    await tools.call('mail_update_contact', input);
    expect(await compact('mail_get_contact', { contact_id: made.id })).toMatchObject({
      givenName: 'Ada',
      emails: ['a.l@example.com'],
      mobilePhone: '+44 20',
    });
    expect(await compact('mail_list_contacts', { top: 2 })).toMatchObject({
      value: [{ displayName: 'Ada Lovelace' }, { displayName: 'Livia Conti', companyName: 'Slow Cup' }],
    });
  });

  it('find colleagues who are in no address book, and say who one is', async () => {
    expect(await compact('mail_search_people', { query: 'sanna' })).toMatchObject({
      value: [{ displayName: 'Sanna Holm', emails: ['sanna@northlight.example'] }],
    });
    expect(await compact('mail_get_profile')).toMatchObject({ displayName: 'Robin Vale' });
  });
});

describe('mail tools for settings against the stand-in', () => {
  it('turn automatic replies on for some days, and leave the rest as it is', async () => {
    const days = { scheduled_start: '2026-12-24T00:00:00', scheduled_end: '2027-01-02T00:00:00' };
    await tools.call('mail_update_mailbox_settings', {
      automatic_replies_status: 'scheduled',
      internal_reply: 'Back in January.',
      ...days,
      scheduled_timezone: 'Europe/Oslo',
    });
    expect(await compact('mail_get_mailbox_settings')).toMatchObject({
      timeZone: 'W. Europe Standard Time',
      workingHours: { startTime: '08:00:00.0000000' },
      automaticRepliesSetting: {
        status: 'scheduled',
        externalAudience: 'all',
        internalReplyMessage: 'Back in January.',
        scheduledStartDateTime: { dateTime: '2026-12-24T00:00:00', timeZone: 'Europe/Oslo' },
      },
    });
  });
});
