import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Environments } from '../../src/core/environment.ts';
import { expireAccount, seedAccount, seedCalls } from '../dashboard/seeded-calls.ts';
import { inFullRounds } from '../support/rounds.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

const HOUR_MS = 3_600_000;

/** A day of calls: more at noon, some that fail, some that wait for a person. */
async function seedDay(site: ServedSite): Promise<void> {
  const ada = await seedAccount(site, { user_id: 'u1' }, 'ada@example.test');
  const acme = await seedAccount(site, { organization_id: site.organization.id }, 'acme');
  const eve = await seedAccount(site, { user_id: 'u3' }, 'eve@example.test');
  const now = site.clock.now();
  await expireAccount(site, eve.id, now - 5 * HOUR_MS);
  const owners = [
    { connected_account_id: ada.id, user_id: 'u1', organization_id: '' },
    { connected_account_id: acme.id, user_id: '', organization_id: site.organization.id },
  ];
  const calls = Array.from({ length: 300 }, (_, i) => {
    const hour = Math.floor(24 * (i / 300) ** 0.6);
    return {
      id: `exe_${String(i).padStart(26, '0')}`,
      at: now - hour * HOUR_MS - (i % 50) * 60_000,
      ...owners[i % 2],
      source: (['mcp', 'api', 'dashboard'] as const)[i % 3] ?? 'mcp',
      duration_ms: 80 + ((i * 37) % 900),
      ...(i % 17 === 0 && {
        status: 'error' as const,
        error_code: 'TOOL_ERROR',
        error_message: 'The provider failed.',
      }),
      ...(i % 23 === 5 && { status: 'error' as const, error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' }),
      ...(i % 41 === 7 && { status: 'error' as const, error_code: 'INVALID_ARGUMENT' }),
    };
  });
  await seedCalls(site, calls);
}

describe.skipIf(isWithoutBrowser)('dashboard in a browser', () => {
  let browser: Browser;
  let site: ServedSite;
  let fresh: ServedSite;

  beforeAll(async () => {
    [browser, site, fresh] = await Promise.all([connectBrowser(), serveSite(), serveSite()]);
    await seedDay(site);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), site?.close(), fresh?.close()]);
  });

  it.each([
    ['/dashboard', 'overview'],
    ['/dashboard/calls', 'calls'],
    ['/dashboard/calls?status=error&tool=web', 'calls-nothing'],
    ['/dashboard/calls/exe_00000000000000000000000001', 'call'],
    ['/dashboard/search?q=search', 'search'],
    ...inFullRounds(
      ['/dashboard?period=30d', 'overview-30d'],
      ['/dashboard?live=1', 'overview-live'],
      ['/dashboard/calls/exe_00000000000000000000000005', 'call-waits'],
    ),
  ] as const)('has no fault that axe-core, the console or the policy names at %s', async (path, name) => {
    expect(await site.faultsAt(browser, { who: 'operator', path, name })).toEqual([]);
  });

  it.each([
    ['/dashboard', 'overview-organization'],
    ...inFullRounds(['/dashboard/calls', 'calls-organization']),
  ] as const)(
    'has no fault that axe-core names for the owner of an organization at %s',
    async (path, name) => {
      expect(await site.faultsAt(browser, { who: 'owner', path, name })).toEqual([]);
    },
  );

  it.each([
    ['/dashboard/nothing', 404, 'nothing'],
    ['/dashboard/calls?from=soon', 400, 'calls-wrong'],
  ])('has no fault that axe-core names on the page of a failure: %s', async (path, status, name) => {
    const { page, heard } = await site.open(browser, 'operator', path);
    const [first, ...others] = heard;
    expect(first).toContain(`status of ${status}`);
    expect(await faultsOf(page, name, others)).toEqual([]);
  });

  it('shows the first steps of a new installation without a fault, and hides them without a script', async () => {
    const first = await fresh.open(browser, 'operator', '/dashboard');
    expect(await faultsOf(first.page, 'first-steps', first.heard)).toEqual([]);
    const { page } = await fresh.open(browser, 'operator', '/dashboard', { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Hide the first steps' }).click();
    expect(await page.getByRole('status').first().textContent()).toContain('The first steps are hidden.');
    expect(await page.getByRole('heading', { name: 'Latest calls' }).count()).toBe(1);
  });

  it('has no fault that axe-core names with the menu of environments open', async () => {
    const production = {
      ...site.environment,
      id: 'env_2',
      name: 'production',
      baseUrl: 'https://gate.example',
    };
    const both = await serveSite({
      replace: { environments: new Environments([site.environment, production]) },
    });
    const { page, heard } = await both.open(browser, 'operator', '/dashboard#side');
    await page.getByRole('group').filter({ hasText: 'production' }).locator('summary').click();
    expect(await faultsOf(page, 'environments', heard)).toEqual([]);
    await both.close();
  });

  it('moves to the search with a slash', async () => {
    const { page } = await site.open(browser, 'operator', '/dashboard');
    await page.keyboard.press('/');
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('q');
  });

  it('opens the navigation of a narrow screen without a script', async () => {
    const { page } = await site.open(browser, 'operator', '/dashboard', {
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Calls' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Calls');
  });

  it('adds new calls to a live list by itself', async () => {
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/calls?live=1');
    await seedCalls(site, [{ id: 'exe_new', tool_name: 'websearch_answer', at: site.clock.now() }]);
    await page.evaluate(`document.querySelector('[data-live]').dispatchEvent(new Event('live'))`);
    await page.getByRole('link', { name: 'websearch_answer' }).waitFor();
    expect(heard).toEqual([]);
  });
});
