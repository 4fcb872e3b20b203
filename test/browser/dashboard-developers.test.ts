import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rows } from '../../src/store/engine/rows.ts';
import { newDelivery } from '../interceptors/support.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { inFullRounds } from '../support/rounds.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

let browser: Browser;
let site: ServedSite;
let endpoint: FaultServer;
let paths: { credential: string; interceptor: string; webhook: string };

const ONLY_400 = ['Failed to load resource: the server responded with a status of 400 (Bad Request)'];

beforeAll(async () => {
  if (isWithoutBrowser) return;
  [browser, endpoint] = await Promise.all([connectBrowser(), startFaultServer()]);
  site = await serveSite({ env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: new URL(endpoint.origin).host } });
  paths = await madeThings();
});

afterAll(async () => {
  await Promise.all([browser?.close(), site?.close(), endpoint?.close()]);
});

beforeEach(() => endpoint?.reset());

/** A credential, an interceptor with a log, and a webhook with deliveries. */
async function madeThings(): Promise<typeof paths> {
  const { services, local, environment, clock } = site;
  const { credential } = await site.identity.credentials.create(local, {
    name: 'Nightly export of everything that the finance team needs',
    scopes: ['accounts:read', 'accounts:write', 'tools:execute', 'metrics:read'],
  });
  await site.identity.credentials.rotate(local, credential.id);
  const interceptor = await services.interceptors.create(local, {
    name: 'Office hours only',
    trigger_point: 'PRE_USER_INVITATION',
    endpoint: `${endpoint.origin}/gatehouse/office-hours`,
    fallback: 'block',
  });
  const webhook = await services.webhooks.create(local, {
    name: 'CRM sync',
    url: 'https://hooks.example.com/gatehouse/accounts/changes?tenant=harbour-almanac',
    events: ['connected_account.created', 'connected_account.status_updated'],
  });
  const entry = (n: number, change: object) => ({
    id: `evt_00000000000000000000000${n}`,
    environment_id: environment.id,
    interceptor_id: interceptor.id,
    at: clock.now() - n * 60_000,
    trigger_point: 'PRE_USER_INVITATION' as const,
    request: JSON.stringify({
      display_name: 'Office hours only',
      interceptor_context: { user_email: 'ada@example.com' },
    }),
    response_status: 200,
    response_body: '{"decision":"ALLOW"}',
    failure: null,
    decision: 'ALLOW' as const,
    duration_ms: 41,
    ...change,
  });
  const delivery = (n: number, change: object) => ({
    ...newDelivery({ webhook_id: webhook.id }),
    id: `whd_00000000000000000000000${n}`,
    event_id: `evt_00000000000000000000000${n}`,
    environment_id: environment.id,
    created_at: clock.now() - n * 60_000,
    ...change,
  });
  await services.db.transaction(async (tx) => {
    await rows(tx, 'interceptor_logs').insert(
      entry(1, {}),
      entry(2, { decision: 'DENY', response_body: '{"decision":"DENY","error":{"message":"Closed."}}' }),
      entry(3, { failure: 'The endpoint did not answer in time.', response_status: null, decision: 'DENY' }),
    );
    await rows(tx, 'webhook_deliveries').insert(
      delivery(1, { status: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null }),
      delivery(2, {
        attempts: 3,
        last_status: 500,
        last_failure: 'It answered 500.',
        next_attempt_at: clock.now() + 60_000,
      }),
      delivery(3, { status: 'failed', attempts: 12, last_failure: 'No connection.', next_attempt_at: null }),
    );
  });
  return {
    credential: `/dashboard/credentials/${credential.id}`,
    interceptor: `/dashboard/interceptors/${interceptor.id}`,
    webhook: `/dashboard/webhooks/${webhook.id}`,
  };
}

async function openDetails(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })");
}

/** Looks at a page with everything that can be opened open. */
async function faultsAt(path: string, name: string): Promise<string[]> {
  return site.faultsAt(browser, { who: 'operator', path, name, before: openDetails });
}

