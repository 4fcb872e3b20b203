import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inFullRounds } from '../support/rounds.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

const KEY = { authorization_details: { static_auth: { details: { api_key: 'key-1' } } } };

describe.skipIf(isWithoutBrowser)('dashboard: accounts in a browser', () => {
  let browser: Browser;
  let site: ServedSite;
  let crm: string;

  beforeAll(async () => {
    [browser, site] = await Promise.all([connectBrowser(), serveSite()]);
    const { services, local, organization } = site;
    await services.connections.create(local, {
      connector: 'crm',
      client_id: 'app-1',
      client_secret: 'secret-1',
    });
    const made = await services.accounts.create(local, {
      connector: 'crm',
      identifier: 'robin@northlight.example',
      user_id: await site.userOf('member'),
      connected_account: {
        api_config: { timeout: '20s' },
        authorization_details: {
          oauth_token: { access_token: 'at', refresh_token: 'rt', scopes: ['record_permission:read'] },
        },
      },
    });
    crm = made.id;
    const search = { connector: 'websearch', connected_account: KEY };
    await services.accounts.create(local, {
      ...search,
      identifier: 'a-very-long-identifier-of-somebody-without-a-break@harbour-almanac.example',
      user_id: 'customer-4711',
    });
    const { id } = await services.accounts.create(local, {
      ...search,
      identifier: 'shared',
      organization_id: organization.id,
    });
    await services.disconnection.disconnect(local, id);
    const { id: old } = await services.accounts.create(local, {
      ...search,
      identifier: 'expired@acme.example',
    });
    await services.db.transaction(async (tx) => {
      await tx.updateTable('accounts').set({ status: 'EXPIRED' }).where('id', '=', old).execute();
    });
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), site?.close()]);
  });

  it.each([
    ['list', ''],
    ['one', '/:id'],
    ['new', '/new'],
    ['new-links', '/links'],
    ['disconnect', '/:id/disconnect'],
    ...inFullRounds(['delete', '/:id/delete'], ['filtered', '?query=nobody']),
  ] as const)(
    'have no fault that axe-core, the console or the policy names on the page %s',
    async (name, path) => {
      const address = `/dashboard/accounts${path.replace(':id', crm)}`;
      expect(
        await site.faultsAt(browser, { who: 'operator', path: address, name: `accounts-${name}` }),
      ).toEqual([]);
    },
  );

  it('get links to copy for all that have expired, without a script', async () => {
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/accounts', {
      javaScriptEnabled: false,
    });
    await page.getByRole('link', { name: 'Make new links for expired accounts' }).click();
    await page.getByRole('button', { name: 'Make links' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('1 link made');
    expect(await page.getByRole('table').textContent()).toContain('/connect/');
    expect(heard).toEqual([]);
  });

  it('have no fault on the page with a new link', async () => {
    const { page, heard } = await site.open(browser, 'operator', `/dashboard/accounts/${crm}`);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Link for robin@northlight.example',
    );
    expect(await faultsOf(page, 'accounts-link', heard)).toEqual([]);
  });
});
