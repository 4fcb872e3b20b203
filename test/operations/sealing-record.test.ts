/** Who seals with which key, as several processes say it in the database. */
import { beforeEach, expect, it } from 'vitest';
import { requireOneKey, SealingRecord } from '../../src/operations/sealing-record.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { SealingProcessStore } from '../../src/store/installation/sealing-process-store.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const MINUTE = 60_000;

forEachDatabase((_name, open) => {
  let db: Database;
  const clock = fixedClock();
  beforeEach(async () => {
    db = await open();
  });

  /** A process whose key can be changed. */
  const process = (keyId: string) => {
    const key = { keyId };
    const vault = { sealingKeyId: async () => key.keyId };
    return { key, record: new SealingRecord({ db, vault, clock, command: 'serve' }) };
  };
  const said = async () =>
    (await new SealingProcessStore(db.read).list()).map(({ keyId, at }) => [keyId, clock.now() - at]);
  const refusal = async (firstKey: string) =>
    requireOneKey(db.read, firstKey, clock.now()).then(
      () => undefined,
      (error: Error) => error.message,
    );

  it('records the sealing key of each process, and again after a minute', async () => {
    const [one, two] = [process('k1'), process('k1')];
    await one.record.look();
    await two.record.look();
    clock.advance(MINUTE - 1);
    await one.record.look();
    expect(await said()).toEqual([
      ['k1', MINUTE - 1],
      ['k1', MINUTE - 1],
    ]);
    clock.advance(1);
    await one.record.look();
    expect(new Set((await said()).map(([, ago]) => ago))).toEqual(new Set([0, MINUTE]));
  });

  it('records a changed sealing key at once', async () => {
    const { key, record } = process('k1');
    await record.look();
    clock.advance(5_000);
    key.keyId = 'k2';
    await record.look();
    expect(await said()).toEqual([['k2', 0]]);
  });

  it('records the sealing key at once when the clock was set back', async () => {
    const { record } = process('k1');
    await record.look();
    clock.advance(-10 * MINUTE);
    await record.look();
    expect(await said()).toEqual([['k1', 0]]);
    clock.advance(10 * MINUTE);
  });

  it('withdraws the sealing key at the end of a process', async () => {
    const [one, two] = [process('k1'), process('k2')];
    await one.record.look();
    await two.record.look();
    await one.record.end();
    expect(await said()).toEqual([['k2', 0]]);
    await process('k3').record.end();
  });

  it('refuses another first key while a sealing record exists, and names the process', async () => {
    const [one, two] = [process('k1'), process('k2')];
    await one.record.look();
    await two.record.look();
    clock.advance(12_000);
    expect(await refusal('k2')).toMatch(
      /^Not every process seals with k2: gatehouse serve on \S+ \(pid \d+\) seals with k1, as it said 12 s ago\. Give it k2 as the first of its keys and restart it, or stop it; then run this again\. One that was killed is forgotten after 10 minutes\. No key was removed\.$/,
    );
    await one.record.end();
    expect(await refusal('k2')).toBeUndefined();
  });

  it('respects the record of a killed process for 10 minutes, and removes it after a day', async () => {
    await process('k1').record.look();
    clock.advance(10 * MINUTE - 1);
    expect(await refusal('k2')).toContain('seals with k1, as it said 600 s ago');
    clock.advance(1);
    expect(await refusal('k2')).toBeUndefined();
    await process('k2').record.look();
    expect(await said()).toHaveLength(2);
    clock.advance(24 * 60 * MINUTE);
    await process('k2').record.look();
    expect(new Set((await said()).map(([, ago]) => ago))).toEqual(new Set([24 * 60 * MINUTE, 0]));
  });
});
