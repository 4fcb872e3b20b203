/**
 * Initial content of a calendar: the week around the start of the sandbox. It is created through the same
 * rules as requests.
 */
import type { Calendar } from './calendar.ts';
import { readEvent } from './event-shape.ts';

const DAY_MS = 86_400_000;
const ZONE = 'Europe/Oslo';

/** An event on a weekday, 0 being Monday of this week; times are local. */
interface Entry {
  subject: string;
  day: number;
  from: string;
  to: string;
  more?: Record<string, unknown>;
}

const ENTRIES: readonly Entry[] = [
  {
    subject: 'Monday round',
    day: 0,
    from: '09:00',
    to: '09:30',
    more: { categories: ['Team'], location: { displayName: 'Harbour room' } },
  },
  {
    subject: 'Night batteries for Fedje: site visit',
    day: 1,
    from: '10:00',
    to: '15:00',
    more: {
      categories: ['Customers', 'Travel'],
      showAs: 'oof',
      importance: 'high',
      location: {
        displayName: 'Fedje harbour',
        address: { street: 'Kjeldevegen 2', city: 'Fedje', countryOrRegion: 'Norway', postalCode: '5947' },
        coordinates: { latitude: 60.7779, longitude: 4.7148 },
      },
      attendees: [
        { emailAddress: { address: 'ole@marrowlight.example', name: 'Ole Lindqvist' } },
        {
          emailAddress: { address: 'priya.raman@marrowlight.example', name: 'Priya Raman' },
          type: 'optional',
        },
      ],
      body: { contentType: 'text', content: 'Bring the load sheets and helmets.\nFerry at 08:40.' },
    },
  },
  {
    subject: 'Beacons for the northern tide gauges: review',
    day: 2,
    from: '13:00',
    to: '14:00',
    more: {
      categories: ['Customers'],
      isOnlineMeeting: true,
      attendees: [
        { emailAddress: { address: 'marit@harbour-almanac.example', name: 'Marit Solheim' } },
        { emailAddress: { address: 'jonas.brandt@harbour-almanac.example', name: 'Jonas Brandt' } },
      ],
      body: { contentType: 'html', content: '<p>Offer, dates, who installs what.</p>' },
    },
  },
  { subject: 'Dentist', day: 2, from: '16:00', to: '16:45', more: { sensitivity: 'private' } },
  {
    subject: 'Call with Livia Conti',
    day: 3,
    from: '11:00',
    to: '11:30',
    more: { attendees: [{ emailAddress: { address: 'livia@slowcup.example', name: 'Livia Conti' } }] },
  },
  {
    subject: 'Quarterly figures: review',
    day: 4,
    from: '14:00',
    to: '15:30',
    more: { showAs: 'tentative', categories: ['Team'] },
  },
  { subject: 'Reading lamps: offer due', day: 7, from: '12:00', to: '12:15', more: { showAs: 'free' } },
  {
    subject: 'Test bench for tidal storage: kick-off',
    day: 8,
    from: '09:30',
    to: '11:00',
    more: {
      attendees: [{ emailAddress: { address: 'ines.duarte@coastal-energy.example', name: 'Ines Duarte' } }],
    },
  },
  { subject: 'Charging posts: demonstration', day: 9, from: '10:00', to: '12:00' },
  { subject: 'Lunch with Hana Novak', day: 10, from: '12:00', to: '13:00' },
  { subject: 'Contract read-through', day: 11, from: '15:00', to: '16:00' },
];

/** Fills an empty calendar. @param now Unix milliseconds */
export function seedCalendar(calendar: Calendar, now: number): void {
  const today = new Date(now);
  const monday = now - ((today.getUTCDay() + 6) % 7) * DAY_MS;
  const dateOf = (day: number): string => new Date(monday + day * DAY_MS).toISOString().slice(0, 10);
  const add = (body: Record<string, unknown>): void => {
    calendar.create(readEvent(body, true));
  };
  for (const { subject, day, from, to, more } of ENTRIES) {
    const date = dateOf(day);
    add({
      subject,
      start: { dateTime: `${date}T${from}:00`, timeZone: ZONE },
      end: { dateTime: `${date}T${to}:00`, timeZone: ZONE },
      ...more,
      ...(day === 0 && {
        recurrence: {
          pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'] },
          range: { type: 'noEnd', startDate: date },
        },
      }),
    });
  }
  add({
    subject: 'Midwinter fair',
    start: { dateTime: `${dateOf(14)}T00:00:00`, timeZone: ZONE },
    end: { dateTime: `${dateOf(17)}T00:00:00`, timeZone: ZONE },
    isAllDay: true,
    showAs: 'busy',
    location: { displayName: 'Bergen' },
  });
  const at = (time: string) => ({ dateTime: `${dateOf(3)}T${time}:00`, timeZone: ZONE });
  calendar.invite(
    readEvent({ subject: 'Harbor lights: planning', start: at('15:00'), end: at('16:00') }, true),
    { address: 'marit@harbour-almanac.example', name: 'Marit Solheim' },
  );
}
