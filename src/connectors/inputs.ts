/**
 * What each tool with code of its own gets as input, by the tool's name: the checked input with its defaults.
 *
 * Generated from catalogs/ by `npm run generate`. Do not edit.
 */

/** Inputs by the name of the tool. */
export interface ToolInputs {
  crm_add_to_list: {
    list: string;
    record_id: string;
    entry_values?: Readonly<Record<string, unknown>>;
  };
  crm_aggregate_records: {
    object: string;
    filter?: Readonly<Record<string, unknown>>;
    group_by?: string;
    sum?: readonly string[];
    count: boolean;
  };
  crm_create_attribute: {
    object?: string;
    list?: string;
    api_slug: string;
    title: string;
    type:
      | 'text'
      | 'number'
      | 'select'
      | 'multiselect'
      | 'status'
      | 'date'
      | 'timestamp'
      | 'checkbox'
      | 'currency'
      | 'record-reference'
      | 'actor-reference'
      | 'location'
      | 'domain'
      | 'email-address'
      | 'phone-number'
      | 'interaction';
    description: string;
    is_required: boolean;
    is_unique: boolean;
    is_multiselect: boolean;
    config: Readonly<Record<string, unknown>>;
  };
  crm_create_comment: {
    author_actor_id: string;
    content: string;
    record_object?: string;
    record_id?: string;
    list_id?: string;
    entry_id?: string;
    thread_id?: string;
  };
  crm_create_company: {
    values: Readonly<Record<string, unknown>>;
  };
  crm_create_deal: {
    values: Readonly<Record<string, unknown>>;
  };
  crm_create_person: {
    values: Readonly<Record<string, unknown>>;
  };
  crm_create_record: {
    object: string;
    values: Readonly<Record<string, unknown>>;
  };
  crm_create_user_record: {
    values: Readonly<Record<string, unknown>>;
  };
  crm_create_webhook: {
    target_url: string;
    events?: readonly (
      | 'call-recording.created'
      | 'comment.created'
      | 'comment.resolved'
      | 'comment.unresolved'
      | 'comment.deleted'
      | 'list.created'
      | 'list.updated'
      | 'list.deleted'
      | 'list-attribute.created'
      | 'list-attribute.updated'
      | 'list-entry.created'
      | 'list-entry.updated'
      | 'list-entry.deleted'
      | 'object-attribute.created'
      | 'object-attribute.updated'
      | 'note.created'
      | 'note-content.updated'
      | 'note.updated'
      | 'note.deleted'
      | 'record.created'
      | 'record.merged'
      | 'record.updated'
      | 'record.deleted'
      | 'task.created'
      | 'task.updated'
      | 'task.deleted'
      | 'workspace-member.created'
    )[];
    subscriptions?: readonly {
      event_type: string;
      filter?: Readonly<Record<string, unknown>>;
    }[];
  };
  crm_create_workspace_record: {
    values: Readonly<Record<string, unknown>>;
  };
  crm_get_current_token_info: Record<string, never>;
  crm_list_companies: {
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit: number;
    offset: number;
  };
  crm_list_deals: {
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit: number;
    offset: number;
  };
  crm_list_entries: {
    list: string;
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit?: number;
    offset?: number;
  };
  crm_list_lists: {
    parent_record_id?: string;
    parent_object?: string;
  };
  crm_list_meetings: {
    participants?: readonly string[];
    linked_object?: string;
    linked_record_id?: string;
    ends_from?: string;
    starts_before?: string;
    timezone?: string;
    sort?: 'start_asc' | 'start_desc';
    filter?: Readonly<Record<string, unknown>>;
    limit?: number;
    offset?: number;
  };
  crm_list_people: {
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit: number;
    offset: number;
  };
  crm_list_record_entries: {
    object: string;
    record_id: string;
  };
  crm_list_records: {
    object: string;
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit: number;
    offset: number;
  };
  crm_list_threads: {
    record_object?: string;
    record_id?: string;
    list_id?: string;
    entry_id?: string;
  };
  crm_list_user_records: {
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit?: number;
    offset?: number;
  };
  crm_list_webhooks: {
    limit?: number;
    offset?: number;
  };
  crm_list_workspace_members: {
    limit?: number;
    offset?: number;
  };
  crm_list_workspace_records: {
    filter?: Readonly<Record<string, unknown>>;
    sorts?: readonly {
      attribute: string;
      direction: 'asc' | 'desc';
      field?: string;
    }[];
    limit?: number;
    offset?: number;
  };
  crm_search_records: {
    object: string;
    query: string;
    limit: number;
    offset: number;
  };
  crm_update_company: {
    record_id: string;
    values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_update_deal: {
    record_id: string;
    values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_update_list_entry: {
    list: string;
    entry_id: string;
    entry_values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_update_person: {
    record_id: string;
    values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_update_record: {
    object: string;
    record_id: string;
    values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_update_user_record: {
    record_id: string;
    values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_update_webhook: {
    webhook_id: string;
    target_url?: string;
    events?: readonly (
      | 'call-recording.created'
      | 'comment.created'
      | 'comment.resolved'
      | 'comment.unresolved'
      | 'comment.deleted'
      | 'list.created'
      | 'list.updated'
      | 'list.deleted'
      | 'list-attribute.created'
      | 'list-attribute.updated'
      | 'list-entry.created'
      | 'list-entry.updated'
      | 'list-entry.deleted'
      | 'object-attribute.created'
      | 'object-attribute.updated'
      | 'note.created'
      | 'note-content.updated'
      | 'note.updated'
      | 'note.deleted'
      | 'record.created'
      | 'record.merged'
      | 'record.updated'
      | 'record.deleted'
      | 'task.created'
      | 'task.updated'
      | 'task.deleted'
      | 'workspace-member.created'
    )[];
    subscriptions?: readonly {
      event_type: string;
      filter?: Readonly<Record<string, unknown>>;
    }[];
  };
  crm_update_workspace_record: {
    record_id: string;
    values: Readonly<Record<string, unknown>>;
    multiselect: 'add' | 'replace';
  };
  crm_upsert_company: {
    matching_attribute: string;
    values: Readonly<Record<string, unknown>>;
  };
  crm_upsert_deal: {
    matching_attribute: string;
    values: Readonly<Record<string, unknown>>;
  };
  crm_upsert_list_entry: {
    list: string;
    record_id: string;
    entry_values?: Readonly<Record<string, unknown>>;
  };
  crm_upsert_person: {
    matching_attribute: string;
    values: Readonly<Record<string, unknown>>;
  };
  crm_upsert_record: {
    object: string;
    matching_attribute: string;
    values: Readonly<Record<string, unknown>>;
  };
  crm_upsert_user_record: {
    matching_attribute: string;
    values: Readonly<Record<string, unknown>>;
  };
  crm_upsert_workspace_record: {
    matching_attribute: string;
    values: Readonly<Record<string, unknown>>;
  };
  mail_add_attachment: {
    message_id: string;
    name: string;
    text?: string;
    content_base64?: string;
    content_type?: string;
  };
  mail_create_calendar_event: {
    subject: string;
    start_datetime: string;
    start_timezone: string;
    end_datetime: string;
    end_timezone: string;
    body_content?: string;
    body_contentType?: 'text' | 'html';
    location?: string;
    locations?: string;
    attendees_required?: string;
    attendees_optional?: string;
    attendees_resource?: string;
    hideAttendees?: boolean;
    importance?: 'low' | 'normal' | 'high';
    sensitivity?: 'normal' | 'personal' | 'private' | 'confidential';
    showAs?: 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere' | 'unknown';
    isAllDay?: boolean;
    isOnlineMeeting?: boolean;
    onlineMeetingProvider?: 'teamsForBusiness' | 'skypeForBusiness' | 'skypeForConsumer' | 'unknown';
    isReminderOn?: boolean;
    reminderMinutesBeforeStart?: number;
    recurrence_type?:
      'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
    recurrence_interval?: number;
    recurrence_days_of_week?: string;
    recurrence_range_type?: 'endDate' | 'noEnd' | 'numbered';
    recurrence_start_date?: string;
    recurrence_end_date?: string;
    recurrence_occurrences?: number;
  };
  mail_create_contact: {
    given_name?: string;
    surname?: string;
    company_name?: string;
    job_title?: string;
    email_addresses?: readonly string[];
    business_phones?: readonly string[];
    mobile_phone?: string;
    personal_notes?: string;
  };
  mail_create_draft: {
    to?: readonly string[];
    subject?: string;
    body?: string;
    body_type: 'text' | 'html';
    cc?: readonly string[];
    bcc?: readonly string[];
    reply_to?: readonly string[];
    importance?: 'low' | 'normal' | 'high';
  };
  mail_create_forward_draft: {
    message_id: string;
    to?: readonly string[];
    comment?: string;
  };
  mail_decline_calendar_event: {
    event_id: string;
    comment?: string;
    send_response: boolean;
    proposed_start?: string;
    proposed_end?: string;
    proposed_timezone?: string;
  };
  mail_find_meeting_times: {
    attendees: readonly string[];
    start_datetime: string;
    end_datetime: string;
    timezone: string;
    duration_minutes: number;
    max_candidates: number;
    is_organizer_optional?: boolean;
    activity_domain: 'work' | 'personal' | 'unrestricted';
  };
  mail_forward_calendar_event: {
    event_id: string;
    to: readonly string[];
    comment?: string;
  };
  mail_forward_message: {
    message_id: string;
    to: readonly string[];
    comment?: string;
    cc?: readonly string[];
    bcc?: readonly string[];
  };
  mail_get_attachment: {
    message_id: string;
    attachment_id: string;
  };
  mail_get_schedules: {
    email_addresses: readonly string[];
    start_datetime: string;
    end_datetime: string;
    timezone: string;
    interval_minutes: number;
  };
  mail_list_calendar_event_occurrences: {
    event_id: string;
    start_datetime: string;
    end_datetime: string;
    timezone?: string;
    top: number;
    skip?: number;
  };
  mail_list_calendar_events: {
    filter?: string;
    orderby?: string;
    select?: string;
    skip?: number;
    top?: number;
  };
  mail_list_calendar_view: {
    start_datetime: string;
    end_datetime: string;
    timezone?: string;
    calendar_id?: string;
    filter?: string;
    top: number;
    skip?: number;
  };
  mail_list_messages: {
    folder: string;
    unread_only?: boolean;
    from?: string;
    received_after?: string;
    received_before?: string;
    has_attachments?: boolean;
    filter?: string;
    top: number;
    skip?: number;
  };
  mail_reply_to_message: {
    message_id: string;
    comment: string;
    reply_all: boolean;
    to?: readonly string[];
    cc?: readonly string[];
    bcc?: readonly string[];
  };
  mail_search_contacts: {
    query: string;
    top: number;
  };
  mail_search_messages: {
    query: string;
    folder: string;
    top: number;
    cursor?: string;
  };
  mail_search_people: {
    query: string;
    top: number;
  };
  mail_send_message: {
    to: readonly string[];
    subject: string;
    body: string;
    body_type: 'text' | 'html';
    cc?: readonly string[];
    bcc?: readonly string[];
    reply_to?: readonly string[];
    importance?: 'low' | 'normal' | 'high';
    attachments?: readonly {
      name: string;
      text?: string;
      content_base64?: string;
      content_type?: string;
    }[];
  };
  mail_tentatively_accept_calendar_event: {
    event_id: string;
    comment?: string;
    send_response: boolean;
    proposed_start?: string;
    proposed_end?: string;
    proposed_timezone?: string;
  };
  mail_update_calendar_event: {
    event_id: string;
    subject?: string;
    start_datetime?: string;
    start_timezone?: string;
    end_datetime?: string;
    end_timezone?: string;
    body_content?: string;
    body_contentType?: 'text' | 'html';
    location?: string;
    locations?: string;
    attendees_required?: string;
    attendees_optional?: string;
    attendees_resource?: string;
    hideAttendees?: boolean;
    importance?: 'low' | 'normal' | 'high';
    sensitivity?: 'normal' | 'personal' | 'private' | 'confidential';
    showAs?: 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere' | 'unknown';
    isAllDay?: boolean;
    isOnlineMeeting?: boolean;
    onlineMeetingProvider?: 'teamsForBusiness' | 'skypeForBusiness' | 'skypeForConsumer' | 'unknown';
    isReminderOn?: boolean;
    reminderMinutesBeforeStart?: number;
    categories?: string;
    recurrence_type?:
      'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
    recurrence_interval?: number;
    recurrence_days_of_week?: string;
    recurrence_range_type?: 'endDate' | 'noEnd' | 'numbered';
    recurrence_start_date?: string;
    recurrence_end_date?: string;
    recurrence_occurrences?: number;
  };
  mail_update_contact: {
    contact_id: string;
    given_name?: string;
    surname?: string;
    company_name?: string;
    job_title?: string;
    email_addresses?: readonly string[];
    business_phones?: readonly string[];
    mobile_phone?: string;
    personal_notes?: string;
  };
  mail_update_draft: {
    message_id: string;
    subject?: string;
    body?: string;
    body_type?: 'text' | 'html';
    to?: readonly string[];
    cc?: readonly string[];
    bcc?: readonly string[];
  };
  mail_update_mailbox_settings: {
    automatic_replies_status?: 'disabled' | 'alwaysEnabled' | 'scheduled';
    internal_reply?: string;
    external_reply?: string;
    external_audience?: 'none' | 'contactsOnly' | 'all';
    scheduled_start?: string;
    scheduled_end?: string;
    scheduled_timezone?: string;
    timezone?: string;
    language?: string;
  };
  mail_update_message: {
    message_id: string;
    is_read?: boolean;
    flag_status?: 'notFlagged' | 'flagged' | 'complete';
    importance?: 'low' | 'normal' | 'high';
    categories?: readonly string[];
    inference_classification?: 'focused' | 'other';
  };
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
  warehouse_execute_query: {
    statement: string;
    async?: boolean;
    bindings?: Readonly<Record<string, unknown>>;
    database?: string;
    schema?: string;
    role?: string;
    warehouse?: string;
    nullable?: boolean;
    parameters?: Readonly<Record<string, unknown>>;
    request_id?: string;
    retry?: boolean;
    timeout?: number;
  };
  warehouse_get_columns: {
    database: string;
    schema?: string;
    table?: string;
    column_name_like?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_referential_constraints: {
    database: string;
    schema?: string;
    table?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_schemata: {
    database: string;
    schema_like?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_table_constraints: {
    database: string;
    schema?: string;
    table?: string;
    constraint_type?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_tables: {
    database: string;
    schema?: string;
    table_name_like?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_query: {
    statement: string;
    bindings?: Readonly<Record<string, unknown>>;
    database?: string;
    schema?: string;
    role?: string;
    warehouse?: string;
    timeout?: number;
  };
  warehouse_show_databases_schemas: {
    object_type: 'databases' | 'schemas';
    database_name?: string;
    like_pattern?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_grants: {
    grant_view: 'to_role' | 'to_user' | 'of_role' | 'on_object';
    role_name?: string;
    user_name?: string;
    object_type?: string;
    object_name?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_imported_exported_keys: {
    key_direction: 'imported' | 'exported';
    table_name: string;
    database_name?: string;
    schema_name?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_primary_keys: {
    database_name?: string;
    schema_name?: string;
    table_name?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_warehouses: {
    like_pattern?: string;
    role?: string;
    warehouse?: string;
  };
  websearch_answer: {
    query: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    include_text?: boolean;
    num_results?: number;
  };
  websearch_find_similar: {
    url: string;
    start_published_date?: string;
    end_published_date?: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    include_text?: boolean;
    max_characters: number;
    num_results: number;
  };
  websearch_get_webset: {
    webset_id: string;
  };
  websearch_list_websets: {
    count: number;
    cursor?: string;
  };
  websearch_research: {
    query: string;
    summary_query?: string;
    category?: string;
    start_published_date?: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    max_characters: number;
    num_results?: number;
  };
  websearch_websets: {
    query: string;
    count?: number;
    entity_type?: string;
    include_domains?: readonly string[];
    exclude_domains?: readonly string[];
    external_id?: string;
  };
}
