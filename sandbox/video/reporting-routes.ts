/** Bulk reports: their types, the jobs that create them, and their files. */
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { offsetOf, pageToken } from './answers.ts';
import { flag, needs, ownChannel, readBody, readQuery, time, type VideoEnv } from './exchange.ts';
import { DAY_MS } from './figures.ts';
import { refuseContentOwner } from './group-routes.ts';
import type { Library } from './library.ts';
import { stableNumber, timestamp, type Job } from './model.ts';
import { VideoRefusal } from './refusal.ts';
import { REPORT_TYPES, reportFile } from './report-types.ts';

const HOUR_MS = 3_600_000;

/** A day begins at midnight in California, in winter. */
const DAY_BEGINS_MS = 8 * HOUR_MS;
const BACKFILL_DAYS = 30;
const KEPT_MS = { daily: 60 * DAY_MS, historical: 30 * DAY_MS };
const DEPRECATED_AT = '2026-01-31T08:00:00Z';

const owner = { onBehalfOfContentOwner: z.string().optional() };
const paging = { pageSize: z.coerce.number().int().min(1).default(50), pageToken: z.string().optional() };
const listQuery = z.strictObject({ includeSystemManaged: flag.default(false), ...owner, ...paging });

const reportQuery = z.strictObject({
  createdAfter: time.optional(),
  startTimeAtOrAfter: time.optional(),
  startTimeBefore: time.optional(),
  ...owner,
  ...paging,
});

/** One file of a job. */
interface Report {
  id: string;
  /** Unix milliseconds of the day's midnight (UTC). */
  at: number;
  startsAt: number;
  createdAt: number;
}

