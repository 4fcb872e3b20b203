/** Options of select attributes, and statuses of status attributes. */
import { Hono } from 'hono';
import { z } from 'zod';
import { dataOf, needs, readBody, type CrmEnv } from './exchange.ts';
import { stableUuid, type AttributeId, type SelectOption, type Status } from './model.ts';
import { CrmRefusal, notFound } from './refusal.ts';
import { attributeOf, type Workspace } from './workspace.ts';

const title = z.string().min(1);
const duration = z.string().startsWith('P').nullable();

const optionShape = dataOf(z.strictObject({ title }));
const optionChanges = dataOf(z.strictObject({ title, is_archived: z.boolean() }).partial());
const statusShape = dataOf(
  z.strictObject({
    title,
    celebration_enabled: z.boolean().default(false),
    target_time_in_status: duration.default(null),
  }),
);
const statusChanges = dataOf(
  z
    .strictObject({
      title,
      celebration_enabled: z.boolean(),
      target_time_in_status: duration,
      is_archived: z.boolean(),
    })
    .partial(),
);

/** `/v2/{objects,lists}/…/attributes/…/{options,statuses}…` */
export function optionRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();
  for (const kind of ['objects', 'lists'] as const) {
    const scope = kind === 'objects' ? 'object_configuration' : 'list_configuration';
    const [read, write] = [needs(`${scope}:read`), needs(`${scope}:read-write`)];
    const base = `/v2/${kind}/:identifier/attributes/:attribute` as const;

    /** @throws CrmRefusal 404 for an attribute of another type */
    const attributeId = (identifier: string, slug: string, type: 'select' | 'status'): AttributeId => {
      const attribute = attributeOf(workspace.target(kind, identifier), slug);
      if (attribute.type !== type) throw notFound(`${type} attribute`, attribute.api_slug);
      return attribute.id;
    };
    const optionsOf = (identifier: string, slug: string): { id: AttributeId; options: SelectOption[] } => {
      const id = attributeId(identifier, slug, 'select');
      return { id, options: kept(workspace.target(kind, identifier).options, id) };
    };
    const statusesOf = (identifier: string, slug: string): { id: AttributeId; statuses: Status[] } => {
      const id = attributeId(identifier, slug, 'status');
      return { id, statuses: kept(workspace.target(kind, identifier).statuses, id) };
    };

    routes.get(`${base}/options`, read, (c) =>
      c.json({ data: optionsOf(c.req.param('identifier'), c.req.param('attribute')).options }),
    );
    routes.post(`${base}/options`, write, async (c) => {
      const { id, options } = optionsOf(c.req.param('identifier'), c.req.param('attribute'));
      const { data } = await readBody(c, optionShape);
      refuseTaken(options, data.title);
      const option_id = stableUuid('option', `${id.attribute_id}/${data.title}`);
      const option = { id: { ...id, option_id }, ...data, is_archived: false };
      options.push(option);
      return c.json({ data: option });
    });
    routes.patch(`${base}/options/:option`, write, async (c) => {
      const { options } = optionsOf(c.req.param('identifier'), c.req.param('attribute'));
      const named = c.req.param('option');
      const option = options.find((one) => one.title === named || one.id.option_id === named);
      if (option === undefined) throw notFound('option', named);
      const { data } = await readBody(c, optionChanges);
      refuseTaken(options, data.title, option);
      return c.json({ data: Object.assign(option, data) });
    });

    routes.get(`${base}/statuses`, read, (c) =>
      c.json({ data: statusesOf(c.req.param('identifier'), c.req.param('attribute')).statuses }),
    );
    routes.post(`${base}/statuses`, write, async (c) => {
      const { id, statuses } = statusesOf(c.req.param('identifier'), c.req.param('attribute'));
      const { data } = await readBody(c, statusShape);
      refuseTaken(statuses, data.title);
      const status_id = stableUuid('status', `${id.attribute_id}/${data.title}`);
      const status = { id: { ...id, status_id }, ...data, is_archived: false };
      statuses.push(status);
      return c.json({ data: status });
    });
    routes.patch(`${base}/statuses/:status`, write, async (c) => {
      const { statuses } = statusesOf(c.req.param('identifier'), c.req.param('attribute'));
      const named = c.req.param('status');
      const status = statuses.find((one) => one.title === named || one.id.status_id === named);
      if (status === undefined) throw notFound('status', named);
      const { data } = await readBody(c, statusChanges);
      refuseTaken(statuses, data.title, status);
      return c.json({ data: Object.assign(status, data) });
    });
  }
  return routes;
}

/** The list of an attribute, made where it has none yet. */
function kept<Choice>(byAttribute: Map<string, Choice[]>, { attribute_id }: AttributeId): Choice[] {
  const found = byAttribute.get(attribute_id) ?? [];
  byAttribute.set(attribute_id, found);
  return found;
}

/** @throws CrmRefusal 409 */
function refuseTaken(
  choices: readonly { title: string }[],
  wanted: string | undefined,
  own?: { title: string },
): void {
  if (choices.some((choice) => choice !== own && choice.title === wanted))
    throw new CrmRefusal(409, 'slug_conflict', `There is "${wanted}" already.`);
}
