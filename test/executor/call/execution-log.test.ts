import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { ExecutionLog, type CallRecord } from '../../../src/executor/call/execution-log.ts';
import { ExecutionStore } from '../../../src/store/records/execution-store.ts';
import { connectedAccount, ENVIRONMENT_ID, testServices, type Services } from '../../support/services.ts';

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
    succeeded: true,
    execution: {
      id,
      environment_id: ENVIRONMENT_ID,
      tool_name: 'notes_search',
      connected_account_id: accountId,
      source: 'mcp',
      status: 'ok',
      error_code: null,
      duration_ms: 1,
      at: services.clock.now(),
    },
  };
}

const recorded = async (): Promise<number> => new ExecutionStore(services.db.read).count(ENVIRONMENT_ID, {});

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

  it('logs a record that cannot be stored and goes on', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, error: (event: string) => lines.push(event) };
    const broken = new ExecutionLog(services.db, log);
    await broken.record(call('exe_1'));
    await broken.record(call('exe_1'));
    await broken.record(call('exe_2'));
    expect(lines).toEqual(['executions_not_recorded']);
    expect(await recorded()).toBe(2);
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
