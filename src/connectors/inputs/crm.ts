/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
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
}