/** `/v1/reportTypes`, `/v1/jobs…`, `/v1/media/…` */
export function reportingRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  const ownJob = (c: Context<VideoEnv>, id: string): Job => {
    const job = library.jobs.get(id);
    if (job === undefined || job.channelId !== ownChannel(c).id)
      throw new VideoRefusal(404, 'notFound', `There is no job ${id}.`);
    return job;
  };

  routes.get('/v1/reportTypes', needs('reports'), (c) => {
    const query = readQuery(c, listQuery);
    refuseContentOwner(query);
    const types = REPORT_TYPES.filter((type) => query.includeSystemManaged || type.isSystemManaged !== true);
    const { items, ...next } = pageOf(types, query);
    const reportTypes = items.map(({ id, name, isDeprecated, isSystemManaged }) => ({
      id,
      name,
      ...(isDeprecated === true && { deprecateTime: DEPRECATED_AT }),
      ...(isSystemManaged === true && { systemManaged: true }),
    }));
    return c.json({ reportTypes, ...next });
  });

  routes.get('/v1/jobs', needs('reports'), (c) => {
    const query = readQuery(c, listQuery);
    refuseContentOwner(query);
    const own = ownChannel(c);
    const jobs = [...library.jobs.values()].filter(({ channelId }) => channelId === own.id);
    const { items, ...next } = pageOf(jobs, query);
    return c.json({ ...(items.length > 0 && { jobs: items.map(renderJob) }), ...next });
  });

  routes.post('/v1/jobs', needs('reports'), async (c) => {
    refuseContentOwner(readQuery(c, z.strictObject(owner)));
    const text = z.string().min(1).max(100);
    const { name, reportTypeId } = await readBody(c, z.strictObject({ name: text, reportTypeId: text }));
    const channelId = ownChannel(c).id;
    const type = REPORT_TYPES.find(({ id }) => id === reportTypeId);
    if (type === undefined || type.isDeprecated === true)
      throw new VideoRefusal(400, 'badRequest', `No job can be created for the report type ${reportTypeId}.`);
    if (type.isSystemManaged === true)
      throw new VideoRefusal(403, 'forbidden', 'YouTube manages the jobs of this report type.');
    const isTaken = [...library.jobs.values()].some(
      (job) => job.channelId === channelId && job.reportTypeId === reportTypeId,
    );
    if (isTaken) throw new VideoRefusal(409, 'alreadyExists', 'There is a job of this report type already.');
    const job: Job = { id: library.newId('', 36), channelId, name, reportTypeId, createdAt: library.now() };
    library.jobs.set(job.id, job);
    return c.json(renderJob(job));
  });

  routes.delete('/v1/jobs/:job', needs('reports'), (c) => {
    refuseContentOwner(readQuery(c, z.strictObject(owner)));
    library.jobs.delete(ownJob(c, c.req.param('job')).id);
    return c.json({});
  });

  routes.get('/v1/jobs/:job/reports', needs('reports'), (c) => {
    const query = readQuery(c, reportQuery);
    refuseContentOwner(query);
    const job = ownJob(c, c.req.param('job'));
    const found = reportsOf(job, library.now()).filter(
      ({ startsAt, createdAt }) =>
        createdAt > (query.createdAfter ?? 0) &&
        startsAt >= (query.startTimeAtOrAfter ?? 0) &&
        startsAt < (query.startTimeBefore ?? Infinity),
    );
    const { items, ...next } = pageOf(found, query);
    const { origin } = new URL(c.req.url);
    const reports = items.map(({ id, startsAt, createdAt }) => ({
      id,
      jobId: job.id,
      startTime: timestamp(startsAt),
      endTime: timestamp(startsAt + DAY_MS),
      createTime: timestamp(createdAt),
      downloadUrl: `${origin}/v1/media/CHANNEL/${job.channelId}/jobs/${job.id}/reports/${id}?alt=media`,
    }));
    return c.json({ ...(reports.length > 0 && { reports }), ...next });
  });

  routes.get('/v1/media/CHANNEL/:channel/jobs/:job/reports/:report', needs('reports'), (c) => {
    const job = ownJob(c, c.req.param('job'));
    const report = reportsOf(job, library.now()).find(({ id }) => id === c.req.param('report'));
    if (report === undefined || job.channelId !== c.req.param('channel'))
      throw new VideoRefusal(404, 'notFound', 'There is no such file.');
    const videos = library.videosOf(job.channelId, ownChannel(c));
    const csv = reportFile(job.reportTypeId, { channelId: job.channelId, videos, at: report.at });
    return c.body(csv, 200, { 'content-type': 'text/csv; charset=utf-8' });
  });
  return routes;
}

/**
 * Newest day first. Reports for days before the job all appear a day after it was created; later ones appear
 * two days late.
 */
function reportsOf(job: Job, now: number): Report[] {
  const born = Math.floor(job.createdAt / DAY_MS) * DAY_MS;
  const reports: Report[] = [];
  for (let at = born - BACKFILL_DAYS * DAY_MS; at < now; at += DAY_MS) {
    const startsAt = at + DAY_BEGINS_MS;
    const isHistorical = at < born;
    const createdAt = isHistorical ? job.createdAt + DAY_MS : startsAt + 2 * DAY_MS + 3 * HOUR_MS;
    const endsAt = createdAt + (isHistorical ? KEPT_MS.historical : KEPT_MS.daily);
    if (createdAt > now || endsAt <= now) continue;
    const id = String(1_000_000_000 + stableNumber(`report:${job.id}/${at}`, 1_000_000_000));
    reports.push({ id, at, startsAt, createdAt });
  }
  return reports.toReversed();
}

function pageOf<Item>(
  items: readonly Item[],
  query: { pageSize: number; pageToken?: string | undefined },
): { items: Item[]; nextPageToken?: string } {
  const start = query.pageToken === undefined ? 0 : offsetOf(query.pageToken);
  const end = start + query.pageSize;
  return { items: items.slice(start, end), ...(end < items.length && { nextPageToken: pageToken(end) }) };
}

function renderJob({ id, reportTypeId, name, createdAt }: Job) {
  return { id, reportTypeId, name, createTime: timestamp(createdAt) };
}
