import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { ExecutionLog } from '../../../src/executor/call/execution-log.ts';
import type { CallRecord } from '../../../src/store/records/ended-calls.ts';
import { ExecutionStore } from '../../../src/store/records/execution-store.ts';
import { connectedAccount, ENVIRONMENT_ID, testServices, type Services } from '../../support/services.ts';
import { executionRow } from '../../support/stored-rows.ts';

let services: Services;
let executionLog: ExecutionLog;
let commits: number;

beforeEach(async () => {
  services = await testServices();
  commits = 0;
  const { db } = services;
  const counting = {
    dialect: db.dialect,
    read: db.read,
    transaction: async (work: Parameters<typeof db.transaction>[0]) => {
      commits++;
      return db.transaction(work);
    },
    close: async () => db.close(),
  };
  executionLog = new ExecutionLog(counting as typeof db, silentLog);
});
afterEach(() => {
  vi.useRealTimers();
});

function call(id: string, accountId: string | null = null): CallRecord {
  return {
    execution: executionRow({
      id,
      connected_account_id: accountId,
      source: 'mcp',
      at: services.clock.now(),
    }),
  };
}

const recorded = async (): Promise<number> =>
  new ExecutionStore(services.db.read).count(ENVIRONMENT_ID, {}, 10_000);

const stored = async (): Promise<unknown[][]> => {
  const rows = await services.db.read.selectFrom('executions').selectAll().execute();
  return rows.map(({ id, status, error_code }) => [id, status, error_code]);
};

