import { beforeAll, describe, expect, it } from 'vitest';
import { viewerOf } from '../../src/dashboard/access/viewer.ts';
import type { SignedInPerson } from '../../src/people/sign-in/people-sign-in.ts';
import { openSite, type Site } from './dashboard-site.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

let site: Site;

beforeAll(async () => {
  site = await openSite();
});

function person(change: Partial<SignedInPerson>, organizationId = ''): SignedInPerson {
  return {
    session: {
      id: 'ses_1',
      environmentId: site.environment.id,
      kind: 'browser',
      userId: 'usr_1',
      organizationId,
      clientId: '',
      device: {},
      resource: '',
      connectionDetails: [],
      customClaims: {},
      createdAt: NOW,
      expiresAt: NOW + 3_600_000,
    },
    userId: 'usr_1',
    email: 'ada@example.test',
    name: '',
    isOperator: false,
    organizations: [],
    ...change,
  };
}

describe('dashboard: rights of a viewer', () => {
  it('name the person as actor and the dashboard as source', () => {
    expect(viewerOf(person({ isOperator: true }), '192.0.2.1', NOW)?.caller).toMatchObject({
      kind: 'operator',
      actor: 'usr_1',
      source: 'dashboard',
      ip: '192.0.2.1',
    });
  });

  it('let an operator make credentials, but none that shows credentials of providers', async () => {
    const viewer = viewerOf(person({ isOperator: true }), '', NOW);
    if (viewer === undefined) throw new Error('an operator may enter');
    const { credentials } = site.identity;
    const made = await credentials.create(viewer.caller, { name: 'CI', scopes: ['accounts:read', 'admin'] });
    expect(made.credential.scopes).toEqual(['accounts:read', 'admin']);
    await expect(
      credentials.create(viewer.caller, { name: 'All', scopes: ['accounts:credentials'] }),
    ).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { required_scope: 'accounts:credentials' },
    });
  });

  it('reach the accounts of the organization for an admin, and none of their own', () => {
    const organizations = [
      { id: 'org_1', name: 'Acme', role: 'admin' as const },
      { id: 'org_2', name: 'Other', role: 'owner' as const },
    ];
    const viewer = viewerOf(person({ organizations }, 'org_1'), '', NOW);
    expect(viewer).toMatchObject({ isOperator: false, organization: { id: 'org_1', role: 'admin' } });
    expect(viewer?.caller).toMatchObject({ onlyOwner: { userId: '', organizationId: 'org_1' } });
    expect(viewer?.caller.scopes.has('admin')).toBe(false);
  });

  it.each([
    ['a member', 'org_1', [{ id: 'org_1', name: 'Acme', role: 'member' as const }]],
    [
      'an owner who is signed in to no organization',
      '',
      [{ id: 'org_1', name: 'Acme', role: 'owner' as const }],
    ],
    ['somebody without an organization', '', []],
  ])('give %s no dashboard at all', (_, organizationId, organizations) => {
    expect(viewerOf(person({ organizations }, organizationId), '', NOW)).toBeUndefined();
  });
});
