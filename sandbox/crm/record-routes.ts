/** Reading records of every object: query, search, get, values of one attribute, entries in lists. */
import { Hono } from 'hono';
import { z } from 'zod';
import { needs, pageOf, queryFlag, queryNumber, readBody, readQuery, type CrmEnv } from './exchange.ts';
import type { CrmObject, CrmRecord } from './model.ts';
import { compileFilter, compileSorts } from './query.ts';
import { invalid, valueNotFound } from './refusal.ts';
import { mainText } from './value-text.ts';
import { attributeOf, currentValues, type Workspace } from './workspace.ts';

const READ = needs('record_permission:read', 'object_configuration:read');

const count = z.int().min(0);

/** Body of record and entry queries. */
export const queryShape = z.strictObject({
  filter: z.record(z.string(), z.unknown()).default({}),
  sorts: z
    .array(
      z.strictObject({
        direction: z.enum(['asc', 'desc']),
        attribute: z.string().optional(),
        path: z.array(z.array(z.string()).length(2)).optional(),
        field: z.string().optional(),
      }),
    )
    .default([]),
  limit: count.default(500),
  offset: count.default(0),
});

const searchShape = z.strictObject({
  query: z.string().max(256),
  objects: z.array(z.string()).min(1),
  limit: z.int().min(1).max(25).default(25),
  request_as: z.union([
    z.strictObject({ type: z.literal('workspace') }),
    z.strictObject({ type: z.literal('workspace-member'), workspace_member_id: z.string() }),
    z.strictObject({ type: z.literal('workspace-member'), email_address: z.string() }),
  ]),
});

const page = { limit: queryNumber.optional(), offset: queryNumber.optional() };
const entriesShape = z.strictObject({ ...page, limit: queryNumber.pipe(z.int().max(1000)).default(100) });
const valuesShape = z.strictObject({ ...page, show_historic: queryFlag.default(false) });

/** `/v2/objects/…/records…` */
export function recordRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();

  routes.post('/v2/objects/records/search', READ, async (c) => {
    const { query, objects, limit } = await readBody(c, searchShape);
    const searched = objects.map((slug) => {
      const object = workspace.objects.find((one) => one.slug === slug || one.id === slug);
      if (object === undefined) throw valueNotFound(`There is no object "${slug}".`);
      return object;
    });
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const found = searched.flatMap((object) =>
      workspace
        .recordsOf(object)
        .filter((record) => words.every((word) => searchText(record).includes(word)))
        .map((record) => searchResult(object, record)),
    );
    return c.json({ data: found.slice(0, limit) });
  });

  routes.post('/v2/objects/:object/records/query', READ, async (c) => {
    const object = workspace.object(c.req.param('object'));
    const { filter, sorts, limit, offset } = await readBody(c, queryShape);
    const passes = compileFilter(filter, object.attributes, ['record_id']);
    const compare = compileSorts(sorts, object.attributes, ['record_id']);
    const rows = workspace.recordsOf(object).map((record) => {
      const shown = show(object, record);
      return { values: shown.values, ids: { record_id: record.id.record_id }, shown };
    });
    const found = rows.filter(passes).sort(compare);
    return c.json({ data: pageOf(found, { limit, offset }).map(({ shown }) => shown) });
  });

  routes.get('/v2/objects/:object/records/:record', READ, (c) => {
    const object = workspace.object(c.req.param('object'));
    return c.json({ data: show(object, workspace.record(object, c.req.param('record'))) });
  });

  routes.get('/v2/objects/:object/records/:record/attributes/:attribute/values', READ, (c) => {
    const object = workspace.object(c.req.param('object'));
    const record = workspace.record(object, c.req.param('record'));
    const { api_slug, type } = attributeOf(object, c.req.param('attribute'));
    const { show_historic, ...wanted } = readQuery(c, valuesShape);
    if (show_historic && type === 'interaction')
      throw invalid(`The attribute "${api_slug}" is computed and has no history (show_historic).`);
    const values = (record.values[api_slug] ?? []).filter(
      (value) => show_historic || value.active_until === null,
    );
    return c.json({ data: pageOf(values, wanted) });
  });

  routes.get('/v2/objects/:object/records/:record/entries', READ, needs('list_entry:read'), (c) => {
    const record = workspace.record(workspace.object(c.req.param('object')), c.req.param('record'));
    const entries = [...workspace.entries.values()]
      .filter((entry) => entry.parent_record_id === record.id.record_id)
      .map(({ id, created_at }) => ({
        list_id: id.list_id,
        list_api_slug: workspace.list(id.list_id).slug,
        entry_id: id.entry_id,
        created_at,
      }));
    return c.json({ data: pageOf(entries, readQuery(c, entriesShape)) });
  });
  return routes;
}

/** The record as answers have it: with its current values. */
export function show(object: CrmObject, record: CrmRecord): CrmRecord {
  return { ...record, values: currentValues(object, record.values) };
}

/** All texts that a record can be found by: names, addresses, domains, numbers. */
function searchText({ values }: CrmRecord): string {
  const slugs = [
    'name',
    'email_addresses',
    'domains',
    'phone_numbers',
    'primary_email_address',
    'user_id',
    'workspace_id',
  ];
  return slugs
    .flatMap((slug) => textsOf(values, slug))
    .join(' ')
    .toLowerCase();
}

function textsOf(values: CrmRecord['values'], slug: string): string[] {
  return (values[slug] ?? []).filter(({ active_until }) => active_until === null).map(mainText);
}

function searchResult({ slug }: CrmObject, { id, values }: CrmRecord): object {
  const title = textsOf(values, 'name')[0] ?? textsOf(values, 'user_id')[0] ?? '';
  return {
    id,
    record_text: title,
    record_image: null,
    object_slug: slug,
    ...(slug === 'people' && {
      email_addresses: textsOf(values, 'email_addresses'),
      phone_numbers: textsOf(values, 'phone_numbers'),
    }),
    ...(slug === 'companies' && { domains: textsOf(values, 'domains') }),
  };
}
