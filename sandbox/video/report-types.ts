/** Types of bulk reports, and the content of their files. */
import { factsOf, METRICS, type Fact } from './figures.ts';
import type { Video } from './model.ts';

/** A type of report. No job can be created here for a type without columns. */
export interface ReportType {
  id: string;
  name: string;
  /** No new jobs can be created for it. */
  isDeprecated?: boolean;
  /** YouTube runs it on its own, for content owners. */
  isSystemManaged?: boolean;
}

export const REPORT_TYPES: readonly ReportType[] = [
  { id: 'channel_annotations_a1', name: 'Annotations', isDeprecated: true },
  { id: 'channel_basic_a2', name: 'User activity' },
  { id: 'channel_device_os_a2', name: 'Device and OS' },
  { id: 'content_owner_ad_revenue_raw_a1', name: 'Daily ad revenue', isSystemManaged: true },
];

const OPERATING_SYSTEMS: Readonly<Record<string, string>> = {
  MOBILE: 'ANDROID',
  DESKTOP: 'WINDOWS',
  TV: 'TIZEN',
};

/**
 * The CSV of one day.
 *
 * @param at Unix milliseconds of the day's midnight (UTC)
 */
export function reportFile(
  typeId: string,
  { channelId, videos, at }: { channelId: string; videos: readonly Video[]; at: number },
): string {
  const hasDevices = typeId === 'channel_device_os_a2';
  const head = ['date', 'channel_id', 'video_id', 'live_or_on_demand', 'subscribed_status', 'country_code'];
  const devices = hasDevices ? ['device_type', 'operating_system'] : [];
  const measured = [
    'views',
    'watch_time_minutes',
    'average_view_duration_seconds',
    'average_view_duration_percentage',
  ];
  const counted = hasDevices
    ? []
    : ['likes', 'dislikes', 'comments', 'shares', 'subscribers_gained', 'subscribers_lost'];
  const names = ['views', 'estimatedMinutesWatched', 'averageViewDuration', 'averageViewPercentage'];
  const counts = hasDevices
    ? []
    : ['likes', 'dislikes', 'comments', 'shares', 'subscribersGained', 'subscribersLost'];
  const groups = Map.groupBy(factsOf(videos, { first: at, last: at }), ({ videoId, country, deviceType }) =>
    [videoId, country, ...(hasDevices ? [deviceType] : [])].join('/'),
  );
  const rows = [...groups.values()].map((facts) => {
    const { day, videoId, country, deviceType } = facts[0] as Fact;
    return [
      day.replaceAll('-', ''),
      channelId,
      videoId,
      'on_demand',
      'not_subscribed',
      country,
      ...(hasDevices ? [deviceType, OPERATING_SYSTEMS[deviceType]] : []),
      ...[...names, ...counts].map((name) => METRICS[name]?.(facts, facts)),
    ];
  });
  return [[...head, ...devices, ...measured, ...counted], ...rows].map((row) => `${row.join()}\n`).join('');
}
