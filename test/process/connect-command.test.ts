/** `gatehouse connect` as a process, for an app that people consent to: who serves the link, and how it ends. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Browser } from '../support/deployment/browser.ts';
import { freePort, PROGRAM } from '../support/deployment/server-process.ts';
import { LEDGER_CATALOG, ledgerConnection } from '../support/ledger-server.ts';
import { OAuthProvider } from '../support/oauth-provider/provider.ts';

let dir: string;
let provider: OAuthProvider;
let env: Record<string, string>;
let origin: string;
const children: ChildProcessWithoutNullStreams[] = [];

beforeEach(async () => {
  provider = await OAuthProvider.start();
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-connect-'));
  writeFileSync(
    join(dir, 'gatehouse.yaml'),
    JSON.stringify({
      data_dir: 'data',
      catalog_dirs: [LEDGER_CATALOG],
      outbound: { allow_private_hosts: ['127.0.0.1'] },
      connections: [ledgerConnection(provider)],
    }),
  );
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: dir,
    GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_CLIENT_ID: 'test',
    GATEHOUSE_CLIENT_SECRET: 'a-secret-of-the-test-that-is-long-enough-0123456789',
  };
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await provider.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A running command and what it has said. */
function start(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: dir, env: { ...env, ...more } });
  children.push(child);
  const said = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      for (const look of watchers) look();
    });
  }
  const ended = once(child, 'close').then(() => child.exitCode);
  /** Settles with what matched on either stream. */
  const until = async (pattern: RegExp): Promise<string> => {
    const found = (): string | undefined => pattern.exec(said.stdout + said.stderr)?.[0];
    const now = found();
    if (now !== undefined) return now;
    return new Promise((resolve, reject) => {
      watchers.add(() => {
        const text = found();
        if (text !== undefined) resolve(text);
      });
      void ended.then((code) => reject(new Error(`ended with ${code}: ${said.stdout}${said.stderr}`)));
    });
  };
  return { child, said, ended, until, link: () => until(/http:\S+\/connect\/[A-Za-z0-9_-]{43}/) };
}

const openBrowser = (): Browser => new Browser({ baseUrl: origin, server: { url: origin }, keep: () => {} });

const isServed = async (): Promise<boolean> =>
  fetch(`${origin}/healthz`).then(
    () => true,
    () => false,
  );

describe('process gatehouse connect', () => {
  it('serves the link itself, reports the connected account, and lets the browser see it too', async () => {
    const command = start(['connect', 'ledger', '--user', 'ada']);
    const link = await command.link();
    expect(link.startsWith(`${origin}/connect/`)).toBe(true);
    const browser = openBrowser();
    const back = await browser.connect(link);
    expect([back.status, back.location]).toEqual([302, '/connect/done']);
    expect((await browser.get(`${origin}${back.location}`)).text).toContain('<h1>Ledger is connected</h1>');
    expect(await command.ended).toBe(0);
    expect(command.said.stdout).toMatch(/^Ledger is connected for ada: ca_[0-9a-z]{26}, ACTIVE\n$/);
    expect(command.said.stderr).toContain('Waiting for the link to be opened …');
    expect(await isServed()).toBe(false);
  });

  it('continues when the person denies access, and succeeds on a later consent', async () => {
    const command = start(['connect', 'ledger', '--json']);
    const link = await command.link();
    provider.set({ authorize: { mode: 'deny' } });
    expect((await openBrowser().connect(link)).status).toBe(403);
    await command.until(/The browser came back without access/);
    provider.set({ authorize: { mode: 'approve' } });
    const browser = openBrowser();
    const back = await browser.connect(link);
    expect(back.status).toBe(302);
    await browser.get(`${origin}${back.location}`);
    expect(await command.ended).toBe(0);
    expect(JSON.parse(command.said.stdout)).toEqual({
      connected_account_id: expect.stringMatching(/^ca_/),
      identifier: 'local',
      status: 'ACTIVE',
    });
  });

  it('leaves the link to a running server, and waits for it', async () => {
    const server = start(['serve']);
    await server.until(/"event":"ready"/);
    const command = start(['connect', 'ledger']);
    const link = await command.link();
    await command.until(/It is served by the Gatehouse at 127\.0\.0\.1:\d+, which has to be running\./);
    expect((await openBrowser().connect(link)).status).toBe(302);
    expect(await command.ended).toBe(0);
    expect(await isServed()).toBe(true);
  });

  it('waits until the app has verified who gave access', async () => {
    const app = {
      GATEHOUSE_USER_VERIFICATION: 'app',
      GATEHOUSE_USER_VERIFY_URL: 'http://127.0.0.1:1/verified',
    };
    const server = start(['serve'], app);
    await server.until(/"event":"ready"/);
    const command = start(['connect', 'ledger', '--user', 'ada'], app);
    const back = await openBrowser().connect(await command.link());
    await command.until(/Access is given\. Waiting for the app/);
    const token = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'test',
        client_secret: env.GATEHOUSE_CLIENT_SECRET ?? '',
      }),
    });
    const { access_token } = (await token.json()) as { access_token: string };
    const auth_request_id = new URL(back.location).searchParams.get('auth_request_id');
    const verified = await fetch(`${origin}/api/v1/connected_accounts/user/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ auth_request_id, identifier: 'ada' }),
    });
    expect(verified.status).toBe(200);
    expect(await command.ended).toBe(0);
    expect(command.said.stdout).toMatch(/^Ledger is connected for ada/);
  });

  it('fails when nobody finishes in time', async () => {
    const command = start(['connect', 'ledger', '--json'], { GATEHOUSE_LIFETIMES_LINK: '1s' });
    expect(await command.ended).toBe(1);
    expect(command.said.stdout).toBe('');
    expect(JSON.parse(command.said.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      message:
        'Ledger is not connected: nobody finished the link in time. Run the command again for a new one.',
      details: [{ error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE', reason: 'link_expired' }],
    });
  });

  it('ends at once on a signal, and says what becomes of the link', async () => {
    const command = start(['connect', 'ledger']);
    expect((await openBrowser().get(await command.link())).status).toBe(200);
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(1);
    expect(command.said.stdout).toBe('');
    expect(command.said.stderr.trimEnd().split('\n').at(-1)).toBe(
      'gatehouse: Stopped waiting: Ledger is not connected yet. The link ended with this command; run it again for a new one.',
    );
    expect(await isServed()).toBe(false);
  });

  it('creates no link that no process could serve', async () => {
    const stranger = createServer((_request, response) => response.end('hello'));
    stranger.listen(Number(env.GATEHOUSE_PORT), '127.0.0.1');
    await once(stranger, 'listening');
    try {
      const command = start(['connect', 'ledger']);
      expect(await command.ended).toBe(1);
      expect(command.said.stderr).toContain('is used by another program');
      expect(command.said.stderr).not.toContain('/connect/');
    } finally {
      await new Promise((resolve) => stranger.close(resolve));
    }
  });

  it('names the existing connections for an unknown one', async () => {
    const command = start(['connect', 'nothing']);
    expect(await command.ended).toBe(1);
    expect(command.said.stderr).toContain('There is no connection of that name. There are: ledger');
  });
});
