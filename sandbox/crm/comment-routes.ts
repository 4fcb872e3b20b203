/** Comments and the threads they form. */
import { Hono } from 'hono';
import { z } from 'zod';
import {
  dataOf,
  needs,
  pageOf,
  queryNumber,
  readBody,
  readQuery,
  requireScopes,
  type CrmEnv,
} from './exchange.ts';
import { entryOf } from './list-routes.ts';
import { WORKSPACE, type Comment } from './model.ts';
import { CrmRefusal, notFound, valueNotFound } from './refusal.ts';
import type { Workspace } from './workspace.ts';

const RECORDS = ['object_configuration:read', 'record_permission:read'];
const ENTRIES = ['list_configuration:read', 'list_entry:read'];

const common = {
  format: z.literal('plaintext'),
  content: z.string(),
  author: z.strictObject({ type: z.literal('workspace-member'), id: z.uuid() }),
  created_at: z.string().optional(),
};

/** Exactly one of thread, record and entry: each form rejects the members of the others. */
const createShape = dataOf(
  z.union([
    z.strictObject({ ...common, thread_id: z.uuid() }),
    z.strictObject({ ...common, record: z.strictObject({ object: z.string(), record_id: z.uuid() }) }),
    z.strictObject({ ...common, entry: z.strictObject({ list: z.string(), entry_id: z.string() }) }),
  ]),
);

const threadsShape = z
  .strictObject({
    limit: queryNumber.pipe(z.int().max(50)).default(10),
    offset: queryNumber.default(0),
    object: z.string().optional(),
    record_id: z.uuid().optional(),
    list: z.string().optional(),
    entry_id: z.uuid().optional(),
  })
  .refine((query) => (query.object === undefined) === (query.record_id === undefined), {
    message: 'object and record_id go together',
  })
  .refine((query) => (query.list === undefined) === (query.entry_id === undefined), {
    message: 'list and entry_id go together',
  });

/** The thread, record or entry of a new comment. */
type Place = Pick<Comment, 'thread_id' | 'record' | 'entry'>;

/** `/v2/comments…`, `/v2/threads` */
export function commentRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();

  routes.post('/v2/comments', needs('comment:read-write'), async (c) => {
    const { data } = await readBody(c, createShape);
    requireScopes(c, [...('record' in data ? RECORDS : []), ...('entry' in data ? ENTRIES : [])]);
    const author = workspace.members.find(({ id }) => id.workspace_member_id === data.author.id);
    if (author === undefined) throw valueNotFound(`There is no workspace member "${data.author.id}".`);
    const comment: Comment = {
      id: { workspace_id: WORKSPACE.id, comment_id: workspace.newId() },
      content_plaintext: data.content,
      resolved_at: null,
      resolved_by: { type: null, id: null },
      created_at: workspace.now(),
      author: data.author,
      ...orValueNotFound(() => placeOf(workspace, data)),
    };
    workspace.comments.set(comment.id.comment_id, comment);
    return c.json({ data: comment });
  });

  routes.get('/v2/comments/:comment', needs('comment:read'), (c) =>
    c.json({ data: commentOf(workspace, c.req.param('comment')) }),
  );

  routes.delete('/v2/comments/:comment', needs('comment:read-write'), (c) => {
    const comment = commentOf(workspace, c.req.param('comment'));
    const thread = threadOf(workspace, comment.thread_id);
    const gone = thread[0] === comment ? thread : [comment];
    for (const { id } of gone) workspace.comments.delete(id.comment_id);
    return c.json({});
  });

  routes.get('/v2/threads', needs('comment:read'), (c) => {
    const query = readQuery(c, threadsShape);
    requireScopes(c, [...(query.object ? RECORDS : []), ...(query.list ? ENTRIES : [])]);
    const comments = [...workspace.comments.values()].filter(
      ({ record, entry }) =>
        (query.record_id === undefined || (record.record_id === query.record_id && entry === null)) &&
        (query.entry_id === undefined || entry?.entry_id === query.entry_id),
    );
    const ids = [...new Set(comments.map(({ thread_id }) => thread_id))];
    return c.json({
      data: pageOf(
        ids.map((id) => shownThread(threadOf(workspace, id))),
        query,
      ),
    });
  });

  routes.get('/v2/threads/:thread', needs('comment:read'), (c) => {
    const comments = threadOf(workspace, c.req.param('thread'));
    const [head] = comments;
    if (head === undefined) throw notFound('thread', c.req.param('thread'));
    requireScopes(c, head.entry === null ? RECORDS : ENTRIES);
    return c.json({ data: shownThread(comments) });
  });
  return routes;
}

function shownThread(comments: readonly Comment[]): object {
  const [head] = comments;
  return {
    id: { workspace_id: WORKSPACE.id, thread_id: head?.thread_id },
    comments,
    created_at: head?.created_at,
  };
}

function placeOf(workspace: Workspace, data: z.infer<typeof createShape>['data']): Place {
  if ('thread_id' in data) {
    const head = threadOf(workspace, data.thread_id)[0];
    if (head === undefined) throw notFound('thread', data.thread_id);
    return { thread_id: head.thread_id, record: head.record, entry: head.entry };
  }
  const thread_id = workspace.newId();
  if ('record' in data) {
    const { record_id, object_id } = workspace.record(
      workspace.object(data.record.object),
      data.record.record_id,
    ).id;
    return { thread_id, record: { record_id, object_id }, entry: null };
  }
  const list = workspace.list(data.entry.list);
  const { id, parent_object, parent_record_id } = entryOf(workspace, list, data.entry.entry_id);
  return {
    thread_id,
    record: { record_id: parent_record_id, object_id: workspace.object(parent_object).id },
    entry: { entry_id: id.entry_id, list_id: list.id },
  };
}

function orValueNotFound(find: () => Place): Place {
  try {
    return find();
  } catch (error) {
    throw error instanceof CrmRefusal ? valueNotFound(error.message) : error;
  }
}

function commentOf(workspace: Workspace, id: string): Comment {
  const comment = workspace.comments.get(id);
  if (comment === undefined) throw notFound('comment', id);
  return comment;
}

/** Oldest first: the head, then the replies. */
function threadOf(workspace: Workspace, id: string): Comment[] {
  return [...workspace.comments.values()].filter(({ thread_id }) => thread_id === id);
}
