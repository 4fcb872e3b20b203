/** Connector mail: for each input the exact Graph request, held against Graph's own description too. */
import { describe, expect, it } from 'vitest';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, del, get, patch, post, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

const ID = 'AAMkAGIAAAoZDOFAAA=';
const UTC_TIMES = {
  start_datetime: '2026-12-01T09:00:00',
  start_timezone: 'UTC',
  end_datetime: '2026-12-01T10:00:00',
  end_timezone: 'UTC',
};
const NEW = { subject: 'Review', ...UTC_TIMES };
const UTC_BODY = {
  start: { dateTime: '2026-12-01T09:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-12-01T10:00:00', timeZone: 'UTC' },
};
const NEW_BODY = { subject: 'Review', ...UTC_BODY };

const event = (extra: object) => post('/v1.0/me/events', { ...NEW_BODY, ...extra });
const change = (body: object) => patch('/v1.0/me/events/AAMkAGIAAAoZDOFAAA%3D', body);

describe('tool mail_create_calendar_event: requests', () => {
  it.each([
    [{}, {}],
    [{ body_content: 'Hello' }, { body: { contentType: 'text', content: 'Hello' } }],
    [
      { body_content: '<p>Hello</p>', body_contentType: 'html' },
      { body: { contentType: 'html', content: '<p>Hello</p>' } },
    ],
    [{ location: 'Room 1' }, { location: { displayName: 'Room 1' } }],
    [
      {
        locations:
          '[{"displayName":"Room 1","address":{"street":"Main St 1","city":"Berlin","state":"BE","countryOrRegion":"Germany","postalCode":"10115"},"coordinates":{"latitude":52.5,"longitude":13.4}},{"displayName":"Online","locationType":"default"}]',
      },
      {
        locations: [
          {
            displayName: 'Room 1',
            address: {
              street: 'Main St 1',
              city: 'Berlin',
              state: 'BE',
              countryOrRegion: 'Germany',
              postalCode: '10115',
            },
            coordinates: { latitude: 52.5, longitude: 13.4 },
          },
          { displayName: 'Online', locationType: 'default' },
        ],
      },
    ],
    [
      { location: 'Room 1', locations: '[]' },
      { location: { displayName: 'Room 1' }, locations: [] },
    ],
    [
      {
        attendees_required: 'ada@example.com, bob@example.com ,',
        attendees_optional: '["eve@example.com", " mallory@example.com"]',
        attendees_resource: 'Lab <room-1@example.com>',
      },
      {
        attendees: [
          { emailAddress: { address: 'ada@example.com' }, type: 'required' },
          { emailAddress: { address: 'bob@example.com' }, type: 'required' },
          { emailAddress: { address: 'eve@example.com' }, type: 'optional' },
          { emailAddress: { address: 'mallory@example.com' }, type: 'optional' },
          { emailAddress: { address: 'room-1@example.com', name: 'Lab' }, type: 'resource' },
        ],
      },
    ],
    [
      { attendees_required: '["\\"Lovelace, Ada\\" <ada@example.com>"]' },
      {
        attendees: [
          { emailAddress: { address: 'ada@example.com', name: 'Lovelace, Ada' }, type: 'required' },
        ],
      },
    ],
    [{ attendees_required: '' }, { attendees: [] }],
    [
      {
        attendees_required: ['ada@example.com', '"Lovelace, Ada" <a.l@example.com>', ' '],
        attendees_optional: [],
      },
      {
        attendees: [
          { emailAddress: { address: 'ada@example.com' }, type: 'required' },
          { emailAddress: { address: 'a.l@example.com', name: 'Lovelace, Ada' }, type: 'required' },
        ],
      },
    ],
    [
      { hideAttendees: true, importance: 'high', sensitivity: 'private', showAs: 'workingElsewhere' },
      { hideAttendees: true, importance: 'high', sensitivity: 'private', showAs: 'workingElsewhere' },
    ],
    [
      { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' },
      { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' },
    ],
    [
      { isReminderOn: false, reminderMinutesBeforeStart: 0, hideAttendees: false, isOnlineMeeting: false },
      { isReminderOn: false, reminderMinutesBeforeStart: 0, hideAttendees: false, isOnlineMeeting: false },
    ],
    [{ isAllDay: false }, { isAllDay: false }],
  ])('sends the event for the input %j', async (input, extra) => {
    const request = await requestOf('mail_create_calendar_event', { ...NEW, ...input });
    expect(request).toEqual(event(extra));
    expectRequestMatches(description, request);
  });
});

describe('tool mail_create_calendar_event: times', () => {
  it.each([
    // As it is: local time of the zone, whatever its name.
    ['2026-12-01T09:00:00', 'Pacific Standard Time', '2026-12-01T09:00:00', 'Pacific Standard Time'],
    ['2026-12-01T09:00', 'America/Los_Angeles', '2026-12-01T09:00:00', 'America/Los_Angeles'],
    ['2026-12-01T09:00:00.1234567', 'UTC', '2026-12-01T09:00:00.1234567', 'UTC'],
    ['2026-12-01T09:00:00.123456789', 'UTC', '2026-12-01T09:00:00.1234567', 'UTC'],
    // An offset: the instant in the zone, summer and winter.
    ['2026-12-01T17:00:00Z', 'UTC', '2026-12-01T17:00:00', 'UTC'],
    ['2026-12-01T17:00:00+01:00', 'UTC', '2026-12-01T16:00:00', 'UTC'],
    ['2026-12-01T17:00:00Z', 'Europe/Berlin', '2026-12-01T18:00:00', 'Europe/Berlin'],
    ['2026-07-01T17:00:00Z', 'Europe/Berlin', '2026-07-01T19:00:00', 'Europe/Berlin'],
    ['2026-12-31T23:30:00.5-05:00', 'Asia/Kolkata', '2027-01-01T10:00:00.5', 'Asia/Kolkata'],
    ['2026-12-01T00:00:00+09:00', 'Asia/Tokyo', '2026-12-01T00:00:00', 'Asia/Tokyo'],
    // A zone that only Graph knows, or none that is one: UTC.
    ['2026-12-01T09:00:00+01:00', 'W. Europe Standard Time', '2026-12-01T08:00:00', 'UTC'],
    ['2026-12-01T09:00:00+01:00', '+01:00', '2026-12-01T08:00:00', 'UTC'],
  ])('%s in %s is sent as %s in %s', async (start_datetime, start_timezone, dateTime, timeZone) => {
    const input = {
      subject: 'Review',
      start_datetime,
      start_timezone,
      end_datetime: '2027-06-01T00:00:00',
      end_timezone: 'Asia/Dubai',
    };
    const request = await requestOf('mail_create_calendar_event', input);
    expect((request.body as { start: unknown }).start).toEqual({ dateTime, timeZone });
    expectRequestMatches(description, request);
  });

  it.each([
    ['2026-12-01', '2026-12-03', 'Europe/Berlin'],
    ['2026-12-01T00:00:00', '2026-12-02T00:00:00.000', 'UTC'],
    ['2026-12-01T00:00:00+01:00', '2026-12-02T00:00:00+01:00', 'Europe/Berlin'],
  ])('sends whole days from %s to %s', async (start_datetime, end_datetime, zone) => {
    const input = { start_datetime, end_datetime, start_timezone: zone, end_timezone: zone, isAllDay: true };
    const { body } = await requestOf('mail_create_calendar_event', { subject: 'Off', ...input });
    expect(body).toMatchObject({
      isAllDay: true,
      start: { dateTime: '2026-12-01T00:00:00', timeZone: zone },
      end: { timeZone: zone },
    });
  });
});

describe('tool mail_create_calendar_event: invalid input', () => {
  it.each([
    [
      [
        'subject required',
        'start_datetime required',
        'start_timezone required',
        'end_datetime required',
        'end_timezone required',
      ],
      {},
    ],
    [
      ['start_timezone min_length', 'end_timezone min_length'],
      { ...NEW, start_timezone: '', end_timezone: '' },
    ],
    [['body_contentType enum'], { ...NEW, body_content: 'x', body_contentType: 'markdown' }],
    [['body_content require'], { ...NEW, body_contentType: 'html' }],
    [
      ['importance enum', 'sensitivity enum', 'showAs enum', 'onlineMeetingProvider enum'],
      { ...NEW, importance: 'urgent', sensitivity: 'secret', showAs: 'away', onlineMeetingProvider: 'zoom' },
    ],
    [
      ['hideAttendees type', 'isAllDay type', 'isOnlineMeeting type', 'isReminderOn type'],
      { ...NEW, hideAttendees: 'yes', isAllDay: 1, isOnlineMeeting: 'true', isReminderOn: null },
    ],
    [['reminderMinutesBeforeStart minimum'], { ...NEW, reminderMinutesBeforeStart: -1 }],
    [['reminderMinutesBeforeStart type'], { ...NEW, reminderMinutesBeforeStart: 1.5 }],
    [['attendees_required type'], { ...NEW, attendees_required: ['ada@example.com', 7] }],
    [['attendees_optional type'], { ...NEW, attendees_optional: [['ada@example.com']] }],
    [['attendees_resource type'], { ...NEW, attendees_resource: { 0: 'ada@example.com' } }],
    [['categories unknown'], { ...NEW, categories: ['Red'] }],
    [['subject type'], { ...NEW, subject: ['Review'] }],
    [['attendees_required max_length'], { ...NEW, attendees_required: ['x'.repeat(100_000)] }],
    [['categories unknown'], { ...NEW, categories: 'Red' }],
    [['recurrence_type require'], { ...NEW, recurrence_interval: 2 }],
    [['recurrence_type require'], { ...NEW, recurrence_days_of_week: 'monday' }],
    [['recurrence_type require'], { ...NEW, recurrence_range_type: 'noEnd' }],
    [['recurrence_type require'], { ...NEW, recurrence_start_date: '2026-12-01' }],
    [['recurrence_type require'], { ...NEW, recurrence_end_date: '2026-12-31' }],
    [['recurrence_type require'], { ...NEW, recurrence_occurrences: 3 }],
    [
      ['recurrence_end_date require'],
      { ...NEW, recurrence_type: 'daily', recurrence_range_type: 'endDate', recurrence_occurrences: 3 },
    ],
    [
      ['recurrence_occurrences require'],
      { ...NEW, recurrence_type: 'daily', recurrence_range_type: 'numbered' },
    ],
    [
      ['recurrence_type enum', 'recurrence_range_type enum'],
      { ...NEW, recurrence_type: 'hourly', recurrence_range_type: 'forever' },
    ],
    [
      ['recurrence_interval minimum', 'recurrence_occurrences minimum'],
      { ...NEW, recurrence_type: 'daily', recurrence_interval: 0, recurrence_occurrences: 0 },
    ],
    [
      ['recurrence_start_date format', 'recurrence_end_date format'],
      {
        ...NEW,
        recurrence_type: 'daily',
        recurrence_start_date: '2026-12-1',
        recurrence_end_date: '2027-02-30',
      },
    ],
  ])('reports the violations %j: %j', (expected, input) => {
    expect(refusals('mail_create_calendar_event', input)).toEqual(expected);
  });

  it.each([
    [['start_datetime format'], { start_datetime: 'tomorrow at nine' }],
    [['start_datetime format'], { start_datetime: '2027-02-29T09:00:00' }],
    [['start_datetime format'], { start_datetime: '2026-12-01T24:00:00' }],
    [['start_datetime format'], { start_datetime: '2026-12-01 09:00:00' }],
    [['start_datetime format'], { start_datetime: '2026-12-01' }],
    [['start_datetime format'], { start_datetime: '0001-01-01T00:00:00+14:00' }],
    [['end_datetime format'], { end_datetime: '2026-12-01T10:00:00+25:00' }],
    [['end_datetime minimum'], { end_datetime: '2026-12-01T08:59:59' }],
    [
      ['start_datetime all_day', 'end_datetime all_day'],
      { isAllDay: true, end_datetime: '2026-12-02T10:00:00' },
    ],
    [['end_datetime all_day'], { isAllDay: true, start_datetime: '2026-12-01', end_datetime: '2026-12-01' }],
    [
      ['end_timezone all_day'],
      {
        isAllDay: true,
        start_datetime: '2026-12-01',
        end_datetime: '2026-12-02',
        end_timezone: 'Europe/Berlin',
      },
    ],
    [['attendees_required format'], { attendees_required: 'ada@example.com; bob@example.com' }],
    [['attendees_required format'], { attendees_required: ['ada@example.com', 'bob'] }],
    [['attendees_required format'], { attendees_required: ['\ud800@example.com'] }],
    [['attendees_required format'], { attendees_required: ['a\u0000@example.com'] }],
    [['attendees_optional format'], { attendees_optional: String.raw`["a\u0000@example.com"]` }],
    [
      ['attendees_required format', 'attendees_optional format', 'attendees_resource format'],
      {
        attendees_required: 'Lovelace, ada@example.com',
        attendees_optional: '["bob@example.com"',
        attendees_resource: '[1]',
      },
    ],
    [['locations json'], { locations: 'Room 1' }],
    [['locations json'], { locations: '{"displayName": "Room 1"}' }],
    [['locations[0] type'], { locations: '["Room 1"]' }],
    [['locations[1] type'], { locations: '[{}, null]' }],
    [['locations[0].name unknown'], { locations: '[{"name": "Room 1"}]' }],
    [['locations[0].constructor unknown'], { locations: '[{"constructor": "Room 1"}]' }],
    [['locations[0].__proto__ key'], { locations: '[{"__proto__": {"a": 1}}]' }],
    [
      [
        'locations[0].displayName type',
        'locations[0].address.street type',
        'locations[0].coordinates.latitude type',
        'locations[0].locationType enum',
      ],
      {
        locations:
          '[{"displayName": 1, "address": {"street": 1}, "coordinates": {"latitude": "1"}, "locationType": "moon"}]',
      },
    ],
    [
      ['start_datetime format', 'locations json', 'attendees_required format'],
      { start_datetime: 'x', locations: 'x', attendees_required: 'x' },
    ],
  ])('reports from the handler the violations %j: %j', async (expected, input) => {
    expect(await callRefusals('mail_create_calendar_event', { ...NEW, ...input })).toEqual(expected);
  });
});

describe('tool mail_update_calendar_event: requests', () => {
  it.each([
    [{ subject: 'New title' }, { subject: 'New title' }],
    [{ subject: '' }, { subject: '' }],
    [{ isReminderOn: false }, { isReminderOn: false }],
    [
      { start_datetime: '2026-12-01T17:00:00Z', start_timezone: 'UTC' },
      { start: { dateTime: '2026-12-01T17:00:00', timeZone: 'UTC' } },
    ],
    [
      { start_datetime: '2026-12-01T17:00:00+02:00' },
      { start: { dateTime: '2026-12-01T15:00:00', timeZone: 'UTC' } },
    ],
    [
      {
        start_datetime: '2026-12-01T09:00:00+01:00',
        start_timezone: 'Europe/Berlin',
        end_datetime: '2026-12-01T04:00:00-05:00',
        end_timezone: 'Europe/Berlin',
      },
      {
        start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Berlin' },
      },
    ],
    [
      { isAllDay: true, start_datetime: '2026-12-01', end_datetime: '2026-12-02' },
      {
        isAllDay: true,
        start: { dateTime: '2026-12-01T00:00:00', timeZone: 'UTC' },
        end: { dateTime: '2026-12-02T00:00:00', timeZone: 'UTC' },
      },
    ],
    [
      { start_datetime: '2026-12-01T09:00:00.0000000', start_timezone: 'Pacific Standard Time' },
      { start: { dateTime: '2026-12-01T09:00:00.0000000', timeZone: 'Pacific Standard Time' } },
    ],
    [
      { attendees_required: 'ada@example.com' },
      { attendees: [{ emailAddress: { address: 'ada@example.com' }, type: 'required' }] },
    ],
    [{ attendees_required: '', attendees_optional: '' }, { attendees: [] }],
    [{ attendees_required: [], attendees_optional: [] }, { attendees: [] }],
    [{ categories: 'Red category, Travel ,' }, { categories: ['Red category', 'Travel'] }],
    [{ categories: '["A, B"]' }, { categories: ['A, B'] }],
    [{ categories: '' }, { categories: [] }],
    [{ body_content: 'New' }, { body: { contentType: 'text', content: 'New' } }],
    [
      { location: 'Room 2', locations: '[{"displayName":"Room 2"}]' },
      { location: { displayName: 'Room 2' }, locations: [{ displayName: 'Room 2' }] },
    ],
    [
      { recurrence_type: 'daily', recurrence_start_date: '2026-12-01', recurrence_occurrences: 3 },
      {
        recurrence: {
          pattern: { type: 'daily', interval: 1 },
          range: { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 3 },
        },
      },
    ],
  ])('sends the change for the input %j', async (input, body) => {
    const request = await requestOf('mail_update_calendar_event', { event_id: ID, ...input });
    expect(request).toEqual(change(body));
    expectRequestMatches(description, request);
  });
});

describe('tool mail_update_calendar_event: invalid input', () => {
  it.each([
    [['event_id required'], { subject: 'x' }],
    [['event_id min_length'], { event_id: '', subject: 'x' }],
    [['event_id path'], { event_id: '..', subject: 'x' }],
    [['event_id path'], { event_id: 'a/../b', subject: 'x' }],
    [['start_datetime require'], { event_id: ID, start_timezone: 'UTC' }],
    [['end_datetime require'], { event_id: ID, end_timezone: 'UTC' }],
    [
      ['start_datetime format', 'end_datetime format'],
      { event_id: ID, start_datetime: '2026-12-01T09:00:00', end_datetime: '2026-12-01' },
    ],
    [['body_content require'], { event_id: ID, body_contentType: 'html' }],
    [['recurrence_type require'], { event_id: ID, recurrence_interval: 2 }],
    [
      ['recurrence_end_date require'],
      { event_id: ID, recurrence_type: 'daily', recurrence_range_type: 'endDate' },
    ],
    [
      ['recurrence_occurrences require'],
      { event_id: ID, recurrence_type: 'daily', recurrence_range_type: 'numbered' },
    ],
    [['recurrence_start_date format'], { event_id: ID, recurrence_type: 'daily', recurrence_start_date: '' }],
  ])('reports the violations %j: %j', async (expected, input) => {
    expect(await callRefusals('mail_update_calendar_event', input)).toEqual(expected);
  });

  it.each([
    [[' require'], {}],
    [['recurrence_start_date require'], { recurrence_type: 'daily' }],
    [['categories format'], { categories: '[1]' }],
    [['attendees_optional format'], { attendees_optional: 'x' }],
    [
      ['start_timezone zone'],
      {
        recurrence_type: 'weekly',
        start_datetime: '2026-12-01T00:30:00+01:00',
        start_timezone: 'W. Europe Standard Time',
      },
    ],
    [
      ['start_datetime all_day'],
      { isAllDay: true, start_datetime: '2026-12-01T00:00:00+01:00', start_timezone: 'UTC' },
    ],
  ])('reports from the handler the violations %j: %j', async (expected, input) => {
    expect(await callRefusals('mail_update_calendar_event', { event_id: ID, ...input })).toEqual(expected);
  });
});

describe('mail tools for one event', () => {
  it.each([
    ['mail_get_calendar_event', { event_id: 'AAMk' }, get('/v1.0/me/events/AAMk')],
    ['mail_get_calendar_event', { event_id: 'AA/k+g=' }, get('/v1.0/me/events/AA%2Fk%2Bg%3D')],
    ['mail_delete_calendar_event', { event_id: 'AAMk' }, del('/v1.0/me/events/AAMk')],
    ['mail_delete_calendar_event', { event_id: 'a?b#c' }, del('/v1.0/me/events/a%3Fb%23c')],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each([
    ['mail_get_calendar_event', ['event_id required'], {}],
    ['mail_get_calendar_event', ['event_id path'], { event_id: '.' }],
    ['mail_get_calendar_event', ['event_id type'], { event_id: 7 }],
    ['mail_delete_calendar_event', ['event_id required'], {}],
    ['mail_delete_calendar_event', ['event_id path'], { event_id: '..' }],
    ['mail_delete_calendar_event', ['event_id path'], { event_id: 'x/../../users' }],
    ['mail_delete_calendar_event', ['event_id max_length'], { event_id: 'x'.repeat(1001) }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it('return null for a successful deletion', async () => {
    const { data } = await callTool('mail_delete_calendar_event', { event_id: 'AAMk' }, null);
    expect(data).toBeNull();
  });
});

describe('tool mail_list_calendar_events: requests', () => {
  it.each([
    [{}, []],
    [
      { top: 50, skip: 0 },
      [
        ['$skip', '0'],
        ['$top', '50'],
      ],
    ],
    [
      {
        filter: "start/dateTime ge '2026-12-01T00:00:00' and contains(subject,'O''Neil')",
        orderby: 'start/dateTime desc',
        select: 'subject,start,end',
      },
      [
        ['$filter', "start/dateTime ge '2026-12-01T00:00:00' and contains(subject,'O''Neil')"],
        ['$orderby', 'start/dateTime desc'],
        ['$select', 'subject,start,end'],
      ],
    ],
    [{ skip: 10 }, [['$skip', '10']]],
    [{ top: 1 }, [['$top', '1']]],
  ])('sends the query for the input %j', async (input, query) => {
    const request = await requestOf('mail_list_calendar_events', input);
    expect(request).toEqual(get('/v1.0/me/events', query as [string, string][]));
    expectRequestMatches(description, request);
  });

  it.each([
    [['skip minimum', 'top minimum'], { top: 0, skip: -1 }],
    [['top maximum'], { top: 1001 }],
    [['skip type', 'top type'], { skip: '1', top: true }],
    [
      ['filter min_length', 'orderby min_length', 'select min_length'],
      { filter: '', orderby: '', select: '' },
    ],
    [['$top unknown'], { $top: 5 }],
  ])('reports the violations %j', (expected, input) => {
    expect(refusals('mail_list_calendar_events', input)).toEqual(expected);
  });

  it('refuses numbers that are not integers', async () => {
    expect(await callRefusals('mail_list_calendar_events', { top: 1.5, skip: 0.1 })).toEqual([
      'skip type',
      'top type',
    ]);
  });
});
