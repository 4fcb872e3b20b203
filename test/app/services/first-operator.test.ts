/** The link that a start of the server makes for the first operator. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAdmin } from '../../../src/app/commands/admin.ts';
import { startServer, type RunningServer } from '../../../src/app/serve/serve.ts';
import { silentLog } from '../../../src/core/log.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { DeskBrowser } from '../../pages/people-desk.ts';

let folder: string;
const running: RunningServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-first-'));
  writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify({ data_dir: 'data', port: 0 }));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  rmSync(folder, { recursive: true });
});

const settings = () =>
  loadSettings({
    flags: { config: join(folder, 'gatehouse.yaml') },
    env: {},
    cwd: folder,
    homeDir: folder,
  });

async function start(makesLink: boolean): Promise<RunningServer> {
  const firstOperatorOf = { environment: 'development', makesLink };
  const server = await startServer({ settings: settings(), log: silentLog, firstOperatorOf });
  running.push(server);
  return server;
}

const browserOf = ({ baseUrl }: RunningServer): DeskBrowser =>
  new DeskBrowser(baseUrl, (url, init) => fetch(url, { ...init, redirect: 'manual' }));

describe('link of a start of the server', () => {
  it('makes the first operator, and no later start has one', async () => {
    const server = await start(true);
    const link = server.firstOperator?.link ?? '';
    expect(link.startsWith(`${server.baseUrl}/operator/`)).toBe(true);
    const browser = browserOf(server);
    expect((await browser.get(new URL(link).pathname)).title).toBe('Become the operator');
    expect((await browser.submit({ email: 'ada@example.test' })).status).toBe(303);
    expect((await browser.get('/dashboard')).html).toContain('ada@example.test');
    expect((await start(true)).firstOperator).toBeUndefined();
  });

  it('ends with the next start, whether or not that makes one', async () => {
    const first = await start(true);
    const path = new URL(first.firstOperator?.link ?? '').pathname;
    const browser = browserOf(first);
    expect((await browser.get(path)).status).toBe(200);
    const second = await start(true);
    expect((await browser.get(path)).status).toBe(410);
    const replaced = new URL(second.firstOperator?.link ?? '').pathname;
    expect((await browserOf(second).get(replaced)).status).toBe(200);
    const third = await start(false);
    expect(third.firstOperator).toEqual({});
    expect((await browserOf(second).get(replaced)).status).toBe(410);
  });

  it('leaves one open link when two processes start at once', async () => {
    const both = await Promise.all([start(true), start(true)]);
    const statuses = await Promise.all(
      both.map(async (server) =>
        browserOf(server).get(new URL(server.firstOperator?.link ?? server.baseUrl).pathname),
      ),
    );
    expect(statuses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410]);
  });

  it('comes from the command line too, for a server that runs', async () => {
    const server = await start(false);
    const { port } = new URL(server.baseUrl);
    const fixed = { ...settings(), port: Number(port) };
    const admin = await openAdmin({ settings: fixed, log: silentLog });
    const link = await admin.operatorLink((await admin.caller('development')).environmentId);
    await admin.close();
    expect(new URL(link).origin).toBe(server.baseUrl);
    const browser = browserOf(server);
    await browser.get(new URL(link).pathname);
    expect((await browser.submit({ email: 'ada@example.test' })).status).toBe(303);
  });
});
