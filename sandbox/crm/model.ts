/**
 * Data model of the stand-in CRM. Everything is stored in the form in which it is returned, so that no second
 * description is needed.
 */
import { createHash } from 'node:crypto';

/** The only workspace. */
export const WORKSPACE = {
  id: stableUuid('workspace', 1),
  name: 'Northlight Supply',
  slug: 'northlight-supply',
} as const;

/** The actor of a change. */
export interface Actor {
  type: 'workspace-member' | 'app' | 'system' | null;
  id: string | null;
}

/** A value of a record or an entry. Its further members depend on `attribute_type`. */
export interface StoredValue {
  active_from: string;
  /** Null for the current value. */
  active_until: string | null;
  created_by_actor: Actor;
  attribute_type: AttributeType;
  [member: string]: unknown;
}

/** By attribute slug: current and previous values, oldest first. */
export type Values = Record<string, StoredValue[]>;

export type AttributeType =
  | 'text'
  | 'number'
  | 'checkbox'
  | 'currency'
  | 'date'
  | 'timestamp'
  | 'rating'
  | 'status'
  | 'select'
  | 'record-reference'
  | 'actor-reference'
  | 'location'
  | 'domain'
  | 'email-address'
  | 'phone-number'
  | 'interaction'
  | 'personal-name';

/** Ids of an attribute; of a list's attributes `object_id` is the list's id. */
export interface AttributeId {
  workspace_id: string;
  object_id: string;
  attribute_id: string;
}

export interface Attribute {
  id: AttributeId;
  title: string;
  description: string | null;
  api_slug: string;
  type: AttributeType;
  is_system_attribute: boolean;
  is_writable: boolean;
  is_required: boolean;
  is_unique: boolean;
  is_multiselect: boolean;
  is_default_value_enabled: boolean;
  is_archived: boolean;
  default_value: { type: 'static'; template: Record<string, unknown>[] } | null;
  relationship: null;
  created_at: string;
  config: {
    currency: { default_currency_code: string | null; display_type: string | null };
    record_reference: { allowed_object_ids: string[] | null };
  };
}

export interface SelectOption {
  id: AttributeId & { option_id: string };
  title: string;
  is_archived: boolean;
}

export interface Status {
  id: AttributeId & { status_id: string };
  title: string;
  is_archived: boolean;
  celebration_enabled: boolean;
  target_time_in_status: string | null;
}

/** Owner of attributes. */
export interface Target {
  kind: 'objects' | 'lists';
  id: string;
  slug: string;
  attributes: Attribute[];
  /** By attribute id. */
  options: Map<string, SelectOption[]>;
  statuses: Map<string, Status[]>;
}

export interface CrmObject extends Target {
  kind: 'objects';
  isCustom: boolean;
  singular: string;
  plural: string;
  createdAt: string;
}

export interface CrmList extends Target {
  kind: 'lists';
  shown: {
    id: { workspace_id: string; list_id: string };
    api_slug: string;
    name: string;
    parent_object: string[];
    workspace_access: string | null;
    workspace_member_access: { workspace_member_id: string; level: string }[];
    created_by_actor: Actor;
    created_at: string;
  };
}

export interface CrmRecord {
  id: { workspace_id: string; object_id: string; record_id: string };
  created_at: string;
  web_url: string;
  values: Values;
}

export interface Entry {
  id: { workspace_id: string; list_id: string; entry_id: string };
  parent_record_id: string;
  /** Slug. */
  parent_object: string;
  created_at: string;
  entry_values: Values;
}

export interface Task {
  id: { workspace_id: string; task_id: string };
  content_plaintext: string;
  deadline_at: string | null;
  is_completed: boolean;
  /** `target_object_id` contains a slug, as with the provider. */
  linked_records: { target_object_id: string; target_record_id: string }[];
  assignees: { referenced_actor_type: 'workspace-member'; referenced_actor_id: string }[];
  created_by_actor: Actor;
  created_at: string;
  completed_at: string | null;
}

export interface Note {
  id: { workspace_id: string; note_id: string };
  parent_object: string;
  parent_record_id: string;
  title: string;
  meeting_id: string | null;
  content_plaintext: string;
  content_markdown: string;
  tags: never[];
  created_by_actor: Actor;
  created_at: string;
}

export interface Comment {
  id: { workspace_id: string; comment_id: string };
  thread_id: string;
  content_plaintext: string;
  entry: { entry_id: string; list_id: string } | null;
  record: { record_id: string; object_id: string };
  resolved_at: string | null;
  resolved_by: Actor;
  created_at: string;
  author: Actor;
}

export interface Meeting {
  id: { workspace_id: string; meeting_id: string };
  title: string;
  description: string;
  is_all_day: boolean;
  start: { datetime: string; timezone: string };
  end: { datetime: string; timezone: string };
  participants: { status: string; is_organizer: boolean; email_address: string; name: string | null }[];
  linked_records: { object_slug: string; object_id: string; record_id: string }[];
  created_at: string;
  created_by_actor: Actor;
}

/** Events that webhooks can be sent. */
export const WEBHOOK_EVENTS = [
  'call-recording.created',
  'comment.created',
  'comment.resolved',
  'comment.unresolved',
  'comment.deleted',
  'list.created',
  'list.updated',
  'list.deleted',
  'list-attribute.created',
  'list-attribute.updated',
  'list-entry.created',
  'list-entry.updated',
  'list-entry.deleted',
  'object-attribute.created',
  'object-attribute.updated',
  'note.created',
  'note-content.updated',
  'note.updated',
  'note.deleted',
  'record.created',
  'record.merged',
  'record.updated',
  'record.deleted',
  'task.created',
  'task.updated',
  'task.deleted',
  'workspace-member.created',
] as const;

/** A recorded call of a meeting, with what was said. */
export interface CallRecording {
  id: { workspace_id: string; meeting_id: string; call_recording_id: string };
  status: 'processing' | 'completed' | 'failed';
  web_url: string;
  created_by_actor: Actor;
  created_at: string;
  /** Empty unless completed. */
  segments: readonly { speech: string; start_time: number; end_time: number; speaker: { name: string } }[];
}

/** A file or folder of a record. */
export interface CrmFile {
  id: { workspace_id: string; file_id: string };
  object_id: string;
  object_slug: string;
  record_id: string;
  storage_provider: 'attio';
  created_by_actor: Actor;
  created_at: string;
  file_type: 'file' | 'folder';
  name: string;
  content_type: string | null;
  content_size: number | null;
  parent_folder_id: string | null;
}

export interface Webhook {
  id: { workspace_id: string; webhook_id: string };
  target_url: string;
  subscriptions: { event_type: (typeof WEBHOOK_EVENTS)[number]; filter: object | null }[];
  status: 'active' | 'degraded' | 'inactive';
  created_at: string;
}

export interface Member {
  id: { workspace_id: string; workspace_member_id: string };
  first_name: string;
  last_name: string;
  avatar_url: null;
  email_address: string;
  created_at: string;
  access_level: 'admin' | 'member' | 'suspended';
}

/** A UUID that looks random and is the same on every run. */
export function stableUuid(kind: string, key: string | number): string {
  const hex = createHash('sha256').update(`${kind}:${key}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Nine fractional digits, as the provider writes them. @param unixMs Unix milliseconds */
export function timestamp(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('Z', '000000Z');
}
