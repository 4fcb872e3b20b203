import { expect, it, vi } from 'vitest';
import { programVersion } from '../../../src/core/program-version.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { SCHEMA_VERSION } from '../../../src/store/migrations/migrator.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { inFullRounds } from '../../support/rounds.ts';

const PROGRAM = programVersion();

/** The sentence about both versions in every message. */
const versions = (stored: number): string =>
  `It has schema version ${stored}, and this is Gatehouse ${PROGRAM}, which knows versions up to ${SCHEMA_VERSION}.`;

/** Writes facts as a newer program would; null removes one. */
async function say(db: Database, facts: Record<string, string | null>): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [key, value] of Object.entries(facts)) {
      await tx.deleteFrom('installation').where('key', '=', key).execute();
      if (value !== null) await tx.insertInto('installation').values({ key, value }).execute();
    }
  });
}

const installation = async (db: Database): Promise<object[]> =>
  db.read.selectFrom('installation').selectAll().orderBy('key').execute();

forEachDatabase((_name, open, newUrl) => {
  it('names the lowest program version that may use a new database', async () => {
    expect(await installation(await open())).toEqual([
      { key: 'compatible_from', value: '0.1.0' },
      { key: 'schema_version', value: String(SCHEMA_VERSION) },
    ]);
  });

  it('opens tables of a newer program that this one may use, and says so', async () => {
    const url = await newUrl();
    const db = await open({ url });
    await say(db, { schema_version: '99', compatible_from: PROGRAM });
    const before = await installation(db);
    const onNewer = vi.fn<(message: string) => void>();
    await open({ url, onNewer });
    expect(onNewer.mock.calls).toEqual([
      [
        `A newer Gatehouse made the tables of the database. ${versions(99)} This program may use them; upgrade it when you can.`,
      ],
    ]);
    expect(await installation(db)).toEqual(before);
  });

  it('says nothing about tables of its own version', async () => {
    const onNewer = vi.fn<(message: string) => void>();
    await open({ url: await newUrl(), onNewer });
    expect(onNewer).not.toHaveBeenCalled();
  });

  it.each([
    [
      'needs a newer program',
      { schema_version: '99', compatible_from: '99.2.0' },
      `The database needs Gatehouse 99.2.0 or later. ${versions(99)} Start the newer program, or restore a copy from before the upgrade. Nothing was changed.`,
    ],
    [
      'needs a newer program for tables of the same version',
      { compatible_from: '99.2.0-rc.1' },
      `The database needs Gatehouse 99.2.0-rc.1 or later. ${versions(SCHEMA_VERSION)} Start the newer program, or restore a copy from before the upgrade. Nothing was changed.`,
    ],
    [
      'needs a newer program than the one that would migrate it',
      { schema_version: '3', compatible_from: '99.0.0' },
      `The database needs Gatehouse 99.0.0 or later. ${versions(3)} Start the newer program, or restore a copy from before the upgrade. Nothing was changed.`,
    ],
    [
      'has newer tables and does not say which programs may use them',
      { schema_version: '99', compatible_from: null },
      `A newer Gatehouse made the database and does not say which programs may use it. ${versions(99)} Start the newer program, or use another database. Nothing was changed.`,
    ],
    [
      'has no schema version',
      { schema_version: null },
      'The database has no schema version, and a whole number from 1 on is expected. No Gatehouse wrote that: restore a copy, or use another database. Nothing was changed.',
    ],
    ...['seven', '0', ...inFullRounds('', '-1', '7.5', '0x7', '1e3', ' 7', '9'.repeat(30))].map(
      (value) =>
        [
          `has the schema version "${value}"`,
          { schema_version: value },
          `The database has the schema version "${value}", and a whole number from 1 on is expected. No Gatehouse wrote that: restore a copy, or use another database. Nothing was changed.`,
        ] as const,
    ),
    ...['soon', '0.2', ...inFullRounds('', '1', '0.2.0; drop', 'v0.2.0')].map(
      (value) =>
        [
          `may be used from "${value}" on`,
          { compatible_from: value },
          `The database says that it may be used from Gatehouse "${value}" on, and that is not a version such as 0.2.0. No Gatehouse wrote that: restore a copy, or use another database. Nothing was changed.`,
        ] as const,
    ),
  ] as const)('refuses a database that %s, and changes nothing', async (_what, facts, message) => {
    const url = await newUrl();
    const db = await open({ url });
    await say(db, facts);
    const before = await installation(db);
    await expect(open({ url })).rejects.toThrow(message);
    expect(await installation(db)).toEqual(before);
  });

  it.each(['0.0.9', '0.1.0', '0.1.0+build.7'])(
    'opens a database that may be used from %s on',
    async (from) => {
      const url = await newUrl();
      await say(await open({ url }), { compatible_from: from });
      await expect(open({ url })).resolves.toBeDefined();
    },
  );
});
