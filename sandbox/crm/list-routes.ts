/** Lists and their entries. */
import { Hono } from 'hono';
import { z } from 'zod';
import { dataOf, needs, pageOf, readBody, type CrmEnv } from './exchange.ts';
import type { CrmList, Entry } from './model.ts';
import { compileFilter, compileSorts } from './query.ts';
import { queryShape } from './record-routes.ts';
import { CrmRefusal, invalid, notFound, valueNotFound } from './refusal.ts';
import { addList } from './standard-objects.ts';
import { readValues } from './values.ts';
import { currentValues, type Workspace } from './workspace.ts';

const READ_LIST = needs('list_configuration:read');
const READ = needs('list_entry:read', 'list_configuration:read');
const WRITE = needs('list_entry:read-write', 'list_configuration:read');

const level = z.enum(['full-access', 'read-and-write', 'read-only']);
const listShape = dataOf(
  z.strictObject({
    name: z.string(),
    api_slug: z.string().regex(/^[a-z0-9_-]+$/),
    parent_object: z.string(),
    workspace_access: level.nullable(),
    workspace_member_access: z.array(z.strictObject({ workspace_member_id: z.string(), level })),
  }),
);
const entryShape = dataOf(
  z.strictObject({
    parent_record_id: z.uuid(),
    parent_object: z.string(),
    entry_values: z.record(z.string(), z.unknown()),
  }),
);

/** `/v2/lists…` */
export function listRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();
  routes.get('/v2/lists', READ_LIST, (c) => c.json({ data: workspace.lists.map(({ shown }) => shown) }));
  routes.get('/v2/lists/:list', READ_LIST, (c) =>
    c.json({ data: workspace.list(c.req.param('list')).shown }),
  );

  routes.post('/v2/lists', needs('list_configuration:read-write'), async (c) => {
    const { data } = await readBody(c, listShape);
    const { slug } = workspace.object(data.parent_object);
    for (const { workspace_member_id: id } of data.workspace_member_access)
      if (!workspace.members.some((member) => member.id.workspace_member_id === id))
        throw valueNotFound(`There is no workspace member "${id}".`);
    const grants = [data.workspace_access, ...data.workspace_member_access.map((access) => access.level)];
    if (!grants.includes('full-access'))
      throw invalid('Somebody needs full-access: the workspace or one member.');
    if (workspace.lists.some((list) => list.slug === data.api_slug))
      throw new CrmRefusal(409, 'slug_conflict', `The slug "${data.api_slug}" is taken.`);
    const list = addList(workspace, { ...data, parent_object: [slug] }, [], {
      actor: c.get('actor'),
      at: workspace.now(),
    });
    return c.json({ data: list.shown });
  });

  routes.post('/v2/lists/:list/entries/query', READ, async (c) => {
    const list = workspace.list(c.req.param('list'));
    const { filter, sorts, limit, offset } = await readBody(c, queryShape);
    const ids = ['entry_id', 'parent_record_id'];
    const passes = compileFilter(filter, list.attributes, ids);
    const compare = compileSorts(sorts, list.attributes, ids);
    const rows = workspace.entriesOf(list).map((entry) => {
      const shown = show(list, entry);
      const { entry_id } = entry.id;
      return {
        values: shown.entry_values,
        ids: { entry_id, parent_record_id: entry.parent_record_id },
        shown,
      };
    });
    const found = rows.filter(passes).sort(compare);
    return c.json({ data: pageOf(found, { limit, offset }).map(({ shown }) => shown) });
  });

  routes.post('/v2/lists/:list/entries', WRITE, async (c) => {
    const list = workspace.list(c.req.param('list'));
    const { data } = await readBody(c, entryShape);
    const object = workspace.objects.find(
      ({ slug, id }) => slug === data.parent_object || id === data.parent_object,
    );
    if (object === undefined || !list.shown.parent_object.includes(object.slug))
      throw valueNotFound(
        `The list "${list.slug}" holds records of ${list.shown.parent_object.join(', ')} only.`,
      );
    if (workspace.records.get(data.parent_record_id)?.id.object_id !== object.id)
      throw valueNotFound(`There is no record "${data.parent_record_id}" of "${object.slug}".`);
    const at = workspace.now();
    const others = workspace.entriesOf(list).map(({ entry_values }) => entry_values);
    const values = readValues(list, data.entry_values, { workspace, actor: c.get('actor'), at }, others);
    const parent = { slug: object.slug, recordId: data.parent_record_id };
    return c.json({ data: show(list, workspace.addEntry(list, parent, values, at)) });
  });

  routes.get('/v2/lists/:list/entries/:entry', READ, (c) => {
    const list = workspace.list(c.req.param('list'));
    return c.json({ data: show(list, entryOf(workspace, list, c.req.param('entry'))) });
  });

  routes.delete('/v2/lists/:list/entries/:entry', WRITE, (c) => {
    const entry = entryOf(workspace, workspace.list(c.req.param('list')), c.req.param('entry'));
    workspace.deleteEntry(entry.id.entry_id);
    return c.json({});
  });
  return routes;
}

/** @throws CrmRefusal 404 */
export function entryOf(workspace: Workspace, list: CrmList, id: string): Entry {
  const found = workspace.entries.get(id);
  if (found?.id.list_id !== list.id) throw notFound('entry', id);
  return found;
}

function show(list: CrmList, entry: Entry): Entry {
  return { ...entry, entry_values: currentValues(list, entry.entry_values) };
}
