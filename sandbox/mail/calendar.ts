/** The calendar of one person: events by id, and the rules for creating and changing them. */
import type { Clock } from '../../src/core/clock.ts';
import type { Member } from '../oauth/provider.ts';
import type { EventChange } from './event-shape.ts';
import {
  eventId,
  NO_TIME,
  type Address,
  type CalendarEvent,
  type EventTime,
  type OwnResponse,
  type Place,
  type Recurrence,
} from './model.ts';
import { neighborsOf, occurrenceOf, occurrencesBetween } from './occurrences.ts';
import { readRecurrence } from './recurrence.ts';
import { badRequest, invalidProperty, itemNotFound, MailRefusal } from './refusal.ts';
import { instantOf, zoneNamed } from './zones.ts';

const DAY_MS = 86_400_000;

/** The only kind of online meeting that these calendars allow. */
const MEETING_PROVIDER = 'teamsForBusiness';

/** One person's events. */
export class Calendar {
  readonly owner: Member;
  readonly #clock: Clock;
  readonly #events = new Map<string, CalendarEvent>();
  /** Occurrences that differ from their series, by id; null for those that were removed. */
  readonly #changed = new Map<string, CalendarEvent | null>();
  /** Series and day by the id of an occurrence, for all that were ever given out. */
  readonly #days = new Map<string, { seriesId: string; day: string }>();
  #made = 0;

  constructor(owner: Member, clock: Clock) {
    this.owner = owner;
    this.#clock = clock;
  }

  /** Oldest first. */
  all(): CalendarEvent[] {
    return [...this.#events.values()];
  }

  /** @throws MailRefusal 404 */
  get(id: string): CalendarEvent {
    const event = this.#events.get(id) ?? this.#occurrence(id);
    if (event === undefined) throw itemNotFound();
    return event;
  }

  /** Single events and occurrences of series that touch a span, by start. @param from, to Unix milliseconds */
  between(from: number, to: number): CalendarEvent[] {
    const found = this.all().flatMap((event) =>
      event.recurrence === null
        ? [event].filter((one) => touches(one, from, to))
        : this.instances(event.id, from, to),
    );
    return found.toSorted((one, other) => instantOf(one.start) - instantOf(other.start));
  }

  /** Occurrences of a series that touch a span. @throws MailRefusal 404; 400 for an event that is no series */
  instances(id: string, from: number, to: number): CalendarEvent[] {
    const series = this.get(id);
    if (series.recurrence === null)
      throw badRequest('Your request can only be applied to a series master.', 'ErrorInvalidRequest');
    return occurrencesBetween(series, from, to).flatMap((unchanged) => {
      const { occurrence } = unchanged;
      if (occurrence !== null) this.#days.set(unchanged.id, occurrence);
      const event = this.#changed.get(unchanged.id) ?? unchanged;
      return this.#changed.get(unchanged.id) === null || !touches(event, from, to) ? [] : [event];
    });
  }

  #occurrence(id: string): CalendarEvent | undefined {
    const changed = this.#changed.get(id);
    const { seriesId = '', day = '' } = this.#days.get(id) ?? {};
    const series = this.#events.get(seriesId);
    if (changed === null || series === undefined) return undefined;
    return changed ?? occurrenceOf(series, day);
  }

  /** An event to which somebody else invites the owner. @throws MailRefusal 400 */
  invite(change: EventChange, organizer: Address): CalendarEvent {
    const event: CalendarEvent = { ...this.create(change), organizer, response: 'notResponded' };
    this.#events.set(event.id, event);
    return event;
  }

  /** Answers an invitation; a declined event leaves the calendar. @throws MailRefusal 404; 400 for an own event */
  respond(id: string, response: OwnResponse): void {
    const event = this.get(id);
    if (event.organizer === null)
      throw badRequest(
        "Your request can't be completed. You can't respond to this meeting because you're the meeting organizer.",
        'ErrorInvalidRequest',
      );
    if (response === 'declined') return this.remove(id);
    const after = { ...event, response };
    if (event.occurrence === null) this.#events.set(id, after);
    else this.#changed.set(id, after);
  }

