/** Tools of connector mail that look at calendars: for each input the exact Graph request, and what is refused. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, get, post, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

const ID = 'AAMkAGIAAAoZDOFAAA=';
const MEMBERS =
  'id,subject,bodyPreview,start,end,isAllDay,location,organizer,attendees,responseStatus,type,seriesMasterId,isCancelled,showAs,sensitivity,categories,onlineMeeting,webLink';

/** The request of a view. */
const view = (path: string, [startDateTime, endDateTime]: [string, string], more: [string, string][] = []) =>
  get(path, [
    ['startDateTime', startDateTime],
    ['endDateTime', endDateTime],
    ['$select', MEMBERS],
    ...more.filter(([name]) => name === '$filter'),
    ['$orderby', 'start/dateTime'],
    ...more.filter(([name]) => name !== '$filter'),
  ]);

const BERLIN = { Prefer: 'outlook.timezone="Europe/Berlin"' };

describe('tool mail_list_calendar_view: requests', () => {
  it.each([
    [
      'local times of a zone, on both sides of a clock change',
      {
        start_datetime: '2026-10-24T00:00:00',
        end_datetime: '2026-10-26T00:00:00',
        timezone: 'Europe/Berlin',
      },
      ['2026-10-23T22:00:00Z', '2026-10-25T23:00:00Z'],
      BERLIN,
    ],
    [
      'dates, the last one with its whole day',
      { start_datetime: '2026-11-16', end_datetime: '2026-11-22', timezone: 'Europe/Berlin' },
      ['2026-11-15T23:00:00Z', '2026-11-22T23:00:00Z'],
      BERLIN,
    ],
    [
      'times with an offset, in a zone that only Graph knows',
      {
        start_datetime: '2026-11-16T00:00:00-08:00',
        end_datetime: '2026-11-17T00:00:00-08:00',
        timezone: 'Pacific Standard Time',
      },
      ['2026-11-16T08:00:00Z', '2026-11-17T08:00:00Z'],
      { Prefer: 'outlook.timezone="Pacific Standard Time"' },
    ],
    [
      'times without zone as UTC',
      { start_datetime: '2026-11-16T08:00', end_datetime: '2026-11-16T18:00:00.0000000' },
      ['2026-11-16T08:00:00Z', '2026-11-16T18:00:00Z'],
      {},
    ],
  ] as const)('sends as its bounds %s', async (_what, input, span, headers) => {
    const request = await requestOf('mail_list_calendar_view', input);
    expect(request).toEqual({ ...view('/v1.0/me/calendarView', [...span], [['$top', '50']]), headers });
    expectRequestMatches(description, request);
  });

  it('looks into the calendar of another person', async () => {
    const days = { start_datetime: '2026-11-16', end_datetime: '2026-11-16', timezone: 'Europe/Berlin' };
    const input = { ...days, user: 'sanna@northlight.example' };
    const request = await requestOf('mail_list_shared_calendar_view', input);
    const path = '/v1.0/users/sanna%40northlight.example/calendar/calendarView';
    const span: [string, string] = ['2026-11-15T23:00:00Z', '2026-11-16T23:00:00Z'];
    expect(request).toEqual({ ...view(path, span, [['$top', '50']]), headers: BERLIN });
    expectRequestMatches(description, request);
    expect(await callRefusals('mail_list_shared_calendar_view', { ...days, user: 'sanna' })).toEqual([
      'user format',
    ]);
  });

  it('looks into another calendar, with a filter and a page', async () => {
    const days = { start_datetime: '2026-11-16', end_datetime: '2026-11-16' };
    const input = { ...days, calendar_id: ID, filter: "contains(subject,'x y')", top: 5, skip: 10 };
    const request = await requestOf('mail_list_calendar_view', input);
    expect(request).toEqual(
      view(
        '/v1.0/me/calendars/AAMkAGIAAAoZDOFAAA%3D/calendarView',
        ['2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z'],
        [
          ['$filter', "contains(subject,'x y')"],
          ['$top', '5'],
          ['$skip', '10'],
        ],
      ),
    );
    expectRequestMatches(description, request);
  });
});

describe('tool mail_list_calendar_event_occurrences: requests', () => {
  it('asks for the occurrences of one series', async () => {
    const input = { event_id: ID, start_datetime: '2026-11-01', end_datetime: '2026-11-30' };
    const request = await requestOf('mail_list_calendar_event_occurrences', input);
    expect(request).toEqual(
      view(
        '/v1.0/me/events/AAMkAGIAAAoZDOFAAA%3D/instances',
        ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
        [['$top', '20']],
      ),
    );
    expectRequestMatches(description, request);
  });
});

describe('spans of the calendar tools', () => {
  const days = { start_datetime: '2026-11-16', end_datetime: '2026-11-17' };

  it.each([
    [
      ['end_datetime minimum'],
      { start_datetime: '2026-11-17T09:00:00', end_datetime: '2026-11-17T09:00:00' },
    ],
    [
      ['start_datetime format', 'end_datetime format'],
      { start_datetime: 'tomorrow', end_datetime: '2026-02-30' },
    ],
    [['timezone zone'], { ...days, timezone: 'Pacific Standard Time' }],
    [['timezone format'], { ...days, timezone: 'UTC", odata.maxpagesize=1' }],
    [['calendar_id path'], { ...days, calendar_id: '..' }],
    [['top maximum', 'skip type'], { ...days, top: 101, skip: '5' }],
  ])('refuse a wrong bound or place: %j', async (expected, input) => {
    const found = await callRefusals('mail_list_calendar_view', input);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(new Set(found.map((one) => one.split(' ')[0]))).toEqual(
      new Set(expected.map((one) => one.split(' ')[0])),
    );
  });
});

describe('other tools for calendars', () => {
  it.each([
    [
      'mail_list_calendars',
      { skip: 50 },
      get('/v1.0/me/calendars', [
        ['$select', 'id,name,isDefaultCalendar,canEdit,owner'],
        ['$top', '50'],
        ['$skip', '50'],
      ]),
    ],
    [
      'mail_cancel_calendar_event',
      { event_id: ID, comment: 'I am ill.' },
      post('/v1.0/me/events/AAMkAGIAAAoZDOFAAA%3D/cancel', { comment: 'I am ill.' }),
    ],
    [
      'mail_cancel_calendar_event',
      { event_id: ID },
      post('/v1.0/me/events/AAMkAGIAAAoZDOFAAA%3D/cancel', {}),
    ],
  ])('%s sends one request for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each<[string, string[], Record<string, unknown>]>([
    ['mail_list_calendars', ['top maximum'], { top: 101 }],
    ['mail_cancel_calendar_event', ['event_id required'], { comment: 'I am ill.' }],
    ['mail_cancel_calendar_event', ['event_id path'], { event_id: '..' }],
    [
      'mail_list_calendar_event_occurrences',
      ['event_id required', 'start_datetime required', 'end_datetime required'],
      {},
    ],
    [
      'mail_list_calendar_event_occurrences',
      ['end_datetime minimum', 'event_id path'],
      { event_id: '..', start_datetime: '2026-11-17', end_datetime: '2026-11-16' },
    ],
  ])('%s refuses with %j before anything is sent', async (name, expected, input) => {
    expect(await callRefusals(name, input)).toEqual(expected);
  });
});
