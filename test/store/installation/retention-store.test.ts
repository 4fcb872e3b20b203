/** How SQLite finds the rows that retention removes, without statistics about the tables. */
import SqliteHandle from 'better-sqlite3';
import { Kysely } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteDialect } from '../../../src/store/engine/sqlite-dialect.ts';
import { RetentionStore, type Temporary } from '../../../src/store/installation/retention-store.ts';
import { openDatabase } from '../../../src/store/open.ts';
import type { Tables } from '../../../src/store/tables/tables.ts';

let folder: string;
let handle: SqliteHandle.Database;
let store: RetentionStore;
let plans: string[][];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-retention-'));
  const file = join(folder, 'gatehouse.db');
  await (await openDatabase({ url: `sqlite:${file}` })).close();
  handle = new SqliteHandle(file);
  plans = [];
  const db = new Kysely<Tables>({
    dialect: sqliteDialect(handle, 'write'),
    log: ({ query: { sql, parameters } }) => {
      const steps = handle.prepare(`explain query plan ${sql}`).all(parameters) as { detail: string }[];
      plans.push(steps.map(({ detail }) => detail));
    },
  });
  store = new RetentionStore(db);
});

afterAll(() => {
  handle.close();
  rmSync(folder, { recursive: true });
});

const NAMES: readonly Temporary[] = [
  'executions',
  'links',
  'oauthFlows',
  'authRequests',
  'credentialSecrets',
  'webhookDeliveries',
  'heldDeliveries',
  'interceptorLogs',
  'emailCodes',
  'signInFlows',
  'idempotencyKeys',
  'signingSecrets',
  'expiredSessions',
  'endedSessions',
  'artifacts',
  'unusedArtifacts',
  'consumedArtifacts',
];

describe('removal of old rows', () => {
  it.each(NAMES)('looks at no other row of %s than the ones it was given', async (name) => {
    plans.length = 0;
    await store.remove(name, 'env_1', { before: 1, keys: ['a', 'b', 'c'] });
    expect(plans[0]?.[0]).toMatch(/^SEARCH \w+ USING INDEX sqlite_autoindex_\w+ \(id=\?\)$/);
    expect(plans[0]?.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('finds revocations by their key within the environment', async () => {
    plans.length = 0;
    await store.remove('revokedTokens', 'env_1', { before: 1, keys: ['a', 'b', 'c'] });
    expect(plans).toEqual([
      [
        'SEARCH revoked_tokens USING INDEX sqlite_autoindex_revoked_tokens_1 (environment_id=? AND token_id=?)',
      ],
    ]);
  });

  it('reads executions in the order of their index, from the last one found', async () => {
    plans.length = 0;
    await store.find('executions', 'env_1', { before: 2, last: { time: 1, key: 'exe_1' }, limit: 3 });
    expect(plans).toEqual([
      [
        'SEARCH executions USING COVERING INDEX executions_by_time (environment_id=? AND (at,id)>(?,?) AND at<?)',
      ],
    ]);
  });
});
