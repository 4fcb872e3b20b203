/**
 * The common questions to YouTube Analytics, each as one query that is known to be allowed: few combinations of metrics
 * and dimensions are. Anything else is video_analytics_query.
 *
 * @see https://developers.google.com/youtube/analytics/channel_reports
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { get, queryOf, type ProviderHttp } from '../provider-call.ts';

/** The host of the Analytics API in the connector's list. */
const ANALYTICS = 1;

const WATCHED = 'views,estimatedMinutesWatched';

const ALL_FIGURES = `${WATCHED},averageViewDuration,averageViewPercentage,subscribersGained,subscribersLost,likes,comments,shares`;

/** Metrics, dimensions and order of each question about viewers. */
const AUDIENCE = {
  country: { metrics: WATCHED, dimensions: 'country', sort: '-views' },
  age_gender: { metrics: 'viewerPercentage', dimensions: 'ageGroup,gender', sort: 'gender,ageGroup' },
  device: { metrics: WATCHED, dimensions: 'deviceType', sort: '-views' },
  traffic_source: { metrics: WATCHED, dimensions: 'insightTrafficSourceType', sort: '-views' },
};

/** Days as `2026-11-01`, the last one included. */
interface Period {
  start_date: string;
  end_date: string;
}

export const analyticsOverview: ToolHandler<ToolInputs['video_analytics_overview']> = {
  call: async ({ input, http }) => report(http, { ids: idsOf(input), ...figures(input) }),
};

export const analyticsVideo: ToolHandler<ToolInputs['video_analytics_video']> = {
  call: async ({ input, http }) =>
    report(http, { ids: idsOf({}), ...figures(input), filters: `video==${input.video_id}` }),
};

export const analyticsTopVideos: ToolHandler<ToolInputs['video_analytics_top_videos']> = {
  call: async ({ input, http }) =>
    report(http, {
      ids: idsOf(input),
      ...between(input),
      metrics: `${WATCHED},averageViewDuration,likes,comments`,
      dimensions: 'video',
      sort: '-views',
      maxResults: input.max_results,
    }),
};

export const analyticsAudience: ToolHandler<ToolInputs['video_analytics_audience']> = {
  call: async ({ input, http }) =>
    report(http, {
      ids: idsOf({}),
      ...between(input),
      ...AUDIENCE[input.by],
      filters: input.video_id === undefined ? undefined : `video==${input.video_id}`,
    }),
};

function report(http: ProviderHttp, query: Readonly<Record<string, unknown>>): Promise<unknown> {
  return http.send({ ...get('/v2/reports', queryOf(query)), host: ANALYTICS });
}

function idsOf({ channel_id = 'MINE' }: { channel_id?: string }): string {
  return `channel==${channel_id}`;
}

function between({ start_date, end_date }: Period): Readonly<Record<string, string>> {
  return { startDate: start_date, endDate: end_date };
}

/** The query for figures. By month, YouTube accepts only the first day of a month, and means the whole month. */
function figures(input: Period & { by: 'total' | 'day' | 'month' }): Readonly<Record<string, unknown>> {
  const { by } = input;
  const metrics = { metrics: ALL_FIGURES };
  if (by === 'total') return { ...between(input), ...metrics };
  const [start_date, end_date] = [input.start_date, input.end_date].map((day) =>
    by === 'month' ? `${day.slice(0, 7)}-01` : day,
  ) as [string, string];
  return { ...between({ start_date, end_date }), ...metrics, dimensions: by, sort: by };
}
