import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES, type Caller, type Scope } from '../../src/core/caller.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { ApiCredentials } from '../../src/api-credentials/api-credentials.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import {
  admin,
  counting,
  memoryDatabase,
  withEnvironments,
} from '../authorization-server/identity-support.ts';
import { rows } from '../../src/store/engine/rows.ts';

const HOUR_MS = 3_600_000;

let database: Database;
let clock: FixedClock;
let credentials: ApiCredentials;

beforeEach(async () => {
  database = await memoryDatabase();
  clock = fixedClock();
  credentials = new ApiCredentials({ database, clock });
});
afterEach(async () => database.close());

async function refusal(work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

async function auditLines(db: Database = database): Promise<string[]> {
  const lines = await rows(db.read, 'audit').page('env_dev', { position: undefined, limit: 100 });
  return lines.map((row) => `${row.actor} ${row.action} ${row.target} ${row.ip}`).toReversed();
}

describe('API credential: create', () => {
  it('shows the secret once and stores no more than its hash', async () => {
    const { credential } = await credentials.create(admin, {
      name: 'Backend',
      scopes: ['tools:execute', 'accounts:read'],
    });
    expect(credential).toEqual({
      id: expect.stringMatching(/^cred_[0-9a-z]{26}$/),
      name: 'Backend',
      scopes: ['accounts:read', 'tools:execute'],
      organization_id: '',
      client_id: expect.stringMatching(/^gh_[0-9a-f]{32}$/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      created_at: '2026-11-20T12:00:00.000Z',
      last_used_at: null,
    });
    const { client_secret: _secret, ...shown } = credential;
    expect(await credentials.list('env_dev')).toEqual([shown]);
    expect(await credentials.get('env_dev', credential.id)).toEqual(shown);
    const stored = JSON.stringify(await database.read.selectFrom('credential_secrets').selectAll().execute());
    expect(stored).not.toContain(credential.client_secret);
  });

  it('writes the actor who made the credential into the audit log', async () => {
    const caller: Caller = { ...admin, actor: 'cred_admin', ip: '192.0.2.7' };
    const { credential } = await credentials.create(caller, { name: 'Backend', scopes: ['admin'] });
    expect(await auditLines()).toEqual([`cred_admin credential.create ${credential.id} 192.0.2.7`]);
  });

  it('names every violation at once and stores nothing', async () => {
    const error = await refusal(
      credentials.create(admin, {
        name: 'x'.repeat(201),
        scopes: ['tools:execute', 'root', '__proto__'],
        organization_id: 'a\u0000b',
      }),
    );
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.details['field_violations']).toMatchObject([
      { field: 'name', constraint: 'max_length' },
      { field: 'scopes.1', constraint: 'enum' },
      { field: 'scopes.2', constraint: 'enum' },
      { field: 'organization_id', constraint: 'characters' },
    ]);
    expect(await credentials.list('env_dev')).toEqual([]);
  });

  it.each([
    ['name', { name: '', scopes: ['admin'] }],
    ['name', { name: '\ud800', scopes: ['admin'] }],
    ['name', { name: 7, scopes: ['admin'] }],
    ['name', { scopes: ['admin'] }],
    ['scopes', { name: 'x', scopes: [] }],
    ['scopes', { name: 'x', scopes: 'admin' }],
    ['scopes', { name: 'x' }],
    ['organization_id', { name: 'x', scopes: ['admin'], organization_id: '' }],
  ])('refuses a bad %s', async (field, input) => {
    const error = await refusal(credentials.create(admin, input as never));
    expect(error.details['field_violations']).toMatchObject([{ field }]);
  });

  it('requires the scope admin to create, rotate and remove', async () => {
    const caller: Caller = { ...admin, scopes: new Set(['tools:execute']) };
    for (const work of [
      credentials.create(caller, { name: 'x', scopes: ['admin'] }),
      credentials.rotate(caller, 'cred_1'),
      credentials.remove(caller, 'cred_1'),
    ]) {
      expect((await refusal(work)).code).toBe('PERMISSION_DENIED');
    }
  });
});

describe('API credential: scopes that its maker may give', () => {
  const adminOnly = new Set<Scope>(['admin', 'tools:execute']);
  const operatorOfAnApp: Caller = {
    ...admin,
    kind: 'person',
    isApp: false,
    actor: 'usr_olga',
    scopes: adminOnly,
    source: 'api',
    person: { userId: 'usr_olga', sessionId: 'ses_1', organizationId: '' },
    onlyOwner: { userId: 'usr_olga', organizationId: '' },
  };
  const makers: [string, Caller][] = [
    ['machine', { ...admin, kind: 'machine', actor: 'cred_admin', scopes: adminOnly, source: 'api' }],
    [
      'machine of an organization',
      { ...admin, kind: 'machine', boundOrganizationId: 'org_a', scopes: adminOnly, source: 'api' },
    ],
    ['person', operatorOfAnApp],
  ];

  it.each(makers)('refuses a scope that the %s lacks, and stores nothing', async (_kind, maker) => {
    for (const [scopes, lacking] of [
      [['accounts:credentials'], 'accounts:credentials'],
      [['admin', 'accounts:credentials', 'accounts:read'], 'accounts:read accounts:credentials'],
    ] as const) {
      const error = await refusal(credentials.create(maker, { name: 'More', scopes }));
      expect([error.code, error.status]).toEqual(['PERMISSION_DENIED', 403]);
      expect(error.message).toContain('accounts:credentials');
      expect(error.details).toEqual({ required_scope: lacking });
    }
    expect(await credentials.list('env_dev')).toEqual([]);
    expect(await auditLines()).toEqual([]);
  });

  it.each(makers)('lets the %s give the scopes that it has', async (_kind, maker) => {
    const { credential } = await credentials.create(maker, { name: 'Same', scopes: [...adminOnly] });
    expect(credential.scopes).toEqual(['tools:execute', 'admin']);
  });

  it('lets a maker with accounts:write give accounts:read, which it includes', async () => {
    const maker: Caller = { ...operatorOfAnApp, scopes: new Set(['admin', 'accounts:write']) };
    const { credential } = await credentials.create(maker, { name: 'Less', scopes: ['accounts:read'] });
    expect(credential.scopes).toEqual(['accounts:read']);
    const reader: Caller = { ...operatorOfAnApp, scopes: new Set(['admin', 'accounts:read']) };
    const error = await refusal(credentials.create(reader, { name: 'More', scopes: ['accounts:write'] }));
    expect(error.details).toEqual({ required_scope: 'accounts:write' });
  });

  it('lets the command line give every scope', async () => {
    const local: Caller = { ...admin, scopes: new Set(['admin']) };
    const { credential } = await credentials.create(local, { name: 'Whole', scopes: SCOPES });
    expect(credential.scopes).toEqual(SCOPES);
  });

  it('lets a machine that shows credentials give that scope on', async () => {
    const whole: Caller = { ...admin, kind: 'machine', source: 'api' };
    const { credential } = await credentials.create(whole, {
      name: 'Vault',
      scopes: ['accounts:credentials'],
    });
    expect(credential.scopes).toEqual(['accounts:credentials']);
  });
});

describe('API credential: caller bound to an organization', () => {
  const bound: Caller = { ...admin, kind: 'machine', boundOrganizationId: 'org_a' };

  it('makes credentials of that organization only', async () => {
    const { credential } = await credentials.create(bound, { name: 'mine', scopes: ['admin'] });
    expect(credential.organization_id).toBe('org_a');
    const error = await refusal(
      credentials.create(bound, { name: 'other', scopes: ['admin'], organization_id: 'org_b' }),
    );
    expect(error.code).toBe('PERMISSION_DENIED');
  });

  it('neither sees, rotates nor removes the credentials of others', async () => {
    const { credential } = await credentials.create(admin, { name: 'global', scopes: ['admin'] });
    expect((await refusal(credentials.rotate(bound, credential.id))).code).toBe('RESOURCE_NOT_FOUND');
    expect((await refusal(credentials.remove(bound, credential.id))).code).toBe('RESOURCE_NOT_FOUND');
    expect(await credentials.list('env_dev', { organizationId: 'org_a' })).toEqual([]);
    const hidden = credentials.get('env_dev', credential.id, { organizationId: 'org_a' });
    expect((await refusal(hidden)).code).toBe('RESOURCE_NOT_FOUND');
  });
});

describe('API credential: list', () => {
  it('lists the credentials of an organization behind a thousand newer ones of others', async () => {
    const { credential } = await credentials.create(admin, {
      name: 'ci',
      scopes: ['admin'],
      organization_id: 'org_a',
    });
    const others = Array.from({ length: 1_000 }, (_, n) => ({
      id: `cred_${n}`,
      environment_id: 'env_dev',
      name: 'other',
      client_id: `client-${n}`,
      organization_id: '',
      scopes: 'admin',
      created_at: clock.now() + 1 + n,
    }));
    await database.transaction(async (tx) => tx.insertInto('credentials').values(others).execute());
    const listed = await credentials.list('env_dev', { organizationId: 'org_a' });
    expect(listed.map(({ id }) => id)).toEqual([credential.id]);
  });
});

describe('API credential: authenticate', () => {
  it('recognizes a credential by its id and secret', async () => {
    const { credential } = await credentials.create(admin, {
      name: 'Backend',
      scopes: ['tools:execute'],
      organization_id: 'org_a',
    });
    expect(await credentials.authenticate('env_dev', credential.client_id, credential.client_secret)).toEqual(
      {
        id: credential.id,
        clientId: credential.client_id,
        scopes: ['tools:execute'],
        organizationId: 'org_a',
      },
    );
  });

  it('refuses a wrong secret, an unknown client and the credential of another environment', async () => {
    const { credential } = await credentials.create(admin, { name: 'Backend', scopes: ['admin'] });
    const { client_id: id, client_secret: secret } = credential;
    expect(await credentials.authenticate('env_dev', id, `${secret}x`)).toBeUndefined();
    expect(await credentials.authenticate('env_dev', id, '')).toBeUndefined();
    expect(await credentials.authenticate('env_dev', id, [])).toBeUndefined();
    expect(await credentials.authenticate('env_dev', 'gh_unknown', secret)).toBeUndefined();
    expect(await credentials.authenticate('env_dev', '\u0000', secret)).toBeUndefined();
    expect(await credentials.authenticate('env_prod', id, secret)).toBeUndefined();
  });

  it('asks the database as often for an unknown client as for a wrong secret', async () => {
    const { credential } = await credentials.create(admin, { name: 'Backend', scopes: ['admin'] });
    const counted = counting(database);
    const watched = new ApiCredentials({ database: counted.database, clock });
    await watched.authenticate('env_dev', credential.client_id, 'wrong');
    expect(counted.statements()).toBe(2);
    await watched.authenticate('env_dev', 'gh_unknown', 'wrong');
    expect(counted.statements()).toBe(4);
  });
});

describe('API credential: rotate', () => {
  it('lets the old secret work for 24 h next to the new one', async () => {
    const { credential } = await credentials.create(admin, { name: 'Backend', scopes: ['admin'] });
    const rotated = await credentials.rotate(admin, credential.id);
    expect(rotated.previous_until).toBe('2026-11-21T12:00:00.000Z');
    const check = async (secret: string) =>
      (await credentials.authenticate('env_dev', credential.client_id, secret)) !== undefined;

    clock.advance(24 * HOUR_MS - 1);
    expect(await check(credential.client_secret)).toBe(true);
    expect(await check(rotated.credential.client_secret)).toBe(true);
    clock.advance(1);
    expect(await check(credential.client_secret)).toBe(false);
    expect(await check(rotated.credential.client_secret)).toBe(true);
    expect(await auditLines()).toEqual([
      `local credential.create ${credential.id} `,
      `local credential.rotate ${credential.id} `,
    ]);
  });

  it('gives no secret of a credential with more scopes than the caller has', async () => {
    const { credential } = await credentials.create(admin, {
      name: 'Backend',
      scopes: ['admin', 'accounts:credentials'],
    });
    const caller: Caller = { ...admin, kind: 'machine', scopes: new Set(['admin']) };
    const error = await refusal(credentials.rotate(caller, credential.id));
    expect(error).toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { required_scope: 'accounts:credentials' },
    });
    const { client_id, client_secret } = credential;
    expect(await credentials.authenticate('env_dev', client_id, client_secret)).toBeDefined();
    expect(await auditLines()).toEqual([`local credential.create ${credential.id} `]);
  });

  it('does not prolong a secret that ends already', async () => {
    const { credential } = await credentials.create(admin, { name: 'Backend', scopes: ['admin'] });
    await credentials.rotate(admin, credential.id);
    clock.advance(23 * HOUR_MS);
    await credentials.rotate(admin, credential.id);
    clock.advance(HOUR_MS);
    const { client_id, client_secret } = credential;
    expect(await credentials.authenticate('env_dev', client_id, client_secret)).toBeUndefined();
  });

  it('answers 404 for a credential that does not exist', async () => {
    expect((await refusal(credentials.rotate(admin, 'cred_none'))).code).toBe('RESOURCE_NOT_FOUND');
    expect(await auditLines()).toEqual([]);
  });
});