  /** A create with a known transaction id returns the existing event. @throws MailRefusal 400 */
  create(change: EventChange): CalendarEvent {
    const { start, end, transactionId } = change;
    const known = this.all().find((event) => event.transactionId === transactionId);
    if (transactionId !== undefined && known !== undefined) return known;
    if (start === undefined || end === undefined)
      throw invalidProperty('At least one property failed validation: start and end are required.');
    this.#made += 1;
    const key = `${this.owner.id}:${this.#made}`;
    const now = this.#clock.now();
    const blank: CalendarEvent = {
      id: eventId(key),
      iCalUId: `040000008200E00074C5B7101A82E008${Buffer.from(key).toString('hex').toUpperCase()}`,
      version: 0,
      createdAt: now,
      changedAt: now,
      subject: '',
      body: { contentType: 'html', content: '' },
      start: readTime(start),
      end: readTime(end),
      location: { displayName: '' },
      locations: [],
      attendees: [],
      categories: [],
      importance: 'normal',
      sensitivity: 'normal',
      showAs: change.isAllDay === true ? 'free' : 'busy',
      isAllDay: false,
      isReminderOn: true,
      reminderMinutesBeforeStart: change.isAllDay === true ? 1080 : 15,
      responseRequested: true,
      allowNewTimeProposals: true,
      hideAttendees: false,
      isOnlineMeeting: false,
      onlineMeetingProvider: 'unknown',
      transactionId: transactionId ?? null,
      recurrence: null,
      organizer: null,
      response: 'organizer',
      occurrence: null,
    };
    return this.#keep(blank, change);
  }

  /** @param ifMatch version that the caller has seen. @throws MailRefusal 400, 404, 412 */
  update(id: string, change: EventChange, ifMatch?: string): CalendarEvent {
    const event = this.get(id);
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etagOf(event))
      throw new MailRefusal(
        412,
        'ErrorIrresolvableConflict',
        'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
      );
    return this.#keep(event, change);
  }

  /** @throws MailRefusal 404 */
  remove(id: string): void {
    const { occurrence } = this.get(id);
    if (occurrence === null) this.#events.delete(id);
    else this.#changed.set(id, null);
  }

  /** Cancels an event of the owner's own. @throws MailRefusal 404; 400 for an event that somebody else organizes */
  cancel(id: string): void {
    if (this.get(id).organizer !== null)
      throw badRequest(
        "Your request can't be completed. You need to be an organizer to cancel a meeting.",
        'ErrorAccessDenied',
      );
    this.remove(id);
  }

  /** A changed occurrence, which stays between its neighbors. @throws MailRefusal 400 */
  #moved(event: CalendarEvent, { seriesId, day }: NonNullable<CalendarEvent['occurrence']>): CalendarEvent {
    const series = this.#events.get(seriesId);
    const { before = '', after = '9999-12-31' } = series === undefined ? {} : neighborsOf(series, day);
    const start = event.start.dateTime.slice(0, 10);
    if (start <= before || start >= after)
      throw badRequest(
        'Cannot move the occurrence to or beyond the day of the previous or next occurrence of the series.',
        'ErrorOccurrenceCrossingBoundary',
      );
    return { ...event, occurrence: { seriesId, day, isChanged: true } };
  }

  #keep(before: CalendarEvent, change: EventChange): CalendarEvent {
    const { start, end, location, locations, attendees, recurrence, ...plain } = change;
    const { isOnlineMeeting, onlineMeetingProvider, ...rest } = plain;
    const after: CalendarEvent = {
      ...before,
      ...defined(rest),
      ...(start && { start: readTime(start) }),
      ...(end && { end: readTime(end) }),
      ...placesOf(location, locations),
      ...(attendees && { attendees: attendees.map((attendee) => invited(attendee, before)) }),
      ...(before.isOnlineMeeting ? {} : meetingOf(isOnlineMeeting, onlineMeetingProvider)),
      version: before.version + 1,
      changedAt: this.#clock.now(),
    };
    checkSpan(after);
    const series = recurrence === undefined ? movedTo(after.start, before.recurrence) : recurrence;
    after.recurrence = series === null ? null : readRecurrence(series, after.start);
    if (after.occurrence === null) {
      this.#events.set(after.id, after);
      return after;
    }
    const changed = this.#moved(after, after.occurrence);
    this.#changed.set(after.id, changed);
    return changed;
  }
}

