/**
 * A server in this process, on loopback, in mode `none`. Its catalog is the example connectors of its connections, or
 * all examples where it has none.
 */
import { selectorOf } from '../../src/accounts/account-input.ts';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountNotActive } from '../../src/accounts/not-active.ts';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { startServer } from '../../src/app/serve/serve.ts';
import type { Caller } from '../../src/core/caller.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { ServiceError } from '../../src/core/errors.ts';
import type { ProxyAnswer, ProxyCall } from '../../src/executor/proxy/proxy.ts';
import { silentLog } from '../../src/core/log.ts';
import { connectPrompt } from '../../src/mcp/connect-prompt.ts';
import { Browser, type Page } from './deployment/browser.ts';

/** Folder of the examples, one connector for each authorization type. */
export const EXAMPLES = join(import.meta.dirname, '../../catalogs/examples');

export interface ExampleServerOptions {
  /** Entries of `connections` in gatehouse.yaml. */
  connections: readonly Record<string, unknown>[];
  /** Replaces text in files of the examples, by path below their folder. */
  changes?: Readonly<Record<string, readonly [from: string, to: string]>>;
}

export type ExampleServer = Awaited<ReturnType<typeof startExampleServer>>;

export async function startExampleServer({ connections, changes = {} }: ExampleServerOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-example-'));
  const catalog = join(folder, 'catalog');
  const used = new Set(connections.map(({ connector }) => connector));
  for (const name of readdirSync(EXAMPLES)) {
    const text = readFileSync(join(EXAMPLES, name, 'connector.yaml'), 'utf8');
    // The others would be read and checked for nothing.
    if (used.size === 0 || used.has(/^name: (\S+)$/m.exec(text)?.[1]))
      cpSync(join(EXAMPLES, name), join(catalog, name), { recursive: true });
  }
  for (const [path, [from, to]] of Object.entries(changes)) {
    const text = readFileSync(join(catalog, path), 'utf8');
    if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
    writeFileSync(join(catalog, path), text.replace(from, to));
  }
  const config = join(folder, 'gatehouse.yaml');
  const outbound = { allow_private_hosts: ['127.0.0.1'] };
  const given = { data_dir: 'data', port: 0, catalog_dirs: [catalog], outbound, connections };
  writeFileSync(config, JSON.stringify(given));
  const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
  const server = await startServer({ settings, log: silentLog });
  const { services, baseUrl } = server;
  const { accounts, credentialAccess, executor, links } = services;
  const operator = operatorIn(services.environments.byName('development').id);
  const key = (connector: string, user: string) => ({ connector, identifier: user, user_id: user });
  return {
    services,
    baseUrl,
    operator,
    /** Public origin of links; pages are read there. */
    browser: () => new Browser({ baseUrl, server: { url: baseUrl }, keep: () => {} }),
    link: async (connector: string, user: string): Promise<string> =>
      (await links.create(operator, { connector, user_id: user })).link,
    /** A link whose owner is verified by the customer's app (mode `app`). */
    verifiedLink: async (connector: string, user: string, identifier: string): Promise<string> => {
      const user_verify_url = 'http://127.0.0.1:9/verify';
      return (await links.create(operator, { connector, user_id: user, identifier, user_verify_url })).link;
    },
    details: async (connector: string, user: string) =>
      accounts.describe(operator, selectorOf(key(connector, user))),
    auth: async (connector: string, user: string) =>
      credentialAccess.describe(operator, selectorOf(key(connector, user))),
    create: async (connector: string, user: string, authorization_details: Record<string, unknown> = {}) =>
      accounts.create(operator, {
        ...key(connector, user),
        connected_account: { authorization_details },
      }),
    update: async (connector: string, user: string, authorization_details: Record<string, unknown>) =>
      accounts.update(operator, {
        ...key(connector, user),
        connected_account: { authorization_details },
      }),
    /** Calls a tool for a user as an agent over MCP does: the account is made with the first call. */
    call: async (toolName: string, input: Record<string, unknown>, user: string): Promise<unknown> => {
      const owner = { userId: user, organizationId: '' };
      const caller: Caller = { ...operator, source: 'mcp', owner };
      return (await executor.execute({ caller, toolName, input, account: {} })).data;
    },
    /** Sends a request of the caller's own through the proxy. */
    proxy: async (
      connector: string,
      user: string,
      request: Pick<ProxyCall, 'method' | 'path' | 'query' | 'headers'> & { body?: Uint8Array },
    ): Promise<ProxyAnswer> => {
      const account = { connection: connector, identifier: user, userId: user };
      return executor.proxy({ ...request, account, caller: { ...operator, source: 'proxy' } });
    },
    close: async (): Promise<void> => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the call went through');
}

/** The link in the prompt that an agent gets instead of a result. */
export async function promptedLink(call: Promise<unknown>): Promise<string> {
  const error = await refusal(call);
  if (!(error instanceof AccountNotActive)) throw error;
  const text = connectPrompt(error)
    .content.map((block) => (block as { text: string }).text)
    .join('\n');
  const link = /https?:\/\/[^\s"]+\/connect\/[A-Za-z0-9_-]{43}/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in: ${text}`);
  return link;
}

/** Names of the fields that a connect page asks for, in order. */
export function fieldsOf({ text }: Page): string[] {
  return [...text.matchAll(/<input[^>]*\bname="([^"]+)"/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => name !== 'csrf');
}

/** Opens a link, fills the form in and sends it. @returns where the browser is sent, '' where the form comes back */
export async function fillIn(
  browser: Browser,
  link: string,
  values: Readonly<Record<string, string>>,
): Promise<Page> {
  const page = await browser.get(link);
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  return browser.post(link, { ...values, csrf });
}
