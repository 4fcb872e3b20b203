import { beforeEach, describe, expect, it } from 'vitest';
import { forEachDatabase } from '../support/databases.ts';
import {
  admin,
  auditLines,
  newDelivery,
  outbox,
  putInOutbox,
  webhookServices,
} from '../interceptors/support.ts';
import type { WebhookDelivery } from '../../src/store/tables/webhook-tables.ts';

type Services = Awaited<ReturnType<typeof webhookServices>>;

const input = {
  name: 'ops',
  url: 'https://hooks.example.test/accounts',
  events: ['connected_account.status_updated', 'connected_account.created'],
};

let services: Services;
beforeEach(async () => {
  services = await webhookServices({ allowPrivateHosts: ['hooks.internal', '127.0.0.1:9999'] });
});

const violationsOf = async (work: Promise<unknown>): Promise<[string, string][]> => {
  const error = (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { details?: { field_violations?: { field: string; description: string }[] } } | undefined;
  return (error?.details?.field_violations ?? []).map(({ field, description }) => [field, description]);
};

describe('webhook resource', () => {
  it('creates, finds, lists, changes and deletes a webhook, and audits each step', async () => {
    const { webhooks, clock, db } = services;
    const created = await webhooks.create(admin, input);
    expect(created).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      name: 'ops',
      url: 'https://hooks.example.test/accounts',
      events: ['connected_account.created', 'connected_account.status_updated'],
      enabled: true,
      managed_by_file: false,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    expect(await webhooks.get('env_1', created.id)).toEqual(created);
    const other = await webhooks.create(admin, { ...input, name: 'audit', enabled: false });
    expect((await webhooks.list('env_1')).map(({ name, enabled }) => [name, enabled])).toEqual([
      ['audit', false],
      ['ops', true],
    ]);

    clock.advance(1_000);
    const changed = await webhooks.update(admin, created.id, { enabled: false });
    expect(changed).toEqual({ ...created, enabled: false, updated_at: '2026-11-20T12:00:01.000Z' });
    expect(await webhooks.get('env_1', created.id)).toEqual(changed);

    await webhooks.remove(admin, other.id);
    await expect(webhooks.get('env_1', other.id)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await auditLines(db)).toEqual([
      `cred_admin webhook.create ${created.id} 192.0.2.7`,
      `cred_admin webhook.create ${other.id} 192.0.2.7`,
      `cred_admin webhook.update ${created.id} 192.0.2.7`,
      `cred_admin webhook.delete ${other.id} 192.0.2.7`,
    ]);
  });

  it('writes nothing for a change without members', async () => {
    const { webhooks, clock, db } = services;
    const created = await webhooks.create(admin, input);
    clock.advance(1_000);
    expect(await webhooks.update(admin, created.id, {})).toEqual(created);
    expect(await auditLines(db)).toHaveLength(1);
  });

  it('requires a unique name, compared in one form of Unicode', async () => {
    const { webhooks } = services;
    await webhooks.create(admin, { ...input, name: 'Jose\u0301' });
    await expect(webhooks.create(admin, { ...input, name: 'Jos\u00e9' })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
    const other = await webhooks.create(admin, input);
    await expect(webhooks.update(admin, other.id, { name: 'Jos\u00e9' })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
  });

  it('hides webhooks of another environment', async () => {
    const { webhooks } = services;
    const { id } = await webhooks.create(admin, input);
    const foreign = { ...admin, environmentId: 'env_2' };
    const notFound = { code: 'RESOURCE_NOT_FOUND' };
    await expect(webhooks.get('env_2', id)).rejects.toMatchObject(notFound);
    await expect(webhooks.update(foreign, id, { enabled: false })).rejects.toMatchObject(notFound);
    await expect(webhooks.remove(foreign, id)).rejects.toMatchObject(notFound);
    expect(await webhooks.list('env_2')).toEqual([]);
    expect((await webhooks.get('env_1', id)).enabled).toBe(true);
  });

  it('refuses a webhook with every violation at once', async () => {
    const bad = { name: 'two\nlines', url: 'http://ada:pw@10.0.0.1/x#y', events: ['account.created', 'x'] };
    const known =
      'Choose from connected_account.created, connected_account.updated, connected_account.status_updated, connected_account.deleted, connected_account.token_refresh_failed, upstream.tools_changed, upstream.unavailable, upstream.recovered, upstream.client_replaced, upstream.authorization_server_changed.';
    const expected = [
      ['name', 'Must be a text of 1 to 200 characters in one line.'],
      ['url', 'Must not contain a user name or password.'],
      ['url', 'Must not contain a fragment.'],
      [
        'url',
        'Must be an https URL. http is for hosts of outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS) only.',
      ],
      ['events.0', `There is no such event. ${known}`],
      ['events.1', `There is no such event. ${known}`],
    ];
    const { webhooks } = services;
    expect(await violationsOf(webhooks.create(admin, bad))).toEqual(expected);
    const { id } = await webhooks.create(admin, input);
    expect(await violationsOf(webhooks.update(admin, id, bad))).toEqual(expected);
    expect(await violationsOf(webhooks.create(admin, { ...input, name: 'x', events: [] }))).toEqual([
      ['events', `Name at least one event. ${known}`],
    ]);
  });

  it.each([
    ['https://hooks.example.test', undefined],
    ['https://hooks.example.test:8443/a?b=c', undefined],
    ['https://93.184.216.34/', undefined],
    ['http://hooks.internal/x', undefined],
    ['http://127.0.0.1:9999/x', undefined],
    ['http://127.0.0.1:9998/x', 'Must be an https URL.'],
    ['http://hooks.example.test/', 'Must be an https URL.'],
    ['https://127.0.0.1/', 'The address is private.'],
    ['https://2130706433/', 'The address is private.'],
    ['https://[::ffff:10.0.0.1]/', 'The address is private.'],
    ['https://169.254.169.254/latest', 'The address is private.'],
    ['ftp://hooks.example.test/', 'Must be an absolute https URL.'],
    ['//hooks.example.test/', 'Must be an absolute https URL.'],
    ['javascript:alert(1)', 'Must be an absolute https URL.'],
    ['https://hooks.example.test/a b', 'Must be an absolute https URL.'],
    ['https://hooks.example.test\\@10.0.0.1/', 'Must be an absolute https URL.'],
    ['https://', 'Must be an absolute https URL.'],
    ['', 'Must be an absolute https URL.'],
    [`https://hooks.example.test/${'x'.repeat(2_048)}`, 'Must have at most 2048 characters.'],
  ])('checks the address %s with the result: %s', async (url, problem) => {
    const violations = await violationsOf(services.webhooks.create(admin, { ...input, url }));
    expect(
      violations.map(([field, text]) => [field, problem !== undefined && text.startsWith(problem)]),
    ).toEqual(problem === undefined ? [] : [['url', true]]);
  });
});

forEachDatabase((_name, open) => {
  beforeEach(async () => {
    services = await webhookServices({ db: await open() });
  });

  const declared = { ...input, enabled: true };
  const stored = async () =>
    (await services.webhooks.list('env_1')).map(({ name, url, enabled, managed_by_file: byFile }) => [
      name,
      url,
      enabled,
      byFile,
    ]);

  describe('webhooks declared in gatehouse.yaml', () => {
    it('creates webhooks at the start, updates them by name and leaves others alone', async () => {
      const { webhooks, clock } = services;
      await webhooks.synchronize('env_1', [declared]);
      const [first] = await webhooks.list('env_1');
      clock.advance(1_000);
      await webhooks.synchronize('env_1', [declared]);
      expect(await webhooks.list('env_1')).toEqual([first]);
      await webhooks.synchronize('env_1', [
        { ...declared, url: 'https://new.example.test/', enabled: false },
      ]);
      expect(await stored()).toEqual([['ops', 'https://new.example.test/', false, true]]);
      expect((await webhooks.list('env_1'))[0]?.id).toBe(first?.id);
    });

    it('writes audit lines by local only where a start creates or changes a webhook', async () => {
      const { webhooks, clock } = services;
      for (const entries of [
        [declared],
        [declared],
        [{ ...declared, url: 'https://new.example.test/' }],
        [],
      ]) {
        await webhooks.synchronize('env_1', entries);
        clock.advance(1_000);
      }
      const [{ id } = { id: '' }] = await webhooks.list('env_1');
      expect(await auditLines(services.db)).toEqual([
        `local webhook.create ${id} `,
        `local webhook.update ${id} `,
        `local webhook.update ${id} `,
      ]);
    });

    it('creates each webhook once when several processes start at the same moment', async () => {
      const starts = Array.from({ length: 6 }, () => services.webhooks.synchronize('env_1', [declared]));
      await Promise.all(starts);
      expect(await stored()).toEqual([['ops', 'https://hooks.example.test/accounts', true, true]]);
    });

    it('refuses to change or delete a declared webhook elsewhere', async () => {
      const { webhooks } = services;
      await webhooks.synchronize('env_1', [declared]);
      const [{ id } = { id: '' }] = await webhooks.list('env_1');
      const sentence = 'The webhook ops is declared in gatehouse.yaml. Change it there.';
      expect(await violationsOf(webhooks.update(admin, id, { enabled: false }))).toEqual([['id', sentence]]);
      expect(await violationsOf(webhooks.remove(admin, id))).toEqual([['id', sentence]]);
    });

    it('takes over a webhook of the same name, and gives it to the operator when it is no longer declared', async () => {
      const { webhooks } = services;
      const { id } = await webhooks.create(admin, { ...input, url: 'https://old.example.test/' });
      await webhooks.synchronize('env_1', [declared]);
      expect(await stored()).toEqual([['ops', 'https://hooks.example.test/accounts', true, true]]);
      await webhooks.synchronize('env_1', []);
      expect(await stored()).toEqual([['ops', 'https://hooks.example.test/accounts', true, false]]);
      await webhooks.remove(admin, id);
    });

    it('refuses all webhooks when one is wrong, with every violation of every entry', async () => {
      const wrong = { ...declared, name: 'a', url: 'https://10.0.0.1/' };
      const violations = await violationsOf(
        services.webhooks.synchronize('env_1', [declared, wrong, { ...wrong, events: [] }]),
      );
      expect(violations.map(([field]) => field)).toEqual([
        'webhooks[1].url',
        'webhooks[2].url',
        'webhooks[2].events',
      ]);
      expect(await stored()).toEqual([]);
    });
  });

  describe('webhook delivery log', () => {
    let webhookId: string;
    beforeEach(async () => {
      webhookId = (await services.webhooks.create(admin, input)).id;
    });
    const failed = {
      status: 'failed',
      attempts: 7,
      next_attempt_at: null,
      last_status: 500,
      last_failure: 'no',
    } as const;

    it('shows what became of each event, newest first', async () => {
      const { clock, db, deliveryLog } = services;
      const noon = clock.now();
      await putInOutbox(
        db,
        newDelivery({ webhook_id: webhookId, ...failed, finished_at: noon + 5_000 }),
        newDelivery({ id: 'whd_2', webhook_id: webhookId, created_at: noon + 1 }),
      );
      expect(await deliveryLog.list('env_1', webhookId, {})).toEqual({
        deliveries: [
          {
            id: 'whd_2',
            webhook_id: webhookId,
            event_id: 'evt_1',
            type: 'connected_account.created',
            status: 'pending',
            attempts: 0,
            next_attempt_at: '2026-11-20T12:00:00.001Z',
            last_status: null,
            last_failure: null,
            body: { id: 'evt_1' },
            at: '2026-11-20T12:00:00.001Z',
            finished_at: null,
          },
          {
            id: 'whd_1',
            webhook_id: webhookId,
            event_id: 'evt_1',
            type: 'connected_account.created',
            status: 'failed',
            attempts: 7,
            next_attempt_at: null,
            last_status: 500,
            last_failure: 'no',
            body: { id: 'evt_1' },
            at: '2026-11-20T12:00:00.000Z',
            finished_at: '2026-11-20T12:00:05.000Z',
          },
        ],
        next_page_token: '',
        prev_page_token: '',
        total_size: 2,
      });
    });

    it('pages forwards and backwards, filtered by status too', async () => {
      const { clock, db, deliveryLog } = services;
      const noon = clock.now();
      for (let n = 1; n <= 5; n++) {
        const change = n === 4 ? { ...failed, finished_at: noon } : {};
        await putInOutbox(
          db,
          newDelivery({ id: `whd_${n}`, webhook_id: webhookId, created_at: noon + n, ...change }),
        );
      }
      const page = async (pageToken?: string) => {
        const found = await deliveryLog.list('env_1', webhookId, { pageSize: 2, pageToken });
        return { ...found, ids: found.deliveries.map(({ id }) => id) };
      };
      const first = await page();
      const second = await page(first.next_page_token);
      const third = await page(second.next_page_token);
      const back = await page(third.prev_page_token);
      expect([first.ids, second.ids, third.ids, back.ids]).toEqual([
        ['whd_5', 'whd_4'],
        ['whd_3', 'whd_2'],
        ['whd_1'],
        ['whd_3', 'whd_2'],
      ]);
      expect([first.prev_page_token, third.next_page_token, first.total_size]).toEqual(['', '', 5]);
      const onlyFailed = await deliveryLog.list('env_1', webhookId, { status: 'failed' });
      expect([onlyFailed.deliveries.map(({ id }) => id), onlyFailed.total_size]).toEqual([['whd_4'], 1]);
      await expect(
        deliveryLog.list('env_1', webhookId, { status: 'failed', pageToken: first.next_page_token }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });

    it('hides deliveries of another environment', async () => {
      await putInOutbox(services.db, newDelivery({ webhook_id: webhookId }));
      const notFound = { code: 'RESOURCE_NOT_FOUND' };
      const { deliveryLog } = services;
      await expect(deliveryLog.list('env_2', webhookId, {})).rejects.toMatchObject(notFound);
      const foreign = { ...admin, environmentId: 'env_2' };
      await expect(deliveryLog.redeliver(foreign, 'whd_1')).rejects.toMatchObject(notFound);
      await expect(deliveryLog.redeliver(admin, 'whd_9')).rejects.toMatchObject(notFound);
    });

    it('keeps a failed delivery and sends its event again as a new one', async () => {
      const { clock, db, deliveryLog } = services;
      await putInOutbox(db, newDelivery({ webhook_id: webhookId, ...failed, finished_at: clock.now() }));
      const [before] = await outbox(db);
      clock.advance(60_000);
      const again = await deliveryLog.redeliver(admin, 'whd_1');
      expect(again).toMatchObject({
        id: expect.stringMatching(/^whd_[0-9a-z]{26}$/),
        event_id: 'evt_1',
        status: 'pending',
        attempts: 0,
        last_failure: null,
        next_attempt_at: '2026-11-20T12:01:00.000Z',
        body: { id: 'evt_1' },
      });
      expect(await outbox(db)).toEqual([
        before,
        newDelivery({ id: again.id, webhook_id: webhookId, created_at: clock.now() }),
      ]);
      expect((await auditLines(db)).at(-1)).toBe('cred_admin webhook.redeliver whd_1 192.0.2.7');
    });

    describe('many deliveries of a webhook', () => {
      const of = (n: number, change: Partial<WebhookDelivery> = {}) =>
        newDelivery({
          id: `whd_${1000 + n}`,
          event_id: `evt_${1000 + n}`,
          webhook_id: webhookId,
          account_id: 'ca_1',
          created_at: services.clock.now() + n,
          ...failed,
          finished_at: services.clock.now() + n,
          ...change,
        });
      const sentAgain = async () =>
        (await outbox(services.db))
          .filter(({ id, status }) => status === 'pending' && id.length > 10)
          .map(({ event_id }) => event_id);

      it('go out again in their order, limited to the requested time and state', async () => {
        const { clock, db, deliveryLog } = services;
        const noon = clock.now();
        const delivered = { status: 'delivered', last_status: 200, last_failure: null } as const;
        await putInOutbox(db, of(1), of(2), of(3, delivered), of(4), of(5));
        clock.advance(60_000);
        const selection = { from: noon + 2, to: noon + 5, status: 'failed' } as const;
        expect(await deliveryLog.redeliverAll(admin, webhookId, selection)).toBe(2);
        expect(await sentAgain()).toEqual(['evt_1002', 'evt_1004']);
        expect((await outbox(db)).at(-1)).toMatchObject({
          account_id: 'ca_1',
          attempts: 0,
          next_attempt_at: 0,
          created_at: clock.now(),
          finished_at: null,
        });
        expect((await auditLines(db)).at(-1)).toBe(`cred_admin webhook.redeliver ${webhookId} 192.0.2.7`);
      });

      it('go out again for failed events until now by default, each event once', async () => {
        const { clock, db, deliveryLog } = services;
        await putInOutbox(
          db,
          ...Array.from({ length: 450 }, (_, n) => of(n, { event_id: `evt_${1000 + (n % 440)}` })),
        );
        clock.advance(60_000);
        await putInOutbox(db, of(500, { created_at: clock.now() + 1 }));
        expect(await deliveryLog.redeliverAll(admin, webhookId, {})).toBe(440);
        const again = await sentAgain();
        expect(again).toEqual(Array.from({ length: 440 }, (_, n) => `evt_${1000 + n}`));
      });

      it('include delivered events, without those that the call itself has made', async () => {
        const { db, deliveryLog } = services;
        await putInOutbox(
          db,
          ...Array.from({ length: 200 }, (_, n) =>
            of(0, { id: `whd_${1000 + n}`, event_id: `evt_${n}`, status: 'delivered' }),
          ),
        );
        expect(await deliveryLog.redeliverAll(admin, webhookId, { status: 'delivered' })).toBe(200);
      });

      it('become due at once where they wait for an attempt', async () => {
        const { clock, db, deliveryLog } = services;
        const waiting = {
          status: 'pending',
          finished_at: null,
          next_attempt_at: clock.now() + 3_600_000,
        } as const;
        await putInOutbox(db, of(-1, waiting), of(0, waiting));
        expect(await deliveryLog.redeliverAll(admin, webhookId, { status: 'pending' })).toBe(2);
        expect((await outbox(db)).map((row) => [row.id, row.next_attempt_at])).toEqual([
          ['whd_999', 0],
          ['whd_1000', 0],
        ]);
      });

      it('belong to a webhook of the environment', async () => {
        const { db, deliveryLog } = services;
        await putInOutbox(db, of(1));
        const notFound = { code: 'RESOURCE_NOT_FOUND' };
        const foreign = { ...admin, environmentId: 'env_2' };
        await expect(deliveryLog.redeliverAll(foreign, webhookId, {})).rejects.toMatchObject(notFound);
        await expect(deliveryLog.redeliverAll(admin, 'whk_9', {})).rejects.toMatchObject(notFound);
        expect(await auditLines(db)).toHaveLength(1);
        expect(await outbox(db)).toHaveLength(1);
      });
    });

    it('makes a pending delivery due at once', async () => {
      const { clock, db, deliveryLog } = services;
      const waiting = { attempts: 6, next_attempt_at: clock.now() + 3_600_000 };
      await putInOutbox(db, newDelivery({ webhook_id: webhookId, ...waiting }));
      expect(await deliveryLog.redeliver(admin, 'whd_1')).toMatchObject({ id: 'whd_1', attempts: 6 });
      expect(await outbox(db)).toEqual([
        newDelivery({ webhook_id: webhookId, attempts: 6, next_attempt_at: 0 }),
      ]);
    });
  });
});
