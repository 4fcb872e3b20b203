/** Writing records of every object: create, change, create or change by a unique attribute, merge, delete. */
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { dataOf, needs, readBody, readQuery, type CrmEnv } from './exchange.ts';
import type { CrmObject, CrmRecord, Values } from './model.ts';
import { CrmRefusal, invalid } from './refusal.ts';
import { show } from './record-routes.ts';
import { mainText } from './value-text.ts';
import { changedValues, readValues, type Writer } from './values.ts';
import { attributeOf, type Workspace } from './workspace.ts';

const WRITE = needs('record_permission:read-write', 'object_configuration:read');

const valuesShape = dataOf(z.strictObject({ values: z.record(z.string(), z.unknown()) }));
const upsertShape = z.strictObject({ matching_attribute: z.string().min(1) });
const mergeShape = dataOf(z.strictObject({ primary_record_id: z.uuid(), secondary_record_id: z.uuid() }));

/** `/v2/objects/…/records…` */
export function recordWriteRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();
  const writerOf = (c: Context<CrmEnv>): Writer => ({
    workspace,
    actor: c.get('actor'),
    at: workspace.now(),
  });
  const valuesBeside = (object: CrmObject, record?: CrmRecord): Values[] =>
    workspace.recordsOf(object).flatMap((other) => (other === record ? [] : [other.values]));

  const create = (object: CrmObject, values: Record<string, unknown>, writer: Writer): CrmRecord => {
    const stored = readValues(object, values, writer, valuesBeside(object));
    return workspace.addRecord(object, stored, writer.at);
  };

  routes.post('/v2/objects/:object/records', WRITE, async (c) => {
    const object = workspace.object(c.req.param('object'));
    const { data } = await readBody(c, valuesShape);
    return c.json({ data: show(object, create(object, data.values, writerOf(c))) });
  });

  routes.put('/v2/objects/:object/records', WRITE, async (c) => {
    const object = workspace.object(c.req.param('object'));
    const { matching_attribute } = readQuery(c, upsertShape);
    const { data } = await readBody(c, valuesShape);
    const { api_slug, is_unique, id } = attributeOf(object, matching_attribute);
    if (!is_unique) throw invalid(`The attribute "${api_slug}" is not unique (matching_attribute).`);
    const key = [api_slug, id.attribute_id].find((name) => Object.hasOwn(data.values, name));
    if (key === undefined) throw invalid(`The values have none of "${api_slug}" (matching_attribute).`);
    const writer = writerOf(c);
    const given = changedValues(object, {}, { [key]: data.values[key] }, writer, {
      mode: () => 'replace',
      others: [],
    });
    const wanted = new Set((given[api_slug] ?? []).map(mainText));
    const found = workspace
      .recordsOf(object)
      .filter(({ values }) =>
        (values[api_slug] ?? []).some((value) => value.active_until === null && wanted.has(mainText(value))),
      );
    if (found.length > 1)
      throw new CrmRefusal(
        400,
        'multiple_match_results',
        `${found.length} records have one of these values.`,
      );
    const [record] = found;
    if (record === undefined) return c.json({ data: show(object, create(object, data.values, writer)) });
    record.values = changedValues(object, record.values, data.values, writer, {
      mode: (slug) => (slug === api_slug ? 'add' : 'replace'),
      others: valuesBeside(object, record),
    });
    return c.json({ data: show(object, record) });
  });

  for (const [method, mode] of [
    ['PATCH', 'add'],
    ['PUT', 'replace'],
  ] as const)
    routes.on(method, '/v2/objects/:object/records/:record', WRITE, async (c) => {
      const object = workspace.object(c.req.param('object'));
      const record = workspace.record(object, c.req.param('record'));
      const { data } = await readBody(c, valuesShape);
      record.values = changedValues(object, record.values, data.values, writerOf(c), {
        mode: () => mode,
        others: valuesBeside(object, record),
      });
      return c.json({ data: show(object, record) });
    });

  routes.post('/v2/objects/:object/records/merge', WRITE, async (c) => {
    const object = workspace.object(c.req.param('object'));
    const { data } = await readBody(c, mergeShape);
    if (data.primary_record_id === data.secondary_record_id)
      throw new CrmRefusal(400, 'self_merge', 'A record cannot be merged with itself.');
    const primary = workspace.record(object, data.primary_record_id);
    const secondary = workspace.record(object, data.secondary_record_id);
    const merged = workspace.mergeRecords(object, primary, secondary);
    return c.json({ data: { new_record_id: merged.id.record_id } }, 202);
  });

  routes.delete('/v2/objects/:object/records/:record', WRITE, (c) => {
    const record = workspace.record(workspace.object(c.req.param('object')), c.req.param('record'));
    workspace.deleteRecord(record.id.record_id);
    return c.json({});
  });
  return routes;
}
