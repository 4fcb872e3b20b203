/**
 * The stand-in of Outlook: whose request it is, the profile of the signed-in person, and the operations on events and
 * messages that the mail tools use.
 */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import type { Member, OAuthProvider } from '../oauth/provider.ts';
import { readSelect } from './event-list.ts';
import { availabilityRoutes } from './availability-routes.ts';
import { Calendar } from './calendar.ts';
import { calendarRoutes } from './calendar-routes.ts';
import { requireScope, type MailContext, type MailEnv } from './exchange.ts';
import { folderRoutes } from './mailbox/folder-routes.ts';
import { Mailbox } from './mailbox/mailbox.ts';
import { messageRoutes } from './mailbox/message-routes.ts';
import type { Message } from './mailbox/model.ts';
import { seedMailbox } from './mailbox/seed.ts';
import { peopleRoutes } from './people-routes.ts';
import { badRequest, MailRefusal } from './refusal.ts';
import { seedCalendar } from './seed.ts';

/** `/v1.0/…`. Accepts only tokens of the provider. */
export function mailRoutes(provider: OAuthProvider, clock: Clock): Hono<MailEnv> {
  const known = new Map<string, { calendar: Calendar; mailbox: Mailbox }>();
  const contentOf = (owner: Member) => {
    const opened = known.get(owner.id);
    if (opened !== undefined) return opened;
    const content = { calendar: new Calendar(owner, clock), mailbox: new Mailbox(owner, clock, deliver) };
    seedCalendar(content.calendar, clock.now());
    seedMailbox(content.mailbox, clock.now());
    known.set(owner.id, content);
    return content;
  };
  const deliver = (message: Message): void => {
    const { id: _, ...rest } = message;
    const received = { ...rest, isRead: false, bcc: [] };
    for (const { address } of [...message.to, ...message.cc, ...message.bcc]) {
      const member = provider.members.find(({ email }) => email === address);
      if (member === undefined) continue;
      const { mailbox } = contentOf(member);
      mailbox.add('inbox', received, { ...received, folderId: mailbox.folder('inbox').id });
    }
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
    const { calendar, mailbox } = contentOf(owner);
    c.set('calendar', calendar);
    c.set('mailbox', mailbox);
    await next();
  });

  routes.get('/v1.0/me', (c) => {
    requireScope(c, ['User.Read']);
    const { id, name, email } = c.get('calendar').owner;
    const none = { jobTitle: null, officeLocation: null, mobilePhone: null, preferredLanguage: null };
    const profile = { id, displayName: name, mail: email, userPrincipalName: email, ...none };
    return c.json(readSelect(c.req.query('$select') ?? null)(profile));
  });
  const contentAt = (address: string) => {
    const member = provider.members.find(({ email }) => email === address);
    return member && contentOf(member);
  };
  const calendarAt = (address: string) => contentAt(address)?.calendar;
  for (const part of [
    calendarRoutes(calendarAt),
    availabilityRoutes(calendarAt),
    messageRoutes((address) => contentAt(address)?.mailbox),
    folderRoutes(),
    peopleRoutes(),
  ])
    routes.route('/v1.0', part);
  routes.all('/v1.0/*', (c) => {
    throw badRequest(`Resource not found for the segment '${c.req.path.split('/').at(-1)}'.`);
  });
  return routes;
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
