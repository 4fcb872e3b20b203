import SqliteHandle from 'better-sqlite3';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/open.ts';
import { startChild } from '../support/child.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import { Writers } from '../support/deployment/writers.ts';
import { ROUNDS } from '../support/rounds.ts';

it(
  `keeps everything acknowledged through ${ROUNDS.killRounds} kill -9 at random times`,
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-kill-'));
    const file = join(folder, 'gatehouse.db');
    const confirmed = new Map<string, string>();
    const begun = new Map<string, string>();
    let acknowledged = 0;

    for (let round = 0; round < ROUNDS.killRounds; round++) {
      const child = startChild(join(import.meta.dirname, 'children/random-writer.ts'), [file, `r${round}`]);
      const isBusy = (): boolean => child.lines.filter((line) => line.startsWith('!')).length > 1;
      while (!isBusy()) await once(child.process.stdout, 'data');
      await sleep(Math.random() * 60);
      child.process.kill('SIGKILL');
      await child.ended;

      begun.clear();
      for (const line of child.lines) {
        const [sign, id = '', value = ''] = line.split(' ');
        if (sign === '?') begun.set(id, value);
        if (sign === '!') {
          confirmed.set(id, value);
          begun.delete(id);
          acknowledged++;
        }
      }

      const database = await openDatabase({ url: `sqlite:${file}` });
      const rows = await database.read.selectFrom('environments').select(['id', 'created_at']).execute();
      await database.close();
      const stored = new Map(rows.map((row) => [row.id, String(row.created_at)]));
      const states = (id: string) => [confirmed.get(id) ?? 'gone', begun.get(id) ?? confirmed.get(id)];
      const ids = new Set([...stored.keys(), ...confirmed.keys()]);
      const wrong = [...ids].filter((id) => !states(id).includes(stored.get(id) ?? 'gone'));
      expect(wrong).toEqual([]);
      // A write that was begun may have been committed just before the kill; from here on it counts.
      for (const id of begun.keys()) confirmed.set(id, stored.get(id) ?? 'gone');

      const handle = new SqliteHandle(file, { readonly: true });
      expect(handle.pragma('integrity_check', { simple: true })).toBe('ok');
      handle.close();
    }
    expect(acknowledged).toBeGreaterThan(ROUNDS.killRounds);
    rmSync(folder, { recursive: true });
  },
);

forEachDatabaseInFull((name, _open, newUrl) => {
  describe('gatehouse serve that is killed (kill -9) under load', () => {
    it('leaves everything that it has acknowledged to the next process', async ({ onTestFinished }) => {
      const databaseUrl = name === 'postgres' ? await newUrl() : undefined;
      const deployment = await Deployment.open({ ...(databaseUrl !== undefined && { databaseUrl }) });
      onTestFinished(async () => deployment.close());
      const acknowledged: string[] = [];
      for (let round = 0; round < ROUNDS.serverKills; round++) {
        const server = await deployment.serve();
        const writers = new Writers([server], `round-${round}`);
        await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(10);
        await server.kill();
        await writers.end();
        expect(tally(writers.answers.map(({ status }) => status))).toEqual({ 200: writers.answers.length });
        acknowledged.push(...writers.acknowledged);
      }
      const server = await deployment.serve();
      const stored = await Promise.all(acknowledged.map(async (user) => server.statusOf(user)));
      expect(tally(stored)).toEqual({ PENDING_AUTH: acknowledged.length });
      expect(deployment.integrity()).toBe('ok');
    });
  });
});
