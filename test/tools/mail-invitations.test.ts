/** Tools of connector mail for invitations and free times: the exact Graph requests, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, post, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

const ID = 'AAMkAGIAAAoZDOFAAA=';
const EVENT = '/v1.0/me/events/AAMkAGIAAAoZDOFAAA%3D';
const BERLIN = { timezone: 'Europe/Berlin' };
const MORNING = { start_datetime: '2026-12-01T09:00:00', end_datetime: '2026-12-01T12:00:00', ...BERLIN };
const berlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const PREFER = { Prefer: 'outlook.timezone="Europe/Berlin"' };

const ROWS: [name: string, input: Record<string, unknown>, request: ProviderRequest][] = [
  ['mail_accept_calendar_event', { event_id: ID }, post(`${EVENT}/accept`, { sendResponse: true })],
  [
    'mail_accept_calendar_event',
    { event_id: ID, comment: 'Gladly.', send_response: false },
    post(`${EVENT}/accept`, { comment: 'Gladly.', sendResponse: false }),
  ],
  ['mail_decline_calendar_event', { event_id: ID }, post(`${EVENT}/decline`, { sendResponse: true })],
  [
    'mail_decline_calendar_event',
    {
      event_id: ID,
      comment: 'Later?',
      proposed_start: '2026-12-01T10:00:00',
      proposed_end: '2026-12-01T11:00:00+01:00',
      proposed_timezone: 'Europe/Berlin',
    },
    post(`${EVENT}/decline`, {
      comment: 'Later?',
      sendResponse: true,
      proposedNewTime: { start: berlin('2026-12-01T10:00:00'), end: berlin('2026-12-01T11:00:00') },
    }),
  ],
  [
    'mail_tentatively_accept_calendar_event',
    { event_id: ID, send_response: false },
    post(`${EVENT}/tentativelyAccept`, { sendResponse: false }),
  ],
  [
    'mail_forward_calendar_event',
    { event_id: ID, to: ['Ada <ada@example.com>'], comment: 'Come along.' },
    post(`${EVENT}/forward`, {
      comment: 'Come along.',
      toRecipients: [{ emailAddress: { address: 'ada@example.com', name: 'Ada' } }],
    }),
  ],
  [
    'mail_get_schedules',
    { email_addresses: ['ada@example.com'], ...MORNING, interval_minutes: 15 },
    {
      ...post('/v1.0/me/calendar/getSchedule', {
        schedules: ['ada@example.com'],
        startTime: berlin('2026-12-01T09:00:00'),
        endTime: berlin('2026-12-01T12:00:00'),
        availabilityViewInterval: 15,
      }),
      headers: PREFER,
    },
  ],
  [
    'mail_find_meeting_times',
    { attendees: ['ada@example.com'], ...MORNING, is_organizer_optional: true },
    {
      ...post('/v1.0/me/findMeetingTimes', {
        attendees: [{ type: 'required', emailAddress: { address: 'ada@example.com' } }],
        timeConstraint: {
          activityDomain: 'work',
          timeSlots: [{ start: berlin('2026-12-01T09:00:00'), end: berlin('2026-12-01T12:00:00') }],
        },
        meetingDuration: 'PT30M',
        maxCandidates: 5,
        isOrganizerOptional: true,
        returnSuggestionReasons: true,
      }),
      headers: PREFER,
    },
  ],
];

describe('mail tools for invitations and free times', () => {
  it.each(ROWS)('%s sends one request for the input %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  const proposal = {
    event_id: ID,
    proposed_start: '2026-12-01T10:00:00',
    proposed_end: '2026-12-01T11:00:00',
  };
  it.each<[string, Record<string, unknown>, string[]]>([
    ['mail_decline_calendar_event', { ...proposal, send_response: false }, ['send_response require_value']],
    [
      'mail_decline_calendar_event',
      { event_id: ID, proposed_start: '2026-12-01T10:00:00' },
      ['proposed_end together'],
    ],
    ['mail_decline_calendar_event', { ...proposal, proposed_start: 'ten' }, ['proposed_start format']],
    [
      'mail_tentatively_accept_calendar_event',
      { event_id: ID, proposed_timezone: 'UTC' },
      ['proposed_start require'],
    ],
    ['mail_forward_calendar_event', { event_id: ID, to: ['Ada'] }, ['to[0] format']],
    [
      'mail_get_schedules',
      { email_addresses: ['ada'], ...MORNING, end_datetime: '2026-12-01T09:00:00', timezone: 'UTC"' },
      ['email_addresses[0] format', 'end_datetime minimum', 'timezone format'],
    ],
    [
      'mail_get_schedules',
      {
        email_addresses: ['ada@example.com'],
        ...MORNING,
        start_datetime: '2026-12-01T08:00:00Z',
        timezone: 'Pacific Standard Time',
      },
      ['timezone zone'],
    ],
    [
      'mail_find_meeting_times',
      { attendees: [], ...MORNING, duration_minutes: 0 },
      ['attendees min_items', 'duration_minutes minimum'],
    ],
  ])('%s refuses the input %j', async (name, input, expected) => {
    expect((await callRefusals(name, input)).toSorted()).toEqual(expected);
  });

  it.each([
    ['mail_decline_calendar_event', { event_id: ID }, { response: 'declined' }],
    ['mail_tentatively_accept_calendar_event', { event_id: ID }, { response: 'tentativelyAccepted' }],
    [
      'mail_forward_calendar_event',
      { event_id: ID, to: ['a@example.com'] },
      { sent: true, note: 'Outlook gives no id for an invitation that is sent on.' },
    ],
  ])('%s says what has happened, although Graph answers nothing', async (name, input, expected) => {
    expect((await callTool(name, input, null)).data).toEqual(expected);
  });
});

describe('tool mail_get_schedules', () => {
  const item = (start: string, end: string, status = 'busy') => ({
    status,
    start: { dateTime: `2026-12-01T${start}:00.0000000`, timeZone: 'Europe/Berlin' },
    end: { dateTime: `2026-12-01T${end}:00.0000000`, timeZone: 'Europe/Berlin' },
  });
  const time = (clock: string) => `2026-12-01T${clock}:00`;
  const of = async (...schedules: object[]) =>
    (
      await callTool(
        'mail_get_schedules',
        { email_addresses: ['a@example.com'], ...MORNING },
        { value: schedules },
      )
    ).data as { common_free?: { start: string; end: string }[] };

  it.each([
    ['nobody is busy', [[]], [['09:00', '12:00']]],
    ['one is, from before the span', [[item('08:00', '09:30')]], [['09:30', '12:00']]],
    [
      'two overlap',
      [[item('09:30', '10:30')], [item('10:00', '11:00', 'tentative')]],
      [
        ['09:00', '09:30'],
        ['11:00', '12:00'],
      ],
    ],
    ['somebody is busy until after the span', [[item('09:00', '10:00'), item('10:00', '13:00')]], []],
    ['the entries leave people free', [[item('09:00', '12:00', 'free')]], [['09:00', '12:00']]],
  ])('names the common free times where %s', async (_what, items, free) => {
    const answer = await of(
      ...items.map((scheduleItems) => ({ scheduleId: 'a@example.com', scheduleItems })),
    );
    expect(answer.common_free).toEqual(
      free.map(([start = '', end = '']) => ({ start: time(start), end: time(end) })),
    );
  });

  it.each([
    ['there is an error', { error: { message: 'not found' } }],
    ['another organization shows its view alone', { availabilityView: '2222', scheduleItems: [] }],
    ['there are no entries', { availabilityView: '0000' }],
    [
      'the entries are in another zone',
      { scheduleItems: [{ ...item('09:00', '10:00'), start: { dateTime: time('09:00'), timeZone: 'UTC' } }] },
    ],
  ])('names none where the times of somebody are unknown: %s', async (_what, schedule) => {
    const unknown = { scheduleId: 'b@example.com', ...schedule };
    expect(await of({ scheduleId: 'a@example.com', scheduleItems: [] }, unknown)).not.toHaveProperty(
      'common_free',
    );
  });
});
