/**
 * warehouse_show_grants: grants to a role or user, holders of a role, privileges on an object.
 *
 * @see https://docs.snowflake.com/en/sql-reference/sql/show-grants
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/warehouse.ts';
import {
  identifier,
  keyword,
  nameParts,
  identifierViolations,
  NOTHING,
  qualified,
  sql,
  statementOf,
  type SqlText,
} from './sql.ts';
import { run } from './statement-request.ts';

type GrantsInput = ToolInputs['warehouse_show_grants'];

/** Kinds of objects with plain names. Functions and procedures are missing because their names include arguments. */
const OBJECT_TYPES = [
  'ACCOUNT',
  'ALERT',
  'COMPUTE POOL',
  'CONNECTION',
  'DATABASE',
  'DATABASE ROLE',
  'DYNAMIC TABLE',
  'EVENT TABLE',
  'EXTERNAL TABLE',
  'FAILOVER GROUP',
  'FILE FORMAT',
  'GIT REPOSITORY',
  'ICEBERG TABLE',
  'IMAGE REPOSITORY',
  'INTEGRATION',
  'MASKING POLICY',
  'MATERIALIZED VIEW',
  'NETWORK POLICY',
  'NETWORK RULE',
  'NOTEBOOK',
  'PASSWORD POLICY',
  'PIPE',
  'REPLICATION GROUP',
  'RESOURCE MONITOR',
  'ROLE',
  'ROW ACCESS POLICY',
  'SCHEMA',
  'SECRET',
  'SEQUENCE',
  'SERVICE',
  'SESSION POLICY',
  'SHARE',
  'STAGE',
  'STREAM',
  'STREAMLIT',
  'TABLE',
  'TAG',
  'TASK',
  'USER',
  'VIEW',
  'WAREHOUSE',
];

/** Database, schema and object. */
const MAX_PARTS = 3;

export const showGrants: ToolHandler<GrantsInput> = {
  check: ({ role_name, user_name, ...input }) => [
    ...identifierViolations({ role_name, user_name }),
    ...(input.grant_view === 'on_object' ? objectOf(input).violations : []),
  ],
  call: async ({ input, http }) => run(http, input, statementOf(sql`SHOW GRANTS ${viewOf(input)}`)),
};

/** The rules of the tool ensure that each view has its name. */
function viewOf({ grant_view, role_name = '', user_name = '', ...object }: GrantsInput): SqlText {
  switch (grant_view) {
    case 'to_role':
      return sql`TO ROLE ${identifier(role_name)}`;
    case 'of_role':
      return sql`OF ROLE ${identifier(role_name)}`;
    case 'to_user':
      return sql`TO USER ${identifier(user_name)}`;
    default:
      return sql`ON ${objectOf(object).text}`;
  }
}

/** The object of a view, empty if its name is invalid, and the violations of the name. */
function objectOf({ object_type = '', object_name }: Pick<GrantsInput, 'object_type' | 'object_name'>): {
  text: SqlText;
  violations: readonly FieldViolation[];
} {
  const wrong = (...texts: Parameters<typeof violation>) => ({
    text: NOTHING,
    violations: [violation(...texts)],
  });
  const type = keyword(object_type, OBJECT_TYPES);
  const isAccount = keyword(object_type, ['ACCOUNT']) !== undefined;
  if (type === undefined) return wrong('object_type', `Must be one of: ${OBJECT_TYPES.join(', ')}.`, 'enum');
  if (isAccount) {
    if (object_name === undefined) return { text: type, violations: [] };
    return wrong('object_name', 'Cannot be given for ACCOUNT: there is one only.', 'forbid');
  }
  if (object_name === undefined)
    return wrong('object_name', 'Is required for every object_type but ACCOUNT.', 'require');
  const parts = nameParts(object_name);
  const isName =
    parts !== undefined &&
    parts.length <= MAX_PARTS &&
    parts.every((part) => identifierViolations({ part }).length === 0);
  if (!isName)
    return wrong(
      'object_name',
      'Must be a name, with database and schema before it where it has them, such as SALES.PUBLIC.ORDERS.',
      'name',
    );
  return { text: sql`${type} ${qualified(...parts)}`, violations: [] };
}
