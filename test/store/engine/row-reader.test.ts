/** Decoding of flags and JSON in the rows that queries return. */
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { DatabaseError } from '../../../src/store/engine/database-errors.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { changedColumns, storedFlag } from '../../../src/store/engine/row-reader.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { virtualServerNamed } from '../../../src/store/policy/mcp-server-store.ts';
import { rows } from '../../../src/store/engine/rows.ts';

const SERVER = {
  id: 'mcp_1',
  environment_id: 'env_1',
  name: 'sales',
  organization_id: '',
  connections: '["mail"]',
  toolsets: '[]',
  tools: '["a","b"]',
  read_only: 1,
  created_at: 1,
  updated_at: 1,
} as const;

const READ = { ...SERVER, connections: ['mail'], toolsets: [], tools: ['a', 'b'], read_only: true };

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      await tx.insertInto('mcp_servers').values(SERVER).execute();
    });
  });

  it('decodes flags and JSON of whole rows, of a plain and of a prepared query', async () => {
    expect(await rows(db.read, 'mcp_servers').find('env_1', 'mcp_1')).toEqual(READ);
    expect(await virtualServerNamed(db.read, 'env_1', 'sales')).toEqual(READ);
    expect(await virtualServerNamed(db.read, 'env_1', 'sales')).toEqual(READ);
  });

  it('decodes selected columns by table and name, also under an alias', async () => {
    const row = await db.read
      .selectFrom('mcp_servers as server')
      .innerJoin('environments', 'environments.id', 'server.environment_id')
      .select(['read_only', 'server.tools as names', 'environments.name', 'server.connections'])
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ read_only: true, names: ['a', 'b'], name: 'one', connections: ['mail'] });
  });

  it('decodes the rows that a change returns', async () => {
    const changed = await db.transaction(async (tx) =>
      tx.updateTable('mcp_servers').set({ read_only: 0 }).returning(['id', 'read_only']).execute(),
    );
    expect(changed).toEqual([{ id: 'mcp_1', read_only: false }]);
    const deleted = await db.transaction(async (tx) => tx.deleteFrom('mcp_servers').returningAll().execute());
    expect(deleted).toEqual([{ ...READ, read_only: false }]);
  });

  it('keeps scopes of API credentials as text, because they are words and not JSON', async () => {
    await db.transaction(async (tx) =>
      tx
        .insertInto('credentials')
        .values({
          id: 'cred_1',
          environment_id: 'env_1',
          name: 'Backend',
          client_id: 'c',
          organization_id: '',
          scopes: '["not","decoded"]',
          created_at: 1,
        })
        .execute(),
    );
    const row = await db.read.selectFrom('credentials').selectAll().executeTakeFirstOrThrow();
    expect(row.scopes).toBe('["not","decoded"]');
  });

  it('compares a flag in its stored form', async () => {
    const ids = async (flag: boolean) =>
      db.read.selectFrom('mcp_servers').select('id').where('read_only', '=', storedFlag(flag)).execute();
    expect(await ids(true)).toEqual([{ id: 'mcp_1' }]);
    expect(await ids(false)).toEqual([]);
  });

  describe('JSON that cannot be parsed', () => {
    const secret = '{"token":"s3cret"';
    const reading = 'The column tools of the table mcp_servers holds a value that is not JSON';
    const failureOf = async (read: Promise<unknown>) => read.catch((error: unknown) => error);

    beforeEach(async () => {
      await db.transaction(async (tx) => {
        const broken = { ...SERVER, id: 'mcp_2', name: 'broken', tools: secret };
        await tx.insertInto('mcp_servers').values(broken).execute();
      });
    });

    it('fails the read with table, column and row, and never shows the content', async () => {
      const failure = await failureOf(rows(db.read, 'mcp_servers').find('env_1', 'mcp_2'));
      expect(failure).toBeInstanceOf(DatabaseError);
      expect(failure).toHaveProperty(
        'message',
        expect.stringContaining(`${reading} (row read with id mcp_2).`),
      );
      expect(inspect(failure, { depth: null })).not.toContain('s3cret');
    });

    it('names table and column also under another name, of a prepared query and of a change', async () => {
      const aliased = db.read.selectFrom('mcp_servers as server').select('server.tools as names').execute();
      const changed = db.transaction(async (tx) =>
        tx.updateTable('mcp_servers').set({ read_only: 0 }).returning('tools').execute(),
      );
      const named = virtualServerNamed(db.read, 'env_1', 'broken');
      for (const failure of await Promise.all([aliased, changed, named].map(failureOf)))
        expect(failure).toHaveProperty('message', expect.stringContaining(reading));
    });

    it('fails a list as a whole, and no read of other rows', async () => {
      const list = failureOf(rows(db.read, 'mcp_servers').list('env_1'));
      expect(await list).toBeInstanceOf(DatabaseError);
      expect(await rows(db.read, 'mcp_servers').find('env_1', 'mcp_1')).toEqual(READ);
    });
  });

  it('refuses two queries with different columns that extend the same one', async () => {
    const base = db.read.selectFrom('mcp_servers');
    await base.select('read_only').execute();
    await expect(async () => base.select('tools').execute()).rejects.toThrow('begin each with selectFrom');
  });
});

it('finds the columns that differ from the row read before', () => {
  expect(changedColumns('mcp_servers', READ, { tools: '["a","b"]', read_only: 1, name: 'sales' })).toEqual(
    {},
  );
  expect(changedColumns('mcp_servers', READ, { tools: '["a"]', read_only: 0, name: 'sales' })).toEqual({
    tools: '["a"]',
    read_only: 0,
  });
});
