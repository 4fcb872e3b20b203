/** Every statement of src names the environment whose rows it means. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

/** Facts about the installation; keys of a window begin with the environment's id. */
const SHARED_TABLES = ['environments', 'installation', 'rate_windows'];

/** Statements that mean the rows of all environments, each with its reason. */
const OF_ALL = [
  // Maintenance ends what is over; each row it gets carries its environment.
  "store/accounts/auth-request-store.ts: selectFrom('auth_requests')",
  // A listener for links of this computer closes when none is open.
  "store/accounts/link-store.ts: selectFrom('links')",
  // Each process looks for the environments whose tools have changed.
  "store/upstreams/upstream-store.ts: selectFrom('upstream_versions')",
];

/** What limits a statement of the query builder to an environment. */
const LIMITED = /\b(where|whereRef|onRef|eb|e)\(\s*'(\w+\.)?environment_id'/;

/** The builder's call and what is chained to it: to the end of the expression that it stands in. */
function chainFrom(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0 || (depth === 0 && ';,'.includes(character))) return text.slice(start, at);
  }
  return text.slice(start);
}

/** `insertInto` needs no look: rows without an environment do not compile, as the tables have it. */
function unlimitedIn(text: string): string[] {
  const built = [...text.matchAll(/\.((?:selectFrom|updateTable|deleteFrom)\(\s*(?:'(\w+)[^)]*)?\)?)/g)]
    .filter(([, , table]) => table === undefined || !SHARED_TABLES.includes(table))
    .filter(({ index }) => !LIMITED.test(chainFrom(text, index)))
    .map(([, call]) => call!.replaceAll(/\s+/g, ''));
  const written = [...text.matchAll(/sql(?:<[^`;]*?>)?`([^`]*)`/g)]
    .map(([, statement]) => statement!.trim())
    .filter((statement) => TOUCHED.test(statement) && !statement.includes('environment_id'));
  return [...built, ...written];
}

const tables = [
  ...readFileSync(join(SRC, 'store/tables/tables.ts'), 'utf8')
    .match(/export interface Tables \{([^]*?)\n\}/)![1]!
    .matchAll(/^ {2}(\w+):/gm),
].map(([, table]) => table!);
const TOUCHED = new RegExp(
  `\\b(from|update|into|join) "?(${tables.filter((table) => !SHARED_TABLES.includes(table)).join('|')})\\b`,
  'i',
);

describe('SQL statements of src', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('store/migrations/'),
  );

  it('filter on the environment, except those about all of them', () => {
    const found = files.flatMap((file) =>
      unlimitedIn(readFileSync(join(SRC, file), 'utf8')).map((statement) => `${file}: ${statement}`),
    );
    expect(found.toSorted()).toEqual(OF_ALL);
  });

  it('filter on the environment in what all tables share', () => {
    const shared = readFileSync(join(SRC, 'store/engine/rows.ts'), 'utf8');
    const started = shared.match(/\.(selectFrom|updateTable|deleteFrom)\(this\.#table\)/g);
    expect(started).toHaveLength(3);
    expect(unlimitedIn(shared)).toEqual([]);
    expect(unlimitedIn(shared.replaceAll(".where('environment_id'", ".where('id'"))).toHaveLength(3);
  });

  it('appear in the search of this test', () => {
    const statements = files.flatMap((file) => [
      ...readFileSync(join(SRC, file), 'utf8').matchAll(/\.(selectFrom|updateTable|deleteFrom)\(/g),
    ]);
    expect(statements.length).toBeGreaterThan(90);
    expect(tables).toContain('idempotency_keys');
  });
});

describe('SQL statements without environment', () => {
  it.each([
    [
      `await tx.deleteFrom('idempotency_keys').where('id', '=', row.id).execute();`,
      `deleteFrom('idempotency_keys')`,
    ],
    [
      `db\n  .updateTable('accounts')\n  .set({ environment_id: 'e' })\n  .execute()`,
      `updateTable('accounts')`,
    ],
    [
      `[db.selectFrom('links').select('environment_id'), other.where('environment_id', '=', e)]`,
      `selectFrom('links')`,
    ],
    [
      'await sql<Row>`delete from accounts where id = ${id}`.execute(db)',
      'delete from accounts where id = ${id}',
    ],
  ])('fail the check: %s', (text, statement) => {
    expect(unlimitedIn(text)).toEqual([statement]);
  });

  it.each([
    `db.selectFrom('links').selectAll().where('links.environment_id', '=', environmentId)`,
    `db.deleteFrom('environments').where('id', '=', id)`,
    'sql`select 1 from accounts where environment_id = ${id}`',
  ])('pass the check with a filter: %s', (text) => {
    expect(unlimitedIn(text)).toEqual([]);
  });
});
