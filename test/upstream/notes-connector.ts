/** A server in this process with the connector `notes`, a remote MCP server of either era, and what its users do. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { modern as mcpRequest } from '../mcp/fixtures.ts';
import { startShopServer } from '../support/shop-server.ts';
import { startNotesServer } from './notes-server.ts';

/** People bring a key, which is sent in a header. */
export const KEY_AUTH = [
  {
    type: 'API_KEY',
    fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
    attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
  },
];

export const ADA_KEY = 'key-of-ada-0123456789';
export const BOB_KEY = 'key-of-bob-0123456789';

export type NotesConnector = Awaited<ReturnType<typeof startNotesConnector>>;

/** A tool as a user is shown it. */
interface ShownTool {
  name: string;
  description?: string;
  annotations?: object;
  inputSchema?: object;
}

/** Starts both. @param mcp further keys of the connector's block `mcp` */
export async function startNotesConnector(era: 'modern' | 'legacy', mcp: object = {}) {
  const notes = await startNotesServer(era);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upstream-'));
  mkdirSync(join(folder, 'notes'));
  const connector = {
    name: 'notes',
    title: 'Notes',
    description: 'Notes of a server of the tests.',
    mcp: { url: notes.url, approval: 'manual', ...mcp },
    auth: KEY_AUTH,
    errors: { message: ['error.message'], code: ['error.code'] },
  };
  writeFileSync(join(folder, 'notes', 'connector.yaml'), JSON.stringify(connector));
  const shop = await startShopServer({
    hosts: { main: notes.origin, files: notes.origin },
    settings: { catalog_dirs: [folder], outbound: { allow_private_hosts: ['127.0.0.1'] } },
  });
  const environmentId = shop.services.environments.byName('development').id;
  const by = operatorIn(environmentId);
  const headersOf = (user: string) => ({
    headers: { authorization: `Bearer ${shop.token}`, 'gatehouse-user-id': user },
  });
  const detailsOf = (key: string) => ({ static_auth: { details: { api_key: key } } });

  return {
    notes,
    shop,
    environmentId,
    by,
    /** @returns the id of the account */
    connect: async (user: string, key: string, connectorName = 'notes'): Promise<string> => {
      const answer = await shop.api('POST', '/connected_accounts', {
        connector: connectorName,
        identifier: user,
        user_id: user,
        connected_account: { authorization_details: detailsOf(key) },
      });
      const text = await answer.text();
      if (answer.status !== 201) throw new Error(text);
      return (JSON.parse(text) as { connected_account: { id: string } }).connected_account.id;
    },
    /** Adds another server while the program runs, whose tools are published at once. */
    addTrusted: async (connectorName: string, url: string): Promise<void> => {
      const mcp = { approval: 'trusted' };
      const given = { name: connectorName, url, trusted: true, connector: { mcp, auth: KEY_AUTH } };
      await shop.services.upstreams.operators.add(by, { ...given, confirm: true });
    },
    /** Gives an account another key. */
    reconnect: async (user: string, key: string): Promise<void> => {
      const connected_account = { authorization_details: detailsOf(key) };
      const account = { connector: 'notes', identifier: user, user_id: user };
      await shop.services.accounts.update(by, { ...account, connected_account });
    },
    /** Reads the list of an account. @returns what has changed */
    refresh: async (accountId: string): Promise<string[]> => {
      const account = await new AccountStore(shop.services.db.read).find({ environmentId }, accountId);
      if (account === undefined) throw new Error('no account');
      const changes = await (await shop.services.upstreams.lists()).refresh(account);
      return changes.map(({ tool, state }) => `${tool}: ${state}`);
    },
    /** Approves every form that waits and may be approved. */
    approveAll: async (): Promise<void> => {
      const lists = await shop.services.upstreams.lists();
      const [connection] = await shop.services.connectionFinder.forConnector(environmentId, 'notes');
      if (connection === undefined) throw new Error('no connection');
      const forms = await lists.formsOf(environmentId, connection.id);
      const open = forms.filter(
        ({ state, obstacle }) => (state === 'new' || state === 'held') && obstacle === null,
      );
      await lists.approve(
        by,
        connection,
        open.map(({ tool, hash }) => ({ tool, hash })),
      );
    },
    /** The tools that a user is shown over MCP. */
    listed: async (user: string): Promise<ShownTool[]> => {
      const { body } = await mcpRequest(
        `${shop.baseUrl}/mcp?connectors=notes`,
        'tools/list',
        {},
        headersOf(user),
      );
      return (body.result?.tools as ShownTool[] | undefined) ?? [];
    },
    /** What a call over MCP answers. */
    called: async (
      user: string,
      name: string,
      input: object,
      query = '',
    ): Promise<Record<string, unknown>> => {
      const params = { name, arguments: input };
      const { body } = await mcpRequest(`${shop.baseUrl}/mcp${query}`, 'tools/call', params, headersOf(user));
      return (body.result ?? body.error) as Record<string, unknown>;
    },
    close: async (): Promise<void> => {
      await shop.close();
      await notes.close();
      rmSync(folder, { recursive: true });
    },
  };
}
