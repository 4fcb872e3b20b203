/** Who holds an idempotency key, as two processes see it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { IdempotencyStore, type HeldKey } from '../../../src/store/records/idempotency-store.ts';
import { ledgerAccount, ledgerServices } from '../../credentials/refresh/ledger.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { ENVIRONMENT_ID, type Services } from '../../support/services.ts';

const LEASE_MS = 10_000;
const LONG_AGO = 1_000;
const DAY_MS = 86_400_000;

forEachDatabase((name, open) => {
  let services: Services;
  let store: IdempotencyStore;
  let accountId: string;
  const key = (change = {}) => ({
    environmentId: ENVIRONMENT_ID,
    actor: 'cred_1',
    accountId,
    keyHash: 'k',
    ...change,
  });
  const wish = (owner: string, change = {}) => ({
    inputHash: 'i',
    owner,
    repeatable: false,
    forgottenBefore: services.clock.now() - DAY_MS,
    mayBegin: true,
    ...change,
  });
  const set = async (columns: object) =>
    services.db.transaction(async (tx) => tx.updateTable('idempotency_keys').set(columns).execute());
  const ended = async () => set({ lease_until: LONG_AGO });
  const held = async (owner = 'a'): Promise<HeldKey> => {
    const claim = await store.claim(key(), wish(owner));
    if (claim.kind !== 'held') throw new Error(claim.kind);
    return claim.held;
  };

  beforeEach(async () => {
    services = await ledgerServices({ db: await open() });
    store = new IdempotencyStore(services.db, services.clock, { leaseMs: LEASE_MS });
    accountId = await ledgerAccount(services);
  });

  describe('claim of an idempotency key', () => {
    it('succeeds for one of many concurrent calls', async () => {
      const owners = Array.from({ length: 20 }, (_, n) => `owner-${n}`);
      const claims = await Promise.all(owners.map(async (owner) => store.claim(key(), wish(owner))));
      const kinds = claims.map(({ kind }) => kind).toSorted();
      expect(kinds).toEqual(['held', ...Array.from({ length: 19 }, () => 'running')]);
      expect(await store.isRunning(key())).toBe(true);
    });

    it('refuses a new key where none may begin, and accepts an existing one', async () => {
      const full = { mayBegin: false };
      expect(await store.claim(key(), wish('a', full))).toEqual({ kind: 'full' });
      expect(await store.isRunning(key())).toBe(false);
      await held();
      await ended();
      expect((await store.claim(key(), wish('b', full))).kind).toBe('held');
    });

    it('counts for its API credential until it is forgotten', async () => {
      const { environmentId, actor } = key();
      const of = { environmentId, actor };
      expect(await store.keptOf(of, 0)).toEqual({ keys: 0, oldestAt: null });
      const first = services.clock.now();
      await held();
      services.clock.advance(1_000);
      await store.claim(key({ keyHash: 'second' }), wish('a'));
      await store.claim(key({ actor: 'cred_2' }), wish('a'));
      expect(await store.keptOf(of, first)).toEqual({ keys: 2, oldestAt: first });
      expect(await store.keptOf(of, first + 1)).toEqual({ keys: 1, oldestAt: first + 1_000 });
      expect(await store.keptOf({ ...of, environmentId: 'env_other' }, 0)).toEqual({
        keys: 0,
        oldestAt: null,
      });
    });

    it.each([
      ['another credential', () => key({ actor: 'cred_2' })],
      ['another key', () => key({ keyHash: 'other' })],
    ])('does not conflict with %s', async (_, other) => {
      await held();
      expect((await store.claim(other(), wish('b'))).kind).toBe('held');
    });

    it('refuses another input, while the first call runs and afterwards', async () => {
      const mine = await held();
      expect(await store.claim(key(), wish('b', { inputHash: 'j' }))).toEqual({ kind: 'other_input' });
      await store.finish(mine, 'sealed');
      expect(await store.claim(key(), wish('b', { inputHash: 'j' }))).toEqual({ kind: 'other_input' });
    });

    it('returns the outcome of a finished call', async () => {
      const mine = await held();
      expect(await store.finish(mine, 'sealed')).toBe(true);
      expect(await store.claim(key(), wish('b'))).toEqual({ kind: 'done', id: mine.id, sealed: 'sealed' });
      expect(await store.isRunning(key())).toBe(false);
    });

    it('forgets an outcome after its lifetime', async () => {
      const mine = await held();
      await store.finish(mine, 'sealed');
      services.clock.advance(DAY_MS + 1);
      const again = await store.claim(key(), wish('b', { inputHash: 'j' }));
      expect(again).toMatchObject({ kind: 'held' });
      expect(again).not.toMatchObject({ held: { id: mine.id } });
    });

    it('becomes free at once when the first call was refused before anything was sent', async () => {
      const mine = await held();
      await store.release(mine);
      expect((await store.claim(key(), wish('b', { inputHash: 'j' }))).kind).toBe('held');
    });
  });

  describe('idempotency key of a process that died', () => {
    it('leaves the call to the next process when nothing was sent', async () => {
      const mine = await held();
      await ended();
      expect(await store.isRunning(key())).toBe(false);
      expect(await store.claim(key(), wish('b'))).toEqual({ kind: 'held', held: { ...mine, owner: 'b' } });
    });

    it('leaves an unknown outcome to one of many after it may have sent a write', async () => {
      const mine = await held();
      expect(await store.markSent(mine)).toBe(true);
      await ended();
      const claims = await Promise.all(['b', 'c', 'd'].map(async (o) => store.claim(key(), wish(o))));
      expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['running', 'running', 'unknown']);
    });

    it('leaves the call to the next process after it may have sent a read', async () => {
      const mine = await held();
      await store.markSent(mine);
      await ended();
      expect(await store.claim(key(), wish('b', { repeatable: true }))).toEqual({
        kind: 'held',
        held: { ...mine, owner: 'b' },
      });
    });

    it('neither sends nor stores if its process resumes after all', async () => {
      const mine = await held();
      await ended();
      await store.claim(key(), wish('b'));
      expect(await store.markSent(mine)).toBe(false);
      expect(await store.extend(mine)).toBe(false);
      expect(await store.finish(mine, 'late')).toBe(false);
      await store.release(mine);
      expect(await store.finish({ ...mine, owner: 'b' }, 'sealed')).toBe(true);
    });
  });

  it('holds an idempotency key in its environment only', async () => {
    const mine = await held();
    expect(mine.environmentId).toBe('env_test');
    const elsewhere = { ...mine, environmentId: 'env_other' };
    expect(await store.markSent(elsewhere)).toBe(false);
    expect(await store.extend(elsewhere)).toBe(false);
    expect(await store.finish(elsewhere, 'sealed')).toBe(false);
    await store.release(elsewhere);
    expect(await store.markSent(mine)).toBe(true);
  });

  it('keeps an idempotency key whose lease is extended', async () => {
    const mine = await held();
    await set({ lease_until: LONG_AGO });
    expect(await store.extend(mine)).toBe(true);
    expect((await store.claim(key(), wish('b'))).kind).toBe('running');
  });

  it('treats a lease with an implausibly late end as expired: a clock was set back', async () => {
    await held();
    const now = name === 'postgres' ? Date.now() : services.clock.now();
    await set({ lease_until: now + DAY_MS });
    expect((await store.claim(key(), wish('b'))).kind).toBe('held');
  });

  it('removes idempotency keys with their account', async () => {
    await held();
    await services.db.transaction(async (tx) => tx.deleteFrom('accounts').execute());
    expect(await services.db.read.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
  });
});
