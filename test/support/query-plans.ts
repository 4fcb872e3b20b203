/** Notes the statements of a database and asks it how it would run them. */
import SqliteHandle from 'better-sqlite3';
import { Kysely, type CompiledQuery } from 'kysely';
import { Pool } from 'pg';
import { postgresDialect } from '../../src/store/engine/postgres-dialect.ts';
import { ROW_READER } from '../../src/store/engine/row-reader.ts';
import { sqliteDialect } from '../../src/store/engine/sqlite-dialect.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { GROWING } from './growing-rows.ts';

/** Rows that a page reads. Postgres may sort them where it expects no more. */
export const PAGE = 31;
/** Indexes of the rows in one status. */
const OF_A_STATUS =
  /failed_executions|webhook_deliveries_(pending|due|of_account|delivered|failed)|auth_requests_(open|ended)|artifacts_of_network/;

/** What a database says about one statement. */
export interface Plan {
  isLimited: boolean;
  /** `ties` where rows come in order of their time, and only those of one time are put in order. */
  sorts: 'nothing' | 'ties' | 'all';
  /** Visits of growing tables: the condition by which an index is searched; `undefined` without one. */
  visits: { table: string; condition: string | undefined }[];
}

/** A database whose statements are noted, and that explains them. */
export interface Explaining {
  db: Kysely<Tables>;
  noted: CompiledQuery[];
  /** Without values it says how any values are looked for. */
  explain: (query: Explained) => Promise<Plan>;
  /** Postgres: runs it, and tells how many rows of growing tables it looked at for those that it returned. */
  run?: (query: CompiledQuery) => Promise<{ returned: number; lookedAt: number }>;
  close: () => Promise<void>;
}

type Explained = Pick<CompiledQuery, 'sql'> & Partial<Pick<CompiledQuery, 'parameters'>>;

function noting(noted: CompiledQuery[]) {
  return { plugins: [ROW_READER], log: ({ query }: { query: CompiledQuery }) => void noted.push(query) };
}

/** @param path of a file with tables */
export function explainingSqlite(path: string): Explaining {
  const noted: CompiledQuery[] = [];
  const handle = new SqliteHandle(path);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle, 'read'), ...noting(noted) });
  return {
    db,
    noted,
    explain: async ({ sql: text, parameters = [...text.matchAll(/\?/g)].map(() => null) }) => {
      const steps = handle.prepare(`explain query plan ${text}`).all(parameters) as { detail: string }[];
      const visits = steps.flatMap(({ detail }) => {
        const [, kind, name, how] = /^(SEARCH|SCAN) (\w+)(.*)$/.exec(detail) ?? [];
        const table = new RegExp(`"?(\\w+)"? as "?${name}\\b`).exec(text)?.[1] ?? name;
        if (kind === undefined || table === undefined || !isGrowing(table)) return [];
        const failed = OF_A_STATUS.test(how ?? '') ? ' status' : '';
        return [
          {
            table,
            condition:
              kind === 'SCAN' ? undefined : (/\((.*)\)(?: LEFT-JOIN)?$/.exec(how ?? '')?.[1] ?? '') + failed,
          },
        ];
      });
      const sorted = steps.filter(({ detail }) => detail.includes('TEMP B-TREE'));
      const isTie = sorted.every(({ detail }) => /FOR LAST (\d+ )?TERMS? OF ORDER BY/.test(detail));
      const sorts = sorted.length === 0 ? 'nothing' : isTie ? 'ties' : 'all';
      return { isLimited: / limit /.test(text), sorts, visits };
    },
    close: async () => void handle.close(),
  };
}

interface PostgresNode {
  'Node Type': string;
  'Plan Rows': number;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PostgresNode[];
}

