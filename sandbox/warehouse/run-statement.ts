/** Runs one statement: determines its kind, runs it, and builds the provider's answer. */
import { DATABASES } from './account.ts';
import { boundRuns, type Bindings } from './bindings.ts';
import type { ResultTable, WarehouseDatabase } from './database.ts';
import { publishViews } from './information-schema.ts';
import { explain } from './queries/explain.ts';
import { publishHistory, type SentQuery } from './queries/query-history.ts';
import { listStage } from './queries/stages.ts';
import { syntaxError, unsupported } from './refusal.ts';
import { isSymbol, isWord, placeOf, readName, type Token } from './scanner.ts';
import type { Session } from './session.ts';
import { describeTable, show } from './show.ts';
import { createTable, dropTable, truncateTable } from './table-statements.ts';
import { translate } from './translate.ts';
import { declaredType } from './types.ts';

/** Counts of changed rows, for answers to INSERT, UPDATE and DELETE. */
export interface ChangeStats {
  numRowsInserted: number;
  numRowsUpdated: number;
  numRowsDeleted: number;
  numDuplicateRowsUpdated: number;
}

/** A result and its changes. */
export interface StatementResult extends ResultTable {
  stats?: ChangeStats;
}

/** One statement of a request. */
export interface Statement {
  tokens: readonly Token[];
  /** The whole text that contains it. */
  source: string;
  session: Session;
  bindings: Bindings;
  /** The statements that this user sent, this one among them. */
  history: () => { queries: readonly SentQuery[]; now: number };
}

/** Verbs of the real provider that need more than tables. */
const BEYOND = new Set(
  'ALTER ANALYZE CALL COMMENT COPY DECLARE EXECUTE GET GRANT MERGE PUT REMOVE REVOKE RM SET UNDROP UNSET'.split(
    ' ',
  ),
);

/** @throws SqlFailure */
export function runStatement(warehouse: WarehouseDatabase, statement: Statement): StatementResult {
  const { tokens, source, session } = statement;
  const [verb] = tokens;
  const context = { warehouse, session, source };
  for (const [name, value] of Object.entries(session.facts())) warehouse.define(name, () => value);
  switch (verb?.kind === 'word' || isSymbol(verb, '(') ? verb?.text : '') {
    case 'SELECT':
    case 'WITH':
    case 'VALUES':
    case '(':
      return query(warehouse, statement);
    case 'INSERT':
    case 'UPDATE':
    case 'DELETE':
      return change(warehouse, statement);
    case 'SHOW':
      return show(tokens, context);
    case 'DESC':
    case 'DESCRIBE':
      return describeTable(tokens, context);
    case 'EXPLAIN':
      return explain(tokens, context);
    case 'LIST':
    case 'LS':
      return listStage(tokens, session, source);
    case 'CREATE':
      warehouse.transaction('COMMIT');
      return said(createTable(tokens, context));
    case 'DROP':
      warehouse.transaction('COMMIT');
      return said(dropTable(tokens, context));
    case 'TRUNCATE':
      warehouse.transaction('COMMIT');
      return said(truncateTable(tokens, context));
    case 'USE':
      return use(tokens, session);
    case 'BEGIN':
    case 'START':
      return transaction(warehouse, 'BEGIN');
    case 'COMMIT':
      return transaction(warehouse, 'COMMIT');
    case 'ROLLBACK':
      return transaction(warehouse, 'ROLLBACK');
    default:
      return other(statement);
  }
}

/** Duration of a statement: the seconds of its SYSTEM$WAIT. Everything else takes no time. */
export function waitSeconds(tokens: readonly Token[]): number {
  return tokens.reduce((seconds, token, i) => {
    if (!isWord(token, 'SYSTEM$WAIT') || !isSymbol(tokens[i + 1], '(')) return seconds;
    const [amount, , unit] = tokens.slice(i + 2, i + 5);
    const factor = { MINUTES: 60, HOURS: 3600 }[unit?.text.toUpperCase() ?? ''] ?? 1;
    return seconds + (amount?.kind === 'number' ? Number(amount.text) * factor : 0);
  }, 0);
}

