/** The mail tools for invitations and free times, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { shippedTool } from '../tools/tool-request.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

const DAY = {
  start_datetime: '2026-11-19T08:00:00',
  end_datetime: '2026-11-19T17:00:00',
  timezone: 'Europe/Oslo',
};

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const scope = 'Calendars.ReadWrite Calendars.Read.Shared';
  const { access_token } = await standInClient(sandbox, 'mail').connect({ scope });
  tools = await openSandboxTools(sandbox, 'mail', String(access_token));
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const invitation = async () => {
  const answer = await tools.call('mail_list_calendar_view', {
    ...DAY,
    filter: "contains(subject,'Harbor lights')",
  });
  return (answer as { value: { id: string; responseStatus: { response: string } }[] }).value[0];
};
const compact = async (name: string, input: Record<string, unknown>) =>
  compacted(shippedTool(name).result!, await tools.call(name, input))?.value;

describe('mail tools for invitations against the stand-in', () => {
  it('pass an invitation on, accept it, and decline it with another time', async () => {
    const { id: event_id, responseStatus } = (await invitation())!;
    expect(responseStatus.response).toBe('notResponded');
    await tools.call('mail_forward_calendar_event', { event_id, to: ['teo@northlight.example'] });
    expect(await tools.call('mail_accept_calendar_event', { event_id })).toEqual({ response: 'accepted' });
    await tools.call('mail_tentatively_accept_calendar_event', { event_id, comment: 'Perhaps.' });
    expect((await invitation())?.responseStatus.response).toBe('tentativelyAccepted');
    await tools.call('mail_decline_calendar_event', {
      event_id,
      proposed_start: '2026-11-20T09:00:00',
      proposed_end: '2026-11-20T10:00:00',
      proposed_timezone: 'Europe/Oslo',
    });
    expect(await invitation()).toBeUndefined();
  });

  it('refuse to answer an event of the owner', async () => {
    const answer = await tools.call('mail_list_calendar_view', {
      ...DAY,
      filter: "contains(subject,'Livia')",
    });
    const [own] = (answer as { value: { id: string }[] }).value;
    expect(await tools.refusal('mail_accept_calendar_event', { event_id: own?.id })).toMatchObject({
      details: { tool_error: { code: 'ErrorInvalidRequest' } },
    });
  });
});

describe('mail tools for free times against the stand-in', () => {
  it('show who is busy when, and when nobody is', async () => {
    const addresses = ['robin@northlight.example', 'sanna@northlight.example'];
    const answer = await compact('mail_get_schedules', {
      email_addresses: addresses,
      ...DAY,
      start_datetime: '2026-11-19T10:00:00',
      end_datetime: '2026-11-19T12:00:00',
    });
    const busy = [{ start: '2026-11-19T11:00:00', end: '2026-11-19T11:30:00', status: 'busy' }];
    expect(answer).toEqual({
      value: addresses.map((email_address) => ({ email_address, busy })),
      timezone: 'Europe/Oslo',
      common_free: [
        { start: '2026-11-19T10:00:00', end: '2026-11-19T11:00:00' },
        { start: '2026-11-19T11:30:00', end: '2026-11-19T12:00:00' },
      ],
    });
  });

  it('fail with the reason for a zone that nobody knows', async () => {
    const input = { email_addresses: ['sanna@northlight.example'], ...DAY, timezone: 'Oslo' };
    expect(await tools.refusal('mail_get_schedules', input)).toMatchObject({
      details: { tool_error: { provider_status: 400, code: 'TimeZoneNotSupportedException' } },
    });
  });

  it('find times for a meeting around what is on the calendars', async () => {
    const answer = await compact('mail_find_meeting_times', {
      attendees: ['sanna@northlight.example'],
      ...DAY,
      start_datetime: '2026-11-19T10:30:00',
      duration_minutes: 60,
      max_candidates: 1,
    });
    expect(answer).toMatchObject({
      meetingTimeSuggestions: [
        {
          start: '2026-11-19T11:30:00.0000000',
          end: '2026-11-19T12:30:00.0000000',
          timezone: 'Europe/Oslo',
          confidence: 100,
        },
      ],
    });
  });
});
