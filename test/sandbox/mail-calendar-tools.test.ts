/** The mail tools that look at calendars, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { shippedTool } from '../tools/tool-request.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

interface Event {
  id: string;
  subject: string;
  start: { dateTime: string };
  seriesMasterId: string | null;
  type: string;
}

/** The clock of the sandbox stands on a Friday, 2026-11-20. */
const WEEK = { start_datetime: '2026-11-16', end_datetime: '2026-11-22', timezone: 'Europe/Oslo' };

let sandbox: Sandbox;
let tools: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const { access_token } = await standInClient(sandbox, 'mail').connect({ scope: 'Calendars.ReadWrite' });
  tools = await openSandboxTools(sandbox, 'mail', String(access_token));
});

afterAll(async () => {
  await tools?.close();
  await sandbox?.close();
});

const call = async <T>(name: string, input: Record<string, unknown> = {}): Promise<T> =>
  (await tools.call(name, input)) as T;
const view = async (input: Record<string, unknown>): Promise<Event[]> =>
  (await call<{ value: Event[] }>('mail_list_calendar_view', input)).value;
const occurrencesOf = async (event_id: string): Promise<Event[]> => {
  const input = {
    event_id,
    start_datetime: '2026-11-23',
    end_datetime: '2027-03-31',
    timezone: 'Europe/Oslo',
  };
  return (await call<{ value: Event[] }>('mail_list_calendar_event_occurrences', input)).value;
};
/** Ten meetings on Tuesdays, from 2026-12-01. */
const series = async (): Promise<Event> =>
  call('mail_create_calendar_event', {
    subject: 'Tide call',
    start_datetime: '2026-12-01T09:00:00',
    start_timezone: 'Europe/Oslo',
    end_datetime: '2026-12-01T09:30:00',
    end_timezone: 'Europe/Oslo',
    recurrence_type: 'weekly',
    recurrence_occurrences: 10,
  });

describe('tool mail_list_calendar_view against the stand-in', () => {
  it('has the occurrences of a series among the events of a week, by start and in local time', async () => {
    const next = { ...WEEK, start_datetime: '2026-11-23', end_datetime: '2026-11-23' };
    const events = await view(next);
    expect(events.map(({ subject, start, type }) => [subject, start.dateTime, type])).toEqual([
      ['Monday round', '2026-11-23T09:00:00.0000000', 'occurrence'],
      ['Reading lamps: offer due', '2026-11-23T12:00:00.0000000', 'singleInstance'],
    ]);
  });

  it('gives a model what it needs of an event, with the id of its series', async () => {
    const page = await call('mail_list_calendar_view', { ...WEEK, top: 1 });
    const compact = compacted(shippedTool('mail_list_calendar_view').result!, page)?.value;
    expect(compact).toEqual({
      value: [
        {
          id: expect.any(String) as unknown,
          subject: 'Monday round',
          start: '2026-11-16T09:00:00.0000000',
          end: '2026-11-16T09:30:00.0000000',
          timezone: 'Europe/Oslo',
          location: 'Harbour room',
          organizer: 'robin@northlight.example',
          response: 'organizer',
          seriesMasterId: expect.any(String) as unknown,
          showAs: 'busy',
          categories: ['Team'],
        },
      ],
    });
  });

  it('filters, pages, and takes the id of a calendar', async () => {
    const { value } = await call<{ value: { id: string }[] }>('mail_list_calendars');
    const found = await view({
      ...WEEK,
      calendar_id: value[0]?.id,
      filter: "contains(subject,'review')",
      skip: 1,
    });
    expect(found.map(({ subject }) => subject)).toEqual(['Quarterly figures: review']);
  });
});

describe('mail tools for one occurrence of a series', () => {
  it('move it alone, and keep it between its neighbors', async () => {
    const { id } = await series();
    const [, second] = await occurrencesOf(id);
    const move = (day: string) => ({
      event_id: second!.id,
      start_datetime: `${day}T10:00:00+01:00`,
      start_timezone: 'Europe/Oslo',
      end_datetime: `${day}T10:30:00+01:00`,
      end_timezone: 'Europe/Oslo',
    });
    expect(await call('mail_update_calendar_event', move('2026-12-09'))).toMatchObject({
      id: second!.id,
      type: 'exception',
      seriesMasterId: id,
    });
    const starts = (await occurrencesOf(id)).map(({ start }) => start.dateTime.slice(0, 16));
    expect(starts.slice(0, 3)).toEqual(['2026-12-01T09:00', '2026-12-09T10:00', '2026-12-15T09:00']);
    expect(await tools.refusal('mail_update_calendar_event', move('2026-12-15'))).toMatchObject({
      details: { tool_error: { code: 'ErrorOccurrenceCrossingBoundary' } },
    });
  });

  it.each(['mail_cancel_calendar_event', 'mail_delete_calendar_event'])(
    'drop this one alone: %s',
    async (name) => {
      const { id } = await series();
      const [first, second] = await occurrencesOf(id);
      await call(name, { event_id: second!.id });
      const left = await occurrencesOf(id);
      expect(left).toHaveLength(9);
      expect(left[0]).toEqual(first);
      expect(left[1]?.start.dateTime).toBe('2026-12-15T09:00:00.0000000');
      expect(await tools.refusal('mail_get_calendar_event', { event_id: second!.id })).toMatchObject({
        details: { tool_error: { code: 'ErrorItemNotFound' } },
      });
    },
  );
});

describe('tool mail_list_shared_calendar_view against the stand-in', () => {
  const MONDAY = { start_datetime: '2026-11-23', end_datetime: '2026-11-23', timezone: 'Europe/Oslo' };

  it('has the events of a person who shares the calendar, and refuses for everybody else', async () => {
    const { access_token } = await standInClient(sandbox, 'mail').connect({ scope: 'Calendars.Read.Shared' });
    const shared = await openSandboxTools(sandbox, 'mail', String(access_token));
    try {
      const list = (user: string) =>
        shared.call('mail_list_shared_calendar_view', { ...MONDAY, user }) as Promise<{ value: Event[] }>;
      const { value } = await list('sanna@northlight.example');
      expect(value.length).toBeGreaterThan(0);
      const events = value.map(({ start }) => start.dateTime.slice(0, 10));
      expect(new Set(events)).toEqual(new Set(['2026-11-23']));
      for (const [user, provider_status] of [
        ['teo@northlight.example', 403],
        ['nobody@northlight.example', 404],
      ] as const)
        expect(await shared.refusal('mail_list_shared_calendar_view', { ...MONDAY, user })).toMatchObject({
          details: { tool_error: { provider_status } },
        });
    } finally {
      await shared.close();
    }
  });
});

describe('cancellation of a meeting', () => {
  it('says that the meeting is cancelled, and takes it off the calendar', async () => {
    const { id: event_id } = await series();
    expect(await call('mail_cancel_calendar_event', { event_id, comment: 'Ill.' })).toEqual({
      cancelled: true,
    });
    expect(await tools.refusal('mail_cancel_calendar_event', { event_id })).toMatchObject({
      details: { tool_error: { code: 'ErrorItemNotFound' } },
    });
  });
});
