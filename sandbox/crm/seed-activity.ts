/**
 * Seeds everything around the records: a list with entries, a task, a note, a comment, meetings and webhooks.
 */
import { stableUuid, timestamp, WORKSPACE, type Actor, type CrmRecord } from './model.ts';
import { addList } from './standard-objects.ts';
import { mainText } from './value-text.ts';
import { readValues } from './values.ts';
import { SYSTEM, type Workspace } from './workspace.ts';

const WEBHOOK_EVENTS = [
  'record.created',
  'record.updated',
  'task.created',
  'note.created',
  'comment.created',
  'list-entry.created',
];

const FIRST_MEETING = Date.UTC(2026, 4, 4, 9);
const DAY_MS = 86_400_000;

/** Records seeded before. */
export interface SeededRecords {
  people: readonly CrmRecord[];
  companies: readonly CrmRecord[];
  owner: Actor;
  /** Returns the next day. */
  at: () => string;
}

/** Adds all of it; ids are the same on every run. */
export function seedActivity(workspace: Workspace, { people, companies, owner, at }: SeededRecords): void {
  const access = { workspace_access: 'full-access', workspace_member_access: [] };
  const stage = {
    slug: 'stage',
    title: 'Stage',
    type: 'status' as const,
    statuses: ['To call', 'Called', 'Invited'],
    defaultStatus: 'To call',
  };
  const names = { name: 'Spring visits', api_slug: 'spring_visits', parent_object: ['companies'] };
  const list = addList(workspace, { ...names, ...access }, [stage], { actor: owner, at: at() });
  for (const company of companies.slice(0, 3)) {
    const made = at();
    const values = readValues(list, {}, { workspace, actor: owner, at: made }, []);
    workspace.addEntry(list, { slug: 'companies', recordId: company.id.record_id }, values, made);
  }

  const [ines] = people;
  const [marrowlight] = companies;
  if (ines === undefined || marrowlight === undefined) return;
  const task = { workspace_id: WORKSPACE.id, task_id: stableUuid('task', 1) };
  workspace.tasks.set(task.task_id, {
    id: task,
    content_plaintext: 'Send Ines the drawings of the test bench',
    deadline_at: '2026-12-04T09:00:00.000000000Z',
    is_completed: false,
    linked_records: [{ target_object_id: 'people', target_record_id: ines.id.record_id }],
    assignees: [
      { referenced_actor_type: 'workspace-member', referenced_actor_id: stableUuid('member', 'sanna') },
    ],
    created_by_actor: owner,
    created_at: at(),
    completed_at: null,
  });
  const note = { workspace_id: WORKSPACE.id, note_id: stableUuid('note', 1) };
  workspace.notes.set(note.note_id, {
    id: note,
    parent_object: 'companies',
    parent_record_id: marrowlight.id.record_id,
    title: 'Visit in Bergen',
    meeting_id: stableUuid('meeting', 1),
    content_plaintext: 'Four containers by summer. They want black, not white.',
    content_markdown: 'Four containers by summer. They want **black**, not white.',
    tags: [],
    created_by_actor: owner,
    created_at: at(),
  });
  const comment = { workspace_id: WORKSPACE.id, comment_id: stableUuid('comment', 1) };
  workspace.comments.set(comment.comment_id, {
    id: comment,
    thread_id: stableUuid('thread', 1),
    content_plaintext: 'Who sends the offer?',
    entry: null,
    record: { record_id: marrowlight.id.record_id, object_id: marrowlight.id.object_id },
    resolved_at: null,
    resolved_by: { type: null, id: null },
    created_at: at(),
    author: owner,
  });
  for (const [index, person] of people.entries()) {
    const start = FIRST_MEETING + index * DAY_MS;
    workspace.meetings.push({
      id: { workspace_id: WORKSPACE.id, meeting_id: stableUuid('meeting', index + 1) },
      title: `Call with ${firstText(person, 'name')}`,
      description: 'What they need before winter.',
      is_all_day: false,
      start: { datetime: timestamp(start), timezone: 'Europe/Oslo' },
      end: { datetime: timestamp(start + 1_800_000), timezone: 'Europe/Oslo' },
      participants: [
        {
          status: 'accepted',
          is_organizer: true,
          email_address: 'robin@northlight.example',
          name: 'Robin Vale',
        },
        {
          status: 'pending',
          is_organizer: false,
          email_address: firstText(person, 'email_addresses'),
          name: null,
        },
      ],
      linked_records: [
        { object_slug: 'people', object_id: person.id.object_id, record_id: person.id.record_id },
      ],
      created_at: timestamp(FIRST_MEETING - DAY_MS),
      created_by_actor: SYSTEM,
    });
  }
  for (const [index, event] of [...WEBHOOK_EVENTS, ...WEBHOOK_EVENTS].entries()) {
    const id = { workspace_id: WORKSPACE.id, webhook_id: stableUuid('webhook', index + 1) };
    workspace.webhooks.set(id.webhook_id, {
      id,
      target_url: `https://hooks.northlight.example/${index < WEBHOOK_EVENTS.length ? 'crm' : 'archive'}/${event}`,
      subscriptions: [{ event_type: event, filter: null }],
      status: index === 3 ? 'degraded' : 'active',
      created_at: at(),
    });
  }
}

function firstText({ values }: CrmRecord, slug: string): string {
  const [value] = values[slug] ?? [];
  return value === undefined ? '' : mainText(value);
}
