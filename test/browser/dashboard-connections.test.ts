import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../dashboard/dashboard-rows.ts';
import { inFullRounds } from '../support/rounds.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

describe.skipIf(isWithoutBrowser)('dashboard: connections in a browser', () => {
  let browser: Browser;
  let site: ServedSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([connectBrowser(), serveSite()]);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), site?.close()]);
  });

  it.each([
    ['list', ''],
    ['gallery', '/new'],
    ['new', '/new?connector=mail'],
    ['one', '/calendar'],
    ['edit', '/calendar/edit'],
    ['in-use', '/calendar/delete'],
    ...inFullRounds(['delete', '/warehouse/delete'], ['snowflake', '/warehouse']),
  ] as const)('have no fault that axe-core, the console or the policy names: %s', async (name, path) => {
    await madeConnections(site);
    expect(
      await site.faultsAt(browser, {
        who: 'operator',
        path: `/dashboard/connections${path}`,
        name: `connections-${name}`,
      }),
    ).toEqual([]);
  });

  it('show what is typed into a masked field, and mask it again when it is sent', async () => {
    await madeConnections(site);
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/connections');
    await page.getByRole('link', { name: 'calendar' }).click();
    await page.getByRole('link', { name: 'Change' }).click();
    const secret = page.getByLabel('Client secret');
    await secret.fill('typed');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await secret.getAttribute('type')).toBe('text');
    await page.evaluate(
      `document.querySelector('[data-show]').form.dispatchEvent(new Event('submit', { bubbles: true }))`,
    );
    expect(await secret.getAttribute('type')).toBe('password');
    expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(1);
    expect(heard).toEqual([]);
  });

  it('put the problems of a refused form where the keyboard is', async () => {
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/connections/new?connector=mail');
    await page.getByLabel('Name').fill('<b>no</b>');
    await page.getByLabel('Further params').fill('nothing');
    await page.getByRole('button', { name: 'Create the connection' }).click();
    await page.getByRole('heading', { name: 'Please correct this' }).waitFor();
    // The browser moves the focus when it draws the page.
    await expect
      .poll(async () => page.evaluate<string>('document.activeElement.textContent'))
      .toBe('Please correct this');
    const faults = await faultsOf(page, 'connections-refused', heard);
    expect(faults).toEqual([
      'Failed to load resource: the server responded with a status of 400 (Bad Request)',
    ]);
  });
});

let isMade: Promise<void> | undefined;

/** Made with the first question. */
async function madeConnections(site: ServedSite): Promise<void> {
  isMade ??= (async () => {
    const { connections } = site.services;
    await connections.create(site.local, {
      connector: 'mail',
      name: 'calendar',
      client_id: '6f1c2b1e-70a3-4f0e-9d0b-5a7b9a3c1d2e',
      client_secret: 'a-secret',
      scopes: ['Calendars.ReadWrite', 'offline_access', 'Tasks.Read'],
      params: { tenant: 'common', timeout: '20s' },
    });
    await connections.create(site.local, { connector: 'warehouse', name: 'warehouse' });
    await accountOf(site, 'calendar', 'ada');
  })();
  return isMade;
}
