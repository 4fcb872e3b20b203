/** The lease of a remote MCP server: one process at a time registers a client there. */
import { beforeEach, expect, it } from 'vitest';
import {
  UpstreamServerStore,
  type UpstreamServer,
} from '../../../src/store/upstreams/upstream-server-store.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import { forEachDatabase } from '../../support/databases.ts';

forEachDatabase((_name, open) => {
  let db: Database;
  let server: UpstreamServer;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      await tx.insertInto('environments').values({ id: 'env_1', name: 'one', created_at: 1 }).execute();
      await rows(tx, 'connections').insert({
        id: 'conn_1',
        environment_id: 'env_1',
        name: 'notes',
        connector: 'notes',
        authorization_type: 'OAUTH',
        client_id: null,
        client_secret_sealed: null,
        secret_set_at: null,
        paused_until: null,
        scopes: '[]',
        params: '{}',
        overrides: '{}',
        post_user_verify_redirect_url: null,
        managed_by: 'operator',
        created_at: 1,
        updated_at: 1,
      });
      const connection = { environmentId: 'env_1', id: 'conn_1' };
      server = await new UpstreamServerStore(tx).ensure(connection, 'https://notes.example/mcp', 1);
    });
  });

  const take = async (owner: string, now: number) =>
    db.transaction(async (tx) => new UpstreamServerStore(tx).take(server, owner, { now, until: now + 10 }));
  const release = async (owner: string, refusedAt?: number | null) =>
    db.transaction(async (tx) => new UpstreamServerStore(tx).release(server, owner, refusedAt));
  const read = async () => rows(db.read, 'upstream_servers').find('env_1', server.id);

  it('gives the lease to one owner at a time, and to the next from the moment it expires', async () => {
    expect([await take('one', 100), await take('two', 109), await take('two', 110)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await read()).toMatchObject({ lease_owner: 'two', lease_until: 120 });
  });

  it('frees the lease at once when its owner releases it, with the time of a refusal', async () => {
    await take('one', 100);
    await release('one', 101);
    expect(await read()).toMatchObject({ lease_owner: null, refused_at: 101 });
    expect(await take('two', 102)).toBe(true);
  });

  it('leaves the lease with its owner when a former owner releases it', async () => {
    await take('one', 100);
    await take('two', 110);
    await release('one', 111);
    expect(await read()).toMatchObject({ lease_owner: 'two', lease_until: 120, refused_at: null });
  });
});
