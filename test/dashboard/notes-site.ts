/** A dashboard with a remote MCP server, Memos, that was added while the program runs, and Ada's account there. */
import { openSite, type Site, type SiteOptions } from './dashboard-site.ts';
import { closeAfterFile } from '../support/closing.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { noteTool, startNotesServer, type NotesServer } from '../upstream/notes-server.ts';

export type NotesSite = Awaited<ReturnType<typeof openNotesSite>>;

/** Starts Memos with two tools; it is closed after the tests of the file. */
export async function startMemos(): Promise<NotesServer> {
  const notes = await startNotesServer('modern');
  notes.tools['*'] = [noteTool('search-notes'), noteTool('addNote', { annotations: {} })];
  closeAfterFile(async () => notes.close());
  return notes;
}

/** @param approval of the connector; with `first` its first tools are published */
export async function openNotesSite(approval: 'first' | 'manual', options: SiteOptions = {}) {
  const notes = await startMemos();
  const { host } = new URL(notes.origin);
  const site = await openSite({ ...options, env: { ...options.env, GATEHOUSE_ALLOW_PRIVATE_HOSTS: host } });
  return { ...site, notes, ...(await addMemos(site, notes.url, approval)) };
}

/** Adds Memos to a site, with the account of its operator, whose list is read. */
export async function addMemos(site: Site, url: string, approval: 'first' | 'manual') {
  const { services, local, environment } = site;
  await services.upstreams.registry.add(local, {
    name: 'memos',
    title: 'Memos',
    description: 'Memos of the tests.',
    mcp: { url, approval },
    auth: [
      {
        type: 'API_KEY',
        fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
        attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
      },
    ],
  });
  const connection = await services.connections.create(local, { connector: 'memos' });
  const { id: accountId } = await services.accounts.create(local, {
    connector: 'memos',
    identifier: 'ada@memos.example',
    user_id: await site.userOf('operator'),
    connected_account: {
      authorization_details: { static_auth: { details: { api_key: 'key-of-ada-0123456789' } } },
    },
  });
  /** Reads the list of Ada's account again. */
  async function refresh(): Promise<void> {
    const account = await new AccountStore(services.db.read).find(
      { environmentId: environment.id },
      accountId,
    );
    if (account === undefined) throw new Error('no account');
    await (await services.upstreams.lists()).refresh(account);
  }
  await refresh();
  return { connection, accountId, refresh };
}
