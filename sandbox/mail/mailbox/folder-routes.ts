/** Folders of messages, and the categories of the mailbox. */
import { Hono } from 'hono';
import { z } from 'zod';
import { pageOf } from '../event-list.ts';
import { readMembers } from '../event-shape.ts';
import { readBody, requireScope, type MailContext, type MailEnv } from '../exchange.ts';
import { renderFolder } from './message-rendering.ts';

const READ = ['Mail.Read', 'Mail.ReadWrite'];
const WRITE = ['Mail.ReadWrite'];

const named = z.strictObject({ displayName: z.string().min(1), isHidden: z.boolean().optional() });

const CATEGORIES = [
  ['Team', 'preset4'],
  ['Customers', 'preset7'],
  ['Travel', 'preset1'],
] as const;

/** `/me/mailFolders…`, `/me/outlook/masterCategories` */
export function folderRoutes(): Hono<MailEnv> {
  const routes = new Hono<MailEnv>();
  routes.get('/me/mailFolders', (c) => page(c, c.get('mailbox').root));
  routes.post('/me/mailFolders', async (c) => create(c, c.get('mailbox').root));
  routes.get('/me/mailFolders/:id/childFolders', (c) => page(c, parentOf(c)));
  routes.post('/me/mailFolders/:id/childFolders', async (c) => create(c, parentOf(c)));
  routes.patch('/me/mailFolders/:id', async (c) => {
    requireScope(c, WRITE);
    const { displayName } = readMembers(named, await readBody(c), 'mailFolder');
    const mailbox = c.get('mailbox');
    return c.json(renderFolder(mailbox, mailbox.renameFolder(c.req.param('id'), displayName)));
  });
  routes.delete('/me/mailFolders/:id', (c) => {
    requireScope(c, WRITE);
    c.get('mailbox').removeFolder(c.req.param('id'));
    return c.body(null, 204);
  });
  routes.get('/me/outlook/masterCategories', (c) => {
    requireScope(c, ['MailboxSettings.Read', 'MailboxSettings.ReadWrite']);
    const categories = CATEGORIES.map(([displayName, color], i) => ({
      id: `0000000${i}-0000-4000-8000-000000000000`,
      displayName,
      color,
    }));
    return c.json(pageOf(categories, new URL(c.req.url), 'outlook/masterCategories'));
  });
  return routes;
}

function parentOf(c: MailContext): string {
  const name = c.req.param('id') ?? '';
  const mailbox = c.get('mailbox');
  return name === 'msgfolderroot' ? mailbox.root : mailbox.folder(name).id;
}

function page(c: MailContext, parentId: string): Response {
  requireScope(c, READ);
  const mailbox = c.get('mailbox');
  const folders = mailbox.foldersIn(parentId).map((folder) => renderFolder(mailbox, folder));
  return c.json(pageOf(folders, new URL(c.req.url), 'mailFolders'));
}

async function create(c: MailContext, parentId: string): Promise<Response> {
  requireScope(c, WRITE);
  const { displayName } = readMembers(named, await readBody(c), 'mailFolder');
  const mailbox = c.get('mailbox');
  return c.json(renderFolder(mailbox, mailbox.addFolder(displayName, parentId)), 201);
}
