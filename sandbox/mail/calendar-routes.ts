/** Calendars and events: what is on them in a span, one event, and what is done with it. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Calendar } from './calendar.ts';
import { pageOf, readSelect, requireKnown } from './event-list.ts';
import { readEvent, readMembers, time } from './event-shape.ts';
import {
  accepted,
  idOf,
  readBody,
  requireScope,
  requireShared,
  type MailContext,
  type MailEnv,
} from './exchange.ts';
import { recipients } from './mailbox/message-shape.ts';
import { calendarId, type CalendarEvent } from './model.ts';
import { badRequest, itemNotFound } from './refusal.ts';
import { readPreferences, renderEvent, type Rendered } from './rendering.ts';

const READ = ['Calendars.Read', 'Calendars.ReadWrite'];
const WRITE = ['Calendars.ReadWrite'];
const SHARED = ['Calendars.Read.Shared', 'Calendars.ReadWrite.Shared'];

/**
 * `/me/events…`, `/me/calendars…`, `/me/calendarView`, `/users/{address}/calendar/calendarView`
 *
 * @param calendarAt the calendar of an address
 */
export function calendarRoutes(calendarAt: (address: string) => Calendar | undefined): Hono<MailEnv> {
  const routes = new Hono<MailEnv>();
  routes.get('/me/events', (c) => {
    requireScope(c, READ);
    return page(c, c.get('calendar').all().toReversed());
  });
  routes.post('/me/events', async (c) => {
    requireScope(c, WRITE);
    return c.json(render(c, c.get('calendar').create(readEvent(await readBody(c), true))), 201);
  });
  routes.get('/me/events/:id', (c) => {
    requireScope(c, READ);
    const query = new URL(c.req.url).searchParams;
    requireKnown(query, ['$select']);
    return c.json(readSelect(query.get('$select'))(render(c, c.get('calendar').get(idOf(c)))));
  });
  routes.patch('/me/events/:id', async (c) => {
    requireScope(c, WRITE);
    const calendar = c.get('calendar');
    const change = readEvent(await readBody(c), false);
    return c.json(render(c, calendar.update(idOf(c), change, c.req.header('if-match'))));
  });
  routes.delete('/me/events/:id', (c) => {
    requireScope(c, WRITE);
    c.get('calendar').remove(idOf(c));
    return c.body(null, 204);
  });
  routes.post('/me/events/:id/cancel', async (c) => {
    requireScope(c, WRITE);
    readMembers(comment, await readBody(c), 'cancel');
    c.get('calendar').cancel(idOf(c));
    return accepted(c);
  });
  for (const [action, response] of RESPONSES) {
    routes.post(`/me/events/:id/${action}`, async (c) => {
      requireScope(c, WRITE);
      const { sendResponse, proposedNewTime } = readMembers(answer, await readBody(c), action);
      if (proposedNewTime !== undefined && !sendResponse)
        throw badRequest('proposedNewTime needs sendResponse.', 'ErrorInvalidRequest');
      c.get('calendar').respond(idOf(c), response);
      return accepted(c);
    });
  }
  routes.post('/me/events/:id/forward', async (c) => {
    requireScope(c, READ);
    readMembers(passedOn, await readBody(c), 'forward');
    c.get('calendar').get(idOf(c));
    return accepted(c);
  });
  routes.get('/me/events/:id/instances', (c) => {
    requireScope(c, READ);
    const { from, to } = spanOf(c);
    return page(c, c.get('calendar').instances(idOf(c), from, to));
  });
  routes.get('/me/calendarView', (c) => view(c));
  routes.get('/users/:address/calendar/calendarView', (c) => {
    requireScope(c, SHARED);
    const other = calendarAt(c.req.param('address'));
    if (other === undefined) throw itemNotFound();
    requireShared(c, other.owner);
    c.set('calendar', other);
    return spanPage(c);
  });
  routes.get('/me/calendars/:id/calendarView', (c) => {
    if (idOf(c) !== calendarId(c.get('calendar').owner)) throw itemNotFound();
    return view(c);
  });
  routes.get('/me/calendars', (c) => {
    requireScope(c, READ);
    const url = new URL(c.req.url);
    return c.json(pageOf([renderCalendar(c.get('calendar'))], url, 'calendars'));
  });
  return routes;
}

const RESPONSES = [
  ['accept', 'accepted'],
  ['decline', 'declined'],
  ['tentativelyAccept', 'tentativelyAccepted'],
] as const;

const answer = z.strictObject({
  comment: z.string().optional(),
  sendResponse: z.boolean().default(true),
  proposedNewTime: z.strictObject({ start: time, end: time }).optional(),
});

const passedOn = z.strictObject({ comment: z.string().optional(), toRecipients: recipients.min(1) });

const comment = z.strictObject({ comment: z.string().optional() });

function view(c: MailContext): Response {
  requireScope(c, READ);
  return spanPage(c);
}

function spanPage(c: MailContext): Response {
  const { from, to } = spanOf(c);
  return page(c, c.get('calendar').between(from, to));
}

function page(c: MailContext, events: readonly CalendarEvent[]): Response {
  const url = new URL(c.req.url);
  return c.json(
    pageOf(
      events.map((event) => render(c, event)),
      url,
    ),
  );
}

/** Unix milliseconds of the bounds; without an offset they are UTC. @throws MailRefusal 400 */
function spanOf(c: MailContext): { from: number; to: number } {
  const [from, to] = ['startDateTime', 'endDateTime'].map((name) => {
    const text = c.req.query(name);
    if (text === undefined)
      throw badRequest(
        'This request requires a time window specified by the query string parameters StartDateTime and EndDateTime.',
        'ErrorInvalidParameter',
      );
    const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text);
    const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(hasZone ? text : `${text}Z`) : Number.NaN;
    if (Number.isNaN(time))
      throw badRequest(`The value '${text}' of parameter '${name}' is invalid.`, 'ErrorInvalidParameter');
    return time;
  });
  if (from === undefined || to === undefined || to < from)
    throw badRequest('The start of the time window is after its end.', 'ErrorInvalidParameter');
  return { from, to };
}

function render(c: MailContext, event: CalendarEvent): Rendered {
  return renderEvent(event, c.get('calendar').owner, readPreferences(c.req.header('prefer')));
}

/** Each person has one. */
function renderCalendar({ owner }: Calendar): Rendered {
  return {
    id: calendarId(owner),
    name: 'Calendar',
    color: 'auto',
    hexColor: '',
    isDefaultCalendar: true,
    changeKey: 'AAAAAA==',
    canShare: true,
    canViewPrivateItems: true,
    canEdit: true,
    allowedOnlineMeetingProviders: ['teamsForBusiness'],
    defaultOnlineMeetingProvider: 'teamsForBusiness',
    isTallyingResponses: true,
    isRemovable: false,
    owner: { name: owner.name, address: owner.email },
  };
}