/** A connection that avoids to read whole tables. */
export function explainingPostgres(connectionString: string): Explaining {
  const noted: CompiledQuery[] = [];
  const pool = new Pool({ connectionString, max: 1, options: '-c enable_seqscan=off' });
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool), ...noting(noted) });
  return {
    db,
    noted,
    explain: async ({ sql: text, parameters }) => {
      const answer = await pool.query<{ 'QUERY PLAN': [{ Plan: PostgresNode }] }>(
        parameters === undefined
          ? `explain (format json, generic_plan) ${text.replaceAll(/(limit|offset) \$\d+/g, `$1 ${PAGE}`)}`
          : `explain (format json) ${text}`,
        parameters === undefined ? undefined : [...parameters],
      );
      const nodes = nodesOf(answer.rows[0]!['QUERY PLAN'][0].Plan);
      const visits = nodes.flatMap((node) => {
        const table = node['Relation Name'];
        if (table === undefined || !isGrowing(table) || node['Node Type'] === 'ModifyTable') return [];
        const below = nodesOf(node);
        const isFailed = below.some((one) => OF_A_STATUS.test(one['Index Name'] ?? ''));
        const found = below.flatMap((one) => one['Index Cond'] ?? []).join(' AND ');
        return [{ table, condition: found === '' ? undefined : found + (isFailed ? ' status' : '') }];
      });
      const sorted = nodes.filter(
        (node) => node['Node Type'].includes('Sort') && (node.Plans?.[0]?.['Plan Rows'] ?? 0) > PAGE,
      );
      const isTie = sorted.every((node) => node['Node Type'] === 'Incremental Sort');
      const sorts = sorted.length === 0 ? 'nothing' : isTie ? 'ties' : 'all';
      return { isLimited: / limit /.test(text), sorts, visits };
    },
    run: async ({ sql: text, parameters }) => {
      const answer = await pool.query<{ 'QUERY PLAN': [{ Plan: PostgresNode }] }>(
        `explain (analyze, format json) ${text}`,
        [...parameters],
      );
      const plan = answer.rows[0]!['QUERY PLAN'][0].Plan;
      const looks = nodesOf(plan)
        .filter((node) => isGrowing(node['Relation Name'] ?? ''))
        .map((node) => {
          const found = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
          return found * (node['Actual Loops'] ?? 0);
        });
      return { returned: plan['Actual Rows'] ?? 0, lookedAt: Math.max(0, ...looks) };
    },
    close: async () => pool.end(),
  };
}

function nodesOf(node: PostgresNode): PostgresNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function isGrowing(table: string): boolean {
  return GROWING.some((one) => one === table);
}

/** The beginning of a page, in statements and conditions of both databases. */
const AFTER_A_ROW = /\bid"?\) ?[<>]/;

/** A search for rows whose ids were found before. */
const BY_IDS = /\bid ?=/;

/** What is wrong with the plan of a statement. @param list the columns that an index of its table has to find by */
export function faultsOf(
  { isLimited, sorts, visits }: Plan,
  list?: { table: string; by: readonly string[]; text: string },
): string[] {
  const faults: string[] = [];
  for (const { table, condition } of visits) {
    const found = condition?.match(/\w+/g) ?? [];
    if (condition === undefined) faults.push(`scans ${table}`);
    else if (!isLimited && found.filter((word) => word !== 'environment_id').length === 0)
      faults.push(`reads all ${table} of the environment`);
  }
  if (visits.length > 0 && isLimited && (list === undefined ? sorts === 'all' : sorts !== 'nothing'))
    faults.push('sorts');
  if (list === undefined) return faults;
  const conditions = visits
    .flatMap((one) => (one.table === list.table ? (one.condition ?? '') : []))
    .filter((condition) => !BY_IDS.test(condition))
    .join(' ');
  const missing = list.by.filter((column) => !new RegExp(`\\b${column}\\b`).test(conditions));
  if (conditions !== '') faults.push(...missing.map((column) => `does not search by ${column}`));
  if (AFTER_A_ROW.test(list.text) && sorts === 'nothing' && !AFTER_A_ROW.test(conditions))
    faults.push('reads rows before the page');
  return faults;
}
