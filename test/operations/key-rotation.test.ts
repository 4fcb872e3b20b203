import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeyRotation } from '../../src/operations/key-rotation.ts';
import { SealingRecord } from '../../src/operations/sealing-record.ts';
import { verifyKeys } from '../../src/operations/key-verification.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { readKeyFile } from '../../src/vault/key-file.ts';
import type { KeyRing } from '../../src/vault/key-ring.ts';
import { fixedKeys, KeyFileSource } from '../../src/vault/key-source.ts';
import { Vault } from '../../src/vault/vault.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 1) };
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 2) };
const SECRETS = 120;

/** Sealed once for all tests. */
const ROWS = Promise.all(
  Array.from({ length: SECRETS }, async (_, i) => {
    const place = { table: 'signing_secrets', row: idOf(i), column: 'secret_sealed' };
    return secretRow(i, await new Vault([k1]).seal(place, `secret ${i}`));
  }),
);

forEachDatabase((_name, open) => {
  let db: Database;
  let folder: string;
  let keyFile: string;
  let vault: Vault;
  const clock = fixedClock();

  beforeEach(async () => {
    db = await open();
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-rotation-'));
    keyFile = join(folder, 'master.key');
    writeFileSync(keyFile, lines([k1]));
    vault = watching([k1]);
    const check = { table: 'installation', row: 'key_check', column: 'value' };
    const value = await vault.seal(check, 'gatehouse');
    await db.transaction(async (tx) => {
      await tx.insertInto('installation').values({ key: 'key_check', value }).execute();
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      await tx
        .insertInto('signing_secrets')
        .values(await ROWS)
        .execute();
    });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('creates a new master key, puts it first in the key file, and seals everything with it', async () => {
    const counts: number[] = [];
    const result = await rotation().rotate((resealed) => counts.push(resealed));
    const [first, second] = readKeyFile(keyFile);
    expect(second).toEqual(k1);
    expect(result).toEqual({ made: true, first_key: first.id, resealed: SECRETS, unreadable: [] });
    expect(counts).toEqual([100, 120]);
    expect(await report()).toEqual({
      first_key: first.id,
      keys: [{ id: first.id, values: SECRETS + 1 }],
      unreadable: [],
    });
    expect(await secret(7, [first])).toBe('secret 7');
  });

  it('writes one line in the audit log of every environment for each new key', async () => {
    await db.transaction(async (tx) =>
      tx.insertInto('environments').values({ id: 'env_2', name: 'two', created_at: 1 }).execute(),
    );
    const keys: string[] = [];
    for (let run = 0; run < 2; run++) keys.push((await rotation().rotate()).first_key);
    const audit = await db.read
      .selectFrom('audit')
      .select(['environment_id', 'actor', 'action', 'target', 'ip'])
      .orderBy('environment_id')
      .orderBy('id')
      .execute();
    const of = (environment_id: string) =>
      keys.map((target) => ({ environment_id, actor: 'local', action: 'keys.rotate', target, ip: '' }));
    expect(audit.slice(0, 2)).toEqual(expect.arrayContaining(of('env_1')));
    expect(audit.slice(2)).toEqual(expect.arrayContaining(of('env_2')));
    expect(audit).toHaveLength(4);
  });

  it('audits a key rotation once that needed several runs', async () => {
    writeFileSync(keyFile, lines([k2, k1]));
    vault = watching([k2, k1]);
    const noted = async () => db.read.selectFrom('audit').select(['action', 'target']).execute();
    const check = await db.read.selectFrom('installation').selectAll().execute();
    await rotation().rotate();
    // As if the run had ended before it moved the key check value.
    await db.transaction(async (tx) => {
      for (const { key, value } of check)
        await tx.updateTable('installation').set({ value }).where('key', '=', key).execute();
    });
    await rotation().rotate();
    expect(await noted()).toEqual([{ action: 'keys.rotate', target: 'k2' }]);
  });

  it('continues a key rotation that ended after it wrote the key file', async () => {
    writeFileSync(keyFile, lines([k2, k1]));
    const result = await rotation().rotate();
    expect(result).toMatchObject({ made: false, first_key: 'k2', resealed: SECRETS });
    expect(readKeyFile(keyFile)).toEqual([k2, k1]);
  });

  it('continues a key rotation that ended in the middle of sealing', async () => {
    writeFileSync(keyFile, lines([k2, k1]));
    // The line in the audit log, and one batch.
    const { transaction } = failingAfter(2);
    await expect(
      rotation({ db: { read: db.read, longRead: db.longRead, transaction } }).rotate(),
    ).rejects.toThrow('killed');
    const half = await report();
    expect(half.keys.map(({ id, values }) => `${id} ${values}`)).toEqual(['k2 100', 'k1 21']);
    expect(half.unreadable).toEqual([]);
    expect(await rotation().rotate()).toMatchObject({ made: false, resealed: 20 });
    expect((await report()).keys).toEqual([{ id: 'k2', values: SECRETS + 1 }]);
  });

  it('creates another key when the last rotation is complete', async () => {
    const one = await rotation().rotate();
    const two = await rotation().rotate();
    expect([two.made, two.resealed]).toEqual([true, SECRETS]);
    expect(readKeyFile(keyFile).map(({ id }) => id)).toEqual([two.first_key, one.first_key, 'k1']);
  });

  it('creates one key for two concurrent rotations', async () => {
    const results = await Promise.all([rotation().rotate(), rotation().rotate()]);
    expect(results.filter(({ made }) => made)).toHaveLength(1);
    expect(new Set(results.map(({ first_key: id }) => id))).toHaveLength(1);
    expect(readKeyFile(keyFile)).toHaveLength(2);
    expect((await report()).keys).toEqual([{ id: results[0]?.first_key, values: SECRETS + 1 }]);
  });

  it('never overwrites a value stored meanwhile with an older one', async () => {
    let isFirst = true;
    const result = await rotation({
      db: {
        read: db.read,
        longRead: db.longRead,
        transaction: async (work) => {
          const [key] = readKeyFile(keyFile);
          if (key.id !== 'k1' && isFirst) {
            isFirst = false;
            await store(5, await sealed(5, 'newer'));
            await store(6, await sealed(6, 'newer, by a process that has not read the new key', [k1]));
          }
          return db.transaction(work);
        },
      },
    }).rotate();
    expect(result).toMatchObject({ resealed: SECRETS - 1, unreadable: [] });
    expect(await secret(5)).toBe('newer');
    expect(await secret(6)).toBe('newer, by a process that has not read the new key');
    expect((await report()).keys).toEqual([{ id: result.first_key, values: SECRETS + 1 }]);
  });

  it('reports a process that keeps sealing with an older key', async () => {
    const stubborn = rotation({
      db: {
        read: db.read,
        longRead: db.longRead,
        transaction: async (work) => {
          const done = await db.transaction(work);
          await store(5, await sealed(5, 'again', [k1]));
          return done;
        },
      },
    }).rotate();
    await expect(stubborn).rejects.toThrow(
      'Another process keeps sealing with an older key. Give every process the same first master key, then run this again.',
    );
    expect(await secret(5)).toBe('again');
  });

  it('leaves values that do not open unchanged, reports their places, and seals the rest', async () => {
    const damaged = `${(await stored(3)).slice(0, -4)}AAAA`;
    await store(3, damaged);
    await store(4, await stored(5));
    await store(8, 'scribble');
    await store(9, await sealed(9, 'x', [{ id: 'lost', bytes: Buffer.alloc(32, 9) }]));
    const { resealed, unreadable } = await rotation().rotate();
    expect(resealed).toBe(SECRETS - 4);
    const at = (i: number, reason: string, key: string | null) => ({
      table: 'signing_secrets',
      id: idOf(i),
      column: 'secret_sealed',
      reason,
      key_id: key,
    });
    expect(unreadable).toEqual([
      at(3, 'damaged', 'k1'),
      at(4, 'other_place', 'k1'),
      at(8, 'damaged', null),
      at(9, 'unknown_key', 'lost'),
    ]);
    expect((await report()).unreadable).toEqual(unreadable);
    expect(await stored(3)).toBe(damaged);
    expect(await secret(5)).toBe('secret 5');
  });

  it('seals with the first key of the environment and creates none', async () => {
    vault = new Vault(fixedKeys([k2, k1]));
    const result = await rotation({ keyFile: undefined }).rotate();
    expect(result).toEqual({ made: false, first_key: 'k2', resealed: SECRETS, unreadable: [] });
    expect(await rotation({ keyFile: undefined }).removeOld()).toEqual({
      first_key: 'k2',
      resealed: 0,
      removed: [],
      kept: [],
      unreadable: [],
    });
    expect(readKeyFile(keyFile)).toEqual([k1]);
    const noted = await db.read.selectFrom('audit').select(['action', 'target']).execute();
    expect(noted).toEqual([{ action: 'keys.rotate', target: 'k2' }]);
  });

  it('removes keys that no value names any more, and creates none', async () => {
    const { first_key: first } = await rotation().rotate();
    rest(300_000);
    const result = await rotation().removeOld();
    expect(result).toEqual({ first_key: first, resealed: 0, removed: ['k1'], kept: [], unreadable: [] });
    expect(readKeyFile(keyFile).map(({ id }) => id)).toEqual([first]);
    expect(await secret(7)).toBe('secret 7');
  });

  it('seals the rest under an old key before it removes that key', async () => {
    await rotation().rotate();
    await store(5, await sealed(5, 'late', [k1]));
    rest(300_000);
    expect(await rotation().removeOld()).toMatchObject({ resealed: 1, removed: ['k1'] });
    expect(await secret(5)).toBe('late');
  });

  it('removes nothing while a value sealed with an old key may be on its way', async () => {
    await rotation().rotate();
    rest(299_000);
    await expect(rotation().removeOld()).rejects.toThrow(
      `was changed less than 5 minutes ago: a value sealed with an older key may still be on its way to the database. ` +
        `Run this again after ${new Date(clock.now() + 1_000).toISOString()}. No key was removed.`,
    );
    expect(readKeyFile(keyFile)).toHaveLength(2);
  });

  it('removes nothing while a process runs that still seals with the old key, however idle it is', async () => {
    const idle = new SealingRecord({ db, vault: new Vault([k1]), clock, command: 'serve' });
    await idle.look();
    const { first_key: first } = await rotation().rotate();
    rest(300_000);
    await expect(rotation().removeOld()).rejects.toThrow(
      `Not every process seals with ${first}: gatehouse serve on `,
    );
    expect(readKeyFile(keyFile)).toHaveLength(2);
    await idle.end();
    const following = new SealingRecord({ db, vault, clock, command: 'serve' });
    await following.look();
    expect(await rotation().removeOld()).toMatchObject({ removed: ['k1'] });
  });

  it('advises against removing a key from the environment while a process seals with it', async () => {
    vault = new Vault(fixedKeys([k2, k1]));
    await new SealingRecord({ db, vault: new Vault([k1]), clock, command: 'serve' }).look();
    await rotation({ keyFile: undefined }).rotate();
    await expect(rotation({ keyFile: undefined }).removeOld()).rejects.toThrow('seals with k1');
  });

  it('removes nothing when such a process starts during the count', async () => {
    await rotation().rotate();
    rest(300_000);
    const late = new SealingRecord({ db, vault: new Vault([k1]), clock, command: 'mcp' });
    const counting = rotation({
      db: {
        read: db.read,
        longRead: db.longRead,
        transaction: async (work) => {
          await late.look();
          return db.transaction(work);
        },
      },
    });
    await expect(counting.removeOld()).rejects.toThrow('gatehouse mcp on ');
    expect(readKeyFile(keyFile)).toHaveLength(2);
  });

  it('keeps a key that any value names, also a value that does not open', async () => {
    await store(3, `${(await stored(3)).slice(0, -4)}AAAA`);
    await rotation().rotate();
    rest(300_000);
    const result = await rotation().removeOld();
    expect([result.removed, result.kept]).toEqual([[], [{ id: 'k1', values: 1 }]]);
    expect(readKeyFile(keyFile)).toHaveLength(2);
  });

  function rotation(
    other: { db?: Pick<Database, 'read' | 'longRead' | 'transaction'>; keyFile?: undefined } = {},
  ): KeyRotation {
    return new KeyRotation({ db, vault, clock, keyFile, ...other });
  }

  function watching(ring: KeyRing): Vault {
    return new Vault(new KeyFileSource({ path: keyFile, ring, fits: async () => true, refused: () => {} }));
  }

  async function report(): ReturnType<typeof verifyKeys> {
    return verifyKeys(db, vault);
  }

  /** The key file was changed so long ago. */
  function rest(ms: number): void {
    const changed = new Date(clock.now() - ms);
    utimesSync(keyFile, changed, changed);
  }

  async function sealed(i: number, text: string, ring?: KeyRing): Promise<string> {
    const by = ring === undefined ? vault : new Vault(ring);
    return by.seal({ table: 'signing_secrets', row: idOf(i), column: 'secret_sealed' }, text);
  }

  async function stored(i: number): Promise<string> {
    const row = await db.read
      .selectFrom('signing_secrets')
      .select('secret_sealed')
      .where('id', '=', idOf(i))
      .executeTakeFirstOrThrow();
    return row.secret_sealed;
  }

  async function secret(i: number, ring?: KeyRing): Promise<string> {
    const place = { table: 'signing_secrets', row: idOf(i), column: 'secret_sealed' };
    return (ring === undefined ? vault : new Vault(ring)).open(place, await stored(i));
  }

  async function store(i: number, value: string): Promise<void> {
    await db.transaction(async (tx) => {
      await tx
        .updateTable('signing_secrets')
        .set({ secret_sealed: value })
        .where('id', '=', idOf(i))
        .execute();
    });
  }

  /** Commits so many transactions after the one that looks at the key file, then dies. */
  function failingAfter(count: number): Pick<Database, 'transaction'> {
    let begun = 0;
    return {
      transaction: async (work) => {
        if (begun++ > count) throw new Error('killed');
        return db.transaction(work);
      },
    };
  }
});

function idOf(i: number): string {
  return `sec_${1000 + i}`;
}

function secretRow(i: number, sealed: string) {
  return { id: idOf(i), environment_id: 'env_1', secret_sealed: sealed, created_at: 1, expires_at: null };
}

function lines(ring: KeyRing): string {
  return ring.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}\n`).join('');
}
