/** Renders answers: results in partitions, running statements, failed statements. Pure. */
import type { SqlFailure } from './refusal.ts';
import type { StatementRecord } from './statements.ts';

/** Rows of a partition; the real provider counts bytes. */
const PARTITION_ROWS = 500;

type Rows = readonly (readonly (string | null)[])[];

/** The whole answer to a finished statement: its first partition, with the description of all of them. */
export function renderResult(record: StatementRecord, requestId: string): Record<string, unknown> {
  const { result, handles, isNullable } = record;
  const { columns = [], rows = [], stats } = result ?? {};
  const partitions = partitionsOf(rows);
  return {
    resultSetMetaData: {
      numRows: rows.length,
      format: 'jsonv2',
      partitionInfo: partitions.map((partition) => ({
        rowCount: partition.length,
        uncompressedSize: JSON.stringify(partition).length,
      })),
      rowType: columns,
    },
    data: shown(partitions[0] ?? [], isNullable),
    code: '090001',
    ...(stats !== undefined && { stats }),
    ...(handles !== undefined && { statementHandles: handles }),
    ...about(record, requestId),
    sqlState: '00000',
    message: 'Statement executed successfully.',
  };
}

/** Rows of one partition and nothing else; `undefined` if it does not exist. */
export function renderPartition(record: StatementRecord, partition: number): { data: Rows } | undefined {
  const rows = partitionsOf(record.result?.rows ?? [])[partition];
  return rows === undefined ? undefined : { data: shown(rows, record.isNullable) };
}

/** The `Link` header with the addresses of the partitions. */
export function partitionLinks(record: StatementRecord, requestId: string, partition: number): string {
  const last = partitionsOf(record.result?.rows ?? []).length - 1;
  const link = (rel: string, number: number): string =>
    `</api/v2/statements/${record.handle}?requestId=${requestId}&partition=${number}>;rel="${rel}"`;
  return [
    link('first', 0),
    ...(partition > 0 ? [link('prev', partition - 1)] : []),
    ...(partition < last ? [link('next', partition + 1)] : []),
    link('last', last),
  ].join(',');
}

/** Answer for an unfinished statement. */
export function renderRunning(record: StatementRecord, requestId: string): Record<string, unknown> {
  return {
    code: '333334',
    message:
      'Asynchronous execution in progress. Use provided query id to perform query monitoring and management.',
    ...about(record, requestId),
  };
}

/** Answer for a failed or canceled statement. */
export function renderFailure(
  record: StatementRecord,
  { code, sqlState, message }: SqlFailure,
  requestId: string,
): Record<string, unknown> {
  return { code, message, sqlState, ...about(record, requestId) };
}

/** Address of a statement's status. */
export function statusUrl(handle: string, requestId: string): string {
  return `/api/v2/statements/${handle}?requestId=${requestId}`;
}

function about({ handle, createdAt }: StatementRecord, requestId: string): Record<string, unknown> {
  return {
    statementHandle: handle,
    createdOn: createdAt,
    statementStatusUrl: statusUrl(handle, requestId),
  };
}

/** At least one partition, possibly empty. */
function partitionsOf(rows: Rows): Rows[] {
  const count = Math.max(1, Math.ceil(rows.length / PARTITION_ROWS));
  return Array.from({ length: count }, (_, i) => rows.slice(i * PARTITION_ROWS, (i + 1) * PARTITION_ROWS));
}

function shown(rows: Rows, isNullable: boolean): Rows {
  return isNullable ? rows : rows.map((row) => row.map((value) => value ?? 'null'));
}
