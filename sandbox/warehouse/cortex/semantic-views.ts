/** Semantic views: figures and dimensions of the tables, with the words that people have for them. */
import { CREATED_AT, mayUse } from '../account.ts';
import type { ResultTable } from '../database.ts';
import { noSuchObject } from '../refusal.ts';
import type { Session } from '../session.ts';
import { table, type Cell } from '../show-table.ts';
import type { NameTest, Scope } from '../show-words.ts';

/** A dimension or a metric. */
export interface Figure {
  name: string;
  /** The logical table it belongs to. */
  of: string;
  expression: string;
  comment: string;
  /** Words of a question that mean it, in lower case. */
  words: readonly string[];
}

/** A semantic view; `from` is the FROM clause of its queries. */
export interface SemanticView {
  database: string;
  schema: string;
  name: string;
  comment: string;
  tables: Readonly<Record<string, string>>;
  from: string;
  dimensions: readonly Figure[];
  metrics: readonly Figure[];
}

const VIEWS: readonly SemanticView[] = [
  {
    database: 'SALES',
    schema: 'PUBLIC',
    name: 'ORDER_ANALYSIS',
    comment: 'Orders and revenue by month, status, segment and country',
    tables: { ORDERS: 'SALES.PUBLIC.ORDERS', CUSTOMERS: 'SALES.PUBLIC.CUSTOMERS' },
    from: 'SALES.PUBLIC.ORDERS AS ORDERS JOIN SALES.PUBLIC.CUSTOMERS AS CUSTOMERS ON CUSTOMERS.ID = ORDERS.CUSTOMER_ID',
    dimensions: [
      {
        name: 'ORDER_MONTH',
        of: 'ORDERS',
        expression: "DATE_TRUNC('MONTH', ORDERS.ORDERED_ON)",
        comment: 'Month of the order',
        words: ['month', 'monthly'],
      },
      {
        name: 'STATUS',
        of: 'ORDERS',
        expression: 'ORDERS.STATUS',
        comment: 'Status of the order',
        words: ['status', 'state'],
      },
      {
        name: 'SEGMENT',
        of: 'CUSTOMERS',
        expression: 'CUSTOMERS.SEGMENT',
        comment: 'Kind of customer',
        words: ['segment', 'kind'],
      },
      {
        name: 'COUNTRY',
        of: 'CUSTOMERS',
        expression: 'CUSTOMERS.COUNTRY',
        comment: 'Country of the customer',
        words: ['country', 'countries'],
      },
    ],
    metrics: [
      {
        name: 'REVENUE',
        of: 'ORDERS',
        expression: 'SUM(ORDERS.TOTAL)',
        comment: 'Sum of the orders, in euros',
        words: ['revenue', 'sales', 'turnover'],
      },
      {
        name: 'ORDER_COUNT',
        of: 'ORDERS',
        expression: 'COUNT(*)',
        comment: 'Number of orders',
        words: ['orders', 'many', 'number'],
      },
    ],
  },
];

/** The view with a full name, if the role may see it. */
export function findView(role: string, parts: readonly string[]): SemanticView | undefined {
  return VIEWS.find(
    ({ database, schema, name }) =>
      mayUse(role, database, 'read') && [database, schema, name].join('.') === parts.join('.'),
  );
}

/** SHOW SEMANTIC VIEWS. */
export function showSemanticViews(isLike: NameTest, scope: Scope, { role }: Session): ResultTable {
  const wanted = VIEWS.filter(
    ({ database, schema, name }) =>
      mayUse(role, database, 'read') &&
      (scope.database ?? database) === database &&
      (scope.schema ?? schema) === schema &&
      isLike(name),
  );
  return table(
    'created_on name database_name schema_name comment owner',
    wanted.map(({ name, database, schema, comment }) => [
      CREATED_AT,
      name,
      database,
      schema,
      comment,
      'SYSADMIN',
    ]),
  );
}

/** DESCRIBE SEMANTIC VIEW. @throws SqlFailure for a view that does not exist */
export function describeSemanticView(parts: readonly string[], session: Session): ResultTable {
  const { database, schema, name } = session.tableName(parts);
  const view = findView(session.role, [database, schema, name]);
  if (view === undefined) throw noSuchObject('Semantic view', parts.join('.'));
  const rows = Object.entries(view.tables).map(([logical, base]): Cell[] => [
    'TABLE',
    logical,
    null,
    'BASE_TABLE',
    base,
  ]);
  const figures = (kind: string, list: readonly Figure[]): Cell[][] =>
    list.flatMap((figure) => [
      [kind, figure.name, figure.of, 'EXPRESSION', figure.expression],
      [kind, figure.name, figure.of, 'COMMENT', figure.comment],
    ]);
  return table('object_kind object_name parent_entity property property_value', [
    ...rows,
    ...figures('DIMENSION', view.dimensions),
    ...figures('METRIC', view.metrics),
  ]);
}