describe('executionLog of executions', () => {
  it('commits a record before the caller continues', async () => {
    await executionLog.record(call('exe_1'));
    expect(await recorded()).toBe(1);
  });

  it('commits calls that finish together at once', async () => {
    await Promise.all(Array.from({ length: 50 }, async (_, i) => executionLog.record(call(`exe_${i}`))));
    expect([await recorded(), commits]).toEqual([50, 1]);
  });

  it('commits records without a waiting caller together a moment later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (let i = 0; i < 10; i++) executionLog.recordSoon(call(`exe_${i}`));
    expect(commits).toBe(0);
    vi.advanceTimersByTime(25);
    await executionLog.flush();
    expect([await recorded(), commits]).toEqual([10, 1]);
  });

  it('commits everything on flush', async () => {
    executionLog.recordSoon(call('exe_1'));
    await executionLog.flush();
    expect(await recorded()).toBe(1);
  });

  it('updates the last use of the account', async () => {
    const { id } = await connectedAccount(services);
    await executionLog.record(call('exe_1', id));
    const row = await services.db.read
      .selectFrom('accounts')
      .select('last_used_at')
      .executeTakeFirstOrThrow();
    expect(row.last_used_at).toBe(Date.UTC(2026, 10, 20, 12));
  });

  it('logs and counts a record that cannot be stored, and continues', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, error: (event: string) => lines.push(event) };
    const lost: number[] = [];
    const broken = new ExecutionLog(services.db, log, (count) => lost.push(count));
    await broken.record(call('exe_1'));
    await broken.record(call('exe_1'));
    await broken.record(call('exe_2'));
    expect([lines, lost]).toEqual([['executions_not_recorded'], [1]]);
    expect(await recorded()).toBe(2);
  });

  it('replaces the record of a begun call by that of its end', async () => {
    const { execution } = call('exe_1');
    await executionLog.begin({ ...execution, status: 'error', error_code: 'UNAVAILABLE' });
    expect(await stored()).toEqual([['exe_1', 'error', 'UNAVAILABLE']]);
    await executionLog.record({ ...call('exe_1'), hasBegun: true });
    expect(await stored()).toEqual([['exe_1', 'ok', null]]);
  });

  it('stores calls that begin together, and ends of others, at once', async () => {
    const { execution } = call('exe_0');
    const begun = Array.from({ length: 60 }, async (_, i) =>
      executionLog.begin({ ...execution, id: `exe_${i}` }),
    );
    await Promise.all([...begun, executionLog.record(call('exe_60'))]);
    expect([await recorded(), commits]).toEqual([61, 1]);
  });

  describe('on a full disk', () => {
    let lost: number[];
    let full: ExecutionLog;

    beforeEach(async () => {
      lost = [];
      full = new ExecutionLog(services.db, silentLog, (count) => lost.push(count));
      // SQLite takes the present size.
      await services.db.transaction(async (tx) => sql`pragma max_page_count = 1`.execute(tx));
      for (let i = 0; lost.length === 0; i++) await full.record(call(`exe_${i}`.padEnd(500, 'x')));
    });

    const makeRoom = async (): Promise<void> => {
      await services.db.transaction(async (tx) => sql`pragma max_page_count = 1000000`.execute(tx));
    };
    const big = (): CallRecord['execution'] => call('exe_next'.padEnd(5_000, 'x')).execution;

    it('refuses the beginning of a call, and says when to come back', async () => {
      const before = await recorded();
      await expect(full.begin(big())).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message:
          'The record of the call cannot be stored, and the settings require one. Nothing was sent; try again later.',
        retryAfterSeconds: 30,
      });
      // Nothing was sent, so nothing was lost.
      expect([await recorded(), lost]).toEqual([before, [1]]);
      await makeRoom();
      await full.begin(big());
      expect(await recorded()).toBe(before + 1);
    });

    it('counts every lost record', async () => {
      const records = ['a', 'b', 'c'].map((name) => call(name.padEnd(5_000, 'x')));
      await Promise.all(records.map(async (record) => full.record(record)));
      expect(lost).toEqual([1, 3]);
    });

    it('knows that no record can be stored, until there is room', async () => {
      await fillUp(full);
      expect(await full.canStore(ENVIRONMENT_ID)).toBe(false);
      await makeRoom();
      expect(await full.canStore(ENVIRONMENT_ID)).toBe(true);
    });

    /** Takes the room that small records still find in half empty pages. */
    async function fillUp(log: ExecutionLog): Promise<void> {
      for (const size of [200, 30]) {
        const enough = lost.length + 20;
        for (let i = 0; lost.length < enough; i++)
          await log.record(call(`exe_${size}_${i}`.padEnd(size, 'x')));
      }
    }
  });

  it('tries whether a record can be stored without leaving one', async () => {
    expect(await executionLog.canStore(ENVIRONMENT_ID)).toBe(true);
    expect([await recorded(), commits]).toEqual([0, 1]);
  });

  it('tries once for callers at the same time, and not soon after a record', async () => {
    await Promise.all(Array.from({ length: 20 }, async () => executionLog.canStore(ENVIRONMENT_ID)));
    expect(commits).toBe(1);
    await executionLog.record(call('exe_1'));
    expect(await executionLog.canStore(ENVIRONMENT_ID)).toBe(true);
    expect(commits).toBe(2);
  });

  it('tries again when the last record is 5 s old', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await executionLog.record(call('exe_1'));
    vi.advanceTimersByTime(4_999);
    await executionLog.canStore(ENVIRONMENT_ID);
    expect(commits).toBe(1);
    vi.advanceTimersByTime(1);
    await executionLog.canStore(ENVIRONMENT_ID);
    expect(commits).toBe(2);
  });

  describe('while the database is locked', () => {
    let isLocked: boolean;
    let unlock: () => void;
    let patient: ExecutionLog;

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { db } = services;
      isLocked = true;
      const lock = Promise.withResolvers<void>();
      unlock = () => {
        isLocked = false;
        lock.resolve();
      };
      const locked = {
        dialect: db.dialect,
        transaction: async (work: Parameters<typeof db.transaction>[0]) => {
          if (isLocked) await lock.promise;
          return db.transaction(work);
        },
      };
      patient = new ExecutionLog(locked as unknown as typeof db, silentLog);
    });

    it('delays a call by at most a second', async () => {
      let isTold = false;
      const told = patient.record(call('exe_1')).then(() => (isTold = true));
      await setImmediate();
      vi.advanceTimersByTime(999);
      await setImmediate();
      expect(isTold).toBe(false);
      vi.advanceTimersByTime(1);
      await told;
      expect(await recorded()).toBe(0);
      unlock();
      await patient.flush();
      expect(await recorded()).toBe(1);
    });

    it('delays no other call, and stores all records later', async () => {
      const first = patient.record(call('exe_1'));
      await setImmediate();
      const second = patient.record(call('exe_2'));
      vi.advanceTimersByTime(1_000);
      await Promise.all([first, second]);
      await patient.record(call('exe_3'));
      expect(await recorded()).toBe(0);
      unlock();
      await patient.flush();
      expect(await recorded()).toBe(3);
    });

    it('waits for commits again after one succeeds', async () => {
      const late = patient.record(call('exe_1'));
      await setImmediate();
      vi.advanceTimersByTime(1_000);
      await late;
      unlock();
      await patient.flush();
      await patient.record(call('exe_2'));
      expect(await recorded()).toBe(2);
    });
  });
});
