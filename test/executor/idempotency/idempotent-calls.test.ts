/** Calls under an idempotency key: made once, however often they are asked for (docs/security.md#idempotency-keys). */
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountNotActive } from '../../../src/accounts/not-active.ts';
import type { Effect } from '../../../src/catalog/model/types.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import { IdempotentCalls, type IdempotentCall } from '../../../src/executor/idempotency/idempotent-calls.ts';
import type { SendObserver } from '../../../src/executor/call/perform-call.ts';
import type { Outcome } from '../../../src/executor/idempotency/stored-outcome.ts';
import { IdempotencyStore } from '../../../src/store/records/idempotency-store.ts';
import { ledgerAccount, ledgerServices, storedAccount } from '../../credentials/refresh/ledger.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { ManualTimers, until } from '../../support/manual-timers.ts';
import { machine, type Services } from '../../support/services.ts';

const LEASE_MS = 10_000;
const LONG_AGO = 1_000;
const HASH_KEY = Buffer.alloc(32, 7);

forEachDatabase((_name, open) => {
  let services: Services;
  let id: string;
  let timers: ManualTimers;
  let keyed: IdempotentCalls;
  /** Calls that have reached the provider. */
  let made: number;

  /** What another process has. */
  const another = (clock = services.clock, more: { maxKeys?: number } = {}): IdempotentCalls =>
    new IdempotentCalls({
      ...more,
      store: new IdempotencyStore(services.db, clock, { leaseMs: LEASE_MS }),
      seal: services.vault,
      hashKey: HASH_KEY,
      clock,
      log: silentLog,
      leaseMs: LEASE_MS,
      timers,
    });

  beforeEach(async () => {
    services = await ledgerServices({ db: await open() });
    timers = new ManualTimers();
    keyed = another();
    id = await ledgerAccount(services);
    made = 0;
  });

  const call = async (change: Partial<IdempotentCall> = {}): Promise<IdempotentCall> => ({
    caller: machine,
    account: await storedAccount(services, id),
    key: 'k',
    input: ['ledger_create', { text: 'a' }],
    effect: 'create',
    hasSeveralRequests: false,
    signal: undefined,
    ...change,
  });

  const answered = async (observer: SendObserver): Promise<Outcome> => {
    await observer.sending();
    made += 1;
    observer.reached();
    return { data: { made }, executionId: `exe_${made}` };
  };

  const failing =
    (error: Error) =>
    async (observer: SendObserver): Promise<Outcome> => {
      await answered(observer);
      throw error;
    };

  const once = async (
    run: (observer: SendObserver) => Promise<Outcome> = answered,
    change: Partial<IdempotentCall> = {},
    by = keyed,
  ) => by.run(await call(change), run);

  const timeout = (): ServiceError =>
    new ServiceError('TOOL_ERROR', 'Ledger did not answer in time.', {
      status: 504,
      details: { tool_error: { code: 'PROVIDER_TIMEOUT', execution_id: 'exe_1' } },
    });

  const stored = async () => services.db.read.selectFrom('idempotency_keys').selectAll().execute();

  describe('replay of the outcome under an idempotency key', () => {
    it('returns the same data and execution for any order of the members', async () => {
      const input = ['t', { a: 1, b: { c: [1, 2], d: 'x' } }];
      const again = ['t', { b: { d: 'x', c: [1, 2] }, a: 1 }];
      const first = await once(answered, { input });
      expect(first).toEqual({ outcome: { data: { made: 1 }, executionId: 'exe_1' }, isReplay: false });
      expect(await once(answered, { input: again })).toEqual({ ...first, isReplay: true });
      expect(made).toBe(1);
    });

    it('works in another process too', async () => {
      await once();
      expect(await once(answered, {}, another())).toMatchObject({ isReplay: true });
      expect(made).toBe(1);
    });

    it('repeats a failure with status, message and details', async () => {
      const error = new ServiceError('TOOL_ERROR', 'Ledger takes no more calls.', {
        status: 429,
        retryAfterSeconds: 7,
        details: { tool_error: { code: 'HTTP_429', execution_id: 'exe_1' } },
      });
      await expect(once(failing(error))).rejects.toBe(error);
      await expect(once()).rejects.toMatchObject({
        code: 'TOOL_ERROR',
        status: 429,
        message: 'Ledger takes no more calls.',
        details: { tool_error: { code: 'HTTP_429', execution_id: 'exe_1' } },
        retryAfterSeconds: 7,
        isReplay: true,
      });
      expect(made).toBe(1);
    });

    it('repeats an unknown outcome as its 504, and sends nothing again', async () => {
      await expect(once(failing(timeout()))).rejects.toMatchObject({ status: 504, isReplay: false });
      await expect(once()).rejects.toMatchObject({ status: 504, isReplay: true });
      expect(made).toBe(1);
    });

    it('reports an unknown outcome after a defect of the program', async () => {
      await expect(once(failing(new Error('a defect')))).rejects.toThrow('a defect');
      await expect(once()).rejects.toMatchObject({ status: 504 });
      expect(made).toBe(1);
    });

    it('stores the outcome sealed, without key or input in the clear', async () => {
      await once(answered, { key: 'order-4711', input: ['t', { text: 'a secret wish' }] });
      const [row] = await stored();
      expect(row?.state).toBe('done');
      expect(row?.outcome_sealed).toMatch(/^eyJ/);
      const text = JSON.stringify(row);
      for (const word of ['order-4711', 'secret wish', 'made']) expect(text).not.toContain(word);
    });

    it('drops an outcome that is too large, but remembers that the call was made', async () => {
      const large = 'ä'.repeat(375_000);
      const run = async (observer: SendObserver): Promise<Outcome> => ({
        ...(await answered(observer)),
        data: large,
      });
      expect(await once(run)).toMatchObject({ outcome: { data: large }, isReplay: false });
      expect((await stored())[0]?.outcome_sealed?.length).toBeLessThan(1_000);
      for (let n = 0; n < 2; n++)
        await expect(once()).rejects.toMatchObject({
          code: 'IDEMPOTENCY_CONFLICT',
          status: 409,
          message:
            'The call with this idempotency_key was made and answered, but its answer is too large to be replayed: at most 1 MB is stored. Nothing was sent again. Read what you need with another call, or repeat this one with a new key.',
          details: { reason: 'ANSWER_NOT_KEPT', execution_id: 'exe_1' },
          isReplay: true,
        });
      await expect(once(answered, { input: 'other' })).rejects.toThrow('was used for another call');
      expect(made).toBe(1);
    });

    it('stores an outcome just below 1 MB', async () => {
      const data = 'a'.repeat(749_960);
      await once(async (observer) => ({ ...(await answered(observer)), data }));
      expect((await once()).outcome.data).toBe(data);
      expect((await stored())[0]?.outcome_sealed?.length).toBeLessThan(1_001_000);
    });

    it('reports a failure with a large answer as too large to keep', async () => {
      const details = {
        tool_error: { code: 'X', provider_body: 'a'.repeat(750_001), execution_id: 'exe_1' },
      };
      const error = new ServiceError('TOOL_ERROR', 'Ledger refuses.', { status: 404, details });
      await expect(once(failing(error))).rejects.toBe(error);
      await expect(once()).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        message: expect.stringContaining('was made and failed (404), but its answer is too large') as string,
        details: { execution_id: 'exe_1' },
      });
    });

    it('forgets an outcome after a day', async () => {
      await once();
      services.clock.advance(86_400_001);
      expect(await once()).toMatchObject({ isReplay: false });
      expect(made).toBe(2);
    });
  });

  describe('idempotency key of a call', () => {
    it.each<[string, Partial<IdempotentCall>]>([
      ['another value', { input: ['ledger_create', { text: 'b' }] }],
      ['another tool', { input: ['ledger_list', { text: 'a' }] }],
      ['another order of a list', { input: [{ text: 'a' }, 'ledger_create'] }],
    ])('conflicts with another call given %s', async (_, change) => {
      await once();
      await expect(once(answered, change)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        status: 409,
      });
      expect(made).toBe(1);
    });

    it('belongs to one API credential', async () => {
      await once();
      await once(answered, { caller: { ...machine, actor: 'cred_other' } });
      expect(made).toBe(2);
    });

    it('belongs to one account', async () => {
      await once();
      const other = await storedAccount(
        services,
        await ledgerAccount(services, undefined, { identifier: 'grace' }),
      );
      await once(answered, { account: other });
      expect(made).toBe(2);
    });
  });

  describe('quota of idempotency keys', () => {
    const refusedFor = (seconds: number) => ({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfterSeconds: seconds,
      message: `This credential has used 3 idempotency keys in 24 hours, and no more are kept at a time. Repetitions of calls made before are still answered. The next key is free in ${seconds} s; until then make calls without one, or with another credential.`,
    });

    beforeEach(async () => {
      keyed = another(services.clock, { maxKeys: 3 });
      for (const key of ['a', 'b', 'c']) {
        await once(answered, { key });
        services.clock.advance(1_000);
      }
    });

    it('refuses a call before anything is sent, and says when a key is free', async () => {
      await expect(once(answered, { key: 'd' })).rejects.toMatchObject(refusedFor(86_397));
      expect(made).toBe(3);
    });

    it('still replays earlier outcomes', async () => {
      expect(await once(answered, { key: 'b' })).toMatchObject({ isReplay: true });
    });

    it('does not affect other API credentials', async () => {
      const caller = { ...machine, actor: 'cred_other' };
      expect(await once(answered, { key: 'd', caller })).toMatchObject({ isReplay: false });
    });

    it('frees exactly one key when one is forgotten', async () => {
      services.clock.advance(86_397_001);
      expect(await once(answered, { key: 'd' })).toMatchObject({ isReplay: false });
      await expect(once(answered, { key: 'e' })).rejects.toMatchObject(refusedFor(1));
    });
  });

  describe('refusal before anything was sent', () => {
    const refused = new ServiceError('RATE_LIMITED', 'Too many calls.');

    it('stores no outcome under the idempotency key', async () => {
      await expect(once(() => Promise.reject(refused))).rejects.toBe(refused);
      expect(await stored()).toEqual([]);
      expect(await once()).toMatchObject({ isReplay: false });
    });

    it('stores no outcome after the sent mark either: the provider was not reached', async () => {
      const unreachable = new ServiceError('TOOL_ERROR', 'Ledger cannot be reached. Nothing was sent.');
      const run = async (observer: SendObserver): Promise<Outcome> => {
        await observer.sending();
        throw unreachable;
      };
      await expect(once(run)).rejects.toBe(unreachable);
      expect(await once()).toMatchObject({ isReplay: false });
    });

    it('includes a proxied 401 from the provider', async () => {
      const run = async (observer: SendObserver): Promise<Outcome> => {
        const outcome = await answered(observer);
        observer.refused();
        return outcome;
      };
      await once(run);
      expect(await stored()).toEqual([]);
      expect(await once()).toMatchObject({ outcome: { data: { made: 2 } }, isReplay: false });
    });

    it('includes a 401 of the provider to the only request', async () => {
      const account = {
        id,
        connection: 'ledger',
        connectorTitle: 'Ledger',
        identifier: 'ada',
        status: 'EXPIRED' as const,
        everConnected: true,
      };
      const ended = new AccountNotActive(account, { unavailable: 'No link.' });
      await expect(once(failing(ended))).rejects.toBe(ended);
      expect(await once()).toMatchObject({ isReplay: false });
      await expect(once(failing(ended), { key: 'several', hasSeveralRequests: true })).rejects.toBe(ended);
      await expect(once(answered, { key: 'several', hasSeveralRequests: true })).rejects.toMatchObject({
        isReplay: true,
      });
    });
  });

  describe('second call with an idempotency key while the first runs', () => {
    /** Runs until it is let go. */
    function held() {
      const gate = Promise.withResolvers<void>();
      const run = async (observer: SendObserver): Promise<Outcome> => {
        const outcome = await answered(observer);
        await gate.promise;
        return outcome;
      };
      return { run, letGo: () => gate.resolve() };
    }

    /** Ends the pauses of those who wait, until all have their answers. */
    const whileLooking = async <T>(waiting: readonly Promise<T>[]): Promise<T[]> => {
      let areAnswered = false;
      const answers = Promise.all(waiting).finally(() => (areAnswered = true));
      await until(() => {
        timers.elapse();
        return areAnswered;
      });
      return answers;
    };

    it.each(['this process', 'another process'])('waits for the first call, in %s', async (where) => {
      const { run, letGo } = held();
      const first = once(run);
      await until(() => made === 1);
      const by = where === 'this process' ? keyed : another();
      const others = Array.from({ length: 10 }, async () => once(answered, {}, by));
      letGo();
      const outcome = { data: { made: 1 }, executionId: 'exe_1' };
      expect(await first).toEqual({ outcome, isReplay: false });
      const answers = await (where === 'this process' ? Promise.all(others) : whileLooking(others));
      for (const other of answers) expect(other).toEqual({ outcome, isReplay: true });
      expect(made).toBe(1);
    });

    it('runs itself when the first was refused before it was sent', async () => {
      const gate = Promise.withResolvers<never>();
      const refused = new ServiceError('RATE_LIMITED', 'Too many calls.');
      const begun = Promise.withResolvers<void>();
      const first = once(async () => {
        begun.resolve();
        return gate.promise;
      });
      await begun.promise;
      const second = once();
      gate.reject(refused);
      await expect(first).rejects.toBe(refused);
      expect(await second).toMatchObject({ isReplay: false });
      expect(made).toBe(1);
    });

    it('conflicts with the first given another input', async () => {
      const { run, letGo } = held();
      const first = once(run);
      await until(() => made === 1);
      await expect(once(answered, { input: 'other' })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
      });
      letGo();
      await first;
    });

    it('stops waiting when its caller disconnects', async () => {
      const { run, letGo } = held();
      const first = once(run);
      await until(() => made === 1);
      const signal = AbortSignal.abort();
      await expect(once(answered, { signal })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      letGo();
      await first;
    });

    it('waits as long as the first extends its lease', async () => {
      const { run, letGo } = held();
      const first = once(run);
      await until(() => made === 1);
      services.clock.advance(LEASE_MS - 1);
      timers.tick();
      await until(async () => ((await stored())[0]?.lease_until ?? 0) > services.clock.now());
      const second = once();
      letGo();
      await first;
      expect(await second).toMatchObject({ isReplay: true });
    });
  });

  describe('idempotency key of a process that died', () => {
    /** Leaves the row as a killed process does. */
    const died = async (effect: Effect, afterSending: boolean): Promise<void> => {
      const store = new IdempotencyStore(services.db, services.clock, { leaseMs: LEASE_MS });
      const gate = Promise.withResolvers<never>();
      const dead = new IdempotentCalls({
        store,
        seal: services.vault,
        hashKey: HASH_KEY,
        clock: services.clock,
        log: silentLog,
        leaseMs: LEASE_MS,
        timers,
      });
      void dead.run(await call({ effect }), async (observer) => {
        if (afterSending) await answered(observer);
        return gate.promise;
      });
      await until(async () => (await stored()).length === 1 && (made === 1 || !afterSending));
      timers.repeated.clear();
      await services.db.transaction(async (tx) =>
        tx.updateTable('idempotency_keys').set({ lease_until: LONG_AGO }).execute(),
      );
    };

    it('lets the call be made when it died before sending', async () => {
      await died('create', false);
      expect(await once()).toMatchObject({ isReplay: false });
      expect(made).toBe(1);
    });

    it('gives a lasting 504 when it died after sending a write, and sends nothing again', async () => {
      await died('create', true);
      for (let n = 0; n < 3; n++)
        await expect(once()).rejects.toMatchObject({
          code: 'TOOL_ERROR',
          status: 504,
          details: { tool_error: { code: 'OUTCOME_UNKNOWN' } },
        });
      expect(made).toBe(1);
    });

    it('lets a read be made again when it died after sending', async () => {
      await died('read', true);
      expect(await once(answered, { effect: 'read' })).toMatchObject({ isReplay: false });
      expect(made).toBe(2);
    });
  });

  it('sends nothing when the idempotency key was lost during preparation', async () => {
    const gate = Promise.withResolvers<void>();
    const late = once(async (observer) => {
      await gate.promise;
      return answered(observer);
    });
    await until(async () => (await stored()).length === 1);
    await services.db.transaction(async (tx) =>
      tx.updateTable('idempotency_keys').set({ lease_until: LONG_AGO }).execute(),
    );
    const other = await once(answered, {}, another());
    gate.resolve();
    expect(await late).toEqual({ ...other, isReplay: true });
    expect(made).toBe(1);
  });

  it('answers a call whose outcome cannot be stored, and does not send it again', async () => {
    const broken = new IdempotentCalls({
      store: new IdempotencyStore(services.db, services.clock, { leaseMs: LEASE_MS }),
      hashKey: HASH_KEY,
      seal: {
        seal: () => Promise.reject(new Error('disk full')),
        open: async (place, text) => services.vault.open(place, text),
      },
      clock: services.clock,
      log: silentLog,
      leaseMs: LEASE_MS,
      timers,
    });
    expect(await once(answered, {}, broken)).toMatchObject({ outcome: { data: { made: 1 } } });
    await services.db.transaction(async (tx) =>
      tx.updateTable('idempotency_keys').set({ lease_until: LONG_AGO }).execute(),
    );
    await expect(once()).rejects.toMatchObject({ status: 504 });
    expect(made).toBe(1);
  });
});