/** Whether an event lies in a span, at least in part. */
function touches({ start, end }: CalendarEvent, from: number, to: number): boolean {
  const begin = instantOf(start);
  return begin < to && (begin >= from || instantOf(end) > from);
}

/** The version of an event, as a header and as a member of answers. */
export function etagOf({ iCalUId, version }: CalendarEvent): string {
  return `W/"${changeKeyOf({ iCalUId, version })}"`;
}

/** The same without its quotes. */
export function changeKeyOf({ iCalUId, version }: Pick<CalendarEvent, 'iCalUId' | 'version'>): string {
  return Buffer.from(`${iCalUId.slice(-16)}:${version}`).toString('base64');
}

/** @throws Refusal 400 for an unknown zone, and for what is no time */
export function readTime({ dateTime, timeZone }: NonNullable<EventChange['start']>): EventTime {
  const zone = timeZone ?? 'UTC';
  if (zoneNamed(zone) === undefined)
    throw badRequest(
      `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${zone}'.`,
      'TimeZoneNotSupportedException',
    );
  const time = new Date(`${dateTime.slice(0, 19)}Z`);
  // Date would move a day that does not exist into the next month.
  if (Number.isNaN(time.getTime()) || !dateTime.startsWith(time.toISOString().slice(0, 19)))
    throw badRequest(`The value '${dateTime}' is no time.`, 'RequestBodyRead');
  return { dateTime, timeZone: zone };
}

function checkSpan({ start, end, isAllDay }: CalendarEvent): void {
  const duration = instantOf(end) - instantOf(start);
  if (duration < 0)
    throw badRequest(
      'The end of the event is before its start.',
      'ErrorCalendarEndDateIsEarlierThanStartDate',
    );
  if (!isAllDay) return;
  if (!isMidnight(start) || !isMidnight(end) || start.timeZone !== end.timeZone)
    throw invalidProperty(
      'The start and the end of an all-day event need to be midnight in the same time zone.',
    );
  // A day can be an hour shorter when the clocks change.
  if (duration < DAY_MS - 3_600_000)
    throw invalidProperty('The duration of an all-day event needs to be at least 24 hours.');
}

/** A series moves along with its first event. */
function movedTo({ dateTime }: EventTime, series: Recurrence | null): Recurrence | null {
  return series === null ? null : { ...series, range: { ...series.range, startDate: dateTime.slice(0, 10) } };
}

function isMidnight({ dateTime }: EventTime): boolean {
  return /T00:00:00(\.0+)?$/.test(dateTime);
}

/** A change of either `location` or `locations` replaces both. */
function placesOf(
  location: Place | undefined,
  locations: readonly Place[] | undefined,
): Partial<CalendarEvent> {
  if (locations !== undefined) {
    const names = locations.map(({ displayName }) => displayName ?? '').filter((name) => name !== '');
    return { locations, location: { ...locations[0], displayName: names.join('; ') } };
  }
  if (location === undefined) return {};
  return { location, locations: (location.displayName ?? '') === '' ? [] : [location] };
}

/** Attendees who were already invited keep their response. */
function invited(
  { emailAddress: { address, name }, type }: NonNullable<EventChange['attendees']>[number],
  before: CalendarEvent,
): CalendarEvent['attendees'][number] {
  if (!/^[^\s@]+@[^\s@]+$/.test(address))
    throw new MailRefusal(
      400,
      'ErrorInvalidRecipients',
      `At least one recipient isn't valid., A message can't be sent because it contains no valid recipients: ${address}.`,
    );
  const known = before.attendees.find((attendee) => attendee.emailAddress.address === address);
  return {
    emailAddress: { address, name: name ?? known?.emailAddress.name ?? address },
    type,
    status: known?.status ?? { response: 'none', time: NO_TIME },
  };
}

function meetingOf(isOnline: boolean | undefined, provider: string | undefined): Partial<CalendarEvent> {
  if (provider !== undefined && provider !== MEETING_PROVIDER && provider !== 'unknown')
    throw invalidProperty(
      `The online meeting provider ${provider} is not allowed on this calendar; allowed: ${MEETING_PROVIDER}.`,
    );
  if (isOnline !== true) return {};
  return { isOnlineMeeting: true, onlineMeetingProvider: MEETING_PROVIDER };
}

function defined<Value extends object>(value: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
