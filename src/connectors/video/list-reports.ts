/**
 * video_reporting_list_reports: the reports of a job, and the content if the page has only one.
 *
 * Each report keeps YouTube's `downloadUrl` and gets `download_path`, its path for the proxy. The file is read with the
 * account's own token, so the URL must be on the connector's reporting host or on the host with which a connection
 * replaces it.
 *
 * @see https://developers.google.com/youtube/reporting/v1/reference/rest/v1/jobs.reports/list
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ProviderRequest, ToolHandler } from '../../catalog/model/types.ts';
import { membersOf, valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { refusalCode, refusalStatus, type ProviderHttp } from '../provider-call.ts';

/** Index of the reporting host among the connector's. */
const REPORTING = 2;
const REPORTING_ORIGIN = 'https://youtubereporting.googleapis.com';

/** Origins that count as YouTube's: its own, and the one that replaces it. */
type Origins = readonly string[];

/** Plain segments only: a report has no other path. */
const MEDIA_PATH = /^\/v1\/media(\/[A-Za-z0-9_~.-]+)+$/;

/** Room for the note that accompanies the CSV in the result. */
const NOTICE_BYTES = 400;

const WHOLE_FILE = 'The whole file is at download_path, through the proxy of Gatehouse.';

type ReportsInput = ToolInputs['video_reporting_list_reports'];

const QUERY = [
  ['created_after', 'createdAfter'],
  ['start_time_at_or_after', 'startTimeAtOrAfter'],
  ['start_time_before', 'startTimeBefore'],
  ['on_behalf_of_content_owner', 'onBehalfOfContentOwner'],
  ['page_size', 'pageSize'],
  ['page_token', 'pageToken'],
] as const;

export const listReports: ToolHandler<ReportsInput> = {
  check: ({ job_id }) => pathViolations(job_id, 'job_id'),
  call: async ({ input, http, maxResultBytes }) => {
    const answer = await http.send(listRequest(input));
    const reports = valueAt(answer, 'reports');
    if (!Array.isArray(reports)) return answer;
    const origins = [REPORTING_ORIGIN, ...(http.originOf === undefined ? [] : [http.originOf(REPORTING)])];
    const list = {
      ...membersOf(answer),
      reports: reports.map((report) => withDownloadPath(report, origins)),
    };
    if (reports.length !== 1) return list;
    const file = downloadOf(reports[0], origins);
    if (file === undefined) return list;
    return { ...list, ...(await contentOf(file, http, maxResultBytes - sizeOf(list) - NOTICE_BYTES)) };
  },
};

function listRequest(input: ReportsInput): ProviderRequest {
  const query = QUERY.flatMap(([name, to]): [string, string][] => {
    const value = input[name];
    if (value === undefined) return [];
    return [[to, /^(created|start)_/.test(name) ? zuluTime(String(value)) : String(value)]];
  });
  const job = pathSegment(input.job_id, 'job_id');
  return { method: 'GET', host: REPORTING, path: `/v1/jobs/${job}/reports`, query, headers: {} };
}

function withDownloadPath(report: unknown, origins: Origins): unknown {
  const url = downloadOf(report, origins);
  return url === undefined ? report : { ...membersOf(report), download_path: url.pathname + url.search };
}

/** Address of a report's file; `undefined` if it is not on the reporting host. */
function downloadOf(report: unknown, origins: Origins): URL | undefined {
  const text = textAt(report, 'downloadUrl');
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isOurs = origins.includes(url.origin) && url.username === '' && url.password === '';
  return isOurs && MEDIA_PATH.test(url.pathname) ? url : undefined;
}

/** A missing or too large file does not fail the list, which then says so and where the file is. */
async function contentOf(file: URL, http: ProviderHttp, roomBytes: number): Promise<JsonObject> {
  try {
    const csv = await http.send(downloadRequest(file));
    return typeof csv === 'string' ? shown(csv, roomBytes) : {};
  } catch (error) {
    if (refusalStatus(error) === 404)
      return {
        notice: 'The file of this report is not there (any more). YouTube keeps files for 30 or 60 days.',
      };
    if (refusalCode(error) === 'PROVIDER_ANSWER_TOO_LARGE')
      return { notice: `The file of this report is too large to be read here. ${WHOLE_FILE}` };
    throw error;
  }
}

function shown(csv: string, roomBytes: number): JsonObject {
  const { text, lines, totalLines } = cutCsv(csv, roomBytes);
  if (text === csv) return { csv };
  return { csv: text, notice: `csv has the first ${lines} of ${totalLines} lines. ${WHOLE_FILE}` };
}

function downloadRequest({ pathname, searchParams }: URL): ProviderRequest {
  return {
    method: 'GET',
    host: REPORTING,
    path: pathname,
    query: [...searchParams],
    headers: {},
    answer: 'text',
  };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The part of a file that is kept. */
interface CsvCut {
  text: string;
  /** Lines of `text`; a line break inside quotes does not end a line. */
  lines: number;
  totalLines: number;
}

/**
 * Keeps as many whole records from the start as fit, so that the result is valid CSV.
 *
 * @param roomBytes for the text as JSON in UTF-8, quotes included
 * @see RFC 4180
 */
export function cutCsv(csv: string, roomBytes: number): CsvCut {
  let used = 2;
  let end = 0;
  let lines = 0;
  let totalLines = 0;
  for (const record of records(csv)) {
    totalLines++;
    if (lines !== totalLines - 1) continue;
    used += Buffer.byteLength(JSON.stringify(record)) - 2;
    if (used > roomBytes) continue;
    end += record.length;
    lines++;
  }
  return { text: csv.slice(0, end), lines, totalLines };
}

/** Records with their line ends. After an odd number of quotes a record continues on the next line. */
function* records(csv: string): Generator<string> {
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < csv.length; i++) {
    const char = csv.charCodeAt(i);
    if (char === 0x22) isQuoted = !isQuoted;
    else if (char === 0x0a && !isQuoted) {
      yield csv.slice(start, i + 1);
      start = i + 1;
    }
  }
  if (start < csv.length) yield csv.slice(start);
}

/**
 * The same moment with Z: the Reporting API documents RFC 3339 in UTC. Fractions of a second keep their digits.
 *
 * @param time RFC 3339, checked
 */
export function zuluTime(time: string): string {
  if (time.endsWith('Z')) return time;
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return new Date(time.replace(fraction, '')).toISOString().replace(/\.000Z$/, `${fraction}Z`);
}
