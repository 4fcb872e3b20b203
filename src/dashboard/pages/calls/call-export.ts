/** Exports calls as a CSV file (RFC 4180). The list is read page by page while the file is sent. */
import type { Caller } from '../../../core/caller.ts';
import type { ExecutionList, ExecutionQuery, ExecutionView } from '../../../executor/execution-list.ts';

const COLUMNS = [
  'execution_id',
  'at',
  'tool_name',
  'connector',
  'virtual_server_id',
  'connected_account_id',
  'user_id',
  'organization_id',
  'source',
  'status',
  'error_code',
  'error_message',
  'provider_status',
  'duration_ms',
] as const satisfies readonly (keyof ExecutionView)[];

const PAGE_SIZE = 100;

/** The file, newest call first, with a header line. */
export function callsAsCsv(
  executions: Pick<ExecutionList, 'list'>,
  caller: Caller,
  query: Omit<ExecutionQuery, 'pageSize' | 'pageToken'>,
): ReadableStream<Uint8Array> {
  return ReadableStream.from(lines(executions, caller, query)).pipeThrough(new TextEncoderStream());
}

async function* lines(
  executions: Pick<ExecutionList, 'list'>,
  caller: Caller,
  query: Omit<ExecutionQuery, 'pageSize' | 'pageToken'>,
): AsyncGenerator<string> {
  yield line(COLUMNS);
  let pageToken: string | undefined;
  do {
    const page = await executions.list(caller, { ...query, pageSize: PAGE_SIZE, pageToken });
    yield page.executions.map((call) => line(COLUMNS.map((column) => call[column]))).join('');
    pageToken = page.next_page_token;
  } while (pageToken !== '');
}

function line(values: readonly (string | number | null)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** One cell. A text that begins like a formula gets an apostrophe, because a spreadsheet would calculate it. */
function cell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
