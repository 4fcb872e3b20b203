import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import {
  KEY_CHECK,
  SEALED_COLUMNS,
  SealedValueStore,
} from '../../../src/store/installation/sealed-value-store.ts';
import { forEachDatabase } from '../../support/databases.ts';

forEachDatabase((name, open) => {
  let db: Database;
  let store: SealedValueStore;
  const column = SEALED_COLUMNS.find(({ table }) => table === 'signing_secrets')!;

  beforeEach(async () => {
    db = await open();
    store = new SealedValueStore(db.read);
  });

  it('lists every sealed column of the database, with the id of its table', async () => {
    const { rows } =
      name === 'sqlite'
        ? await sql<{ place: string }>`
            select m.name || '.' || c.name as place from sqlite_master m join pragma_table_info(m.name) c
            where m.type = 'table' and c.name like '%\\_sealed' escape '\\'`.execute(db.read)
        : await sql<{ place: string }>`
            select table_name || '.' || column_name as place from information_schema.columns
            where table_schema = current_schema() and column_name like '%\\_sealed'`.execute(db.read);
    const known = SEALED_COLUMNS.filter(({ table }) => table !== 'installation');
    expect(rows.length).toBeGreaterThan(5);
    expect(known.map((one) => `${one.table}.${one.column}`).toSorted()).toEqual(
      rows.map(({ place }) => place).toSorted(),
    );
    for (const one of [...SEALED_COLUMNS, KEY_CHECK]) expect(await store.page(one, '', 1)).toEqual([]);
  });

  it('visits all sealed values of a column once, in pages', async () => {
    await plant(250);
    const seen: string[] = [];
    for (let page = await store.page(column, '', 100); page.length > 0;) {
      seen.push(...page.map(({ id, sealed }) => `${id} ${sealed}`));
      page = await store.page(column, page.at(-1)!.id, 100);
    }
    expect(seen).toHaveLength(250);
    expect(new Set(seen)).toHaveLength(250);
    expect(seen[0]).toBe('sec_1000 sealed 1000');
  });

  it('makes shorter pages of long sealed values, with one at least', async () => {
    await plant(6, (i) => `${i} ${'x'.repeat(i === 1003 ? 9_000_000 : 1_500_000)}`);
    const pages: string[][] = [];
    for (let page = await store.page(column, '', 100); page.length > 0;) {
      pages.push(page.map(({ id, sealed }) => `${id} ${sealed.slice(0, 4)}`));
      page = await store.page(column, page.at(-1)!.id, 100);
    }
    expect(pages).toEqual([
      ['sec_1000 1000', 'sec_1001 1001', 'sec_1002 1002'],
      ['sec_1003 1003'],
      ['sec_1004 1004', 'sec_1005 1005'],
    ]);
  });

  it('skips rows without a sealed value', async () => {
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      await tx.insertInto('connections').values(connection('conn_1', null)).execute();
      await tx.insertInto('connections').values(connection('conn_2', 'sealed')).execute();
    });
    const connections = SEALED_COLUMNS.find(({ table }) => table === 'connections')!;
    expect(await store.page(connections, '', 100)).toEqual([{ id: 'conn_2', sealed: 'sealed' }]);
  });

  it('visits only the sealed facts about the installation', async () => {
    await db.transaction(async (tx) => {
      const rows = ['installation_id', 'derivation_secret', 'key_check'].map((key) => ({ key, value: key }));
      await tx.insertInto('installation').values(rows).execute();
    });
    const facts = SEALED_COLUMNS.find(({ table }) => table === 'installation')!;
    expect(await store.page(facts, '', 100)).toEqual([
      { id: 'derivation_secret', sealed: 'derivation_secret' },
    ]);
    expect(await store.page(KEY_CHECK, '', 100)).toEqual([{ id: 'key_check', sealed: 'key_check' }]);
  });

  it('replaces a sealed value only when it is still the one that was read', async () => {
    await plant(2);
    const replace = async (old: string): Promise<boolean> =>
      db.transaction(async (tx) => new SealedValueStore(tx).replace(column, 'sec_1000', old, 'anew'));
    expect(await replace('sealed 999')).toBe(false);
    expect(await replace('sealed 1000')).toBe(true);
    expect(await replace('sealed 1000')).toBe(false);
    expect(await store.page(column, '', 9)).toEqual([
      { id: 'sec_1000', sealed: 'anew' },
      { id: 'sec_1001', sealed: 'sealed 1001' },
    ]);
  });

  async function plant(count: number, text = (i: number) => `sealed ${i}`): Promise<void> {
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      for (let i = 1000; i < 1000 + count; i++) {
        const row = { id: `sec_${i}`, secret_sealed: text(i), created_at: 1, expires_at: null };
        await tx
          .insertInto('signing_secrets')
          .values({ ...row, environment_id: 'env_1' })
          .execute();
      }
    });
  }
});

function connection(id: string, secret: string | null) {
  return {
    id,
    environment_id: 'env_1',
    name: id,
    connector: 'crm',
    authorization_type: 'OAUTH',
    client_id: null,
    client_secret_sealed: secret,
    scopes: '[]',
    params: '{}',
    overrides: '{}',
    post_user_verify_redirect_url: null,
    managed_by: 'operator',
    created_at: 1,
    updated_at: 1,
  } as const;
}
