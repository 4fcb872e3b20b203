/** SHOW and DESCRIBE: the objects, the privileges on them, and the keys. */
import { CREATED_AT, DATABASES, mayUse, WAREHOUSES } from './account.ts';
import { describeSemanticView, showSemanticViews } from './cortex/semantic-views.ts';
import type { ResultTable, StoredTable } from './database.ts';
import { INFORMATION_SCHEMA } from './information-schema.ts';
import { unsupported } from './refusal.ts';
import type { Token } from './scanner.ts';
import type { Session } from './session.ts';
import { grants } from './show-grants.ts';
import { table, type Cell, type ShowContext } from './show-table.ts';
import { ShowWords, type NameTest, type Scope } from './show-words.ts';
import { primaryKeyName } from './tables.ts';

/** @param tokens of the whole statement. @throws SqlFailure */
export function show(tokens: readonly Token[], context: ShowContext): ResultTable {
  const words = new ShowWords(tokens, context.source);
  words.skip('TERSE');
  const result = showNamed(words, context);
  words.end();
  return result;
}

function showNamed(words: ShowWords, context: ShowContext): ResultTable {
  const { session, warehouse } = context;
  if (words.skip('DATABASES')) return databases(words.like(), session);
  if (words.skip('SCHEMAS')) {
    const isLike = words.like();
    return schemas(isLike, words.scope(session), session);
  }
  if (words.skip('TABLES') || words.skip('VIEWS')) {
    const kind = words.last === 'TABLES' ? 'TABLE' : 'VIEW';
    const isLike = words.like();
    const wanted = tablesIn(words.scope(session), context).filter(
      (one) => one.kind === kind && isLike(one.name),
    );
    return table(
      'created_on name kind database_name schema_name comment rows owner',
      wanted
        .slice(0, words.limit())
        .map((one) => [
          one.createdAt,
          one.name,
          one.kind,
          one.database,
          one.schema,
          one.comment ?? '',
          String(warehouse.rowCount(one) ?? ''),
          'SYSADMIN',
        ]),
    );
  }
  if (words.skip('SEMANTIC', 'VIEWS')) {
    const isLike = words.like();
    return showSemanticViews(isLike, words.scope(session), session);
  }
  if (words.skip('WAREHOUSES')) return warehouses(words.like());
  if (words.skip('GRANTS')) return grants(words, context);
  if (words.skip('PRIMARY', 'KEYS')) return primaryKeys(tablesIn(words.scope(session), context));
  if (words.skip('IMPORTED', 'KEYS')) return importedKeys(tablesIn(words.scope(session), context), context);
  if (words.skip('EXPORTED', 'KEYS')) return exportedKeys(tablesIn(words.scope(session), context), context);
  throw unsupported(`SHOW ${words.peek()}`);
}

/** @param tokens of the whole statement: `DESCRIBE TABLE name`, `DESC name` or `DESCRIBE SEMANTIC VIEW name`. @throws SqlFailure */
export function describeTable(tokens: readonly Token[], { session, source }: ShowContext): ResultTable {
  const words = new ShowWords(tokens, source);
  if (words.skip('SEMANTIC', 'VIEW')) {
    const parts = words.name();
    words.end();
    return describeSemanticView(parts, session);
  }
  if (!words.skip('TABLE')) words.skip('VIEW');
  const found = session.table(words.name());
  words.end();
  return table(
    'name type kind null? default primary_key comment',
    found.columns.map(({ name, type, isNullable, defaultValue, comment }) => [
      name,
      type,
      'COLUMN',
      isNullable ? 'Y' : 'N',
      defaultValue,
      found.primaryKey.includes(name) ? 'Y' : 'N',
      comment,
    ]),
  );
}

function databases(isLike: NameTest, { role, database }: Session): ResultTable {
  const wanted = Object.entries(DATABASES).filter(([name]) => isLike(name) && mayUse(role, name, 'read'));
  return table(
    'created_on name is_default is_current origin owner comment options retention_time kind',
    wanted.map(([name, { comment }]) => [
      CREATED_AT,
      name,
      'N',
      name === database ? 'Y' : 'N',
      '',
      'SYSADMIN',
      comment,
      '',
      '1',
      'STANDARD',
    ]),
  );
}

