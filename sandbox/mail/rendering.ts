/** Writes events as the provider does: with every member, and with times in the requested zone. Pure. */
import type { Member } from '../oauth/provider.ts';
import { changeKeyOf, etagOf } from './calendar.ts';
import { NO_TIME, type Attendee, type CalendarEvent, type EventTime, type Place } from './model.ts';
import { inZone } from './zones.ts';

/** An event, a message or another record in the form of answers. */
export type Rendered = Readonly<Record<string, unknown>>;

/** Preferences of a request. */
export interface Preferences {
  /** Zone of start and end, and its name in the answer. */
  timeZone: string;
  bodyType: 'text' | 'html';
}

const PREVIEW_CHARACTERS = 255;

/** Reads the `Prefer` header; the defaults are UTC and HTML. */
export function readPreferences(prefer: string | undefined): Preferences {
  const timeZone = /outlook\.timezone\s*=\s*"([^"]+)"/i.exec(prefer ?? '')?.[1] ?? 'UTC';
  const isText = /outlook\.body-content-type\s*=\s*"?text"?/i.test(prefer ?? '');
  return { timeZone, bodyType: isText ? 'text' : 'html' };
}

/** Returns the whole event. */
export function renderEvent(event: CalendarEvent, owner: Member, preferences: Preferences): Rendered {
  const { timeZone } = preferences;
  const text = textOf(event.body);
  return {
    '@odata.etag': etagOf(event),
    id: event.id,
    createdDateTime: timestamp(event.createdAt),
    lastModifiedDateTime: timestamp(event.changedAt),
    changeKey: changeKeyOf(event),
    categories: event.categories,
    transactionId: event.transactionId,
    originalStartTimeZone: event.start.timeZone,
    originalEndTimeZone: event.end.timeZone,
    iCalUId: event.iCalUId,
    reminderMinutesBeforeStart: event.reminderMinutesBeforeStart,
    isReminderOn: event.isReminderOn,
    hasAttachments: false,
    subject: event.subject,
    bodyPreview: text.slice(0, PREVIEW_CHARACTERS),
    importance: event.importance,
    sensitivity: event.sensitivity,
    isAllDay: event.isAllDay,
    isCancelled: false,
    isOrganizer: event.organizer === null,
    responseRequested: event.responseRequested,
    seriesMasterId: event.occurrence?.seriesId ?? null,
    showAs: event.showAs,
    type: typeOf(event),
    webLink: `https://outlook.office365.com/owa/?itemid=${encodeURIComponent(event.id)}&exvsurl=1&path=/calendar/item`,
    onlineMeetingUrl: null,
    isOnlineMeeting: event.isOnlineMeeting,
    onlineMeetingProvider: event.onlineMeetingProvider,
    allowNewTimeProposals: event.allowNewTimeProposals,
    isDraft: false,
    hideAttendees: event.hideAttendees,
    responseStatus: { response: event.response, time: NO_TIME },
    body: renderBody(event.body, preferences),
    start: event.isAllDay ? floating(event.start, timeZone) : inZone(event.start, timeZone),
    end: event.isAllDay ? floating(event.end, timeZone) : inZone(event.end, timeZone),
    location: renderPlace(event.location),
    locations: event.locations.map(renderPlace),
    recurrence: event.recurrence,
    attendees: event.attendees.map(renderAttendee),
    organizer: { emailAddress: event.organizer ?? { name: owner.name, address: owner.email } },
    onlineMeeting: event.isOnlineMeeting
      ? { joinUrl: `https://teams.microsoft.com/l/meetup-join/${event.iCalUId}` }
      : null,
  };
}

function typeOf({ occurrence, recurrence }: CalendarEvent): string {
  if (occurrence !== null) return occurrence.isChanged ? 'exception' : 'occurrence';
  return recurrence === null ? 'singleInstance' : 'seriesMaster';
}

/** A whole day is the same day in every zone. */
function floating({ dateTime }: EventTime, timeZone: string): EventTime {
  return { dateTime: `${dateTime.slice(0, 10)}T00:00:00.0000000`, timeZone };
}

function renderAttendee({ type, status, emailAddress: { name, address } }: Attendee): object {
  return { type, status, emailAddress: { name, address } };
}

function renderPlace(place: Place): object {
  const name = place.displayName ?? '';
  if (name === '') return { displayName: '', locationType: 'default', uniqueIdType: 'unknown', ...place };
  return { locationType: 'default', uniqueId: name, uniqueIdType: 'private', ...place };
}

function htmlOf({ contentType, content }: CalendarEvent['body']): object {
  const html =
    contentType === 'html'
      ? content
      : content
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('\n', '<br>\r\n');
  const isWhole = html === '' || /<html/i.test(html);
  return {
    contentType: 'html',
    content: isWhole ? html : `<html><head></head><body>\r\n${html}\r\n</body></html>`,
  };
}

/** A body as text. */
export function textOf({ contentType, content }: CalendarEvent['body']): string {
  if (contentType === 'text') return content;
  return content
    .replaceAll(/<br\s*\/?>|<\/p>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

/** The body of an event or a message in the preferred form. */
export function renderBody(body: CalendarEvent['body'], { bodyType }: Pick<Preferences, 'bodyType'>): object {
  return bodyType === 'text' ? { contentType: 'text', content: textOf(body) } : htmlOf(body);
}

/** Seven fractional digits, as the provider writes them. */
function timestamp(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('Z', '0000Z');
}
