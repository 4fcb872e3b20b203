import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSealingRecord } from '../../../src/app/serve/sealing-record-timer.ts';
import { SealingProcessStore } from '../../../src/store/installation/sealing-process-store.ts';
import { silentLog } from '../../../src/core/log.ts';
import { testServices, type Services } from '../../support/services.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const start = (log = silentLog) => {
  const { db, vault, clock } = services;
  return startSealingRecord({ db, vault, clock, log }, 'mcp');
};
const said = async () => new SealingProcessStore(services.db.read).list();

it('records its sealing key a second after the start and withdraws it at the end', async () => {
  const stop = start();
  await vi.advanceTimersByTimeAsync(999);
  expect(await said()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await said()).toMatchObject([{ keyId: 'k1', command: 'mcp', pid: process.pid }]);
  await stop();
  expect(await said()).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await said()).toEqual([]);
});

it('checks the sealing key every five seconds', async () => {
  const stop = start();
  await vi.advanceTimersByTimeAsync(1_000);
  services.clock.advance(60_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await said()).toMatchObject([{ at: services.clock.now() }]);
  await stop();
});

it('warns when the sealing key cannot be recorded, and tries again', async () => {
  const warnings: string[] = [];
  const transaction = services.db.transaction.bind(services.db);
  const failing = vi.spyOn(services.db, 'transaction').mockRejectedValueOnce(new Error('locked'));
  failing.mockImplementation(transaction);
  const stop = start({ ...silentLog, warn: (event) => void warnings.push(event) });
  await vi.advanceTimersByTimeAsync(1_000);
  expect([warnings, await said()]).toEqual([['sealing_key_not_recorded'], []]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await said()).toHaveLength(1);
  await stop();
  vi.restoreAllMocks();
});
