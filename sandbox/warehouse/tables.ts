/** The initial tables of the stand-in warehouse: columns, keys, comments. */

/** A column as declared by a table. */
export interface ColumnDefinition {
  name: string;
  /** In the provider's spelling, with precision or length: `NUMBER(12,2)`. */
  type: string;
  isNullable: boolean;
  /** An expression; null for a column without a default. */
  defaultValue: string | null;
  comment: string | null;
}

/** A reference to another table of the same schema. */
export interface ForeignKey {
  name: string;
  columns: readonly string[];
  table: string;
  referenced: readonly string[];
}

/** A table or a view. Keys are only declared, as with the real provider: nothing enforces them. */
export interface TableDefinition {
  database: string;
  schema: string;
  name: string;
  kind: 'TABLE' | 'VIEW';
  comment: string | null;
  columns: readonly ColumnDefinition[];
  primaryKey: readonly string[];
  uniqueKeys: readonly { name: string; columns: readonly string[] }[];
  foreignKeys: readonly ForeignKey[];
}

/** Name of the primary key of a table. */
export function primaryKeyName(table: string): string {
  return `PK_${table}`;
}

/** A column in short form: `NAME TYPE [NOT NULL] [= default] [-- comment]`. */
function column(text: string): ColumnDefinition {
  const [, name = '', type = '', not, defaultValue = null, comment = null] =
    /^(\w+) ([A-Z_]+(?:\([\d,]+\))?)( NOT NULL)?(?: = (.+?))?(?: -- (.+))?$/.exec(text) ?? [];
  return { name, type, isNullable: not === undefined, defaultValue, comment };
}

function table(
  path: string,
  comment: string,
  columns: readonly string[],
  keys: Partial<Pick<TableDefinition, 'primaryKey' | 'uniqueKeys' | 'foreignKeys' | 'kind'>>,
): TableDefinition {
  const [database = '', schema = '', name = ''] = path.split('.');
  const none = { kind: 'TABLE' as const, primaryKey: [], uniqueKeys: [], foreignKeys: [] };
  return { database, schema, name, comment, columns: columns.map(column), ...none, ...keys };
}

/** All tables at the start. */
export const TABLES: readonly TableDefinition[] = [
  table(
    'SALES.PUBLIC.CUSTOMERS',
    'Who buys',
    [
      'ID NUMBER(38,0) NOT NULL',
      'NAME VARCHAR(200) NOT NULL',
      'EMAIL VARCHAR(320) -- Where invoices go',
      'CITY VARCHAR(100)',
      'COUNTRY VARCHAR(2) -- ISO 3166 code',
      'SEGMENT VARCHAR(20) NOT NULL -- retail, trade or public',
      'IS_ACTIVE BOOLEAN NOT NULL = TRUE',
      'CREATED_AT TIMESTAMP_NTZ(9) NOT NULL',
    ],
    { primaryKey: ['ID'], uniqueKeys: [{ name: 'UQ_CUSTOMERS_EMAIL', columns: ['EMAIL'] }] },
  ),
  table(
    'SALES.PUBLIC.PRODUCTS',
    'What is sold',
    [
      'ID NUMBER(38,0) NOT NULL',
      'SKU VARCHAR(20) NOT NULL',
      'NAME VARCHAR(200) NOT NULL',
      'CATEGORY VARCHAR(50) NOT NULL',
      'UNIT_PRICE NUMBER(12,2) NOT NULL -- In euros, without tax',
      'ATTRIBUTES VARIANT -- Colour, weight and so on, as JSON',
      'DISCONTINUED_ON DATE',
    ],
    { primaryKey: ['ID'], uniqueKeys: [{ name: 'UQ_PRODUCTS_SKU', columns: ['SKU'] }] },
  ),
  table(
    'SALES.PUBLIC.ORDERS',
    'One row per order',
    [
      'ID NUMBER(38,0) NOT NULL',
      'CUSTOMER_ID NUMBER(38,0) NOT NULL',
      'ORDERED_ON DATE NOT NULL',
      "STATUS VARCHAR(20) NOT NULL = 'open' -- open, shipped, delivered, returned or cancelled",
      'SHIPPED_AT TIMESTAMP_NTZ(9)',
      'TOTAL NUMBER(12,2) NOT NULL -- Sum of the items, in euros',
      'NOTE VARCHAR(1000)',
    ],
    {
      primaryKey: ['ID'],
      foreignKeys: [
        { name: 'FK_ORDERS_CUSTOMER', columns: ['CUSTOMER_ID'], table: 'CUSTOMERS', referenced: ['ID'] },
      ],
    },
  ),
  table(
    'SALES.PUBLIC.ORDER_ITEMS',
    'Lines of the orders',
    [
      'ORDER_ID NUMBER(38,0) NOT NULL',
      'LINE_NO NUMBER(4,0) NOT NULL',
      'PRODUCT_ID NUMBER(38,0) NOT NULL',
      'QUANTITY NUMBER(9,0) NOT NULL = 1',
      'UNIT_PRICE NUMBER(12,2) NOT NULL -- As it was when ordered',
    ],
    {
      primaryKey: ['ORDER_ID', 'LINE_NO'],
      foreignKeys: [
        { name: 'FK_ORDER_ITEMS_ORDER', columns: ['ORDER_ID'], table: 'ORDERS', referenced: ['ID'] },
        { name: 'FK_ORDER_ITEMS_PRODUCT', columns: ['PRODUCT_ID'], table: 'PRODUCTS', referenced: ['ID'] },
      ],
    },
  ),
  table(
    'SALES.PUBLIC.MONTHLY_REVENUE',
    'Delivered orders by month',
    ['MONTH VARCHAR(7)', 'ORDERS NUMBER(18,0)', 'REVENUE NUMBER(24,2)'],
    { kind: 'VIEW' },
  ),
  table(
    'SALES.STAGING.RAW_ORDERS',
    'Rows of the last load',
    ['LINE NUMBER(38,0) NOT NULL', 'PAYLOAD VARIANT', 'LOADED_AT TIMESTAMP_NTZ(9) NOT NULL'],
    {},
  ),
  table(
    'MARKETING.PUBLIC.CAMPAIGNS',
    'What was advertised',
    [
      'ID NUMBER(38,0) NOT NULL',
      'NAME VARCHAR(200) NOT NULL',
      'CHANNEL VARCHAR(50)',
      'STARTED_ON DATE NOT NULL',
      'BUDGET NUMBER(12,2)',
    ],
    { primaryKey: ['ID'] },
  ),
  table(
    'MARKETING.PUBLIC.VISITS',
    'Visits that came from a campaign, by day',
    [
      'CAMPAIGN_ID NUMBER(38,0) NOT NULL',
      'VISITED_ON DATE NOT NULL',
      'VISITORS NUMBER(18,0) NOT NULL',
      'CONVERSION_RATE FLOAT',
    ],
    {
      primaryKey: ['CAMPAIGN_ID', 'VISITED_ON'],
      foreignKeys: [
        { name: 'FK_VISITS_CAMPAIGN', columns: ['CAMPAIGN_ID'], table: 'CAMPAIGNS', referenced: ['ID'] },
      ],
    },
  ),
];

/** The query of the view. */
export const MONTHLY_REVENUE_SQL = `SELECT substr(ORDERED_ON, 1, 7) AS MONTH, count(*) AS ORDERS, round(sum(TOTAL), 2) AS REVENUE
FROM "SALES.PUBLIC.ORDERS" WHERE STATUS = 'delivered' GROUP BY 1`;