describe('API credential: remove', () => {
  it('ends the credential and writes it into the audit log', async () => {
    const { credential } = await credentials.create(admin, { name: 'Backend', scopes: ['admin'] });
    await credentials.remove(admin, credential.id);
    const { client_id, client_secret } = credential;
    expect(await credentials.authenticate('env_dev', client_id, client_secret)).toBeUndefined();
    expect((await refusal(credentials.get('env_dev', credential.id))).code).toBe('RESOURCE_NOT_FOUND');
    expect((await refusal(credentials.remove(admin, credential.id))).code).toBe('RESOURCE_NOT_FOUND');
    expect((await auditLines()).at(-1)).toBe(`local credential.delete ${credential.id} `);
  });

  it('ends the sessions that the credential made for users, and no others', async () => {
    const [removed, kept] = [
      (await credentials.create(admin, { name: 'Leaked', scopes: ['admin'] })).credential,
      (await credentials.create(admin, { name: 'Backend', scopes: ['admin'] })).credential,
    ];
    const session = (id: string, clientId: string, environmentId = 'env_dev') => ({
      id,
      environment_id: environmentId,
      kind: 'api' as const,
      user_id: 'usr_ada',
      organization_id: '',
      client_id: clientId,
      resource: 'http://127.0.0.1:3000/mcp',
      token_hash: null,
      connection_details: '[]',
      custom_claims: '{}',
      device: '{}',
      created_at: clock.now(),
      expires_at: clock.now() + HOUR_MS,
      ended_at: null,
    });
    await withEnvironments(database, 'env_prod');
    await database.transaction(async (tx) => {
      const store = rows(tx, 'sessions');
      await store.insert(session('ses_1', removed.client_id));
      await store.insert(session('ses_2', kept.client_id));
      await store.insert(session('ses_3', removed.client_id, 'env_prod'));
    });
    await credentials.remove(admin, removed.id);
    const ended = await database.read
      .selectFrom('sessions')
      .select('id')
      .where('ended_at', 'is not', null)
      .execute();
    expect(ended).toEqual([{ id: 'ses_1' }]);
  });

  it('leaves credentials of another environment alone', async () => {
    const { credential } = await credentials.create(admin, { name: 'Backend', scopes: ['admin'] });
    const stranger: Caller = { ...admin, environmentId: 'env_prod' };
    expect((await refusal(credentials.remove(stranger, credential.id))).code).toBe('RESOURCE_NOT_FOUND');
  });
});

