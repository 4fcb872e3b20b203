/** Lists and their entries. */
import { Hono, type Context } from 'hono';
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
import type { CrmList, CrmObject, Entry, Values } from './model.ts';
import { compileFilter, compileSorts } from './query.ts';
import { queryShape } from './record-routes.ts';
import { CrmRefusal, invalid, notFound, valueNotFound } from './refusal.ts';
import { addList } from './standard-objects.ts';
import { changedValues, readValues, type Writer } from './values.ts';
import { attributeOf, currentValues, type Workspace } from './workspace.ts';

const READ_LIST = needs('list_configuration:read');
const READ = needs('list_entry:read', 'list_configuration:read');
const WRITE = needs('list_entry:read-write', 'list_configuration:read');

const level = z.enum(['full-access', 'read-and-write', 'read-only']);
const listMembers = z.strictObject({
  name: z.string(),
  api_slug: z.string().regex(/^[a-z0-9_-]+$/),
  parent_object: z.string(),
  workspace_access: level.nullable(),
  workspace_member_access: z.array(z.strictObject({ workspace_member_id: z.string(), level })),
});
const listShape = dataOf(listMembers);
const listUpdateShape = dataOf(listMembers.omit({ parent_object: true }).partial());
const entryUpdateShape = dataOf(z.strictObject({ entry_values: z.record(z.string(), z.unknown()) }));
const valuesShape = z.strictObject({
  show_historic: queryFlag.default(false),
  limit: queryNumber.optional(),
  offset: queryNumber.optional(),
});
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
    refuseWrongList(workspace, data);
    const list = addList(workspace, { ...data, parent_object: [slug] }, [], {
      actor: c.get('actor'),
      at: workspace.now(),
    });
    return c.json({ data: list.shown });
  });

  routes.patch('/v2/lists/:list', needs('list_configuration:read-write'), async (c) => {
    const list = workspace.list(c.req.param('list'));
    const { data } = await readBody(c, listUpdateShape);
    const changed = Object.assign({ ...list.shown }, data);
    refuseWrongList(workspace, changed, list);
    list.slug = changed.api_slug;
    list.shown = changed;
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

  const add = (list: CrmList, data: NewEntry, writer: Writer): Entry => {
    const { slug } = parentOf(workspace, list, data);
    const values = readValues(list, data.entry_values, writer, valuesBeside(workspace, list));
    return workspace.addEntry(list, { slug, recordId: data.parent_record_id }, values, writer.at);
  };
  const writerOf = (c: Context<CrmEnv>): Writer => ({
    workspace,
    actor: c.get('actor'),
    at: workspace.now(),
  });

  routes.post('/v2/lists/:list/entries', WRITE, async (c) => {
    const list = workspace.list(c.req.param('list'));
    const { data } = await readBody(c, entryShape);
    return c.json({ data: show(list, add(list, data, writerOf(c))) });
  });

  routes.put('/v2/lists/:list/entries', WRITE, async (c) => {
    const list = workspace.list(c.req.param('list'));
    const { data } = await readBody(c, entryShape);
    const [entry, ...more] = workspace
      .entriesOf(list)
      .filter(({ parent_record_id }) => parent_record_id === data.parent_record_id);
    if (more.length > 0)
      throw new CrmRefusal(400, 'multiple_match_results', 'The record is in the list more than once.');
    if (entry === undefined) return c.json({ data: show(list, add(list, data, writerOf(c))) });
    parentOf(workspace, list, data);
    entry.entry_values = changedValues(list, entry.entry_values, data.entry_values, writerOf(c), {
      mode: () => 'replace',
      others: valuesBeside(workspace, list, entry),
    });
    return c.json({ data: show(list, entry) });
  });

  for (const [method, mode] of [
    ['PATCH', 'add'],
    ['PUT', 'replace'],
  ] as const)
    routes.on(method, '/v2/lists/:list/entries/:entry', WRITE, async (c) => {
      const list = workspace.list(c.req.param('list'));
      const entry = entryOf(workspace, list, c.req.param('entry'));
      const { data } = await readBody(c, entryUpdateShape);
      entry.entry_values = changedValues(list, entry.entry_values, data.entry_values, writerOf(c), {
        mode: () => mode,
        others: valuesBeside(workspace, list, entry),
      });
      return c.json({ data: show(list, entry) });
    });

  routes.get('/v2/lists/:list/entries/:entry/attributes/:attribute/values', READ, (c) => {
    const list = workspace.list(c.req.param('list'));
    const { entry_values } = entryOf(workspace, list, c.req.param('entry'));
    const { api_slug } = attributeOf(list, c.req.param('attribute'));
    const { show_historic, ...wanted } = readQuery(c, valuesShape);
    const values = (entry_values[api_slug] ?? []).filter(
      ({ active_until }) => show_historic || active_until === null,
    );
    return c.json({ data: pageOf(values, wanted) });
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

type NewEntry = z.infer<typeof entryShape>['data'];

/** The object of the record of an entry. @throws CrmRefusal 400 for one that the list does not hold */
function parentOf(workspace: Workspace, list: CrmList, data: NewEntry): CrmObject {
  const object = workspace.objects.find(
    ({ slug, id }) => slug === data.parent_object || id === data.parent_object,
  );
  if (object === undefined || !list.shown.parent_object.includes(object.slug))
    throw valueNotFound(
      `The list "${list.slug}" holds records of ${list.shown.parent_object.join(', ')} only.`,
    );
  if (workspace.records.get(data.parent_record_id)?.id.object_id !== object.id)
    throw valueNotFound(`There is no record "${data.parent_record_id}" of "${object.slug}".`);
  return object;
}

function valuesBeside(workspace: Workspace, list: CrmList, entry?: Entry): Values[] {
  return workspace.entriesOf(list).flatMap((other) => (other === entry ? [] : [other.entry_values]));
}

/** @param own the list itself where it exists already. @throws CrmRefusal 400, 409 */
function refuseWrongList(
  workspace: Workspace,
  list: Pick<CrmList['shown'], 'api_slug' | 'workspace_access' | 'workspace_member_access'>,
  own?: CrmList,
): void {
  for (const { workspace_member_id: id } of list.workspace_member_access)
    if (!workspace.members.some((member) => member.id.workspace_member_id === id))
      throw valueNotFound(`There is no workspace member "${id}".`);
  const grants = [list.workspace_access, ...list.workspace_member_access.map((access) => access.level)];
  if (!grants.includes('full-access'))
    throw invalid('Somebody needs full-access: the workspace or one member.');
  if (workspace.lists.some((other) => other !== own && other.slug === list.api_slug))
    throw new CrmRefusal(409, 'slug_conflict', `The slug "${list.api_slug}" is taken.`);
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
