/**
 * warehouse_show_imported_exported_keys: foreign keys of a table, or those of other tables that point to it. The form
 * IN TABLE is what Snowflake's own drivers send.
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { requireNames } from './names.ts';
import { qualified, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

interface KeysInput {
  key_direction: 'imported' | 'exported';
  database_name?: string;
  schema_name?: string;
  table_name: string;
}

export const showImportedExportedKeys: ToolHandler = async ({ input, http }) => {
  const { key_direction, database_name, schema_name, table_name } = input as unknown as KeysInput;
  requireNames({ database_name, schema_name, table_name });
  const table = qualified(database_name, schema_name, table_name);
  const text =
    key_direction === 'imported'
      ? sql`SHOW IMPORTED KEYS IN TABLE ${table}`
      : sql`SHOW EXPORTED KEYS IN TABLE ${table}`;
  return run(http, input, statementOf(text));
};
