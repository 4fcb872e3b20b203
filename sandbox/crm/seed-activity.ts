/**
 * Seeds everything around the records: a list with entries, a task, a note, a comment, meetings and webhooks.
 */
import { stableUuid, timestamp, WORKSPACE, type Actor, type CrmRecord } from './model.ts';
import { addList } from './standard-objects.ts';
import { mainText } from './value-text.ts';
import { readValues } from './values.ts';
import { SYSTEM, type Workspace } from './workspace.ts';

const SEEDED_EVENTS = [
  'record.created',
  'record.updated',
  'task.created',
  'note.created',
  'comment.created',
  'list-entry.created',
] as const;

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
  seedRecordings(workspace);
  for (const [index, event] of [...SEEDED_EVENTS, ...SEEDED_EVENTS].entries()) {
    const id = { workspace_id: WORKSPACE.id, webhook_id: stableUuid('webhook', index + 1) };
    workspace.webhooks.set(id.webhook_id, {
      id,
      target_url: `https://hooks.northlight.example/${index < SEEDED_EVENTS.length ? 'crm' : 'archive'}/${event}`,
      subscriptions: [{ event_type: event, filter: null }],
      status: index === 3 ? 'degraded' : 'active',
      created_at: at(),
    });
  }
  seedFiles(workspace, marrowlight, owner, at());
}

/** The first meeting was recorded, and the second one's recording is not ready. */
function seedRecordings(workspace: Workspace): void {
  const words = [
    ['Robin Vale', 'Thank you for making time. Shall we begin with the test bench?'],
    ['Ines Duarte', 'Yes. The drawings are what we wait for.'],
    ['Robin Vale', 'You have them by the fourth of December.'],
    ['Ines Duarte', 'Then we can test before the winter tides.'],
    ['Robin Vale', 'And the budget?'],
    ['Ines Duarte', 'One hundred and twenty thousand, as agreed.'],
  ] as const;
  for (const [index, { id, created_at }] of workspace.meetings.slice(0, 2).entries()) {
    const call_recording_id = stableUuid('call recording', index + 1);
    workspace.recordings.push({
      id: { ...id, call_recording_id },
      status: index === 0 ? 'completed' : 'processing',
      web_url: `https://crm.example/${WORKSPACE.slug}/calls/${call_recording_id}`,
      created_by_actor: SYSTEM,
      created_at,
      segments:
        index > 0
          ? []
          : words.map(([name, speech], i) => ({
              speech,
              start_time: 6 * i,
              end_time: 6 * i + 5,
              speaker: { name },
            })),
    });
  }
}

/** A folder with one file, and a file next to the folder. */
function seedFiles(workspace: Workspace, { id }: CrmRecord, owner: Actor, created_at: string): void {
  const common = {
    object_id: id.object_id,
    object_slug: 'companies',
    record_id: id.record_id,
    storage_provider: 'attio' as const,
    created_by_actor: owner,
    created_at,
  };
  const fileId = (key: number) => ({ workspace_id: WORKSPACE.id, file_id: stableUuid('file', key) });
  const folder = fileId(1);
  const pdf = { file_type: 'file' as const, content_type: 'application/pdf' };
  workspace.files.push(
    {
      id: folder,
      ...common,
      file_type: 'folder',
      name: 'Contracts',
      content_type: null,
      content_size: null,
      parent_folder_id: null,
    },
    {
      id: fileId(2),
      ...common,
      ...pdf,
      name: 'Night batteries.pdf',
      content_size: 48_211,
      parent_folder_id: folder.file_id,
    },
    { id: fileId(3), ...common, ...pdf, name: 'Site plan.pdf', content_size: 91_044, parent_folder_id: null },
  );
}

function firstText({ values }: CrmRecord, slug: string): string {
  const [value] = values[slug] ?? [];
  return value === undefined ? '' : mainText(value);
}
