import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVault } from '../../../src/app/services/open-vault.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { KeyRotation } from '../../../src/operations/key-rotation.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { readKeyFile } from '../../../src/vault/key-file.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const place = { table: 'accounts', row: 'ca_1', column: 'credentials_sealed' };

forEachDatabase((_name, open, newUrl) => {
  describe('master keys at the start of a process', () => {
    let folder: string;
    let settings: Settings;
    let db: Database;
    /** The same database, for another process. */
    let elsewhere: Database;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
      settings = { keys: { masterKeyFile: join(folder, 'master.key') } } as Settings;
      const url = await newUrl();
      db = await open({ url });
      elsewhere = await open({ url });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const start = async (database: Database): Promise<Vault> => openVault(settings, database, silentLog);

    async function rotate(): Promise<void> {
      const { masterKeyFile: keyFile } = settings.keys;
      const rotation = new KeyRotation({
        db: elsewhere,
        vault: await start(elsewhere),
        clock: fixedClock(),
        keyFile,
      });
      await rotation.rotate();
    }

    /** What the `nth` statement reads is what it is after a rotation that began just before. */
    function rotatedBefore(nth: number): Database {
      let count = 0;
      let asked: RootOperationNode;
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => (asked = node),
        transformResult: async ({ result }) => {
          count += 1;
          if (count !== nth) return result;
          await rotate();
          const key = /derivation_secret|key_check/.exec(JSON.stringify(asked))?.[0] ?? '';
          const rows = await elsewhere.read
            .selectFrom('installation')
            .select('value')
            .where('key', '=', key)
            .execute();
          return { ...result, rows };
        },
      };
      return {
        dialect: db.dialect,
        read: db.read.withPlugin(plugin),
        longRead: db.longRead,
        version: () => db.version(),
        transaction: async (work) => db.transaction(work),
        close: async () => db.close(),
      };
    }

    it.each([1, 2, 3])(
      'uses the keys of the current file when a rotation begins elsewhere before database read %i',
      async (nth) => {
        const before = await start(db);
        const sealed = await before.seal(place, 'secret');
        const vault = await start(rotatedBefore(nth));
        const [first, second] = readKeyFile(settings.keys.masterKeyFile);
        expect(second).toBeDefined();
        expect(await vault.sealingKeyId()).toBe(first.id);
        expect(await vault.open(place, sealed)).toBe('secret');
        expect(vault.derive('page-token')).toEqual(before.derive('page-token'));
      },
    );

    it('refuses to start when a key is in no version of the file', async () => {
      await start(db);
      const old = readKeyFile(settings.keys.masterKeyFile);
      await rotate();
      const lines = old.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}\n`);
      writeFileSync(settings.keys.masterKeyFile, lines.join(''));
      await expect(start(db)).rejects.toThrow('The master keys are not those of this database');
    });
  });
});
