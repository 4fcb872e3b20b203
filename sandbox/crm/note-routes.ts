/** Notes. */
import { Hono } from 'hono';
import { z } from 'zod';
import { dataOf, needs, pageOf, queryNumber, readBody, readQuery, type CrmEnv } from './exchange.ts';
import { timestamp, WORKSPACE, type Note } from './model.ts';
import { CrmRefusal, invalid, notFound } from './refusal.ts';
import type { Workspace } from './workspace.ts';

const MAX_CONTENT = 250_000;
const READ = needs('note:read', 'object_configuration:read', 'record_permission:read');
const WRITE = needs('note:read-write', 'object_configuration:read', 'record_permission:read');

const createShape = dataOf(
  z.strictObject({
    parent_object: z.string(),
    parent_record_id: z.uuid(),
    title: z.string(),
    format: z.enum(['plaintext', 'markdown']),
    content: z.string(),
    created_at: z.string().optional(),
    meeting_id: z.uuid().nullable().optional(),
  }),
);

const updateShape = dataOf(
  z
    .strictObject({
      title: z.string().optional(),
      format: z.enum(['plaintext', 'markdown']).optional(),
      content: z.string().optional(),
    })
    .refine(({ content, format }) => content === undefined || format !== undefined, {
      message: 'content needs format',
    }),
);

const listShape = z
  .strictObject({
    limit: queryNumber.pipe(z.int().max(50)).default(10),
    offset: queryNumber.default(0),
    parent_object: z.string().optional(),
    parent_record_id: z.uuid().optional(),
  })
  .refine((query) => query.parent_record_id === undefined || query.parent_object !== undefined, {
    message: 'parent_record_id needs parent_object',
  });

/** `/v2/notes…` */
export function noteRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();

  routes.get('/v2/notes', READ, (c) => {
    const query = readQuery(c, listShape);
    const object = query.parent_object === undefined ? undefined : workspace.object(query.parent_object);
    if (object !== undefined && query.parent_record_id !== undefined)
      workspace.record(object, query.parent_record_id);
    const notes = [...workspace.notes.values()].filter(
      (note) =>
        (object === undefined || note.parent_object === object.slug) &&
        (query.parent_record_id === undefined || note.parent_record_id === query.parent_record_id),
    );
    return c.json({ data: pageOf(notes, query) });
  });

  routes.post('/v2/notes', WRITE, async (c) => {
    const { data } = await readBody(c, createShape);
    const content = contentOf(data.content, data.format);
    const object = workspace.object(data.parent_object);
    workspace.record(object, data.parent_record_id);
    const meetingId = data.meeting_id ?? null;
    if (meetingId !== null && !workspace.meetings.some(({ id }) => id.meeting_id === meetingId))
      throw notFound('meeting', meetingId);
    const at = data.created_at === undefined ? workspace.nowMs() : Date.parse(data.created_at);
    if (!(at >= 0 && at <= workspace.nowMs()))
      throw invalid('data.created_at: a time not before 1970 and not in the future is needed.');
    const note: Note = {
      id: { workspace_id: WORKSPACE.id, note_id: workspace.newId() },
      parent_object: object.slug,
      parent_record_id: data.parent_record_id,
      title: data.title,
      meeting_id: meetingId,
      ...content,
      tags: [],
      created_by_actor: c.get('actor'),
      created_at: timestamp(at),
    };
    workspace.notes.set(note.id.note_id, note);
    return c.json({ data: note });
  });

  routes.get('/v2/notes/:note', READ, (c) => c.json({ data: noteOf(workspace, c.req.param('note')) }));
  routes.patch('/v2/notes/:note', WRITE, async (c) => {
    const note = noteOf(workspace, c.req.param('note'));
    const { title, content, format } = (await readBody(c, updateShape)).data;
    Object.assign(note, {
      ...(title !== undefined && { title }),
      ...(content !== undefined && contentOf(content, format)),
    });
    return c.json({ data: note });
  });
  routes.delete('/v2/notes/:note', needs('note:read-write'), (c) => {
    workspace.notes.delete(noteOf(workspace, c.req.param('note')).id.note_id);
    return c.json({});
  });
  return routes;
}

function noteOf(workspace: Workspace, id: string): Note {
  const note = workspace.notes.get(id);
  if (note === undefined) throw notFound('note', id);
  return note;
}

/** @throws CrmRefusal 413 */
function contentOf(
  content: string,
  format: 'plaintext' | 'markdown' | undefined,
): Pick<Note, 'content_plaintext' | 'content_markdown'> {
  if (content.length > MAX_CONTENT)
    throw new CrmRefusal(413, 'validation_type', `A note holds ${MAX_CONTENT} characters at most.`);
  return {
    content_plaintext: format === 'markdown' ? withoutMarks(content) : content,
    content_markdown: content,
  };
}

/** Markdown without the marks that notes use: headings, lists, emphasis, links. */
function withoutMarks(markdown: string): string {
  return markdown
    .replaceAll(/^(?:#{1,6}|[-*+]|>|\d+\.)\s+/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(\*\*|__|[*_`])(.+?)\1/g, '$2');
}
