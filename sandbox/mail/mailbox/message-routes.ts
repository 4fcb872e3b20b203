/** Messages and their attachments: finding, reading, writing, sending and filing them. */
import { Hono } from 'hono';
import { pageOf, readSelect, requireKnown } from '../event-list.ts';
import { readMembers } from '../event-shape.ts';
import {
  accepted,
  idOf,
  readBody,
  requireScope,
  requireShared,
  type MailContext,
  type MailEnv,
} from '../exchange.ts';
import { badRequest, itemNotFound, MailRefusal } from '../refusal.ts';
import { readPreferences, textOf, type Rendered } from '../rendering.ts';
import type { Mailbox } from './mailbox.ts';
import { renderAttachment, renderMessage } from './message-rendering.ts';
import { readSearch } from './message-search.ts';
import { attachment, destination, readAnswer, readMail, readMessage } from './message-shape.ts';
import type { Attachment, Message, MessageChange } from './model.ts';

const READ = ['Mail.Read', 'Mail.ReadWrite'];
const WRITE = ['Mail.ReadWrite'];
const SEND = ['Mail.Send'];

type Need = (c: MailContext, scopes: readonly string[]) => void;

/**
 * `/me/messages…`, `/me/mailFolders/{id}/messages`, `/me/sendMail`; of a shared mailbox below `/users/{address}` what
 * lists, reads, moves and sends
 *
 * @param mailboxAt the mailbox of an address
 */
export function messageRoutes(mailboxAt: (address: string) => Mailbox | undefined): Hono<MailEnv> {
  const routes = new Hono<MailEnv>();
  sharedRoutes(routes, '/me', requireScope);
  sharedRoutes(routes, '/users/:address', (c, scopes) => {
    requireScope(
      c,
      scopes.map((scope) => `${scope}.Shared`),
    );
    const other = mailboxAt(c.req.param('address') ?? '');
    if (other === undefined) throw itemNotFound();
    requireShared(c, other.owner);
    c.set('mailbox', other);
  });
  routes.post('/me/messages', async (c) => {
    requireScope(c, WRITE);
    return c.json(render(c, c.get('mailbox').add('drafts', readMessage(await readBody(c)))), 201);
  });
  routes.patch('/me/messages/:id', async (c) => {
    requireScope(c, WRITE);
    return c.json(render(c, c.get('mailbox').change(idOf(c), readMessage(await readBody(c)))));
  });
  routes.delete('/me/messages/:id', (c) => {
    requireScope(c, WRITE);
    c.get('mailbox').remove(idOf(c));
    return c.body(null, 204);
  });
  sendingRoutes(routes);
  attachmentRoutes(routes);
  return routes;
}

/** @param need lets the request into the mailbox that it is about */
function sharedRoutes(routes: Hono<MailEnv>, base: string, need: Need): void {
  routes.get(`${base}/messages`, (c) => {
    need(c, READ);
    return page(c, c.get('mailbox').messagesIn());
  });
  routes.get(`${base}/mailFolders/:folder/messages`, (c) => {
    need(c, READ);
    const mailbox = c.get('mailbox');
    return page(c, mailbox.messagesIn(mailbox.folder(c.req.param('folder')).id));
  });
  routes.get(`${base}/messages/:id`, (c) => {
    need(c, READ);
    const query = new URL(c.req.url).searchParams;
    requireKnown(query, ['$select']);
    return c.json(readSelect(query.get('$select'))(render(c, c.get('mailbox').message(idOf(c)))));
  });
  routes.post(`${base}/messages/:id/move`, async (c) => {
    need(c, WRITE);
    const { destinationId } = readMembers(destination, await readBody(c), 'move');
    return c.json(render(c, c.get('mailbox').move(idOf(c), destinationId)), 201);
  });
  routes.post(`${base}/sendMail`, async (c) => {
    need(c, SEND);
    const { change, isKept } = readMail(await readBody(c));
    c.get('mailbox').send(change, { isKept });
    return accepted(c);
  });
}

function sendingRoutes(routes: Hono<MailEnv>): void {
  routes.post('/me/messages/:id/send', (c) => {
    requireScope(c, SEND);
    c.get('mailbox').sendDraft(idOf(c));
    return accepted(c);
  });
  for (const [action, draft, write] of ANSWERS) {
    routes.post(`/me/messages/:id/${action}`, async (c) => {
      requireScope(c, SEND);
      const mailbox = c.get('mailbox');
      const original = mailbox.message(idOf(c));
      const { conversationId } = original;
      mailbox.send(write(original, mailbox, readAnswer(await readBody(c))), { conversationId });
      return accepted(c);
    });
    routes.post(`/me/messages/:id/${draft}`, async (c) => {
      requireScope(c, WRITE);
      const mailbox = c.get('mailbox');
      const original = mailbox.message(idOf(c));
      const { conversationId } = original;
      const change = write(original, mailbox, readAnswer(await readBody(c)));
      return c.json(render(c, mailbox.add('drafts', change, { conversationId })), 201);
    });
  }
}