function query(
  warehouse: WarehouseDatabase,
  { tokens, source, session, bindings, history }: Statement,
): StatementResult {
  const names = (name: string): boolean =>
    tokens.some(({ kind, text }) => (kind === 'word' || kind === 'quoted') && text === name);
  if (names('INFORMATION_SCHEMA')) publishViews(warehouse);
  if (names('QUERY_HISTORY')) publishHistory(warehouse, Object.keys(DATABASES), history());
  const [values = [], second] = boundRuns(tokens, bindings, source);
  if (second !== undefined) throw unsupported('lists of bind variables in a query');
  return warehouse.query(translate(tokens, source, session), values, source);
}

function change(
  warehouse: WarehouseDatabase,
  { tokens, source, session, bindings }: Statement,
): StatementResult {
  const runs = boundRuns(tokens, bindings, source);
  const changed = warehouse.change(translate(tokens, source, session), runs, source);
  const none = { numRowsInserted: 0, numRowsUpdated: 0, numRowsDeleted: 0, numDuplicateRowsUpdated: 0 };
  switch (tokens[0]?.text) {
    case 'INSERT':
      return {
        ...counts({ 'number of rows inserted': changed }),
        stats: { ...none, numRowsInserted: changed },
      };
    case 'UPDATE':
      return {
        ...counts({ 'number of rows updated': changed, 'number of multi-joined rows updated': 0 }),
        stats: { ...none, numRowsUpdated: changed },
      };
    default:
      return {
        ...counts({ 'number of rows deleted': changed }),
        stats: { ...none, numRowsDeleted: changed },
      };
  }
}

/** Affects only later statements of the same request. */
function use(tokens: readonly Token[], session: Session): StatementResult {
  const kind = tokens[1]?.text ?? '';
  const isNamed = ['DATABASE', 'SCHEMA', 'WAREHOUSE', 'ROLE'].includes(kind) && tokens.length > 2;
  const { parts } = readName(tokens, isNamed ? 2 : 1);
  const [name = ''] = parts;
  if (isNamed && kind === 'ROLE') session.useRole(name);
  else if (isNamed && kind === 'WAREHOUSE') session.useWarehouse(name);
  else if ((isNamed && kind === 'SCHEMA') || parts.length > 1) session.useSchema(parts);
  else session.useDatabase(name);
  return said('Statement executed successfully.');
}

function transaction(warehouse: WarehouseDatabase, verb: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): StatementResult {
  warehouse.transaction(verb);
  return said('Statement executed successfully.');
}

function other({ tokens, source }: Statement): StatementResult {
  const [verb, second] = tokens;
  if (isWord(verb, 'CALL') && isWord(second, 'SYSTEM$WAIT'))
    return said(`waited ${waitSeconds(tokens)} seconds`, 'SYSTEM$WAIT');
  if (isWord(verb, 'ALTER') && isWord(second, 'SESSION')) return said('Statement executed successfully.');
  if (verb?.kind === 'word' && BEYOND.has(verb.text))
    throw unsupported([verb, second].map((token) => token?.text ?? '').join(' '));
  throw syntaxError(placeOf(source, verb?.offset ?? 0), verb?.text ?? '<EOF>');
}

const PLACE = { nullable: true, database: '', schema: '', table: '', collation: null };

/** One sentence as a table. */
export function said(sentence: string, name = 'status'): StatementResult {
  return { columns: [{ name, ...declaredType('VARCHAR(16777216)'), ...PLACE }], rows: [[sentence]] };
}

function counts(numbers: Readonly<Record<string, number>>): ResultTable {
  const type = declaredType('NUMBER(19,0)');
  return {
    columns: Object.keys(numbers).map((name) => ({ name, ...type, ...PLACE, nullable: false })),
    rows: [Object.values(numbers).map(String)],
  };
}
