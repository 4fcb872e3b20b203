/**
 * warehouse_show_imported_exported_keys: foreign keys of a table, or foreign keys of other tables that point to it.
 * Snowflake's own drivers also send the form IN TABLE.
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import { identifierViolations, qualified, sql, statementOf } from './sql.ts';
import { run } from './statement-request.ts';

export const showImportedExportedKeys: ToolHandler<ToolInputs['warehouse_show_imported_exported_keys']> = {
  check: ({ database_name, schema_name, table_name }) =>
    identifierViolations({ database_name, schema_name, table_name }),
  call: async ({ input, http }) => {
    const { key_direction, database_name, schema_name, table_name } = input;
    const table = qualified(database_name, schema_name, table_name);
    const text =
      key_direction === 'imported'
        ? sql`SHOW IMPORTED KEYS IN TABLE ${table}`
        : sql`SHOW EXPORTED KEYS IN TABLE ${table}`;
    return run(http, input, statementOf(text));
  },
};