describe('API credential: ensureFirst', () => {
  it('makes one credential with all scopes, and tells its secret only then', async () => {
    const first = await credentials.ensureFirst('env_dev');
    expect(first).toEqual({
      created: true,
      clientId: expect.stringMatching(/^gh_/),
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
    });
    const known = await credentials.authenticate('env_dev', first.clientId, first.clientSecret ?? '');
    expect(known?.scopes).toEqual([
      'accounts:read',
      'accounts:write',
      'accounts:credentials',
      'tools:execute',
      'metrics:read',
      'admin',
    ]);
    expect(await credentials.ensureFirst('env_dev')).toEqual({ created: false, clientId: first.clientId });
    expect(await credentials.list('env_dev')).toHaveLength(1);
    expect(await auditLines()).toEqual([`local credential.create ${known?.id} `]);
  });

  it('names the oldest credential when there are several', async () => {
    const { credential } = await credentials.create(admin, { name: 'old', scopes: ['admin'] });
    clock.advance(1_000);
    await credentials.create(admin, { name: 'new', scopes: ['admin'] });
    expect((await credentials.ensureFirst('env_dev')).clientId).toBe(credential.client_id);
  });

  it('takes id and secret of the settings and never repeats the secret', async () => {
    const given = { clientId: 'my-app', clientSecret: 'p@ss+w%rd' };
    expect(await credentials.ensureFirst('env_dev', given)).toEqual({ created: true, clientId: 'my-app' });
    expect(await credentials.ensureFirst('env_dev', given)).toEqual({ created: false, clientId: 'my-app' });
    expect(await credentials.authenticate('env_dev', 'my-app', 'p@ss+w%rd')).toBeDefined();
    expect(await auditLines()).toHaveLength(1);
  });

  it('replaces the secret at once when the settings have another one', async () => {
    await credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: 'one' });
    await credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: 'two' });
    expect(await credentials.authenticate('env_dev', 'my-app', 'one')).toBeUndefined();
    expect(await credentials.authenticate('env_dev', 'my-app', 'two')).toBeDefined();
    await credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: 'one' });
    expect(await credentials.authenticate('env_dev', 'my-app', 'one')).toBeDefined();
    expect(await credentials.authenticate('env_dev', 'my-app', 'two')).toBeUndefined();
  });

  it('leaves a secret of a later rotation alone when the one of the settings still works', async () => {
    await credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: 'one' });
    const [view] = await credentials.list('env_dev');
    const rotated = await credentials.rotate(admin, view?.id ?? '');
    await credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: 'one' });
    expect(
      await credentials.authenticate('env_dev', 'my-app', rotated.credential.client_secret),
    ).toBeDefined();
  });

  it.each([
    [{ clientId: 'my-app' }, ['client_secret']],
    [{ clientSecret: 'x' }, ['client_id']],
    [{ clientId: 'my:app', clientSecret: 'a b' }, ['client_id', 'client_secret']],
    [{ clientId: '', clientSecret: '' }, ['client_id', 'client_secret']],
  ])('refuses the first credential %j', async (given, fields) => {
    const error = await refusal(credentials.ensureFirst('env_dev', given));
    const violations = error.details['field_violations'] as { field: string }[];
    expect(violations.map(({ field }) => field)).toEqual(fields);
  });

  it('refuses a client id that another environment has', async () => {
    await credentials.ensureFirst('env_prod', { clientId: 'my-app', clientSecret: 'one' });
    const error = await refusal(
      credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: 'one' }),
    );
    expect(error.details['field_violations']).toMatchObject([{ field: 'client_id', constraint: 'unique' }]);
  });

  forEachDatabase((_name, open) => {
    it('makes one credential when two processes start at once', async () => {
      const shared = await withEnvironments(await open(), 'env_dev');
      const starts = Array.from({ length: 6 }, async () =>
        new ApiCredentials({ database: shared, clock }).ensureFirst('env_dev'),
      );
      const results = await Promise.all(starts);
      expect(results.filter((result) => result.created)).toHaveLength(1);
      expect(new Set(results.map((result) => result.clientId)).size).toBe(1);
    });
  });
});
