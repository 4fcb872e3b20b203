import { beforeEach, describe, expect, it } from 'vitest';
import { forEachDatabase } from '../support/databases.ts';
import { admin, auditLines, interceptorServices } from './support.ts';

type Services = Awaited<ReturnType<typeof interceptorServices>>;

const input = {
  name: 'Stop strangers',
  trigger_point: 'PRE_SIGNUP',
  endpoint: 'https://hooks.example.test/signup',
  fallback: 'block',
};

let services: Services;
beforeEach(async () => {
  services = await interceptorServices();
});

const violationsOf = async (work: Promise<unknown>): Promise<[string, string][]> => {
  const error = (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { details?: { field_violations?: { field: string; description: string }[] } } | undefined;
  return (error?.details?.field_violations ?? []).map(({ field, description }) => [field, description]);
};

describe('interceptor resource', () => {
  it('creates, finds, changes, switches and deletes an interceptor, and audits each step', async () => {
    const { interceptors, clock, db } = services;
    const created = await interceptors.create(admin, input);
    expect(created).toEqual({
      id: expect.stringMatching(/^icp_[0-9a-z]{26}$/),
      name: 'Stop strangers',
      trigger_point: 'PRE_SIGNUP',
      endpoint: 'https://hooks.example.test/signup',
      timeout_ms: 5000,
      fallback: 'block',
      enabled: true,
      managed_by_file: false,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    const { id } = created;
    expect(await interceptors.get('env_1', id)).toEqual(created);

    clock.advance(1_000);
    const changed = await interceptors.update(admin, id, { timeout_ms: 100, fallback: 'allow' });
    expect(changed).toEqual({
      ...created,
      timeout_ms: 100,
      fallback: 'allow',
      updated_at: '2026-11-20T12:00:01.000Z',
    });
    expect((await interceptors.disable(admin, id)).enabled).toBe(false);
    expect((await interceptors.get('env_1', id)).enabled).toBe(false);
    expect((await interceptors.enable(admin, id)).enabled).toBe(true);
    await interceptors.remove(admin, id);
    await expect(interceptors.get('env_1', id)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await auditLines(db)).toEqual([
      `cred_admin interceptor.create ${id} 192.0.2.7`,
      `cred_admin interceptor.update ${id} 192.0.2.7`,
      `cred_admin interceptor.disable ${id} 192.0.2.7`,
      `cred_admin interceptor.enable ${id} 192.0.2.7`,
      `cred_admin interceptor.delete ${id} 192.0.2.7`,
    ]);
  });

  it('writes nothing, not even to the audit log, when a change changes nothing', async () => {
    const { interceptors, clock, db } = services;
    const created = await interceptors.create(admin, input);
    clock.advance(1_000);
    expect(await interceptors.update(admin, created.id, {})).toEqual(created);
    expect(await interceptors.update(admin, created.id, { fallback: 'block' })).toEqual(created);
    expect(await interceptors.enable(admin, created.id)).toEqual(created);
    expect(await auditLines(db)).toHaveLength(1);
  });

  it('requires a unique name, compared in one form of Unicode', async () => {
    const { interceptors } = services;
    await interceptors.create(admin, { ...input, name: 'Jose\u0301' });
    const taken = { code: 'ALREADY_EXISTS' };
    await expect(interceptors.create(admin, { ...input, name: 'Jos\u00e9' })).rejects.toMatchObject(taken);
    const other = await interceptors.create(admin, input);
    await expect(interceptors.update(admin, other.id, { name: 'Jos\u00e9' })).rejects.toMatchObject(taken);
  });

  it('hides interceptors of another environment', async () => {
    const { interceptors, interceptorLog, interceptorTest } = services;
    const { id } = await interceptors.create(admin, input);
    const foreign = { ...admin, environmentId: 'env_2' };
    for (const work of [
      () => interceptors.get('env_2', id),
      () => interceptors.update(foreign, id, { enabled: false }),
      () => interceptors.enable(foreign, id),
      () => interceptors.disable(foreign, id),
      () => interceptors.remove(foreign, id),
      () => interceptorLog.list('env_2', id, {}),
      () => interceptorTest.run('env_2', id),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await interceptors.inOrder('env_2')).toEqual([]);
    expect((await interceptors.list('env_2', {})).total_size).toBe(0);
    expect((await interceptors.get('env_1', id)).enabled).toBe(true);
  });

  it('refuses an interceptor with every violation at once', async () => {
    const bad = {
      name: 'two\nlines',
      trigger_point: 'POST_SIGNUP',
      endpoint: 'http://ada:pw@10.0.0.1/x#y',
      timeout_ms: 99,
      fallback: 'maybe',
    };
    const expected = [
      ['name', 'Must be a text of 1 to 200 characters in one line.'],
      [
        'trigger_point',
        'There is no such trigger point. Choose from PRE_SIGNUP, PRE_SESSION_CREATION, PRE_USER_INVITATION, PRE_M2M_TOKEN_CREATION.',
      ],
      ['endpoint', 'Must not contain a user name or password.'],
      ['endpoint', 'Must not contain a fragment.'],
      [
        'endpoint',
        'Must be an https URL. http is for hosts of outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS) only.',
      ],
      ['timeout_ms', 'Must be a whole number of milliseconds from 100 to 30000.'],
      ['fallback', 'Choose from allow, block.'],
    ];
    const { interceptors } = services;
    expect(await violationsOf(interceptors.create(admin, bad))).toEqual(expected);
    const { id } = await interceptors.create(admin, input);
    expect(await violationsOf(interceptors.update(admin, id, bad))).toEqual(expected);
  });

  it.each([
    [100, true],
    [30_000, true],
    [99, false],
    [30_001, false],
    [100.5, false],
    [Number.NaN, false],
  ])('checks that a timeout of %d ms is allowed: %s', async (timeout_ms, isGood) => {
    const violations = await violationsOf(services.interceptors.create(admin, { ...input, timeout_ms }));
    expect(violations.map(([field]) => field)).toEqual(isGood ? [] : ['timeout_ms']);
  });

  it.each([
    ['https://hooks.example.test:8443/a?b=c', true],
    ['http://127.0.0.1:9999/allowed-by-the-operator', true],
    ['http://hooks.example.test/', false],
    ['https://10.0.0.1/', false],
    ['https://169.254.169.254/latest', false],
    ['ftp://hooks.example.test/', false],
    ['', false],
  ])('checks that the endpoint %s is allowed: %s', async (endpoint, isGood) => {
    const violations = await violationsOf(services.interceptors.create(admin, { ...input, endpoint }));
    expect(violations.map(([field]) => field)).toEqual(isGood ? [] : ['endpoint']);
  });
});

forEachDatabase((_name, open) => {
  beforeEach(async () => {
    services = await interceptorServices({ db: await open() });
  });

  it('lists interceptors in pages, newest first, and asks them in the order of their creation', async () => {
    const { interceptors } = services;
    for (const name of ['one', 'two', 'three']) await interceptors.create(admin, { ...input, name });
    const page = async (pageToken?: string) => {
      const found = await interceptors.list('env_1', { pageSize: 2, pageToken });
      return { ...found, names: found.interceptors.map(({ name }) => name) };
    };
    const first = await page();
    const second = await page(first.next_page_token);
    const back = await page(second.prev_page_token);
    expect([first.names, second.names, back.names]).toEqual([['three', 'two'], ['one'], ['three', 'two']]);
    expect([first.prev_page_token, second.next_page_token, first.total_size]).toEqual(['', '', 3]);
    await expect(interceptors.list('env_2', { pageToken: first.next_page_token })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect((await interceptors.inOrder('env_1')).map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  });

  describe('interceptors declared in gatehouse.yaml', () => {
    const declared = { ...input, timeout_ms: 5_000, enabled: true };
    const stored = async () =>
      (await services.interceptors.inOrder('env_1')).map((interceptor) => {
        const { name, endpoint, enabled, managed_by_file: byFile } = interceptor;
        return [name, endpoint, enabled, byFile];
      });

    it('creates interceptors at the start in the order of the file, updates them by name and leaves others alone', async () => {
      const { interceptors, clock } = services;
      const both = [declared, { ...declared, name: 'After it' }];
      await interceptors.synchronize('env_1', both);
      const first = await interceptors.inOrder('env_1');
      expect(first.map(({ name }) => name)).toEqual(['Stop strangers', 'After it']);
      clock.advance(1_000);
      await interceptors.synchronize('env_1', both);
      expect(await interceptors.inOrder('env_1')).toEqual(first);
      await interceptors.synchronize('env_1', [
        { ...declared, endpoint: 'https://new.example.test/', enabled: false },
      ]);
      expect(await stored()).toEqual([
        ['Stop strangers', 'https://new.example.test/', false, true],
        ['After it', 'https://hooks.example.test/signup', true, false],
      ]);
      expect((await interceptors.inOrder('env_1'))[0]?.id).toBe(first[0]?.id);
    });

    it('writes audit lines by local only where a start creates or changes an interceptor', async () => {
      const { interceptors, clock } = services;
      for (const entries of [
        [declared],
        [declared],
        [{ ...declared, endpoint: 'https://new.example.test/' }],
        [],
      ]) {
        await interceptors.synchronize('env_1', entries);
        clock.advance(1_000);
      }
      const [{ id } = { id: '' }] = await interceptors.inOrder('env_1');
      expect(await auditLines(services.db)).toEqual([
        `local interceptor.create ${id} `,
        `local interceptor.update ${id} `,
        `local interceptor.update ${id} `,
      ]);
    });

    it('creates each interceptor once when several processes start at the same moment', async () => {
      const starts = Array.from({ length: 6 }, () => services.interceptors.synchronize('env_1', [declared]));
      await Promise.all(starts);
      expect(await stored()).toEqual([['Stop strangers', 'https://hooks.example.test/signup', true, true]]);
    });

    it('refuses to change, switch or delete a declared interceptor elsewhere', async () => {
      const { interceptors } = services;
      await interceptors.synchronize('env_1', [declared]);
      const [{ id } = { id: '' }] = await interceptors.inOrder('env_1');
      const sentence = 'The interceptor Stop strangers is declared in gatehouse.yaml. Change it there.';
      for (const work of [
        () => interceptors.update(admin, id, { fallback: 'allow' }),
        () => interceptors.disable(admin, id),
        () => interceptors.remove(admin, id),
      ])
        expect(await violationsOf(work())).toEqual([['id', sentence]]);
    });

    it('takes over an interceptor of the same name, and gives it to the operator when it is no longer declared', async () => {
      const { interceptors } = services;
      const { id } = await interceptors.create(admin, { ...input, endpoint: 'https://old.example.test/' });
      await interceptors.synchronize('env_1', [declared]);
      expect(await stored()).toEqual([['Stop strangers', 'https://hooks.example.test/signup', true, true]]);
      await interceptors.synchronize('env_1', []);
      expect(await stored()).toEqual([['Stop strangers', 'https://hooks.example.test/signup', true, false]]);
      await interceptors.remove(admin, id);
    });

    it('refuses all interceptors when one is wrong, with every violation of every entry', async () => {
      const wrong = { ...declared, name: 'a', endpoint: 'https://10.0.0.1/' };
      const violations = await violationsOf(
        services.interceptors.synchronize('env_1', [declared, wrong, { ...wrong, fallback: '' }]),
      );
      expect(violations.map(([field]) => field)).toEqual([
        'interceptors[1].endpoint',
        'interceptors[2].endpoint',
        'interceptors[2].fallback',
      ]);
      expect(await stored()).toEqual([]);
    });
  });
});
