/** The lease of a refresh, as two processes see it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { RefreshStore } from '../../../src/store/accounts/refresh-store.ts';
import { ledgerAccount, ledgerServices, rowOf, setColumns } from '../../credentials/refresh/ledger.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { ENVIRONMENT_ID, machine, type Services } from '../../support/services.ts';

const LEASE_MS = 10_000;
const LONG_AGO = 1_000;

forEachDatabase((name, open) => {
  let services: Services;
  let store: RefreshStore;
  let id: string;
  /** By the clock that counts: the database's on Postgres. */
  const now = (): number => (name === 'postgres' ? Date.now() : services.clock.now());
  const target = (generation = 1) => ({ environmentId: ENVIRONMENT_ID, id, generation });

  beforeEach(async () => {
    services = await ledgerServices({ db: await open() });
    store = new RefreshStore(services.db, services.clock, { leaseMs: LEASE_MS, maxCoolDownMs: 3_600_000 });
    id = await ledgerAccount(services);
  });

  describe('refresh lease of an account', () => {
    it('goes to one of many concurrent callers, and to no other while it is held', async () => {
      const owners = Array.from({ length: 20 }, (_, n) => `owner-${n}`);
      const taken = await Promise.all(owners.map((owner) => store.take(target(), owner)));
      expect(taken.filter((lease) => lease !== undefined)).toEqual([{ isRepeat: false, failedAttempts: 0 }]);
      expect(await store.look(target())).toEqual({
        generation: 1,
        status: 'ACTIVE',
        isLeased: true,
        leaseUntil: expect.any(Number) as number,
        isAbandoned: false,
        coolDownMs: 0,
        failedReason: null,
      });
      expect(await store.take(target(), 'late')).toBeUndefined();
      const { lease_until, refresh_state } = await rowOf(services, id);
      expect(refresh_state).toBe('sent');
      expect(Math.abs((lease_until ?? 0) - now() - LEASE_MS)).toBeLessThan(5_000);
    });

    it.each([
      ['of another generation', target, { generation: 2 }],
      ['of an account that is not ACTIVE', target, { status: 'EXPIRED' as const }],
    ])('refuses a lease for credentials %s', async (_, of, columns) => {
      await setColumns(services, id, columns);
      expect(await store.take(of(), 'a')).toBeUndefined();
    });

    it('waits for the end of a cool-down', async () => {
      await setColumns(services, id, { failed_until: now() + 30_000, failed_reason: 'temporary' });
      expect(await store.take(target(), 'a')).toBeUndefined();
      const state = await store.look(target());
      expect(state).toMatchObject({ isLeased: false, failedReason: 'temporary' });
      expect(state?.coolDownMs).toBeGreaterThan(20_000);
      expect(state?.coolDownMs).toBeLessThanOrEqual(30_000);
      await setColumns(services, id, { failed_until: LONG_AGO, failed_attempts: 3 });
      expect(await store.take(target(), 'a')).toEqual({ isRepeat: false, failedAttempts: 3 });
    });

    it('counts as a retry after a process died while it presented the refresh token', async () => {
      await store.take(target(), 'dead');
      await setColumns(services, id, { lease_until: LONG_AGO });
      expect((await store.look(target()))?.isLeased).toBe(false);
      expect(await store.take(target(), 'next')).toEqual({ isRepeat: true, failedAttempts: 0 });
      expect(await rowOf(services, id)).toMatchObject({ refresh_state: 'resent', lease_owner: 'next' });
    });

    it('treats an implausibly late end as passed, because a clock was set back', async () => {
      await setColumns(services, id, { lease_owner: 'dead', lease_until: now() + 300_000 });
      expect((await store.look(target()))?.isLeased).toBe(false);
      expect(await store.take(target(), 'next')).toBeDefined();
      await setColumns(services, id, {
        lease_owner: null,
        lease_until: null,
        failed_until: now() + 4_000_000,
      });
      expect(await store.take(target(), 'next')).toBeDefined();
    });

    it('never reaches an account of another environment', async () => {
      const foreign = { ...target(), environmentId: 'env_other' };
      expect(await store.take(foreign, 'a')).toBeUndefined();
      expect(await store.look(foreign)).toBeUndefined();
    });
  });

  describe('holder of the refresh lease', () => {
    const renewed = {
      credentials_sealed: 'sealed',
      token_expires_at: 9_000,
      token_received_at: 5_000,
      updated_at: 5_000,
    };

    it('keeps the lease by extending it, also when the generation changes', async () => {
      await store.take(target(), 'a');
      await setColumns(services, id, { lease_until: LONG_AGO, generation: 2 });
      expect(await store.extend(target(), 'a')).toBe(true);
      expect((await store.look(target()))?.isLeased).toBe(true);
    });

    it('cannot extend a lease that another process has taken', async () => {
      await store.take(target(), 'a');
      await setColumns(services, id, { lease_owner: 'b' });
      expect(await store.extend(target(), 'a')).toBe(false);
    });

    it('stores new credentials once, increments the generation and releases the lease', async () => {
      await setColumns(services, id, { failed_attempts: 2, failed_reason: 'temporary', refusals: 1 });
      await store.take(target(), 'a');
      expect(await store.save(target(), 'a', renewed)).toBe(true);
      expect(await rowOf(services, id)).toMatchObject({
        ...renewed,
        generation: 2,
        lease_owner: null,
        lease_until: null,
        refresh_state: 'idle',
        failed_until: null,
        failed_attempts: 0,
        failed_reason: null,
        refusals: 0,
        status: 'ACTIVE',
      });
      expect(await store.save(target(), 'a', renewed)).toBe(false);
    });

    it.each([
      ['the lease is somebody else’s', { lease_owner: 'b' }],
      ['the credentials were replaced', { generation: 2 }],
      ['the lease was ended by an update', { lease_owner: null }],
    ])('stores nothing when %s', async (_, columns) => {
      await store.take(target(), 'a');
      await setColumns(services, id, columns);
      const before = await rowOf(services, id);
      expect(await store.save(target(), 'a', renewed)).toBe(false);
      expect(await rowOf(services, id)).toEqual(before);
    });

    it('records a failure with its cool-down', async () => {
      await store.take(target(), 'a');
      const failure = { attempts: 2, reason: 'temporary', coolDownMs: 2_000 };
      const released = await services.db.transaction(async (tx) =>
        store.release(tx, target(), 'a', { failure, isUnknown: true }),
      );
      expect(released).toBe(true);
      const row = await rowOf(services, id);
      expect(row).toMatchObject({
        lease_owner: null,
        refresh_state: 'sent',
        failed_attempts: 2,
        failed_reason: 'temporary',
      });
      expect(Math.abs((row.failed_until ?? 0) - now() - 2_000)).toBeLessThan(5_000);
    });

    it('releases the lease without a failure when its process stops', async () => {
      await store.take(target(), 'a');
      await services.db.transaction(async (tx) => store.release(tx, target(), 'a', { isUnknown: false }));
      expect(await rowOf(services, id)).toMatchObject({ refresh_state: 'idle', failed_until: null });
      expect(await store.take(target(), 'b')).toEqual({ isRepeat: false, failedAttempts: 0 });
    });

    it('loses the lease to an update with new credentials', async () => {
      await store.take(target(), 'a');
      await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: { oauth_token: { access_token: 'given' } } },
      });
      expect(await store.extend(target(), 'a')).toBe(false);
      expect(await store.save(target(2), 'a', renewed)).toBe(false);
    });
  });
});
