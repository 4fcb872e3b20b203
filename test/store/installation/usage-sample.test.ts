import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { UsageSampler } from '../../../src/store/installation/usage-sample.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock, type FixedClock } from '../../support/fixed-clock.ts';

forEachDatabase((_name, open) => {
  describe('counts for metrics', () => {
    let db: Database;
    let clock: FixedClock;
    const sampler = () => new UsageSampler(db, clock);
    const store = async (value: string) =>
      db.transaction(async (tx) => {
        await tx.deleteFrom('installation').where('key', '=', 'usage_sample').execute();
        await tx.insertInto('installation').values({ key: 'usage_sample', value }).execute();
      });

    const addAccount = async (id: string, status: 'ACTIVE' | 'EXPIRED', environmentId = 'env_1') =>
      db.transaction(async (tx) => {
        await tx
          .insertInto('accounts')
          .values({
            id,
            environment_id: environmentId,
            connection_id: `conn_${environmentId}`,
            organization_id: '',
            user_id: id,
            identifier: id,
            status,
            api_config: '{}',
            generation: 1,
            refresh_state: 'idle',
            failed_attempts: 0,
            refusals: 0,
            created_at: 1,
            updated_at: 1,
          })
          .execute();
      });
    beforeEach(async () => {
      db = await open();
      clock = fixedClock();
      await db.transaction(async (tx) => {
        for (const [id, name] of [
          ['env_1', 'production'],
          ['env_2', 'staging'],
        ] as const) {
          await tx.insertInto('environments').values({ id, name, created_at: 1 }).execute();
          await tx
            .insertInto('connections')
            .values({
              id: `conn_${id}`,
              environment_id: id,
              name: 'desk',
              connector: 'desk',
              authorization_type: 'API_KEY',
              scopes: '[]',
              params: '{}',
              overrides: '{}',
              managed_by: 'operator',
              created_at: 1,
              updated_at: 1,
            })
            .execute();
        }
        await tx
          .insertInto('webhooks')
          .values({
            id: 'wh_1',
            environment_id: 'env_1',
            name: 'hook',
            url: 'https://hook.example',
            events: '[]',
            enabled: 1,
            managed_by: 'operator',
            created_at: 1,
            updated_at: 1,
          })
          .execute();
        for (const [id, status] of [
          ['dlv_1', 'pending'],
          ['dlv_2', 'delivered'],
        ] as const)
          await tx
            .insertInto('webhook_deliveries')
            .values({
              id,
              environment_id: 'env_1',
              webhook_id: 'wh_1',
              event_id: id,
              event_type: 'connected_account.updated',
              body: '{}',
              status,
              attempts: 0,
              next_attempt_at: 0,
              created_at: 1,
            })
            .execute();
      });
      await addAccount('ca_1', 'ACTIVE');
      await addAccount('ca_2', 'ACTIVE');
      await addAccount('ca_3', 'EXPIRED', 'env_2');
    });

    it('counts accounts by status and waiting deliveries, also where there are none', async () => {
      const { at, accounts, deliveries } = (await sampler().current()) ?? {};
      expect(at).toBe(clock.now());
      expect(accounts).toHaveLength(2);
      expect(accounts).toEqual(
        expect.arrayContaining([
          { environment: 'production', status: 'ACTIVE', count: 2 },
          { environment: 'staging', status: 'EXPIRED', count: 1 },
        ]),
      );
      expect(deliveries).toEqual([
        { environment: 'production', count: 1 },
        { environment: 'staging', count: 0 },
      ]);
    });

    it('counts tools of MCP servers that wait for an operator, by connector and state', async () => {
      const form = (id: string, state: 'new' | 'approved' | 'held', change: object = {}) => ({
        id,
        environment_id: 'env_1',
        connection_id: 'conn_env_1',
        tool: id,
        hash: id,
        state,
        obstacle: null,
        definition: '{}',
        findings: '[]',
        name: null,
        effect: null,
        decided_by: null,
        decided_at: null,
        created_at: 1,
        ...change,
      });
      await db.transaction(async (tx) => {
        const elsewhere = { environment_id: 'env_2', connection_id: 'conn_env_2' };
        for (const row of [
          form('ut_1', 'held'),
          form('ut_2', 'held'),
          form('ut_3', 'approved'),
          form('ut_4', 'new', { obstacle: 'it runs only as a task' }),
          form('ut_5', 'approved', elsewhere),
        ])
          await tx.insertInto('upstream_tools').values(row).execute();
      });
      const held = (await sampler().current())?.heldTools ?? [];
      expect(held).toHaveLength(4);
      expect(held).toEqual(
        expect.arrayContaining([
          { environment: 'production', connector: 'desk', state: 'new', count: 0 },
          { environment: 'production', connector: 'desk', state: 'held', count: 2 },
          { environment: 'staging', connector: 'desk', state: 'new', count: 0 },
          { environment: 'staging', connector: 'desk', state: 'held', count: 0 },
        ]),
      );
    });

    it('answers every process with one count for a minute', async () => {
      const first = await sampler().current();
      await addAccount('ca_4', 'ACTIVE');
      clock.advance(59_999);
      expect(await sampler().current()).toEqual(first);
      clock.advance(1);
      expect((await sampler().current())?.at).toBe(clock.now());
    });

    it('lets one of several processes count when they ask at once', async () => {
      const samples = await Promise.all([1, 2, 3, 4].map(async () => sampler().current()));
      expect(samples.filter((sample) => sample !== undefined).length).toBeGreaterThanOrEqual(1);
      clock.advance(60_000);
      await addAccount('ca_4', 'ACTIVE');
      const later = await Promise.all([1, 2, 3, 4].map(async () => sampler().current()));
      expect(later.some((sample) => sample?.at === clock.now())).toBe(true);
      expect(later).not.toContain(undefined);
    });

    it('keeps the last count while another process counts, and counts after one that died', async () => {
      const first = await sampler().current();
      clock.advance(120_000);
      await store(JSON.stringify({ begunAt: clock.now() - 1_000, sample: first }));
      expect(await sampler().current()).toEqual(first);
      clock.advance(59_000);
      expect((await sampler().current())?.at).toBe(clock.now());
    });

    it.each([
      'not JSON',
      '',
      'null',
      '7',
      '[]',
      '{"begunAt":"soon"}',
      '{"begunAt":0,"sample":{"at":1}}',
      '{"begunAt":9999999999999,"sample":{"at":1,"accounts":[],"deliveries":[],"heldTools":[]}}',
      '{"begunAt":0,"sample":{"at":1,"accounts":[],"deliveries":[]}}',
    ])('counts again if the database holds %s', async (value) => {
      await store(value);
      expect((await sampler().current())?.accounts).toHaveLength(2);
    });
  });
});
