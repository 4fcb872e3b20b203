/** YouTube toolset insights: the query of each common question, held against the provider's description too. */
import { describe, expect, it } from 'vitest';
import { compacted } from '../../src/mcp/results/compaction.ts';
import { refusals, requestOf, shippedTool } from './tool-request.ts';
import { analytics, expectYouTubeRequest } from './video-request.ts';

const period = { start_date: '2026-08-15', end_date: '2026-10-31' };
const mine = { ids: 'channel==MINE' };
const days = { startDate: '2026-08-15', endDate: '2026-10-31' };
const metrics =
  'views,estimatedMinutesWatched,averageViewDuration,averageViewPercentage,subscribersGained,subscribersLost,likes,comments,shares';
const watched = 'views,estimatedMinutesWatched';

describe('video tools for common figures: requests', () => {
  it.each([
    ['video_analytics_overview', period, { ...mine, ...days, metrics }],
    [
      'video_analytics_overview',
      { ...period, by: 'day', channel_id: 'UC1' },
      { ids: 'channel==UC1', ...days, metrics, dimensions: 'day', sort: 'day' },
    ],
    // By month, YouTube takes first days only
    [
      'video_analytics_overview',
      { ...period, by: 'month' },
      {
        ...mine,
        startDate: '2026-08-01',
        endDate: '2026-10-01',
        metrics,
        dimensions: 'month',
        sort: 'month',
      },
    ],
    [
      'video_analytics_top_videos',
      period,
      {
        ...mine,
        ...days,
        metrics: `${watched},averageViewDuration,likes,comments`,
        dimensions: 'video',
        sort: '-views',
        maxResults: '10',
      },
    ],
    [
      'video_analytics_top_videos',
      { ...period, max_results: 200, channel_id: 'UC1' },
      {
        ids: 'channel==UC1',
        ...days,
        metrics: `${watched},averageViewDuration,likes,comments`,
        dimensions: 'video',
        sort: '-views',
        maxResults: '200',
      },
    ],
    [
      'video_analytics_audience',
      { ...period, by: 'country' },
      { ...mine, ...days, metrics: watched, dimensions: 'country', sort: '-views' },
    ],
    [
      'video_analytics_audience',
      { ...period, by: 'age_gender' },
      {
        ...mine,
        ...days,
        metrics: 'viewerPercentage',
        dimensions: 'ageGroup,gender',
        sort: 'gender,ageGroup',
      },
    ],
    [
      'video_analytics_audience',
      { ...period, by: 'device', video_id: 'v1' },
      { ...mine, ...days, metrics: watched, dimensions: 'deviceType', sort: '-views', filters: 'video==v1' },
    ],
    [
      'video_analytics_audience',
      { ...period, by: 'traffic_source' },
      { ...mine, ...days, metrics: watched, dimensions: 'insightTrafficSourceType', sort: '-views' },
    ],
    [
      'video_analytics_video',
      { ...period, video_id: 'v-1' },
      { ...mine, ...days, metrics, filters: 'video==v-1' },
    ],
    [
      'video_analytics_video',
      { ...period, video_id: 'v-1', by: 'day' },
      { ...mine, ...days, metrics, dimensions: 'day', sort: 'day', filters: 'video==v-1' },
    ],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(analytics('GET', '/reports', expected));
    expectYouTubeRequest(request);
  });
});

describe('video tools for common figures: invalid input', () => {
  it.each<[string, string[], object]>([
    ['video_analytics_overview', ['start_date required', 'end_date required'], {}],
    ['video_analytics_overview', ['by enum'], { ...period, by: 'week' }],
    ['video_analytics_overview', ['channel_id pattern'], { ...period, channel_id: 'UC1,UC2' }],
    ['video_analytics_top_videos', ['max_results maximum'], { ...period, max_results: 201 }],
    ['video_analytics_top_videos', ['max_results minimum'], { ...period, max_results: 0 }],
    ['video_analytics_audience', ['by required'], period],
    // No second condition can be written into an id
    [
      'video_analytics_audience',
      ['video_id pattern'],
      { ...period, by: 'device', video_id: 'v1;country==DE' },
    ],
    ['video_analytics_video', ['video_id required'], period],
    ['video_analytics_video', ['by enum'], { ...period, video_id: 'v1', by: 'month' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

describe('compact results of video tools for common figures', () => {
  it.each([
    'video_analytics_overview',
    'video_analytics_top_videos',
    'video_analytics_audience',
    'video_analytics_video',
  ])('have a table with the names of the columns for %s', (name) => {
    const answer = {
      kind: 'youtubeAnalytics#resultTable',
      columnHeaders: [
        { name: 'day', columnType: 'DIMENSION', dataType: 'STRING' },
        { name: 'views', columnType: 'METRIC', dataType: 'INTEGER' },
      ],
      rows: [['2026-11-01', 12]],
    };
    expect(compacted(shippedTool(name).result!, answer)?.value).toEqual({
      columns: ['day', 'views'],
      rows: [['2026-11-01', 12]],
      row_count: 1,
    });
  });
});
