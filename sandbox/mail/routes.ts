/**
 * The stand-in calendar: the operations on events used by the mail tools, and the profile of the signed-in
 * person.
 */
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import type { Grant } from '../oauth/grants.ts';
import type { Member, OAuthProvider } from '../oauth/provider.ts';
import { Calendar } from './calendar.ts';
import { pageOf, readSelect, requireKnown } from './event-list.ts';
import { readEvent } from './event-shape.ts';
import { badRequest, MailRefusal } from './refusal.ts';
import { readPreferences, renderEvent } from './rendering.ts';
import { seedCalendar } from './seed.ts';

interface MailEnv {
  Variables: { grant: Grant; calendar: Calendar };
}

type MailContext = Context<MailEnv>;

/** `/v1.0/…`. Accepts only tokens of the provider. */
export function mailRoutes(provider: OAuthProvider, clock: Clock): Hono<MailEnv> {
  const calendars = new Map<string, Calendar>();
  const calendarOf = (owner: Member): Calendar => {
    const known = calendars.get(owner.id);
    if (known !== undefined) return known;
    const calendar = new Calendar(owner, clock);
    seedCalendar(calendar, clock.now());
    calendars.set(owner.id, calendar);
    return calendar;
  };

  const routes = new Hono<MailEnv>();
  routes.onError((error, c) => renderRefusal(c, error, clock));
  routes.use('/v1.0/*', async (c, next) => {
    const sent = c.req.header('authorization');
    const grant = provider.grantOf(sent);
    const owner = provider.members.find(({ id }) => id === grant?.memberId);
    if (grant === undefined || owner === undefined)
      throw new MailRefusal(
        401,
        'InvalidAuthenticationToken',
        sent === undefined
          ? 'Access token is empty.'
          : 'Lifetime validation failed, the token is expired or not known.',
      );
    c.set('grant', grant);
    c.set('calendar', calendarOf(owner));
    await next();
  });

  routes.get('/v1.0/me', (c) => {
    requireScope(c, ['User.Read']);
    const { id, name, email } = c.get('calendar').owner;
    return c.json({ id, displayName: name, mail: email, userPrincipalName: email });
  });
  routes.get('/v1.0/me/events', (c) => {
    requireScope(c, READ);
    const events = c.get('calendar').all().toReversed();
    const url = new URL(c.req.url);
    return c.json(
      pageOf(
        events.map((event) => render(c, event)),
        url,
      ),
    );
  });
  routes.post('/v1.0/me/events', async (c) => {
    requireScope(c, WRITE);
    return c.json(render(c, c.get('calendar').create(readEvent(await readBody(c), true))), 201);
  });
  routes.get('/v1.0/me/events/:id', (c) => {
    requireScope(c, READ);
    const query = new URL(c.req.url).searchParams;
    requireKnown(query, ['$select']);
    return c.json(readSelect(query.get('$select'))(render(c, c.get('calendar').get(idOf(c)))));
  });
  routes.patch('/v1.0/me/events/:id', async (c) => {
    requireScope(c, WRITE);
    const calendar = c.get('calendar');
    const change = readEvent(await readBody(c), false);
    return c.json(render(c, calendar.update(idOf(c), change, c.req.header('if-match'))));
  });
  routes.delete('/v1.0/me/events/:id', (c) => {
    requireScope(c, WRITE);
    c.get('calendar').remove(idOf(c));
    return c.body(null, 204);
  });
  routes.all('/v1.0/*', (c) => {
    throw badRequest(`Resource not found for the segment '${c.req.path.split('/').at(-1)}'.`);
  });
  return routes;
}

const READ = ['Calendars.Read', 'Calendars.ReadWrite'];
const WRITE = ['Calendars.ReadWrite'];

function render(c: MailContext, event: ReturnType<Calendar['get']>) {
  return renderEvent(event, c.get('calendar').owner, readPreferences(c.req.header('prefer')));
}

/** @throws MailRefusal 403 unless one of the scopes was granted */
function requireScope(c: MailContext, scopes: readonly string[]): void {
  if (!scopes.some((scope) => c.get('grant').scopes.includes(scope)))
    throw new MailRefusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
}

/** @throws MailRefusal 400 for text that cannot be an id */
function idOf(c: MailContext): string {
  const id = c.req.param('id') ?? '';
  if (!/^[A-Za-z0-9+/=_-]{20,}$/.test(id)) throw badRequest('Id is malformed.', 'ErrorInvalidIdMalformed');
  return id;
}

async function readBody(c: MailContext): Promise<unknown> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json'))
    throw new MailRefusal(415, 'RequestBodyRead', 'A supported MIME type has to be given: application/json.');
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch {
    throw badRequest(
      'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
    );
  }
}

function renderRefusal(c: MailContext, error: unknown, clock: Clock): Response {
  const refusal = error instanceof MailRefusal ? error : undefined;
  const requestId = randomUUID();
  c.header('request-id', requestId);
  return c.json(
    {
      error: {
        code: refusal?.code ?? 'generalException',
        message: refusal?.message ?? 'The sandbox failed. This is a defect.',
        innerError: {
          date: new Date(clock.now()).toISOString().slice(0, 19),
          'request-id': requestId,
          'client-request-id': c.req.header('client-request-id') ?? requestId,
        },
      },
    },
    refusal?.status ?? 500,
  );
}
