/** Queries for analytics figures. */
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { commaList, needs, ownChannel, readQuery, requireScope, ACCESS, type VideoEnv } from './exchange.ts';
import { DAY_MS, factsOf, METRICS, type Fact } from './figures.ts';
import { videosOfGroup } from './group-routes.ts';
import type { Library } from './library.ts';
import type { Channel } from './model.ts';
import { VideoRefusal } from './refusal.ts';

const DIMENSIONS: Readonly<Record<string, (fact: Fact) => string>> = {
  day: ({ day }) => day,
  month: ({ day }) => day.slice(0, 7),
  video: ({ videoId }) => videoId,
  country: ({ country }) => country,
  deviceType: ({ deviceType }) => deviceType,
  insightTrafficSourceType: ({ source }) => source,
  ageGroup: ({ age }) => age,
  gender: ({ gender }) => gender,
};

/** Metrics that need a scope the app does not ask for. */
const REVENUE = new Set(['estimatedRevenue', 'estimatedAdRevenue', 'grossRevenue', 'cpm', 'adImpressions']);

/** Dimensions that only the share of viewers is counted by. */
const PEOPLE = new Set(['ageGroup', 'gender']);

const MAX_VIDEO_ROWS = 200;

/** Figures of a day are available two days later. */
const LAG_MS = 2 * DAY_MS;

const reportQuery = z.strictObject({
  ids: z.string(),
  metrics: commaList,
  startDate: z.iso.date(),
  endDate: z.iso.date(),
  dimensions: commaList.default([]),
  filters: z.string().default(''),
  sort: commaList.default([]),
  maxResults: z.coerce.number().int().min(1).optional(),
  startIndex: z.coerce.number().int().min(1).default(1),
  currency: z.string().default('USD'),
  includeHistoricalChannelData: z.enum(['true', 'false']).optional(),
});

type ReportQuery = z.infer<typeof reportQuery>;

/** `/v2/reports` */
export function reportRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();
  routes.get('/v2/reports', needs('reports'), (c) => {
    requireScope(c, ACCESS.read);
    const query = readQuery(c, reportQuery);
    const own = requireOwn(c, query.ids);
    requireSupported(query);
    const videos = library.videosOf(own.id, own);
    const first = Date.parse(query.startDate);
    const last = Math.min(lastDayOf(query), library.now() - LAG_MS);
    const isMeant = filterOf(library, own, query.filters);
    const facts = factsOf(videos, { first, last }).filter(isMeant);
    const rows = sorted(tableOf(facts, query), query);
    const start = query.startIndex - 1;
    const page = rows.slice(start, start + (query.maxResults ?? rows.length));
    return c.json({
      kind: 'youtubeAnalytics#resultTable',
      columnHeaders: [
        ...query.dimensions.map((name) => ({ name, columnType: 'DIMENSION', dataType: 'STRING' })),
        ...query.metrics.map((name) => ({
          name,
          columnType: 'METRIC',
          dataType: name.endsWith('Percentage') ? 'FLOAT' : 'INTEGER',
        })),
      ],
      ...(page.length > 0 && { rows: page }),
    });
  });
  return routes;
}

/** By month the whole last month is meant. */
function lastDayOf({ endDate, dimensions }: ReportQuery): number {
  if (!dimensions.includes('month')) return Date.parse(endDate);
  const [year = 0, month = 0] = endDate.split('-').map(Number);
  return Date.UTC(year, month, 0);
}

/** @throws VideoRefusal forbidden for other channels and for content owners */
function requireOwn(c: Context<VideoEnv>, ids: string): Channel {
  const own = ownChannel(c);
  const [kind, id] = ids.split('==');
  if (kind !== 'channel' || (id !== 'MINE' && id !== own.id))
    throw new VideoRefusal(403, 'forbidden', 'The account may not see the figures of this channel.');
  return own;
}

/** @throws VideoRefusal badRequest, forbidden */
function requireSupported({ metrics, dimensions, sort, ...query }: ReportQuery): void {
  if (metrics.some((name) => REVENUE.has(name)))
    throw new VideoRefusal(403, 'forbidden', 'The account may not see figures of revenue.');
  requireKnown('metrics', metrics, Object.keys(METRICS));
  requireKnown('dimensions', dimensions, Object.keys(DIMENSIONS));
  const columns = [...dimensions, ...metrics];
  requireKnown(
    'sort',
    sort.map((name) => name.replace(/^-/, '')),
    columns,
  );
  if (query.startDate > query.endDate) throw badRequest('The start date lies after the end date.');
  const isTop = dimensions.includes('video');
  const isOfPeople = dimensions.some((name) => PEOPLE.has(name));
  const isMonthly = dimensions.includes('month');
  if (isMonthly && !(query.startDate.endsWith('-01') && query.endDate.endsWith('-01')))
    throw badRequest('By month, both dates are the first day of a month.');
  if (
    isOfPeople !== metrics.includes('viewerPercentage') ||
    (isOfPeople && metrics.some((name) => name !== 'viewerPercentage'))
  )
    throw badRequest('The query is not supported. Check which queries the documentation names.');
  if (isTop && (sort.length === 0 || (query.maxResults ?? Infinity) > MAX_VIDEO_ROWS))
    throw badRequest('The query is not supported. Check which queries the documentation names.');
}

function requireKnown(parameter: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw badRequest(`Unknown identifier (${unknown}) given in field parameters.${parameter}.`);
}

/** `video==a,b;country==DE`. @throws VideoRefusal badRequest, groupNotFound */
function filterOf(library: Library, own: Channel, filters: string): (fact: Fact) => boolean {
  const conditions = filters.split(';').filter((condition) => condition !== '');
  const tests = conditions.map((condition): ((fact: Fact) => boolean) => {
    const [, name = '', values = ''] = /^(\w+)==(.+)$/.exec(condition) ?? [];
    if (name === 'group') {
      const group = library.groups.get(values);
      if (group?.channelId !== own.id)
        throw badRequest(`There is no group ${values} given in field parameters.filters.`);
      const ids = videosOfGroup(library, group);
      return ({ videoId }) => ids.includes(videoId);
    }
    requireKnown('filters', [name || condition], ['video', 'country', 'deviceType']);
    const wanted = values.split(',');
    return (fact) => wanted.includes(DIMENSIONS[name]?.(fact) ?? '');
  });
  return (fact) => tests.every((test) => test(fact));
}

/** One row for each combination of the dimensions; a single row without any. */
function tableOf(facts: readonly Fact[], { dimensions, metrics }: ReportQuery): (string | number)[][] {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = JSON.stringify(dimensions.map((name) => DIMENSIONS[name]?.(fact)));
    groups.set(key, [...(groups.get(key) ?? []), fact]);
  }
  return [...groups].map(([key, members]) => [
    ...(JSON.parse(key) as string[]),
    ...metrics.map((name) => METRICS[name]?.(members, facts) ?? 0),
  ]);
}

function sorted(
  rows: (string | number)[][],
  { dimensions, metrics, sort }: ReportQuery,
): (string | number)[][] {
  const columns = [...dimensions, ...metrics];
  const keys = (sort.length > 0 ? sort : dimensions).map((name) => ({
    column: columns.indexOf(name.replace(/^-/, '')),
    sign: name.startsWith('-') ? -1 : 1,
  }));
  return rows.sort((one, other) => {
    for (const { column, sign } of keys) {
      const [a = '', b = ''] = [one[column], other[column]];
      if (a !== b) return a < b ? -sign : sign;
    }
    return 0;
  });
}

function badRequest(message: string): VideoRefusal {
  return new VideoRefusal(400, 'badRequest', message);
}
