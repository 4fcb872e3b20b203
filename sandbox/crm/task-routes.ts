/** Tasks. */
import { Hono } from 'hono';
import { z } from 'zod';
import {
  dataOf,
  needs,
  pageOf,
  queryFlag,
  queryNumber,
  readBody,
  readQuery,
  type CrmEnv,
} from './exchange.ts';
import { timestamp, WORKSPACE, type Task } from './model.ts';
import { invalid, notFound } from './refusal.ts';
import type { Workspace } from './workspace.ts';

const MAX_CONTENT = 2000;
const ALSO = ['object_configuration:read', 'record_permission:read', 'user_management:read'];
const READ = needs('task:read', ...ALSO);
const WRITE = needs('task:read-write', ...ALSO);

const changeable = z.strictObject({
  deadline_at: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)), 'is no time')
    .nullable(),
  is_completed: z.boolean(),
  linked_records: z.array(z.strictObject({ target_object: z.string(), target_record_id: z.uuid() })),
  assignees: z.array(
    z.union([
      z.strictObject({
        referenced_actor_type: z.literal('workspace-member'),
        referenced_actor_id: z.uuid(),
      }),
      z.strictObject({ workspace_member_email_address: z.string() }),
    ]),
  ),
});

/** All six members are required. */
const createShape = dataOf(
  changeable.extend({ content: z.string().max(MAX_CONTENT), format: z.literal('plaintext') }),
);
const updateShape = dataOf(changeable.partial());

const listShape = z
  .strictObject({
    limit: queryNumber.default(500),
    offset: queryNumber.default(0),
    sort: z
      .enum(['created_at:asc', 'created_at:desc', 'completed_at:asc', 'completed_at:desc'])
      .default('created_at:asc'),
    linked_object: z.string().optional(),
    linked_record_id: z.uuid().optional(),
    assignee: z.string().optional(),
    is_completed: queryFlag.optional(),
  })
  .refine((query) => (query.linked_object === undefined) === (query.linked_record_id === undefined), {
    message: 'linked_object and linked_record_id go together',
  });

/** `/v2/tasks…` */
export function taskRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();

  routes.get('/v2/tasks', READ, (c) => {
    const query = readQuery(c, listShape);
    const tasks = [...workspace.tasks.values()].filter(
      (task) =>
        (query.is_completed === undefined || task.is_completed === query.is_completed) &&
        (query.linked_record_id === undefined ||
          task.linked_records.some(({ target_record_id }) => target_record_id === query.linked_record_id)) &&
        (query.assignee === undefined || isAssigned(workspace, task, query.assignee)),
    );
    return c.json({ data: pageOf(tasks.sort(bySort(query.sort)), query) });
  });

  routes.post('/v2/tasks', WRITE, async (c) => {
    const { data } = await readBody(c, createShape);
    const { content, format: _, ...changes } = data;
    const task: Task = {
      id: { workspace_id: WORKSPACE.id, task_id: workspace.newId() },
      content_plaintext: content,
      deadline_at: null,
      is_completed: false,
      linked_records: [],
      assignees: [],
      created_by_actor: c.get('actor'),
      created_at: workspace.now(),
      completed_at: null,
      ...membersOf(workspace, changes),
    };
    workspace.tasks.set(task.id.task_id, task);
    return c.json({ data: task });
  });

  routes.patch('/v2/tasks/:task', WRITE, async (c) => {
    const task = taskOf(workspace, c.req.param('task'));
    const { data } = await readBody(c, updateShape);
    Object.assign(task, membersOf(workspace, data));
    return c.json({ data: task });
  });

  routes.get('/v2/tasks/:task', READ, (c) => c.json({ data: taskOf(workspace, c.req.param('task')) }));
  routes.delete('/v2/tasks/:task', needs('task:read-write'), (c) => {
    workspace.tasks.delete(taskOf(workspace, c.req.param('task')).id.task_id);
    return c.json({});
  });
  return routes;
}

/** Members of a task that a request gives, in the form of answers. @throws CrmRefusal 400, 404 */
function membersOf(workspace: Workspace, given: z.infer<typeof updateShape>['data']): Partial<Task> {
  const { deadline_at: deadline, is_completed, linked_records, assignees } = given;
  return {
    ...(deadline !== undefined && {
      deadline_at: deadline === null ? null : timestamp(Date.parse(deadline)),
    }),
    ...(is_completed !== undefined && {
      is_completed,
      completed_at: is_completed ? workspace.now() : null,
    }),
    ...(linked_records !== undefined && {
      linked_records: linked_records.map(({ target_object, target_record_id }) => {
        const object = workspace.objects.find(
          ({ slug, id }) => slug === target_object || id === target_object,
        );
        if (object === undefined) throw invalid(`Tasks cannot be linked to "${target_object}".`);
        workspace.record(object, target_record_id);
        return { target_object_id: object.slug, target_record_id };
      }),
    }),
    ...(assignees !== undefined && {
      assignees: assignees.map((assignee) => ({
        referenced_actor_type: 'workspace-member' as const,
        referenced_actor_id: memberId(
          workspace,
          'referenced_actor_id' in assignee
            ? assignee.referenced_actor_id
            : assignee.workspace_member_email_address,
        ),
      })),
    }),
  };
}

function taskOf(workspace: Workspace, id: string): Task {
  const task = workspace.tasks.get(id);
  if (task === undefined) throw notFound('task', id);
  return task;
}

function memberId(workspace: Workspace, idOrEmail: string): string {
  const found = workspace.members.find(
    ({ id, email_address }) => id.workspace_member_id === idOrEmail || email_address === idOrEmail,
  );
  if (found === undefined) throw notFound('workspace member', idOrEmail);
  return found.id.workspace_member_id;
}

/** @param assignee id or e-mail address; `null` for unassigned tasks */
function isAssigned(workspace: Workspace, task: Task, assignee: string): boolean {
  if (assignee === 'null') return task.assignees.length === 0;
  const id = memberId(workspace, assignee);
  return task.assignees.some(({ referenced_actor_id }) => referenced_actor_id === id);
}

/** Open tasks come after all that are completed. */
function bySort(sort: string): (one: Task, other: Task) => number {
  const [member, direction] = sort.split(':') as ['created_at' | 'completed_at', string];
  const sign = direction === 'asc' ? 1 : -1;
  return (one, other) => {
    const [a, b] = [one[member], other[member]];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (a === b ? 0 : a < b ? -1 : 1);
  };
}
