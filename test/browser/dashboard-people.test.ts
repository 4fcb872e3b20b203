import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inFullRounds } from '../support/rounds.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

describe.skipIf(isWithoutBrowser)('dashboard: users and organizations in a browser', () => {
  let browser: Browser;
  let site: ServedSite;
  let member: string;
  let acme: string;

  beforeAll(async () => {
    [browser, site] = await Promise.all([connectBrowser(), serveSite()]);
    const { people, local, organization } = site;
    acme = organization.id;
    member = await site.userOf('member');
    await site.userOf('admin');
    await Promise.all([site.cookieOf('member'), site.cookieOf('member')]);
    await people.users.create(local, {
      email: 'a.very.long.address.of.somebody@harbour-almanac-of-the-north.example',
      given_name: 'Wolfeschlegelsteinhausenbergerdorff',
      organization_id: acme,
      role: 'admin',
    });
    await site.services.accounts.create(local, {
      connector: 'websearch',
      identifier: 'robin@acme.example',
      user_id: member,
    });
    const visitor = { ip: '192.0.2.1', userAgent: '', region: '', city: '' };
    await people.invitations.create(local, acme, { email: 'guest@acme.example' }, visitor);
    await people.organizationProviders.put(local, acme, {
      issuer: 'https://id.acme.example/realms/people-of-the-whole-company',
      client_id: 'gatehouse',
      client_secret: 'secret-1',
      domains: ['acme.example'],
    });
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), site?.close()]);
  });

  it.each([
    ['users', 'operator', '/users'],
    ['user', 'operator', '/users/:user'],
    ['user-new', 'operator', '/users/new'],
    ['user-delete', 'operator', '/users/:user/delete'],
    ['organization', 'operator', '/organizations/:organization'],
    ['invite', 'operator', '/organizations/:organization/invitations/new'],
    ['invitations', 'operator', '/organizations/:organization/invitations'],
    ['provider', 'operator', '/organizations/:organization/provider'],
    ['people', 'owner', '/organizations'],
    ...inFullRounds(
      ['people-admin', 'admin', '/organizations'],
      ['organizations', 'operator', '/organizations'],
      ['organization-new', 'operator', '/organizations/new'],
      ['organization-rename', 'operator', '/organizations/:organization/rename'],
      ['organization-delete', 'operator', '/organizations/:organization/delete'],
      ['user-edit', 'operator', '/users/:user/edit'],
      ['user-operator', 'operator', '/users/:user/make-operator'],
    ),
  ] as const)('has no fault that axe-core or the policy names on the page %s', async (name, who, path) => {
    const address = `/dashboard${path.replace(':user', member).replace(':organization', acme)}`;
    expect(await site.faultsAt(browser, { who, path: address, name })).toEqual([]);
  });

  it('moves to the problems of a form that is shown again, without a fault', async () => {
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/organizations/new', {
      javaScriptEnabled: false,
    });
    await page.getByLabel('Name', { exact: true }).fill(' ');
    await page.getByLabel('E-mail address of the owner').fill('nobody@localhost');
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByRole('heading', { name: 'Please correct this' }).isVisible()).toBe(true);
    expect(await page.getByLabel('E-mail address of the owner').inputValue()).toBe('nobody@localhost');
    expect(heard.filter((text) => !text.includes('400'))).toEqual([]);
  });
});
