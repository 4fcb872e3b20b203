/** When people are free, worked out from the calendars of those who are here. */
import { Hono } from 'hono';
import { z } from 'zod';
import { readTime, type Calendar } from './calendar.ts';
import { readMembers, time } from './event-shape.ts';
import { readBody, requireScope, type MailEnv } from './exchange.ts';
import type { CalendarEvent, EventTime } from './model.ts';
import { readPreferences } from './rendering.ts';
import { inZone, instantOf } from './zones.ts';

const MINUTE_MS = 60_000;

/** Calendar of the person with an address; `undefined` for somebody of another organization. */
export type CalendarAt = (address: string) => Calendar | undefined;

const schedules = z.strictObject({
  schedules: z.array(z.string()).min(1).max(20),
  startTime: time,
  endTime: time,
  availabilityViewInterval: z.int().min(5).max(1440).default(30),
});

const person = z.strictObject({
  type: z.enum(['required', 'optional', 'resource']).optional(),
  emailAddress: z.strictObject({ address: z.string(), name: z.string().optional() }),
});

const meeting = z.strictObject({
  attendees: z.array(person),
  timeConstraint: z.strictObject({
    activityDomain: z.enum(['work', 'personal', 'unrestricted']).default('work'),
    timeSlots: z.array(z.strictObject({ start: time, end: time })).min(1),
  }),
  meetingDuration: z.string().regex(/^PT\d+M$/),
  maxCandidates: z.int().default(20),
  isOrganizerOptional: z.boolean().default(false),
  returnSuggestionReasons: z.boolean().default(false),
});

/** `/me/calendar/getSchedule`, `/me/findMeetingTimes` */
export function availabilityRoutes(calendarAt: CalendarAt): Hono<MailEnv> {
  const routes = new Hono<MailEnv>();
  routes.post('/me/calendar/getSchedule', async (c) => {
    requireScope(c, ['Calendars.Read', 'Calendars.ReadWrite']);
    const body = readMembers(schedules, await readBody(c), 'getSchedule');
    const { timeZone } = readPreferences(c.req.header('prefer'));
    const [from, to] = [instantOf(readTime(body.startTime)), instantOf(readTime(body.endTime))];
    const value = body.schedules.map((address) => {
      const busy = calendarAt(address)
        ?.between(from, to)
        .filter(({ showAs }) => showAs !== 'free');
      if (busy === undefined) return { scheduleId: address, availabilityView: '', error: UNKNOWN };
      const slots = Math.ceil((to - from) / (body.availabilityViewInterval * MINUTE_MS));
      const view = Array.from({ length: slots }, (_, i) => {
        const start = from + i * body.availabilityViewInterval * MINUTE_MS;
        return isFree(busy, start, start + body.availabilityViewInterval * MINUTE_MS) ? '0' : '2';
      });
      return {
        scheduleId: address,
        availabilityView: view.join(''),
        scheduleItems: busy.map((event) => ({
          isPrivate: event.sensitivity !== 'normal',
          status: event.showAs,
          subject: event.subject,
          location: event.location.displayName ?? '',
          isMeeting: event.attendees.length > 0,
          isRecurring: event.occurrence !== null,
          isException: event.occurrence?.isChanged === true,
          isReminderSet: event.isReminderOn,
          start: inZone(event.start, timeZone),
          end: inZone(event.end, timeZone),
        })),
        workingHours: WORKING_HOURS,
      };
    });
    return c.json({
      '@odata.context': `${new URL(c.req.url).origin}/v1.0/$metadata#Collection(microsoft.graph.scheduleInformation)`,
      value,
    });
  });
  routes.post('/me/findMeetingTimes', async (c) => {
    requireScope(c, ['Calendars.Read.Shared', 'Calendars.ReadWrite.Shared']);
    const body = readMembers(meeting, await readBody(c), 'findMeetingTimes');
    const { timeZone } = readPreferences(c.req.header('prefer'));
    const durationMs = Number(body.meetingDuration.slice(2, -1)) * MINUTE_MS;
    const calendars = [
      ...(body.isOrganizerOptional ? [] : [c.get('calendar')]),
      ...body.attendees.flatMap(({ emailAddress: { address } }) => calendarAt(address) ?? []),
    ];
    const found: object[] = [];
    for (const { start, end } of body.timeConstraint.timeSlots) {
      const [from, to] = [instantOf(readTime(start)), instantOf(readTime(end))];
      const busy = calendars
        .flatMap((calendar) => calendar.between(from, to))
        .filter(({ showAs }) => showAs !== 'free');
      for (let at = from; at + durationMs <= to && found.length < body.maxCandidates; at += 30 * MINUTE_MS)
        if (isFree(busy, at, at + durationMs))
          found.push({
            confidence: 100,
            organizerAvailability: 'free',
            suggestionReason:
              'Suggested because it is one of the nearest times when all attendees are available.',
            meetingTimeSlot: { start: wallTime(at, timeZone), end: wallTime(at + durationMs, timeZone) },
            attendeeAvailability: body.attendees.map((attendee) => ({ attendee, availability: 'free' })),
            locations: [],
          });
    }
    const emptySuggestionsReason = found.length === 0 ? 'AttendeesUnavailable' : '';
    return c.json({ emptySuggestionsReason, meetingTimeSuggestions: found });
  });
  return routes;
}

const UNKNOWN = {
  message: 'Proxy web request failed. , inner exception: Mail recipient not found in directory.',
  responseCode: 'ErrorMailRecipientNotFound',
};

const WORKING_HOURS = {
  daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  startTime: '08:00:00.0000000',
  endTime: '17:00:00.0000000',
  timeZone: { name: 'W. Europe Standard Time' },
};

function isFree(busy: readonly CalendarEvent[], from: number, to: number): boolean {
  return busy.every(({ start, end }) => instantOf(start) >= to || instantOf(end) <= from);
}

function wallTime(instant: number, timeZone: string): EventTime {
  return inZone({ dateTime: new Date(instant).toISOString().slice(0, 19), timeZone: 'UTC' }, timeZone);
}
