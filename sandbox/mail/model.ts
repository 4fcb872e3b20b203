/** People and things of the stand-in calendar. */
import { createHash } from 'node:crypto';
import type { Member } from '../oauth/provider.ts';

/** Organization of all members. */
export const ORGANIZATION = 'Northlight Supply';

/** People who can sign in; each has a calendar of their own. */
export const MEMBERS: readonly Member[] = [
  { id: 'robin', name: 'Robin Vale', email: 'robin@northlight.example' },
  { id: 'sanna', name: 'Sanna Holm', email: 'sanna@northlight.example' },
  { id: 'teo', name: 'Teo Marsh', email: 'teo@northlight.example' },
];

/** People whose calendars and mailboxes others may open, by the id of the owner. */
export const SHARED_WITH: Readonly<Record<string, readonly string[]>> = { sanna: ['robin', 'teo'] };

/** Wall time and its zone, as named by the request. */
export interface EventTime {
  /** `YYYY-MM-DDTHH:MM:SS`, optionally with a fraction. */
  dateTime: string;
  /** IANA or Windows name. */
  timeZone: string;
}

export interface Attendee {
  emailAddress: { address: string; name: string };
  type: 'required' | 'optional' | 'resource';
  status: { response: 'none' | 'accepted' | 'declined' | 'tentativelyAccepted'; time: string };
}

/** Members of a place are passed on unchanged. */
export type Place = Readonly<Record<string, unknown>> & { displayName?: string | null | undefined };

export interface Recurrence {
  pattern: {
    type: string;
    interval: number;
    month: number;
    dayOfMonth: number;
    daysOfWeek: readonly string[];
    firstDayOfWeek: string;
    index: string;
  };
  range: {
    type: string;
    startDate: string;
    endDate: string;
    recurrenceTimeZone: string;
    numberOfOccurrences: number;
  };
}

/** A person or mailbox in an event or a message. */
export interface Address {
  address: string;
  name: string;
}

/** Answer of the owner of a calendar to an event; `organizer` for an event of their own. */
export type OwnResponse = 'organizer' | 'notResponded' | 'accepted' | 'declined' | 'tentativelyAccepted';

/** An event as stored: the members that requests can set, and those that the provider adds. */
export interface CalendarEvent {
  id: string;
  iCalUId: string;
  /** Incremented by every change. */
  version: number;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  changedAt: number;
  subject: string;
  body: { contentType: 'text' | 'html'; content: string };
  start: EventTime;
  end: EventTime;
  location: Place;
  locations: readonly Place[];
  attendees: readonly Attendee[];
  categories: readonly string[];
  importance: string;
  sensitivity: string;
  showAs: string;
  isAllDay: boolean;
  isReminderOn: boolean;
  reminderMinutesBeforeStart: number;
  responseRequested: boolean;
  allowNewTimeProposals: boolean;
  hideAttendees: boolean;
  isOnlineMeeting: boolean;
  onlineMeetingProvider: string;
  transactionId: string | null;
  recurrence: Recurrence | null;
  /** The organizer who invited the owner; null for an event of the owner's own. */
  organizer: Address | null;
  response: OwnResponse;
  /** For one occurrence of a series: the id of the series, and the day on which it would be unchanged. */
  occurrence: { seriesId: string; day: string; isChanged: boolean } | null;
}

/** The provider's way to write "never" as a time. */
export const NO_TIME = '0001-01-01T00:00:00Z';

/** Id of a person's only calendar. */
export function calendarId(owner: Member): string {
  return eventId(`calendar:${owner.id}`);
}

/**
 * Long, opaque, and with characters that a path has to escape, like real ids. The same key gives the same id.
 */
export function eventId(key: string): string {
  const bytes = createHash('sha512').update(`event:${key}`).digest();
  return `AAMkAGI2TG9/${bytes.toString('base64')}`;
}