describe.skipIf(isWithoutBrowser)('dashboard: API credentials in a browser', () => {
  it.each<readonly [string, () => string]>([
    ['list', () => '/dashboard/credentials'],
    ['new', () => '/dashboard/credentials/new'],
    ['one', () => paths.credential],
    ['rotate', () => `${paths.credential}/rotate`],
    ...inFullRounds(['delete', () => `${paths.credential}/delete`]),
  ])('have no fault that axe-core, the console or the policy names: %s', async (name, path) => {
    expect(await faultsAt(path(), `credentials-${name}`)).toEqual([]);
  });

  it('show a new secret once, and a refused form with its problems', async () => {
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/credentials/new');
    await page.getByLabel('Name').fill('CI');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Please correct this' }).waitFor();
    expect(await faultsOf(page, 'credentials-refused', heard)).toEqual(ONLY_400);
    await page.getByLabel('Run tools and send requests').check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'CI was created' }).waitFor();
    expect(await faultsOf(page, 'credentials-secret', heard)).toEqual(ONLY_400);
    await page.getByRole('link', { name: 'I have stored it' }).click();
    expect(await page.getByText('Stored as a SHA-256 hash only').count()).toBe(1);
  });
});

describe.skipIf(isWithoutBrowser)('dashboard: interceptors in a browser', () => {
  it.each<readonly [string, () => string]>([
    ['list', () => '/dashboard/interceptors'],
    ['new', () => '/dashboard/interceptors/new'],
    ['one', () => paths.interceptor],
    ['signing', () => '/dashboard/interceptors/signing-secret'],
    ...inFullRounds(
      ['edit', () => `${paths.interceptor}/edit`],
      ['delete', () => `${paths.interceptor}/delete`],
    ),
  ])('have no fault that axe-core, the console or the policy names: %s', async (name, path) => {
    expect(await faultsAt(path(), `interceptors-${name}`)).toEqual([]);
  });

  it.each([
    ['with', true],
    ['without', false],
  ])('show request and answer of a test side by side %s a script', async (name, javaScriptEnabled) => {
    endpoint.queue({ json: { decision: 'DENY', error: { message: 'Closed.' } } }, { status: 500 });
    const { page, heard } = await site.open(browser, 'operator', paths.interceptor, { javaScriptEnabled });
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('A flow would be stopped').waitFor();
    expect(new URL(page.url()).pathname.endsWith('/test')).toBe(!javaScriptEnabled);
    expect(await page.locator('#test-part .sides').textContent()).toContain('Closed.');
    if (javaScriptEnabled) expect(await faultsOf(page, `interceptors-tested-${name}`, heard)).toEqual([]);
    await page.getByRole('button', { name: 'Test again' }).click();
    await page.getByText('The fallback decided').first().waitFor();
    expect(endpoint.requests).toHaveLength(2);
  });

  it('lead to the sign-in page when the session ended before a test', async () => {
    const { page } = await site.open(browser, 'operator', paths.interceptor);
    await page.context().clearCookies();
    const asked = page.waitForRequest(/\/sign-in\?next=/);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    expect((await asked).isNavigationRequest()).toBe(true);
    expect(endpoint.requests).toEqual([]);
  });
});

describe.skipIf(isWithoutBrowser)('dashboard: webhooks in a browser', () => {
  it.each<readonly [string, () => string]>([
    ['list', () => '/dashboard/webhooks'],
    ['one', () => paths.webhook],
    ['edit', () => `${paths.webhook}/edit`],
    ...inFullRounds(['new', () => '/dashboard/webhooks/new'], ['delete', () => `${paths.webhook}/delete`]),
  ])('have no fault that axe-core, the console or the policy names: %s', async (name, path) => {
    expect(await faultsAt(path(), `webhooks-${name}`)).toEqual([]);
  });

  it('can be disabled, and send a delivery again, without a script', async () => {
    const { page } = await site.open(browser, 'operator', paths.webhook, { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Events for CRM sync wait until it is enabled again.').waitFor();
    await page.locator('details').filter({ hasText: 'Given up' }).locator('summary').click();
    await page.getByRole('button', { name: 'Send again' }).locator('visible=true').click();
    await page.getByText('The event is on its way.').waitFor();
  });
});

describe.skipIf(isWithoutBrowser)('dashboard: settings in a browser', () => {
  it('have no fault that axe-core, the console or the policy names', async () => {
    expect(await faultsAt('/dashboard/settings', 'settings')).toEqual([]);
  });
});
