/** Cortex Search: services over the rows of a table, as they are now, ranked by the words of a query. */
import { CREATED_AT } from '../account.ts';
import type { WarehouseDatabase } from '../database.ts';
import { badRequest } from '../refusal.ts';
import { quoted } from '../translate.ts';

/** A service, as the provider describes it. */
export interface SearchService {
  name: string;
  database_name: string;
  schema_name: string;
  search_column: string;
  attribute_columns: readonly string[];
  columns: readonly string[];
  definition: string;
  warehouse: string;
  comment: string;
  created_on: string;
}

type Row = Readonly<Record<string, string | number | null>>;

/** All services. */
export const SERVICES: readonly SearchService[] = [
  {
    name: 'PRODUCT_SEARCH',
    database_name: 'SALES',
    schema_name: 'PUBLIC',
    search_column: 'NAME',
    attribute_columns: ['SKU', 'CATEGORY'],
    columns: ['ID', 'SKU', 'NAME', 'CATEGORY', 'UNIT_PRICE'],
    definition: 'SELECT ID, SKU, NAME, CATEGORY, UNIT_PRICE FROM SALES.PUBLIC.PRODUCTS',
    warehouse: 'COMPUTE_WH',
    comment: 'Products by their names',
    created_on: `${CREATED_AT.replace(' ', 'T')}Z`,
  },
];

/** A search query. */
export interface SearchQuery {
  query: string;
  columns: readonly string[];
  filter: unknown;
  limit: number;
}

/** The rows that share a word with the query, best first. @throws WarehouseRefusal for a column or filter that is not there */
export function searchRows(
  database: WarehouseDatabase,
  service: SearchService,
  { query, columns, filter, limit }: SearchQuery,
): Row[] {
  const unknown = columns.filter((column) => !service.columns.includes(column));
  if (unknown.length > 0) throw badRequest(`Columns not in the service: ${unknown.join(', ')}.`);
  const asked = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const wanted = columns.length === 0 ? [service.search_column] : columns;
  return rowsOf(database, service)
    .filter((row) => filter === undefined || fits(row, filter, service))
    .map((row) => ({ row, score: scoreOf(String(row[service.search_column]), asked) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ row }) => Object.fromEntries(wanted.map((column) => [column, row[column] ?? null])));
}

function rowsOf(database: WarehouseDatabase, { database_name, schema_name, columns }: SearchService): Row[] {
  const from = quoted(`${database_name}.${schema_name}.PRODUCTS`);
  const result = database.query(`SELECT ${columns.map(quoted).join(', ')} FROM ${from} ORDER BY 1`, [], '');
  return result.rows.map((row) =>
    Object.fromEntries(
      result.columns.map(({ name, type }, i) => {
        const value = row[i] ?? null;
        return [name, type === 'fixed' && value !== null ? Number(value) : value];
      }),
    ),
  );
}

/** Words of the query that begin a word of the text, or that one begins. */
function scoreOf(text: string, asked: readonly string[]): number {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const isLike = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
  return asked.filter((word) => words.some((other) => isLike(word, other))).length;
}

/** @throws WarehouseRefusal for a filter that the provider does not know */
function fits(row: Row, filter: unknown, service: SearchService): boolean {
  const [[operator, value] = ['', undefined], another] = Object.entries(filter ?? {});
  const all = Array.isArray(value) ? (value as unknown[]) : undefined;
  if (another === undefined && all !== undefined) {
    if (operator === '@and') return all.every((part) => fits(row, part, service));
    if (operator === '@or') return all.some((part) => fits(row, part, service));
  }
  if (another === undefined && operator === '@not') return !fits(row, value, service);
  const [[column, wanted] = ['', undefined]] = Object.entries(value ?? {});
  const isKnown = service.attribute_columns.includes(column);
  if (another !== undefined || !['@eq', '@contains'].includes(operator) || !isKnown)
    throw badRequest(`The filter ${JSON.stringify(filter)} is not valid.`);
  // The services here have no list columns, so containing is being equal.
  return row[column] === wanted;
}
