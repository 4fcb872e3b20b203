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
    '/dashboard/users/usr_1/delete',
    '/dashboard/organizations/org_1/delete',
    '/dashboard/organizations/org_1/provider',
    '/dashboard/organizations/org_1/invitations/new',
    '/dashboard/organizations/org_1/members/usr_1/remove',
    '/dashboard/accounts/ca_1/delete',
    '/dashboard/servers/msv_1/delete',
    '/dashboard/connections/new?connector=notes',
    '/dashboard/connections/conn_1/edit',
    '/dashboard/connections/conn_1/delete',
    '/dashboard/credentials/new',
    '/dashboard/credentials/cred_1/rotate',
    '/dashboard/credentials/cred_1/delete',
    '/dashboard/interceptors/new',
    '/dashboard/interceptors/int_1/edit',
    '/dashboard/interceptors/int_1/delete',
    '/dashboard/webhooks/new',
    '/dashboard/webhooks/whk_1/edit',
    '/dashboard/webhooks/whk_1/delete',
    '/dashboard/upstreams/new',
    '/dashboard/upstreams/server/notion/edit',
    '/dashboard/upstreams/server/notion/approve',
    '/dashboard/upstreams/server/notion/accept',
    '/dashboard/upstreams/server/notion/reregister',
    '/dashboard/upstreams/server/notion/remove',
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
    ['/dashboard/interceptors/signing-secret/show', '/dashboard/interceptors/signing-secret'],
    ['/dashboard/interceptors/signing-secret/rotate', '/dashboard/interceptors/signing-secret'],
    ['/dashboard/webhooks/whk_1/enable', '/dashboard/webhooks/whk_1'],
    ['/dashboard/upstreams/new/confirm', '/dashboard/upstreams/new'],
  ])('signs in again before a button does something: %s', async (path, back) => {
    expect(await operator.post(path, {})).toMatchObject({
      status: 303,
      location: `/sign-in?${String(new URLSearchParams({ again: '1', next: back }))}`,
    });
  });
});
