/**
 * The accepted body of an event, as strict as the provider's description. An unknown member or a wrong value
 * is refused, so that a wrongly built request is found here and not at the real provider.
 */
import { z } from 'zod';
import { badRequest } from './refusal.ts';

/** A time of a request. */
export const time = z.strictObject({
  // Wall time in the given zone. The provider's treatment of an offset is unknown, so none is allowed.
  dateTime: z
    .string()
    .regex(
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,7})?$/,
      'is no time without offset, such as 2026-12-01T09:00:00',
    ),
  timeZone: z.string().nullable().optional(),
});

const date = z.iso.date();
const weekday = z.enum(['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']);

const place = z.strictObject({
  displayName: z.string().nullable().optional(),
  address: z
    .strictObject({
      street: z.string().nullable().optional(),
      city: z.string().nullable().optional(),
      state: z.string().nullable().optional(),
      countryOrRegion: z.string().nullable().optional(),
      postalCode: z.string().nullable().optional(),
    })
    .optional(),
  coordinates: z
    .strictObject({
      latitude: z.number().nullable().optional(),
      longitude: z.number().nullable().optional(),
      altitude: z.number().nullable().optional(),
      accuracy: z.number().nullable().optional(),
      altitudeAccuracy: z.number().nullable().optional(),
    })
    .optional(),
  locationEmailAddress: z.string().nullable().optional(),
  locationUri: z.string().nullable().optional(),
  locationType: z
    .enum([
      'default',
      'conferenceRoom',
      'homeAddress',
      'businessAddress',
      'geoCoordinates',
      'streetAddress',
      'hotel',
      'restaurant',
      'localBusiness',
      'postalAddress',
    ])
    .optional(),
  uniqueId: z.string().nullable().optional(),
  uniqueIdType: z.enum(['unknown', 'locationStore', 'directory', 'private', 'bing']).optional(),
});

const attendee = z.strictObject({
  emailAddress: z.strictObject({ address: z.string(), name: z.string().nullable().optional() }),
  type: z.enum(['required', 'optional', 'resource']).default('required'),
});

const recurrence = z.strictObject({
  pattern: z.strictObject({
    type: z.enum([
      'daily',
      'weekly',
      'absoluteMonthly',
      'relativeMonthly',
      'absoluteYearly',
      'relativeYearly',
    ]),
    interval: z.int(),
    month: z.int().optional(),
    dayOfMonth: z.int().optional(),
    daysOfWeek: z.array(weekday).optional(),
    firstDayOfWeek: weekday.optional(),
    index: z.enum(['first', 'second', 'third', 'fourth', 'last']).optional(),
  }),
  range: z.strictObject({
    type: z.enum(['endDate', 'noEnd', 'numbered']),
    startDate: date,
    endDate: date.optional(),
    numberOfOccurrences: z.int().optional(),
    recurrenceTimeZone: z.string().optional(),
  }),
});

const event = z.strictObject({
  subject: z.string(),
  body: z.strictObject({ contentType: z.enum(['text', 'html']).default('text'), content: z.string() }),
  start: time,
  end: time,
  location: place,
  locations: z.array(place),
  attendees: z.array(attendee),
  categories: z.array(z.string()),
  importance: z.enum(['low', 'normal', 'high']),
  sensitivity: z.enum(['normal', 'personal', 'private', 'confidential']),
  showAs: z.enum(['unknown', 'free', 'tentative', 'busy', 'oof', 'workingElsewhere']),
  isAllDay: z.boolean(),
  isReminderOn: z.boolean(),
  reminderMinutesBeforeStart: z.int(),
  responseRequested: z.boolean(),
  allowNewTimeProposals: z.boolean(),
  hideAttendees: z.boolean(),
  isOnlineMeeting: z.boolean(),
  onlineMeetingProvider: z.enum(['unknown', 'skypeForBusiness', 'skypeForConsumer', 'teamsForBusiness']),
  transactionId: z.string(),
  recurrence: recurrence.nullable(),
});

const changes = event.partial().omit({ transactionId: true });
const creation = event.partial();

/** The members that a request to create or change an event may set. */
export type EventChange = z.infer<typeof creation>;

/** @throws MailRefusal 400 naming the fault */
export function readEvent(body: unknown, isNew: boolean): EventChange {
  return readMembers(isNew ? creation : changes, body, 'event');
}

/**
 * A body of which every member is known and has its form.
 *
 * @param type that the provider has for it
 * @throws MailRefusal 400 naming the fault
 */
export function readMembers<T>(schema: z.ZodType<T>, body: unknown, type: string): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).join('.');
  if (issue?.code === 'unrecognized_keys')
    throw badRequest(
      `The property '${issue.keys[0]}' does not exist on type 'microsoft.graph.${path === '' ? type : path}'. Make sure to only use property names that are defined by the type.`,
      'RequestBodyRead',
    );
  throw badRequest(`The value of '${path}' is not valid: ${issue?.message}`, 'RequestBodyRead');
}
