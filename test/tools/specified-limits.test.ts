/** Every limit and default that the specification gives a parameter of the tools in spec-tools.json is in the schema that clients read. */
import { expect, describe, it } from 'vitest';
import { publish } from '../../src/mcp/published-tools.ts';
import { refusals, shippedCatalog, shippedTool } from './tool-request.ts';

type Keywords = Readonly<Record<string, unknown>>;

const UUID = { format: 'uuid' };
const DAY = { format: 'date' };
const TIME = { format: 'date-time' };
const RECORDS = { limit: { default: 500 }, offset: { default: 0 } };
const SORTS = { sorts: { items: { properties: { direction: { enum: ['asc', 'desc'] } } } } };
const SERIES = { recurrence_start_date: DAY, recurrence_end_date: DAY };
const FIVE_TO_FIFTY = { max_results: { minimum: 0, maximum: 50, default: 5 } };
const COMMENTS = { max_results: { minimum: 1, maximum: 100, default: 20 } };
const FOUND = { num_results: { minimum: 1, maximum: 100, default: 10 } };
const UP_TO_TWENTY = { num_results: { minimum: 1, maximum: 20 } };
const PUBLISHED = { start_published_date: TIME, end_published_date: TIME };

const LIMITS: Readonly<Record<string, Readonly<Record<string, Keywords>>>> = {
  crm_create_attribute: {
    type: {
      enum: [
        'text',
        'number',
        'select',
        'multiselect',
        'status',
        'date',
        'timestamp',
        'checkbox',
        'currency',
        'record-reference',
        'actor-reference',
        'location',
        'domain',
        'email-address',
        'phone-number',
        'interaction',
      ],
    },
  },
  crm_create_comment: { author_actor_id: UUID },
  crm_create_deal: { values: { minProperties: 1 } },
  crm_create_list: {
    api_slug: { pattern: '^[A-Za-z0-9._~-]+$' },
    workspace_access: { enum: ['full-access', 'read-and-write', 'read-only'] },
    workspace_member_access: {
      items: { properties: { workspace_member_id: { type: 'string' }, level: { type: 'string' } } },
    },
  },
  crm_create_note: {
    format: { enum: ['plaintext', 'markdown'], default: 'plaintext' },
    created_at: TIME,
    meeting_id: UUID,
  },
  crm_create_task: {
    content: { maxLength: 2000 },
    deadline_at: TIME,
    is_completed: { default: false },
    linked_records: { items: { properties: { target_record_id: UUID } } },
    assignees: {
      items: {
        properties: { referenced_actor_type: { enum: ['workspace-member'] }, referenced_actor_id: UUID },
      },
    },
  },
  crm_list_companies: { ...RECORDS, ...SORTS },
  crm_list_deals: { ...RECORDS, ...SORTS },
  crm_list_entries: SORTS,
  crm_list_notes: { limit: { maximum: 50, default: 10 }, offset: { default: 0 } },
  crm_list_people: { ...RECORDS, ...SORTS },
  crm_list_records: { ...RECORDS, ...SORTS },
  crm_list_tasks: { limit: { default: 20 }, offset: { default: 0 } },
  crm_list_user_records: SORTS,
  crm_list_workspace_records: SORTS,
  crm_search_records: { limit: { default: 20 }, offset: { default: 0 } },
  mail_create_calendar_event: SERIES,
  mail_update_calendar_event: { start_datetime: TIME, end_datetime: TIME, ...SERIES },
  video_analytics_query: {
    ids: { pattern: '^(channel|contentOwner)==[A-Za-z0-9_+-]+$' },
    start_date: DAY,
    end_date: DAY,
    max_results: { maximum: 200 },
    start_index: { minimum: 1 },
    currency: { pattern: '^[A-Z]{3}$' },
  },
  video_channels_list: FIVE_TO_FIFTY,
  video_comment_threads_list: COMMENTS,
  video_comments_list: COMMENTS,
  video_playlist_items_insert: { position: { minimum: 0 } },
  video_playlist_items_list: FIVE_TO_FIFTY,
  video_playlists_list: FIVE_TO_FIFTY,
  video_reporting_list_reports: {
    created_after: TIME,
    start_time_at_or_after: TIME,
    start_time_before: TIME,
  },
  video_search: {
    published_after: TIME,
    published_before: TIME,
    max_results: { minimum: 0, maximum: 50, default: 10 },
  },
  video_subscriptions_list: FIVE_TO_FIFTY,
  video_video_categories_list: {
    region_code: { pattern: '^[A-Z]{2}$' },
    hl: { pattern: '^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8})*$' },
  },
  video_videos_list: {
    max_results: { minimum: 1, maximum: 50, default: 5 },
    region_code: { pattern: '^[A-Z]{2}$' },
  },
  warehouse_execute_query: { request_id: UUID },
  warehouse_get_query_partition: { partition: { minimum: 0 } },
  warehouse_show_databases_schemas: { object_type: { enum: ['databases', 'schemas'] } },
  warehouse_show_grants: { grant_view: { enum: ['to_role', 'to_user', 'of_role', 'on_object'] } },
  warehouse_show_imported_exported_keys: { key_direction: { enum: ['imported', 'exported'] } },
  websearch_answer: UP_TO_TWENTY,
  websearch_crawl: {
    highlights_per_url: { default: 3 },
    include_html_tags: { default: false },
    max_characters: { default: 5000 },
  },
  websearch_find_similar: { ...FOUND, ...PUBLISHED, max_characters: { default: 3000 } },
  websearch_list_webset_items: { count: { default: 10 } },
  websearch_list_websets: { count: { default: 10 } },
  websearch_research: { ...UP_TO_TWENTY, max_characters: { default: 5000 }, start_published_date: TIME },
  websearch_search: {
    ...FOUND,
    ...PUBLISHED,
    type: { enum: ['neural', 'keyword', 'auto'], default: 'neural' },
    max_characters: { default: 3000 },
  },
};

describe('specified limits of tool parameters', () => {
  it.each(Object.entries(LIMITS))('stand in the published schema of %s', (name, limits) => {
    expect(publish(shippedTool(name)).inputSchema.properties).toMatchObject(limits);
  });

  it('publish UUID as the format of every id that the specification calls one', () => {
    const ids = /^(record|task|note|comment|webhook|entry)_id$/;
    const found = [...shippedCatalog.tools.values()].flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties ?? {}).flatMap(([parameter, { format }]) =>
        name.startsWith('crm_') && ids.test(parameter) && format !== 'uuid' ? [`${name} ${parameter}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });

  it('refuse the content of a task that is longer than published', () => {
    expect(refusals('crm_create_task', { content: 'x'.repeat(2000) })).toEqual([]);
    expect(refusals('crm_create_task', { content: 'x'.repeat(2001) })).toEqual(['content max_length']);
  });
});