function attachmentRoutes(routes: Hono<MailEnv>): void {
  routes.get('/me/messages/:id/attachments', (c) => {
    requireScope(c, READ);
    const message = c.get('mailbox').message(idOf(c));
    const files = message.attachments.map((file) => renderAttachment(file, message));
    return c.json(pageOf(files, new URL(c.req.url), 'messages/attachments'));
  });
  routes.post('/me/messages/:id/attachments', async (c) => {
    requireScope(c, WRITE);
    const { name, contentType, isInline, contentBytes } = readMembers(
      attachment,
      await readBody(c),
      'attachment',
    );
    const file = { name, contentType, isInline, contentBytes };
    const mailbox = c.get('mailbox');
    return c.json(renderAttachment(mailbox.attach(idOf(c), file), mailbox.message(idOf(c))), 201);
  });
  routes.get('/me/messages/:id/attachments/:attachment', (c) => {
    requireScope(c, READ);
    const message = c.get('mailbox').message(idOf(c));
    const rendered = renderAttachment(attachmentOf(message, c), message);
    return c.json(readSelect(c.req.query('$select') ?? null)(rendered));
  });
}

type Answer = (original: Message, mailbox: Mailbox, sent: ReturnType<typeof readAnswer>) => MessageChange;

/** Goes to the sender, or where the sender wants answers; with everybody, to the other recipients too. */
function reply(toAll: boolean): Answer {
  return (original, { owner }, { comment, change }) => {
    const sender = original.replyTo.length > 0 ? original.replyTo : [original.from];
    const others = (list: Message['to']) => list.filter(({ address }) => address !== owner.email);
    return {
      ...quoted('RE', original, comment),
      ...change,
      to: [...sender, ...(toAll ? others(original.to) : []), ...(change.to ?? [])],
      cc: [...(toAll ? others(original.cc) : []), ...(change.cc ?? [])],
      attachments: [],
    };
  };
}

const forward: Answer = (original, _, { comment, change }) => ({
  ...quoted('FW', original, comment),
  ...change,
  attachments: original.attachments,
});

const ANSWERS: readonly (readonly [action: string, draft: string, write: Answer])[] = [
  ['reply', 'createReply', reply(false)],
  ['replyAll', 'createReplyAll', reply(true)],
  ['forward', 'createForward', forward],
];

function quoted(prefix: string, original: Message, comment: string): MessageChange {
  const before = `From: ${original.from.name} <${original.from.address}>\nSubject: ${original.subject}`;
  const subject = original.subject.startsWith(`${prefix}: `)
    ? original.subject
    : `${prefix}: ${original.subject}`;
  return {
    subject,
    body: { contentType: 'text', content: `${comment}\n\n${before}\n\n${textOf(original.body)}` },
  };
}

function attachmentOf({ attachments }: Message, c: MailContext): Attachment {
  const found = attachments.find(({ id }) => id === c.req.param('attachment'));
  if (found === undefined) throw itemNotFound();
  return found;
}

/** @throws MailRefusal 400 for options that exclude each other, and for an order that the filter does not begin with */
function page(c: MailContext, messages: readonly Message[]): Response {
  const url = new URL(c.req.url);
  const { searchParams: query } = url;
  const [search, filter, order] = ['$search', '$filter', '$orderby'].map((name) => query.get(name));
  if (search !== null && search !== undefined) {
    if (order !== null)
      throw badRequest(
        "The query parameter '$orderby' is not supported with '$search'.",
        'SearchWithOrderBy',
      );
    if (filter !== null)
      throw badRequest("The query parameter '$filter' is not supported with '$search'.", 'SearchWithFilter');
    const found = messages.filter(readSearch(search));
    return c.json(
      searchPage(
        found.map((message) => render(c, message)),
        url,
      ),
    );
  }
  const [by = ''] = order?.split(' ') ?? [];
  if (filter !== null && by !== '' && !filter?.startsWith(by))
    throw badRequest('The restriction or sort order is too complex for this operation.', 'InefficientFilter');
  return c.json(
    pageOf(
      messages.map((message) => render(c, message)),
      url,
      'messages',
    ),
  );
}

/** The next page of a search is named by an opaque token. */
function searchPage(found: readonly Rendered[], url: URL): object {
  const { searchParams: query } = url;
  requireKnown(query, ['$search', '$select', '$top', '$skiptoken']);
  const token = query.get('$skiptoken');
  const start = token === null ? 0 : Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isInteger(start))
    throw new MailRefusal(400, 'ErrorInvalidUrlQuery', 'The skip token is not valid.');
  const end = start + Number(query.get('$top') ?? 10);
  const next = new URL(url);
  next.searchParams.set('$skiptoken', Buffer.from(String(end)).toString('base64url'));
  return {
    '@odata.context': `${url.origin}/v1.0/$metadata#users('me')/messages`,
    ...(end < found.length && { '@odata.nextLink': next.href }),
    value: found.slice(start, end).map(readSelect(query.get('$select'))),
  };
}

function render(c: MailContext, message: Message): Rendered {
  return renderMessage(message, readPreferences(c.req.header('prefer')));
}
