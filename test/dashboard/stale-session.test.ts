/** What the dashboard does only for somebody who has just proven who they are: what would give others rights or secrets. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from './dashboard-site.ts';
import type { DeskBrowser } from '../pages/people-desk.ts';

let site: Site;
let operator: DeskBrowser;

beforeAll(async () => {
  site = await openSite();
  operator = await site.signedIn('operator');
  site.clock.advance(11 * 60_000);
});

describe('dashboard: session whose sign-in is older than ten minutes', () => {
  it.each([
    '/dashboard/users/new',
    '/dashboard/users/usr_1/edit',
    '/dashboard/organizations/org_1/invitations/new',
    '/dashboard/organizations/org_1/members/usr_1/remove',
    '/dashboard/connections/new?connector=notes',
    '/dashboard/connections/conn_1/edit',
    '/dashboard/interceptors/new',
    '/dashboard/interceptors/int_1/edit',
    '/dashboard/webhooks/new',
    '/dashboard/webhooks/whk_1/edit',
    '/dashboard/upstreams/new',
    '/dashboard/upstreams/server/notion/approve',
  ])('signs in again before the form, and nothing is posted before: %s', async (path) => {
    const again = {
      status: 303,
      location: `/sign-in?${String(new URLSearchParams({ again: '1', next: path }))}`,
    };
    expect(await operator.get(path)).toMatchObject(again);
    expect(await operator.post(path, {})).toMatchObject(again);
  });

  it.each([
    ['/dashboard/organizations/org_1/members/usr_1/role', '/dashboard/organizations/org_1'],
    ['/dashboard/organizations/org_1/invitations/inv_1/revoke', '/dashboard/organizations/org_1'],
    ['/dashboard/interceptors/int_1/disable', '/dashboard/interceptors/int_1'],
    ['/dashboard/webhooks/whk_1/enable', '/dashboard/webhooks/whk_1'],
  ])('signs in again before a button does something: %s', async (path, back) => {
    expect(await operator.post(path, {})).toMatchObject({
      status: 303,
      location: `/sign-in?${String(new URLSearchParams({ again: '1', next: back }))}`,
    });
  });
});
