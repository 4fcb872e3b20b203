/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
 *
 * Generated from catalogs/ by `npm run generate`. Do not edit.
 */

/** Inputs by the name of the tool. */
export interface ToolInputs {
  video_comment_threads_insert: {
    video_id: string;
    text: string;
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
    on_behalf_of_content_owner?: string;
    page_size?: number;
    page_token?: string;
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
