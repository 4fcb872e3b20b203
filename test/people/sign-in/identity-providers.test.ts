import { beforeEach, describe, expect, it } from 'vitest';
import { memoryDatabase, withEnvironments } from '../../authorization-server/identity-support.ts';
import {
  boundTo,
  foreigner,
  machine,
  makeMember,
  makeOrganization,
  outcome,
  personIn,
} from '../people-support.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { PROVIDER, signInServices, type SignInServices } from './sign-in-support.ts';

let services: SignInServices;
let acme: { id: string; ownerId: string };

beforeEach(async () => {
  services = await signInServices(await memoryDatabase());
  acme = await makeOrganization(services, 'Acme', 'root');
});

const owner = () => personIn(acme.ownerId, acme.id);

describe('identity provider of an organization', () => {
  it('shows the provider with what is to be registered there, and without its secret', async () => {
    const put = await services.providers.put(machine, acme.id, { ...PROVIDER, domains: ['ACME.example'] });
    expect(put).toEqual({
      id: expect.stringMatching(/^idp_/),
      organization_id: acme.id,
      issuer: 'https://login.acme.example',
      client_id: 'gatehouse',
      has_client_secret: true,
      domains: ['acme.example'],
      assume_email_verified: false,
      allow_operator_rights: false,
      redirect_uri: `http://127.0.0.1:3000/sso/v1/oidc/${acme.id}/callback`,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    expect(await services.providers.get(machine, acme.id)).toEqual(put);
    const stored = JSON.stringify(
      await services.db.read.selectFrom('organization_providers').selectAll().execute(),
    );
    expect(stored).not.toContain('secret1');
  });

  it('lets the owner change the provider, and audits each change', async () => {
    const { id } = await services.providers.put(owner(), acme.id, { ...PROVIDER, domains: [] });
    await services.providers.put(owner(), acme.id, { ...PROVIDER, client_id: 'other', domains: [] });
    await services.providers.remove(owner(), acme.id);
    expect((await services.auditLines()).filter((line) => line.includes('provider'))).toEqual([
      `${acme.ownerId} organization_provider.create ${id}`,
      `${acme.ownerId} organization_provider.update ${id}`,
      `${acme.ownerId} organization_provider.delete ${id}`,
    ]);
    expect(await outcome(services.providers.get(owner(), acme.id))).toBe('RESOURCE_NOT_FOUND');
    expect(await outcome(services.providers.remove(owner(), acme.id))).toBe('RESOURCE_NOT_FOUND');
  });

  it('takes a private address from the operator only, and keeps it while its owner renews the secret', async () => {
    const inside = { ...PROVIDER, issuer: 'https://10.0.0.8', domains: [] };
    for (const caller of [owner(), boundTo(acme.id)])
      expect(await outcome(services.providers.put(caller, acme.id, inside))).toEqual(['issuer address']);
    await services.providers.put(machine, acme.id, inside);
    await services.providers.put(owner(), acme.id, { ...inside, client_secret: 'new' });
    for (const change of [{ client_id: 'other' }, { issuer: 'https://10.0.0.9' }])
      expect(await outcome(services.providers.put(owner(), acme.id, { ...inside, ...change }))).toEqual([
        'issuer address',
      ]);
  });

  it('refuses everybody except owners and credentials', async () => {
    await services.providers.put(machine, acme.id, PROVIDER);
    const other = await makeOrganization(services, 'Other', 'other');
    const [admin, member] = [
      personIn(await makeMember(services, acme.id, 'admin', 'admin'), acme.id),
      personIn(await makeMember(services, acme.id, 'member'), acme.id),
    ];
    for (const [caller, code] of [
      [admin, 'PERMISSION_DENIED'],
      [member, 'PERMISSION_DENIED'],
      [personIn(other.ownerId, other.id), 'RESOURCE_NOT_FOUND'],
      [boundTo(other.id), 'RESOURCE_NOT_FOUND'],
      [foreigner, 'RESOURCE_NOT_FOUND'],
      [{ ...machine, scopes: new Set(['accounts:write'] as const) }, 'PERMISSION_DENIED'],
    ] as const) {
      expect(await outcome(services.providers.get(caller, acme.id))).toBe(code);
      expect(await outcome(services.providers.put(caller, acme.id, PROVIDER))).toBe(code);
      expect(await outcome(services.providers.remove(caller, acme.id))).toBe(code);
    }
  });

  it('takes domains from the operator only, because an owner could be everybody in them', async () => {
    for (const caller of [owner(), boundTo(acme.id)])
      expect(await outcome(services.providers.put(caller, acme.id, PROVIDER))).toBe('PERMISSION_DENIED');
    await services.providers.put(machine, acme.id, { ...PROVIDER, domains: ['acme.example', 'acme.test'] });
    const kept = await services.providers.put(owner(), acme.id, { ...PROVIDER, domains: ['acme.test'] });
    expect(kept.domains).toEqual(['acme.test']);
    expect(await outcome(services.providers.put(owner(), acme.id, PROVIDER))).toBe('PERMISSION_DENIED');
  });

  it('keeps the secret when none is given, as long as issuer and client stay', async () => {
    await services.providers.put(machine, acme.id, PROVIDER);
    const { client_secret: _, ...same } = PROVIDER;
    expect(await services.providers.put(machine, acme.id, same)).toMatchObject({ has_client_secret: true });
    for (const change of [{ issuer: 'https://login.evil.example' }, { client_id: 'other' }])
      expect(await outcome(services.providers.put(machine, acme.id, { ...same, ...change }))).toEqual([
        'client_secret required',
      ]);
    const open = await services.providers.put(machine, acme.id, { ...same, client_secret: null });
    expect(open).toMatchObject({ has_client_secret: false });
  });

  it('keeps domains and switches when none are given, as long as issuer and client stay', async () => {
    const switches = { assume_email_verified: true, allow_operator_rights: true };
    const put = await services.providers.put(machine, acme.id, { ...PROVIDER, ...switches });
    const { issuer, client_id } = PROVIDER;
    expect(await services.providers.put(machine, acme.id, { issuer, client_id })).toEqual(put);
    const moved = await services.providers.put(machine, acme.id, {
      issuer,
      client_id: 'other',
      client_secret: null,
    });
    expect(moved).toMatchObject({
      domains: [],
      assume_email_verified: false,
      allow_operator_rights: false,
    });
  });

  it('names every mistake at once', async () => {
    const input = {
      issuer: 'http://127.0.0.1/?x#y',
      client_id: 'a\nb',
      client_secret: '',
      domains: ['acme.example', 'no domain', 'localhost', 'a@b.example', '%.example', '"x".example'],
    };
    expect(await outcome(services.providers.put(machine, acme.id, input))).toEqual([
      'issuer address',
      'issuer address',
      'issuer address',
      'client_id format',
      'client_secret format',
      'domains.1 format',
      'domains.2 format',
      'domains.3 format',
      'domains.4 format',
      'domains.5 format',
    ]);
  });

  it('deletes the provider with its organization', async () => {
    await services.providers.put(machine, acme.id, PROVIDER);
    await services.organizations.remove(machine, acme.id);
    expect(await services.providers.ofEmail('env_dev', 'ada@acme.example')).toBeUndefined();
  });
});

describe('claimed domain of an identity provider', () => {
  const EVIL = { ...PROVIDER, issuer: 'https://login.evil.example' };
  const CHANGES = [{ issuer: EVIL.issuer }, { client_id: 'other' }, { issuer: `${PROVIDER.issuer}/` }];

  it.each(CHANGES)('drops with a change of %o by an owner, who reads so', async (change) => {
    const { id } = await services.providers.put(machine, acme.id, PROVIDER);
    const put = await services.providers.put(owner(), acme.id, { ...PROVIDER, ...change });
    expect(put).toMatchObject({
      domains: [],
      warnings: [expect.stringContaining('acme.example was dropped from the domains')],
    });
    expect(await services.providers.ofEmail('env_dev', 'ada@acme.example')).toBeUndefined();
    expect((await services.auditLines()).slice(-2)).toEqual([
      `${acme.ownerId} organization_provider.update ${id}`,
      `${acme.ownerId} organization_provider.drop_domains ${id}`,
    ]);
    const { issuer, client_id } = PROVIDER;
    expect(
      await services.providers.put(owner(), acme.id, { issuer, client_id, client_secret: 's' }),
    ).toMatchObject({ domains: [] });
    expect(await outcome(services.providers.put(owner(), acme.id, PROVIDER))).toBe('PERMISSION_DENIED');
  });

  it('does not come back by deleting the provider and entering it again', async () => {
    await services.providers.put(machine, acme.id, PROVIDER);
    await services.providers.remove(owner(), acme.id);
    expect(await outcome(services.providers.put(owner(), acme.id, PROVIDER))).toBe('PERMISSION_DENIED');
  });

  it('stays while an owner rotates the client secret, with and without naming the domains', async () => {
    await services.providers.put(machine, acme.id, PROVIDER);
    const { domains: _, ...unnamed } = PROVIDER;
    for (const input of [PROVIDER, unnamed]) {
      const put = await services.providers.put(owner(), acme.id, { ...input, client_secret: 'new' });
      expect(put.domains).toEqual(['acme.example']);
      expect(put.warnings).toBeUndefined();
    }
    expect((await services.auditLines()).join()).not.toContain('drop_domains');
  });

  it('stays when the operator changes the issuer', async () => {
    await services.providers.put(machine, acme.id, PROVIDER);
    const put = await services.providers.put(machine, acme.id, EVIL);
    expect(put).toMatchObject({ issuer: EVIL.issuer, domains: ['acme.example'] });
    expect(put.warnings).toBeUndefined();
  });

  it('keeps the provider from every change by a credential of the organization', async () => {
    const before = await services.providers.put(machine, acme.id, PROVIDER);
    const bound = boundTo(acme.id);
    for (const input of [EVIL, PROVIDER, { ...PROVIDER, client_secret: 'new' }, { ...PROVIDER, domains: [] }])
      expect(await outcome(services.providers.put(bound, acme.id, input))).toBe('PERMISSION_DENIED');
    expect(await outcome(services.providers.remove(bound, acme.id))).toBe('PERMISSION_DENIED');
    expect(await services.providers.get(machine, acme.id)).toEqual(before);
    await services.providers.put(machine, acme.id, { ...PROVIDER, domains: [] });
    expect(await services.providers.put(bound, acme.id, { ...EVIL, domains: [] })).toMatchObject({
      issuer: EVIL.issuer,
    });
  });

  it.each(['assume_email_verified', 'allow_operator_rights'] as const)(
    'takes the switch %s from the operator only, and turns it off with the issuer',
    async (name) => {
      await services.providers.put(machine, acme.id, PROVIDER);
      const on = { ...PROVIDER, [name]: true };
      expect(await outcome(services.providers.put(owner(), acme.id, on))).toBe('PERMISSION_DENIED');
      await services.providers.put(machine, acme.id, on);
      for (const input of [
        { ...on, [name]: false },
        { ...on, issuer: EVIL.issuer },
      ])
        expect(await outcome(services.providers.put(owner(), acme.id, input))).toBe('PERMISSION_DENIED');
      expect(await services.providers.put(owner(), acme.id, PROVIDER)).toMatchObject({ [name]: true });
      expect(await services.providers.put(owner(), acme.id, EVIL)).toMatchObject({ [name]: false });
    },
  );
});

forEachDatabase((_name, open) => {
  it('lets one organization of an environment claim a domain', async () => {
    const of = await signInServices(await withEnvironments(await open(), 'env_dev', 'env_prod'));
    const first = await makeOrganization(of, 'First', 'first');
    const second = await makeOrganization(of, 'Second', 'second');
    const claims = await Promise.all(
      [first, second].map(({ id }) => outcome(of.providers.put(machine, id, PROVIDER))),
    );
    expect(claims.filter((claim) => claim === 'ALREADY_EXISTS')).toHaveLength(1);
    const found = await of.providers.ofEmail('env_dev', 'ada@acme.example');
    expect([first.id, second.id]).toContain(found?.organization_id);
    expect(await of.providers.ofEmail('env_prod', 'ada@acme.example')).toBeUndefined();
    expect(await of.providers.ofEmail('env_dev', 'ada@cme.example')).toBeUndefined();
    expect(await of.providers.ofEmail('env_dev', 'ada@x.acme.example')).toBeUndefined();
  });
});
