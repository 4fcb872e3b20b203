/** The listener of a process that serves links only: what it answers, and until when. */
import { afterEach, expect, it, vi } from 'vitest';
import { operatorIn } from '../../../src/app/commands/admin.ts';
import { openServices } from '../../../src/app/services/services.ts';
import { LinkListener } from '../../../src/app/serve/link-listener.ts';
import { whoHolds } from '../../../src/app/serve/port-holder.ts';
import { silentLog } from '../../../src/core/log.ts';
import { LinkStore } from '../../../src/store/accounts/link-store.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { LEDGER_CATALOG, ledgerConnection } from '../../support/ledger-server.ts';
import { OAuthProvider } from '../../support/oauth-provider/provider.ts';
import { Browser } from '../../support/deployment/browser.ts';
import { folderWith, settingsIn } from '../folder.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  vi.restoreAllMocks();
});

/** An installation whose links work for a minute and whose ways to the provider and back for ten. */
async function openProcess(checkMs = 5, env: Readonly<Record<string, string>> = {}, user_id = 'ada') {
  const provider = await OAuthProvider.start();
  closing.push(() => provider.close());
  const folder = folderWith({
    'gatehouse.yaml': JSON.stringify({
      catalog_dirs: [LEDGER_CATALOG],
      lifetimes: { link: '1m', state: '10m' },
      outbound: { allow_private_hosts: ['127.0.0.1'] },
      connections: [ledgerConnection(provider)],
    }),
  });
  const clock = fixedClock();
  const services = await openServices({
    settings: settingsIn(folder, env),
    log: silentLog,
    clock,
    linkBase: async (environmentId) => listener.baseUrl(environmentId),
  });
  closing.push(() => services.close());
  const listener = new LinkListener(services, checkMs);
  closing.push(() => listener.close());
  const caller = operatorIn(services.environments.byName('development').id);
  const { link } = await services.links.create(caller, { connector: 'ledger', user_id });
  const { origin } = new URL(link);
  const browser = new Browser({ baseUrl: origin, server: { url: origin }, keep: () => {} });
  /** Another listener of the same process. */
  const open = () => {
    const another = new LinkListener(services, checkMs);
    closing.push(() => another.close());
    return { listener: another, baseUrl: async () => another.baseUrl(caller.environmentId) };
  };
  const baseUrl = async () => listener.baseUrl(caller.environmentId);
  return { listener, clock, link, origin, browser, open, baseUrl, installationId: services.id };
}

/** Settles when the listener has looked twice more whether it is needed. */
async function twoChecks(): Promise<void> {
  const checks = vi.spyOn(LinkStore.prototype, 'countOpen');
  await expect.poll(() => checks.mock.calls.length, { interval: 5 }).toBeGreaterThan(2);
}

it('closes the listener when its only link expires', async () => {
  const { listener, clock } = await openProcess();
  await twoChecks();
  expect(listener.isOpen).toBe(true);
  clock.advance(60_000);
  await expect.poll(() => listener.isOpen).toBe(false);
});

it('keeps the listener open for a link about to be stored when the previous link ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  closing.push(async () => void vi.useRealTimers());
  const { listener, clock, baseUrl } = await openProcess(2_000);
  const checks = vi.spyOn(LinkStore.prototype, 'countOpen');
  const check = async (): Promise<void> => {
    vi.advanceTimersByTime(2_000);
    await checks.mock.results.at(-1)?.value;
  };
  clock.advance(60_000);
  await check();
  await baseUrl();
  await check();
  expect(listener.isOpen).toBe(true);
  await check();
  expect(listener.isOpen).toBe(false);
});

it('keeps the listener open for a browser on its way, and tells it that the link expired', async () => {
  const { listener, clock, link, browser } = await openProcess();
  const callback = await browser.consent(link);
  clock.advance(120_000);
  await twoChecks();
  expect(listener.isOpen).toBe(true);
  const page = await browser.get(callback);
  expect([page.status, page.text]).toEqual([410, expect.stringContaining('<h1>This link has expired</h1>')]);
  clock.advance(600_000);
  await expect.poll(() => listener.isOpen).toBe(false);
});

it('recognizes when a browser has seen the final page', async () => {
  const { listener, link, origin, browser } = await openProcess(3_600_000);
  expect((await browser.connect(link)).location).toBe('/connect/done');
  const seen = listener.lastPage(3_600_000);
  await browser.get(`${origin}/connect/done`);
  await seen;
  await listener.close();
  await listener.lastPage(3_600_000);
});

it('does not open the link listener again after it closed, even in the middle of opening', async () => {
  const { listener, open } = await openProcess(3_600_000);
  await listener.close();
  const late = open();
  const opening = late.baseUrl();
  await late.listener.close();
  await opening;
  await late.baseUrl();
  expect(late.listener.isOpen).toBe(false);
});

it('does not wait forever for a closed browser', async () => {
  const { listener } = await openProcess();
  await listener.lastPage(1);
  expect(listener.isOpen).toBe(true);
});

it('serves the connect pages on IPv6 too', async () => {
  const { origin } = await openProcess(3_600_000, { GATEHOUSE_HOST: '::1' });
  expect(origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
});

it('identifies itself as a link listener, not a server, to a process that wants its port', async () => {
  const { origin, installationId } = await openProcess();
  expect(await whoHolds(origin, installationId)).toEqual({
    kind: 'same',
    pid: process.pid,
    servesLinksOnly: true,
  });
});

it('serves no route except those that connect an account', async () => {
  const { origin } = await openProcess();
  for (const path of ['/', '/dashboard', '/mcp', '/api/v1/tools', '/oauth/token', '/sso/v1/oauth/conn_1'])
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 404]);
  const callback = await fetch(`${origin}/sso/v1/oauth/conn_1/callback?state=x&code=y`);
  expect([callback.status, callback.headers.get('content-type')]).toEqual([400, 'text/html; charset=UTF-8']);
});

it('serves the sign-in page where owners have to confirm, and no other page for people', async () => {
  const statuses = async (origin: string) =>
    Promise.all(
      ['/sign-in', '/connect/confirm?auth_request_id=x', '/sign-up', '/organizations', '/dashboard'].map(
        async (path) => (await fetch(origin + path)).status,
      ),
    );
  const asked = await openProcess(5, { GATEHOUSE_USER_VERIFICATION: 'signed_in' }, 'usr_ada');
  expect(await statuses(asked.origin)).toEqual([200, 404, 404, 404, 404]);
  const page = await (await fetch(`${asked.origin}/connect/confirm?auth_request_id=x`)).text();
  expect(page).toContain('There is nothing to confirm');
});

it('serves no sign-in page where nobody has to confirm', async () => {
  const { origin } = await openProcess();
  expect((await fetch(`${origin}/sign-in`)).status).toBe(404);
});
