/**
 * The state of one stand-in CRM, kept in memory. Contains the rules for every change: lookup by slug or id,
 * and what is deleted together with a record.
 */
import type { Clock } from '../../src/core/clock.ts';
import type {
  Actor,
  Attribute,
  AttributeType,
  CallRecording,
  Comment,
  CrmFile,
  CrmList,
  CrmObject,
  CrmRecord,
  Entry,
  Meeting,
  Member,
  Note,
  Target,
  Task,
  Values,
  Webhook,
} from './model.ts';
import { stableUuid, timestamp, WORKSPACE } from './model.ts';
import { notFound } from './refusal.ts';

/** An attribute as described by seeds and requests. */
export interface NewAttribute {
  slug: string;
  title: string;
  type: AttributeType;
  description?: string | null;
  isSystem?: boolean;
  isRequired?: boolean;
  isUnique?: boolean;
  isMultiselect?: boolean;
  /** Titles, for `select`. */
  options?: readonly string[];
  /** Titles, for `status`. */
  statuses?: readonly string[];
  currency?: { default_currency_code: string; display_type: string };
  /** Ids of objects, for `record-reference`; every object if absent. */
  allowedObjectIds?: string[];
  /** Title of the status for records that name none. */
  defaultStatus?: string;
}

/** All data of one CRM. */
export class Workspace {
  readonly objects: CrmObject[] = [];
  readonly lists: CrmList[] = [];
  readonly members: Member[] = [];
  readonly meetings: Meeting[] = [];
  readonly recordings: CallRecording[] = [];
  readonly files: CrmFile[] = [];
  readonly webhooks = new Map<string, Webhook>();
  readonly records = new Map<string, CrmRecord>();
  readonly entries = new Map<string, Entry>();
  readonly tasks = new Map<string, Task>();
  readonly notes = new Map<string, Note>();
  readonly comments = new Map<string, Comment>();
  readonly #clock: Clock;
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Current time in the form of answers. */
  now(): string {
    return timestamp(this.#clock.now());
  }

  nowMs(): number {
    return this.#clock.now();
  }

  newId(): string {
    return stableUuid('created', ++this.#created);
  }

  /** @throws CrmRefusal 404 */
  object(slugOrId: string): CrmObject {
    const found = this.objects.find(({ slug, id }) => slug === slugOrId || id === slugOrId);
    if (found === undefined) throw notFound('object', slugOrId);
    return found;
  }

  /** @throws CrmRefusal 404 */
  list(slugOrId: string): CrmList {
    const found = this.lists.find(({ slug, id }) => slug === slugOrId || id === slugOrId);
    if (found === undefined) throw notFound('list', slugOrId);
    return found;
  }

  /** Returns an object or a list for the parts of a path. @throws CrmRefusal 404 */
  target(kind: string, slugOrId: string): Target {
    if (kind === 'objects') return this.object(slugOrId);
    if (kind === 'lists') return this.list(slugOrId);
    throw notFound('kind of target', kind);
  }

  /** @throws CrmRefusal 404 */
  record(object: CrmObject, id: string): CrmRecord {
    const found = this.records.get(id);
    if (found?.id.object_id !== object.id) throw notFound('record', id);
    return found;
  }

  recordsOf(object: CrmObject): CrmRecord[] {
    return [...this.records.values()].filter(({ id }) => id.object_id === object.id);
  }

  entriesOf(list: CrmList): Entry[] {
    return [...this.entries.values()].filter(({ id }) => id.list_id === list.id);
  }

  addRecord(object: CrmObject, values: Values, at: string, id: string = this.newId()): CrmRecord {
    const record: CrmRecord = {
      id: { workspace_id: WORKSPACE.id, object_id: object.id, record_id: id },
      created_at: at,
      web_url: `https://crm.example/${WORKSPACE.slug}/${object.slug}/record/${id}`,
      values,
    };
    this.records.set(id, record);
    return record;
  }

  addEntry(list: CrmList, parent: { slug: string; recordId: string }, values: Values, at: string): Entry {
    const id = this.newId();
    const entry: Entry = {
      id: { workspace_id: WORKSPACE.id, list_id: list.id, entry_id: id },
      parent_record_id: parent.recordId,
      parent_object: parent.slug,
      created_at: at,
      entry_values: values,
    };
    this.entries.set(id, entry);
    return entry;
  }

  /** Deletes it with its notes, its entries and their comments; tasks and references to it lose the link. */
  deleteRecord(id: string): void {
    this.records.delete(id);
    deleteWhere(this.notes, (note) => note.parent_record_id === id);
    deleteWhere(this.entries, (entry) => entry.parent_record_id === id);
    deleteWhere(this.comments, (comment) => comment.record.record_id === id);
    for (const task of this.tasks.values())
      task.linked_records = task.linked_records.filter((link) => link.target_record_id !== id);
    for (const meeting of this.meetings)
      meeting.linked_records = meeting.linked_records.filter((link) => link.record_id !== id);
    for (const { values } of this.records.values())
      for (const [slug, kept] of Object.entries(values))
        values[slug] = kept.filter((value) => value.target_record_id !== id);
  }

  /**
   * Replaces two records by a new one, which has the values of both, those of `primary` where there is one place only,
   * and everything that belonged to them.
   */
  mergeRecords(object: CrmObject, primary: CrmRecord, secondary: CrmRecord): CrmRecord {
    const old = [primary.id.record_id, secondary.id.record_id];
    const values = Object.fromEntries(
      object.attributes.map(({ api_slug, is_multiselect }) => {
        const [own = [], other = []] = [primary, secondary].map((record) => record.values[api_slug]);
        return [api_slug, is_multiselect ? [...own, ...other] : own.length > 0 ? own : other];
      }),
    );
    const { record_id } = this.addRecord(object, values, this.now()).id;
    const moved = <Key extends string>(holder: Record<Key, unknown>, key: Key): void => {
      if (old.includes(String(holder[key]))) holder[key] = record_id;
    };
    for (const note of this.notes.values()) moved(note, 'parent_record_id');
    for (const entry of this.entries.values()) moved(entry, 'parent_record_id');
    for (const { record } of this.comments.values()) moved(record, 'record_id');
    for (const task of this.tasks.values())
      for (const link of task.linked_records) moved(link, 'target_record_id');
    for (const meeting of this.meetings) for (const link of meeting.linked_records) moved(link, 'record_id');
    for (const record of this.records.values())
      for (const value of Object.values(record.values).flat())
        if (old.includes(String(value.target_record_id))) value.target_record_id = record_id;
    for (const id of old) this.records.delete(id);
    return this.record(object, record_id);
  }

  deleteEntry(id: string): void {
    this.entries.delete(id);
    deleteWhere(this.comments, (comment) => comment.entry?.entry_id === id);
  }

  /** Values are stored under the slug of their attribute. */
  renameValues(target: Target, before: string, after: string): void {
    const all: Values[] = [
      ...[...this.records.values()]
        .filter(({ id }) => id.object_id === target.id)
        .map(({ values }) => values),
      ...[...this.entries.values()]
        .filter(({ id }) => id.list_id === target.id)
        .map(({ entry_values }) => entry_values),
    ];
    for (const values of all) {
      const { [before]: moved } = values;
      delete values[before];
      if (moved !== undefined) values[after] = moved;
    }
  }

  addAttribute(target: Target, seed: NewAttribute, at: string): Attribute {
    const id = {
      workspace_id: WORKSPACE.id,
      object_id: target.id,
      attribute_id: stableUuid('attribute', `${target.id}/${seed.slug}`),
    };
    const { options = [], currency } = seed;
    const statuses = (seed.statuses ?? []).map((title, index) => ({
      id: { ...id, status_id: stableUuid('status', `${id.attribute_id}/${title}`) },
      title,
      is_archived: false,
      celebration_enabled: title.startsWith('Won'),
      target_time_in_status: index === 0 ? 'P0Y0M14DT0H0M0S' : null,
    }));
    const status = statuses.find(({ title }) => title === seed.defaultStatus);
    const attribute: Attribute = {
      id,
      title: seed.title,
      description: seed.description ?? null,
      api_slug: seed.slug,
      type: seed.type,
      is_system_attribute: seed.isSystem ?? false,
      is_writable: seed.isSystem !== true,
      is_required: seed.isRequired ?? false,
      is_unique: seed.isUnique ?? false,
      is_multiselect: seed.isMultiselect ?? false,
      is_default_value_enabled: status !== undefined,
      is_archived: false,
      default_value:
        status === undefined ? null : { type: 'static', template: [{ status, attribute_type: 'status' }] },
      relationship: null,
      created_at: at,
      config: {
        currency: currency ?? { default_currency_code: null, display_type: null },
        record_reference: { allowed_object_ids: seed.allowedObjectIds ?? null },
      },
    };
    target.attributes.push(attribute);
    target.options.set(
      id.attribute_id,
      options.map((title) => ({
        id: { ...id, option_id: stableUuid('option', `${id.attribute_id}/${title}`) },
        title,
        is_archived: false,
      })),
    );
    target.statuses.set(id.attribute_id, statuses);
    return attribute;
  }
}

/** Actor of everything that the system itself does. */
export const SYSTEM: Actor = { type: 'system', id: null };

/** @param row its attribute of that slug or id. @throws CrmRefusal 404 */
export function attributeOf(target: Target, slugOrId: string): Attribute {
  const found = target.attributes.find(
    ({ api_slug, id }) => api_slug === slugOrId || id.attribute_id === slugOrId,
  );
  if (found === undefined) throw notFound('attribute', slugOrId);
  return found;
}

/** Only the current values, with an empty list for every attribute without one. */
export function currentValues(target: Target, values: Values): Values {
  return Object.fromEntries(
    target.attributes.map(({ api_slug }) => [
      api_slug,
      (values[api_slug] ?? []).filter(({ active_until }) => active_until === null),
    ]),
  );
}

function deleteWhere<Value>(kept: Map<string, Value>, isGone: (value: Value) => boolean): void {
  for (const [id, value] of kept) if (isGone(value)) kept.delete(id);
}
