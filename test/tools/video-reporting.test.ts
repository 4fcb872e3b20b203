/** YouTube toolset reporting: for each input the exact provider request, and what becomes of the files of reports. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { handlers } from '../../src/connectors/index.ts';
import { callTool, refusals, requestOf } from './tool-request.ts';
import { expectYouTubeRequest, reporting } from './video-request.ts';

const OWNER = { on_behalf_of_content_owner: 'owner' };
const owner = { onBehalfOfContentOwner: 'owner' };
const ALL = { include_system_managed: true, page_size: 1, page_token: 'P', ...OWNER };
const all = { includeSystemManaged: 'true', pageSize: '1', pageToken: 'P', ...owner };

describe('video tools for reporting: requests', () => {
  it.each([
    ['video_reporting_list_report_types', {}, reporting('GET', '/reportTypes')],
    ['video_reporting_list_report_types', ALL, reporting('GET', '/reportTypes', all)],
    ['video_reporting_list_jobs', {}, reporting('GET', '/jobs')],
    ['video_reporting_list_jobs', ALL, reporting('GET', '/jobs', all)],
    [
      'video_reporting_list_jobs',
      { include_system_managed: false },
      reporting('GET', '/jobs', { includeSystemManaged: 'false' }),
    ],
    [
      'video_reporting_create_job',
      { name: 'Daily', report_type_id: 'channel_basic_a2' },
      reporting('POST', '/jobs', {}, { name: 'Daily', reportTypeId: 'channel_basic_a2' }),
    ],
    [
      'video_reporting_create_job',
      { name: 'Daily', report_type_id: 'channel_basic_a2', ...OWNER },
      reporting('POST', '/jobs', owner, { name: 'Daily', reportTypeId: 'channel_basic_a2' }),
    ],
    ['video_reporting_jobs_delete', { job_id: 'j1' }, reporting('DELETE', '/jobs/j1')],
    [
      'video_reporting_jobs_delete',
      { job_id: 'a/b c', ...OWNER },
      reporting('DELETE', '/jobs/a%2Fb%20c', owner),
    ],
    ['video_reporting_list_reports', { job_id: 'j1' }, reporting('GET', '/jobs/j1/reports')],
    ['video_reporting_list_reports', { job_id: 'a/b?c' }, reporting('GET', '/jobs/a%2Fb%3Fc/reports')],
    [
      'video_reporting_list_reports',
      {
        job_id: 'j1',
        created_after: '2026-11-01T00:00:00Z',
        start_time_at_or_after: '2026-11-01T00:00:00.123456Z',
        start_time_before: '2026-11-02T00:00:00Z',
        ...OWNER,
        page_size: 1,
        page_token: 'P',
      },
      reporting('GET', '/jobs/j1/reports', {
        createdAfter: '2026-11-01T00:00:00Z',
        startTimeAtOrAfter: '2026-11-01T00:00:00.123456Z',
        startTimeBefore: '2026-11-02T00:00:00Z',
        ...owner,
        pageSize: '1',
        pageToken: 'P',
      }),
    ],
    // the Reporting API wants Zulu time
    [
      'video_reporting_list_reports',
      {
        job_id: 'j1',
        created_after: '2026-11-01T01:30:00+02:00',
        start_time_before: '2026-11-01T20:00:00.25-05:00',
      },
      reporting('GET', '/jobs/j1/reports', {
        createdAfter: '2026-10-31T23:30:00Z',
        startTimeBefore: '2026-11-02T01:00:00.25Z',
      }),
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectYouTubeRequest(request);
  });
});

describe('video tools for reporting: invalid input', () => {
  const job = { name: 'Daily', report_type_id: 'channel_basic_a2' };

  it.each<[string, string[], object]>([
    [
      'video_reporting_list_report_types',
      ['include_system_managed type'],
      { include_system_managed: 'true' },
    ],
    ['video_reporting_list_report_types', ['page_size minimum'], { page_size: 0 }],
    ['video_reporting_list_report_types', ['job_id unknown'], { job_id: 'j1' }],
    ['video_reporting_list_jobs', ['page_size type'], { page_size: '5' }],
    ['video_reporting_list_jobs', ['on_behalf_of_content_owner type'], { on_behalf_of_content_owner: 1 }],
    ['video_reporting_create_job', ['name required', 'report_type_id required'], {}],
    ['video_reporting_create_job', ['name min_length'], { ...job, name: '' }],
    ['video_reporting_create_job', ['name max_length'], { ...job, name: 'x'.repeat(101) }],
    [
      'video_reporting_create_job',
      ['report_type_id max_length'],
      { ...job, report_type_id: 'x'.repeat(101) },
    ],
    ['video_reporting_jobs_delete', ['job_id required'], {}],
    ['video_reporting_jobs_delete', ['job_id path'], { job_id: '..' }],
    ['video_reporting_list_reports', ['job_id required'], {}],
    ['video_reporting_list_reports', ['job_id min_length'], { job_id: '' }],
    ['video_reporting_list_reports', ['created_after format'], { job_id: 'j1', created_after: '2026-11-01' }],
    [
      'video_reporting_list_reports',
      ['start_time_at_or_after format'],
      { job_id: 'j1', start_time_at_or_after: '2026-11-01T00:00:00' },
    ],
    [
      'video_reporting_list_reports',
      ['start_time_before format'],
      { job_id: 'j1', start_time_before: '2026-11-31T00:00:00Z' },
    ],
    ['video_reporting_list_reports', ['page_size minimum'], { job_id: 'j1', page_size: -1 }],
    ['video_reporting_list_reports', ['report_id unknown'], { job_id: 'j1', report_id: 'r1' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });

  it.each(['.', '..', 'a/../b', '\n'])('%j is refused as the job of a report list', async (job_id) => {
    await expect(callTool('video_reporting_list_reports', { job_id })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field: 'job_id', constraint: 'path' }] },
    });
  });
});

describe('tool video_reporting_list_reports', () => {
  const MEDIA = '/v1/media/CHANNEL/UC1/jobs/j1/reports/r1';
  const report = {
    id: 'r1',
    jobId: 'j1',
    startTime: '2026-11-01T08:00:00Z',
    downloadUrl: `https://youtubereporting.googleapis.com${MEDIA}?alt=media`,
  };
  const shown = { ...report, download_path: `${MEDIA}?alt=media` };
  const list = reporting('GET', '/jobs/j1/reports');
  const download = { ...reporting('GET', MEDIA.slice(3), { alt: 'media' }), answer: 'text' };
  const CSV = 'date,views\n20261101,7\n20261102,8\n';

  const failure = (provider_status: number | null, code: string) =>
    new ServiceError('TOOL_ERROR', 'Failed.', { details: { tool_error: { provider_status, code } } });

  const call = async (answers: unknown[]) =>
    callTool('video_reporting_list_reports', { job_id: 'j1' }, () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });

  it('includes the content of the only report', async () => {
    const { requests, data } = await call([{ reports: [report], nextPageToken: 'N' }, CSV]);
    expect(requests).toEqual([list, download]);
    expect(data).toEqual({ reports: [shown], nextPageToken: 'N', csv: CSV });
    for (const request of requests) expectYouTubeRequest(request);
  });

  it('keeps an empty file', async () => {
    expect((await call([{ reports: [report] }, ''])).data).toEqual({ reports: [shown], csv: '' });
  });

  it('downloads nothing for several reports', async () => {
    const other = { ...report, id: 'r2', downloadUrl: report.downloadUrl.replace('r1', 'r2') };
    const { requests, data } = await call([{ reports: [report, other] }]);
    expect(requests).toEqual([list]);
    expect(data).toEqual({
      reports: [shown, { ...other, download_path: '/v1/media/CHANNEL/UC1/jobs/j1/reports/r2?alt=media' }],
    });
  });

  it.each([[{}], [{ reports: [] }], [null], [{ reports: 'none' }]])(
    'returns %j unchanged as the list',
    async (answer) => {
      expect((await call([answer])).data).toEqual(answer);
    },
  );

  it.each([
    'https://youtubereporting.googleapis.com.evil.example/v1/media/x?alt=media',
    'http://youtubereporting.googleapis.com/v1/media/x?alt=media',
    'https://youtubereporting.googleapis.com:8443/v1/media/x?alt=media',
    'https://me:pw@youtubereporting.googleapis.com/v1/media/x?alt=media',
    'https://youtubeanalytics.googleapis.com/v1/media/x?alt=media',
    'https://youtubereporting.googleapis.com/v1/jobs/j1',
    'https://youtubereporting.googleapis.com/v1/media/../jobs/j1',
    'https://youtubereporting.googleapis.com/v1/media/%2e%2e/jobs/j1',
    'https://youtubereporting.googleapis.com/v1/media/%252e%252e/x',
    '/v1/media/x?alt=media',
    '',
    7,
    undefined,
  ])('never follows a download address such as %s', async (downloadUrl) => {
    const odd = { ...report, downloadUrl };
    const { requests, data } = await call([{ reports: [odd] }]);
    expect(requests).toEqual([list]);
    expect(data).toEqual({ reports: [odd] });
  });

  it.each([
    [
      failure(404, 'notFound'),
      'The file of this report is not there (any more). YouTube keeps files for 30 or 60 days.',
    ],
    [
      failure(null, 'PROVIDER_ANSWER_TOO_LARGE'),
      'The file of this report is too large to be read here. The whole file is at download_path, through the proxy of Gatehouse.',
    ],
  ])('returns the list alone where the file cannot be downloaded: %s', async (error, notice) => {
    const { data } = await call([{ reports: [report] }, error]);
    expect(data).toEqual({ reports: [shown], notice });
  });

  it.each([failure(403, 'forbidden'), failure(null, 'PROVIDER_TIMEOUT'), new Error('broken')])(
    'passes on any other failure: %s',
    async (error) => {
      await expect(call([{ reports: [report] }, error])).rejects.toBe(error);
      await expect(call([error])).rejects.toBe(error);
    },
  );

  it('cuts a large file at a line end, so that the result stays below the limit', async () => {
    const line = `20261101,"a ""b"" é",${'7'.repeat(60)}\n`;
    const csv = `date,name,views\n${line.repeat(2_000)}`;
    const { data } = await call([{ reports: [report] }, csv]);
    const result = data as { csv: string; notice: string };
    const size = Buffer.byteLength(JSON.stringify(result));
    expect(size).toBeLessThanOrEqual(60_000);
    expect(size).toBeGreaterThan(59_000);
    expect(csv.startsWith(result.csv)).toBe(true);
    expect(result.csv.endsWith('\n')).toBe(true);
    const lines = result.csv.split('\n').length - 1;
    expect(result.notice).toBe(
      `csv has the first ${lines} of 2001 lines. The whole file is at download_path, through the proxy of Gatehouse.`,
    );
  });

  it.each([
    ['http://127.0.0.1:4000/v1/media/CHANNEL/UC1/r1?alt=media', '/v1/media/CHANNEL/UC1/r1?alt=media'],
    ['https://youtubereporting.googleapis.com/v1/media/r1', '/v1/media/r1'],
    ['http://127.0.0.1:4001/v1/media/r1', undefined],
  ])(
    'downloads from the base URL that a connection has instead of YouTube: %s',
    async (downloadUrl, path) => {
      const reports = [{ ...report, downloadUrl }, report];
      const hosts: number[] = [];
      const http = {
        send: async () => ({ reports }),
        originOf: (host: number) => {
          hosts.push(host);
          return 'http://127.0.0.1:4000';
        },
      };
      const listReports = handlers.get('video/list-reports')!;
      const result = await listReports.call({ input: { job_id: 'j1' }, http, maxResultBytes: 2_000 });
      expect((result as { reports: { download_path?: string }[] }).reports[0]!.download_path).toBe(path);
      expect(hosts).toEqual([2]);
    },
  );

  it('cuts the file at the result limit of the installation', async () => {
    const answers: unknown[] = [{ reports: [report] }, 'a,b\n'.repeat(1_000)];
    const http = { send: async () => answers.shift() };
    const listReports = handlers.get('video/list-reports')!;
    const result = await listReports.call({ input: { job_id: 'j1' }, http, maxResultBytes: 2_000 });
    const size = Buffer.byteLength(JSON.stringify(result));
    expect(size).toBeLessThanOrEqual(2_000);
    expect((result as { csv: string }).csv).toMatch(/^(a,b\n)+$/);
  });
});
