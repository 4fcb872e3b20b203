/** The mail tools for events, through a real installation, against the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { openSandboxTools, standInClient, type SandboxTools } from './stand-in-client.ts';

interface Event {
  id: string;
  subject: string;
  type: string;
  start: { dateTime: string; timeZone: string };
  [member: string]: unknown;
}

let sandbox: Sandbox;
let tools: SandboxTools;
let readOnly: SandboxTools;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: fixedClock() });
  const client = standInClient(sandbox, 'mail');
  const all = await client.connect({ scope: 'Calendars.ReadWrite offline_access' });
  const reading = await client.connect({ scope: 'Calendars.Read' }, 1);
  tools = await openSandboxTools(sandbox, 'mail', String(all.access_token));
  readOnly = await openSandboxTools(sandbox, 'mail', String(reading.access_token));
});

afterAll(async () => {
  await tools?.close();
  await readOnly?.close();
  await sandbox?.close();
});

const list = async (input: Record<string, unknown> = {}): Promise<Event[]> =>
  ((await tools.call('mail_list_calendar_events', input)) as { value: Event[] }).value;
const subjects = async (input: Record<string, unknown>): Promise<string[]> =>
  (await list(input)).map(({ subject }) => subject);
const get = async (event_id: string): Promise<Event> =>
  (await tools.call('mail_get_calendar_event', { event_id })) as Event;
const create = async (input: Record<string, unknown>): Promise<Event> =>
  (await tools.call('mail_create_calendar_event', {
    subject: 'Fitting',
    start_datetime: '2026-12-01T09:00:00',
    start_timezone: 'Europe/Berlin',
    end_datetime: '2026-12-01T09:45:00',
    end_timezone: 'Europe/Berlin',
    ...input,
  })) as Event;

const refusedWith = (provider_status: number, code: string) => ({
  code: 'TOOL_ERROR',
  details: { tool_error: { provider_status, code } },
});

describe('tool mail_list_calendar_events against the stand-in', () => {
  it('lists ten events at first, with a link to the rest', async () => {
    const page = (await tools.call('mail_list_calendar_events')) as Record<string, unknown>;
    expect(page.value).toHaveLength(10);
    expect(page['@odata.nextLink']).toBe(`${sandbox.url}/v1.0/me/events?%24skip=10`);
    expect((await list({ skip: 10 })).length).toBe(3);
  });

  it.each([
    [
      'a time',
      { filter: "start/dateTime ge '2026-11-23T00:00:00' and start/dateTime lt '2026-11-25T00:00:00'" },
      ['Test bench for tidal storage: kick-off', 'Reading lamps: offer due'],
    ],
    [
      'words of the subject in any case',
      { filter: "contains(subject,'REVIEW')", orderby: 'start/dateTime' },
      ['Beacons for the northern tide gauges: review', 'Quarterly figures: review'],
    ],
    ['a flag', { filter: 'isAllDay eq true' }, ['Midwinter fair']],
    [
      'several conditions',
      { filter: "(showAs eq 'oof' or showAs eq 'tentative') and not (importance eq 'high')" },
      ['Quarterly figures: review'],
    ],
    [
      'an entry of a list',
      { filter: "categories/any(c:c eq 'Travel')" },
      ['Night batteries for Fedje: site visit'],
    ],
    [
      'the address of who is invited',
      { filter: "attendees/any(a:a/emailAddress/address eq 'livia@slowcup.example')" },
      ['Call with Livia Conti'],
    ],
    ['a kind', { filter: "type eq 'seriesMaster'" }, ['Monday round']],
    [
      'its order and its page',
      { orderby: 'start/dateTime desc', top: 2, skip: 1 },
      ['Contract read-through', 'Lunch with Hana Novak'],
    ],
  ])('filters the events by %s', async (_, input, expected) => {
    expect(await subjects(input)).toEqual(expected);
  });

  it('returns only the selected members', async () => {
    const [event] = await list({ filter: "startswith(subject,'Dentist')", select: 'subject,sensitivity' });
    expect(event).toEqual({
      '@odata.etag': expect.any(String),
      id: expect.any(String),
      subject: 'Dentist',
      sensitivity: 'private',
    });
  });

  it.each([
    ['no filter', { filter: 'subject is Dentist' }, 'BadRequest'],
    ['a member that is not there', { filter: "title eq 'x'" }, 'RequestBroker--ParseUri'],
  ])('refuses a query with %s', async (_, input, code) => {
    expect(await tools.refusal('mail_list_calendar_events', input)).toMatchObject(refusedWith(400, code));
  });
});

describe('tool mail_create_calendar_event against the stand-in', () => {
  it('creates an event that is found by its id and listed', async () => {
    const event = await create({
      body_content: 'Bring <the> chart.',
      location: 'Harbour room',
      attendees_required: 'Ole Lindqvist <ole@marrowlight.example>',
      attendees_resource: 'room@northlight.example',
      isOnlineMeeting: true,
      reminderMinutesBeforeStart: 0,
    });
    expect(event).toMatchObject({
      subject: 'Fitting',
      type: 'singleInstance',
      start: { dateTime: '2026-12-01T08:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T08:45:00.0000000', timeZone: 'UTC' },
      originalStartTimeZone: 'Europe/Berlin',
      bodyPreview: 'Bring <the> chart.',
      body: { contentType: 'html', content: expect.stringContaining('Bring &lt;the&gt; chart.') },
      location: { displayName: 'Harbour room' },
      locations: [{ displayName: 'Harbour room' }],
      attendees: [
        {
          type: 'required',
          status: { response: 'none' },
          emailAddress: { name: 'Ole Lindqvist', address: 'ole@marrowlight.example' },
        },
        { type: 'resource', emailAddress: { address: 'room@northlight.example' } },
      ],
      organizer: { emailAddress: { name: 'Robin Vale', address: 'robin@northlight.example' } },
      isOnlineMeeting: true,
      onlineMeetingProvider: 'teamsForBusiness',
      reminderMinutesBeforeStart: 0,
    });
    expect(await get(event.id)).toEqual(event);
    expect(await subjects({ filter: "start/dateTime eq '2026-12-01T08:00:00'" })).toEqual(['Fitting']);
  });

  it.each([
    ['Pacific Standard Time', '2026-12-01T17:00:00.0000000'],
    ['Asia/Kolkata', '2026-12-01T03:30:00.0000000'],
    ['UTC', '2026-12-01T09:00:00.0000000'],
  ])('converts the time zone %s', async (zone, expected) => {
    const { start } = await create({ start_timezone: zone, end_timezone: zone });
    expect(start.dateTime).toBe(expected);
  });

  it.each([
    ['weekly', { recurrence_days_of_week: 'tuesday,thursday' }, { daysOfWeek: ['tuesday', 'thursday'] }],
    ['relativeMonthly', {}, { daysOfWeek: ['tuesday'], index: 'first' }],
    ['absoluteYearly', { recurrence_occurrences: 4 }, { dayOfMonth: 1, month: 12 }],
  ])('creates a recurring series: %s', async (recurrence_type, more, pattern) => {
    const event = await create({ recurrence_type, ...more });
    expect(event).toMatchObject({
      type: 'seriesMaster',
      recurrence: { pattern: { type: recurrence_type, ...pattern }, range: { startDate: '2026-12-01' } },
    });
  });

  it('creates an event of whole days', async () => {
    const event = await create({
      isAllDay: true,
      start_datetime: '2026-12-24',
      end_datetime: '2026-12-27',
    });
    expect(event).toMatchObject({ isAllDay: true, start: { dateTime: '2026-12-24T00:00:00.0000000' } });
  });

  it.each([
    [
      'a zone that is none',
      { start_timezone: 'Moon Standard Time', end_timezone: 'Moon Standard Time' },
      'TimeZoneNotSupportedException',
    ],
    [
      'an end before the start in another zone',
      { end_timezone: 'Asia/Tokyo' },
      'ErrorCalendarEndDateIsEarlierThanStartDate',
    ],
    [
      'a kind of meeting that the calendar does not allow',
      { isOnlineMeeting: true, onlineMeetingProvider: 'skypeForConsumer' },
      'ErrorPropertyValidationFailure',
    ],
  ])('refuses an event with %s', async (_, input, code) => {
    const before = (await list({ top: 100 })).length;
    expect(
      await tools.refusal('mail_create_calendar_event', {
        subject: 'Fitting',
        start_datetime: '2026-12-01T09:00:00',
        start_timezone: 'Europe/Berlin',
        end_datetime: '2026-12-01T09:45:00',
        end_timezone: 'Europe/Berlin',
        ...input,
      }),
    ).toMatchObject(refusedWith(400, code));
    expect(await list({ top: 100 })).toHaveLength(before);
  });
});

describe('tool mail_update_calendar_event against the stand-in', () => {
  const update = async (event_id: string, change: Record<string, unknown>): Promise<Event> =>
    (await tools.call('mail_update_calendar_event', { event_id, ...change })) as Event;

  it('changes only the given members', async () => {
    const before = await create({ attendees_required: 'ole@marrowlight.example', location: 'Quay' });
    const after = await update(before.id, { subject: 'Second fitting', categories: 'Team, Travel' });
    expect(after).toEqual({
      ...before,
      '@odata.etag': expect.not.stringContaining(String(before['@odata.etag'])),
      changeKey: expect.not.stringContaining(String(before.changeKey)),
      subject: 'Second fitting',
      categories: ['Team', 'Travel'],
    });
    expect(await get(before.id)).toEqual(after);
  });

  it('replaces the whole list of attendees', async () => {
    const event = await create({ attendees_required: 'a@x.example, b@x.example' });
    const after = await update(event.id, { attendees_optional: 'b@x.example' });
    expect(after.attendees).toMatchObject([{ type: 'optional', emailAddress: { address: 'b@x.example' } }]);
  });

  it('moves an event to another instant', async () => {
    const event = await create({});
    const after = await update(event.id, {
      start_datetime: '2026-12-02T10:00:00+01:00',
      start_timezone: 'Europe/Berlin',
      end_datetime: '2026-12-02T11:00:00+01:00',
      end_timezone: 'Europe/Berlin',
    });
    expect(after.start.dateTime).toBe('2026-12-02T09:00:00.0000000');
  });

  it('turns an event into a series, and moves the series with its start', async () => {
    const event = await create({});
    const series = await update(event.id, {
      recurrence_type: 'daily',
      recurrence_start_date: '2026-12-01',
      recurrence_end_date: '2026-12-05',
    });
    expect(series).toMatchObject({ type: 'seriesMaster', recurrence: { range: { endDate: '2026-12-05' } } });
    const moved = await update(event.id, {
      start_datetime: '2026-12-02T09:00:00Z',
      end_datetime: '2026-12-02T10:00:00Z',
    });
    expect(moved).toMatchObject({ recurrence: { range: { startDate: '2026-12-02' } } });
  });

  it('refuses an end before the unchanged start', async () => {
    const { id: event_id } = await create({});
    const change = { event_id, end_datetime: '2026-11-30T09:00:00Z' };
    expect(await tools.refusal('mail_update_calendar_event', change)).toMatchObject(
      refusedWith(400, 'ErrorCalendarEndDateIsEarlierThanStartDate'),
    );
  });
});

describe('tool mail_delete_calendar_event against the stand-in', () => {
  it('removes an event from the list, and answers 404 for its id afterwards', async () => {
    const { id: event_id } = await create({ subject: 'To be dropped' });
    expect(event_id).toMatch(/[/+=]/);
    expect(await tools.call('mail_delete_calendar_event', { event_id })).toBeNull();
    expect(await subjects({ filter: "subject eq 'To be dropped'" })).toEqual([]);
    const gone = refusedWith(404, 'ErrorItemNotFound');
    expect(await tools.refusal('mail_get_calendar_event', { event_id })).toMatchObject(gone);
    expect(await tools.refusal('mail_delete_calendar_event', { event_id })).toMatchObject(gone);
    expect(await tools.refusal('mail_update_calendar_event', { event_id, subject: 'x' })).toMatchObject(gone);
  });

  it('refuses a malformed event id', async () => {
    expect(await tools.refusal('mail_delete_calendar_event', { event_id: 'evt?' })).toMatchObject(
      refusedWith(400, 'ErrorInvalidIdMalformed'),
    );
  });
});

describe('mail stand-in: scope Calendars.Read', () => {
  it('lists the calendar of each person', async () => {
    const page = (await readOnly.call('mail_list_calendar_events', { top: 100 })) as { value: unknown[] };
    expect(page.value).toHaveLength(13);
  });

  it('refuses to delete an event', async () => {
    const [event] = await list({ top: 1 });
    expect(await readOnly.refusal('mail_delete_calendar_event', { event_id: event?.id ?? '' })).toMatchObject(
      refusedWith(403, 'ErrorAccessDenied'),
    );
  });
});