function schemas(isLike: NameTest, scope: Scope, { role, database, schema }: Session): ResultTable {
  const rows = Object.entries(DATABASES)
    .filter(([name]) => mayUse(role, name, 'read') && (scope.database ?? name) === name)
    .flatMap(([name, { schemas: own }]) =>
      [
        [INFORMATION_SCHEMA, 'Views describing the contents of schemas in this database'],
        ...Object.entries(own),
      ].map(([schemaName = '', comment = '']) => ({ name, schemaName, comment })),
    )
    .filter(({ schemaName }) => isLike(schemaName));
  return table(
    'created_on name is_default is_current database_name owner comment options retention_time',
    rows.map(({ name, schemaName, comment }) => [
      CREATED_AT,
      schemaName,
      'N',
      name === database && schemaName === schema ? 'Y' : 'N',
      name,
      schemaName === INFORMATION_SCHEMA ? '' : 'SYSADMIN',
      comment,
      '',
      '1',
    ]),
  );
}

function warehouses(isLike: NameTest): ResultTable {
  return table(
    'name state type size min_cluster_count max_cluster_count running queued is_default is_current auto_suspend auto_resume created_on owner comment',
    WAREHOUSES.filter(({ name }) => isLike(name)).map(({ name, state, size, comment }, i) => [
      name,
      state,
      'STANDARD',
      size,
      '1',
      '1',
      '0',
      '0',
      i === 0 ? 'Y' : 'N',
      i === 0 ? 'Y' : 'N',
      '600',
      'true',
      CREATED_AT,
      'SYSADMIN',
      comment,
    ]),
  );
}

function primaryKeys(tables: readonly StoredTable[]): ResultTable {
  return table(
    'created_on database_name schema_name table_name column_name key_sequence constraint_name rely comment',
    tables.flatMap(({ createdAt, database, schema, name, primaryKey }) =>
      primaryKey.map((column, i) => [
        createdAt,
        database,
        schema,
        name,
        column,
        String(i + 1),
        primaryKeyName(name),
        'false',
        null,
      ]),
    ),
  );
}

const KEY_COLUMNS =
  'created_on pk_database_name pk_schema_name pk_table_name pk_column_name fk_database_name fk_schema_name fk_table_name fk_column_name key_sequence update_rule delete_rule fk_name pk_name deferrability rely comment';

function importedKeys(tables: readonly StoredTable[], { session }: ShowContext): ResultTable {
  requireVisible(tables, session);
  return table(
    KEY_COLUMNS,
    tables.flatMap((one) => foreignKeyRows(one)),
  );
}

function exportedKeys(tables: readonly StoredTable[], { session, warehouse }: ShowContext): ResultTable {
  requireVisible(tables, session);
  const rows = warehouse
    .tables()
    .flatMap((one) =>
      foreignKeyRows(one).filter(([, database, schema, name]) =>
        tables.some((other) => other.database === database && other.schema === schema && other.name === name),
      ),
    );
  return table(KEY_COLUMNS, rows);
}

function requireVisible(tables: readonly StoredTable[], session: Session): void {
  for (const { database } of tables) session.requireDatabase(database);
}

function foreignKeyRows({ createdAt, database, schema, name, foreignKeys }: StoredTable): Cell[][] {
  return foreignKeys.flatMap((key) =>
    key.columns.map((column, i) => [
      createdAt,
      database,
      schema,
      key.table,
      key.referenced[i] ?? '',
      database,
      schema,
      name,
      column,
      String(i + 1),
      'NO ACTION',
      'NO ACTION',
      key.name,
      primaryKeyName(key.table),
      'NOT DEFERRABLE',
      'false',
      null,
    ]),
  );
}

function tablesIn(scope: Scope, { warehouse, session }: ShowContext): StoredTable[] {
  return warehouse
    .tables()
    .filter(
      ({ database, schema, name }) =>
        mayUse(session.role, database, 'read') &&
        (scope.database ?? database) === database &&
        (scope.schema ?? schema) === schema &&
        (scope.table ?? name) === name,
    );
}
