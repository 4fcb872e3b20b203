/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
 *
 * Generated from catalogs/ by `npm run generate`. Do not edit.
 */

/** Inputs by the name of the tool. */
export interface ToolInputs {
  video_analytics_audience: {
    start_date: string;
    end_date: string;
    by: 'country' | 'age_gender' | 'device' | 'traffic_source';
    video_id?: string;
  };
  video_analytics_overview: {
    start_date: string;
    end_date: string;
    by: 'total' | 'day' | 'month';
    channel_id?: string;
  };
  video_analytics_top_videos: {
    start_date: string;
    end_date: string;
    max_results: number;
    channel_id?: string;
  };
  video_analytics_video: {
    start_date: string;
    end_date: string;
    video_id: string;
    by: 'total' | 'day';
  };
  video_captions_download: {
    caption_id: string;
    format: 'srt' | 'vtt' | 'sbv' | 'ttml' | 'scc';
    language?: string;
  };
  video_channels_update: {
    channel_id: string;
    description?: string;
    keywords?: string;
    country?: string;
    default_language?: string;
    trailer_video_id?: string;
  };
  video_comment_threads_insert: {
    video_id: string;
    text: string;
  };
  video_playlist_items_update: {
    playlist_item_id: string;
    position?: number;
    note?: string;
  };
  video_playlist_update: {
    playlist_id: string;
    title?: string;
    description?: string;
    default_language?: string;
    privacy_status?: 'private' | 'public' | 'unlisted';
  };
  video_reporting_list_reports: {
    job_id: string;
    created_after?: string;
    start_time_at_or_after?: string;
    start_time_before?: string;
    page_size?: number;
    page_token?: string;
    on_behalf_of_content_owner?: string;
  };
  video_videos_update: {
    video_id: string;
    title?: string;
    category_id?: string;
    description?: string;
    default_language?: string;
    tags?: readonly string[];
    privacy_status?: 'private' | 'public' | 'unlisted';
    license?: 'youtube' | 'creativeCommon';
    embeddable?: boolean;
    public_stats_viewable?: boolean;
  };
}
