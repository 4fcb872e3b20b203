/** Objects and their attributes, and those of lists. */
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
import { WORKSPACE, type Attribute, type CrmObject, type Target } from './model.ts';
import { CrmRefusal, invalid } from './refusal.ts';
import { addObject } from './standard-objects.ts';
import { attributeOf, type Workspace } from './workspace.ts';

const MAX_CUSTOM_OBJECTS = 12;
const READ = needs('object_configuration:read');
const WRITE = needs('object_configuration:read-write');

const objectShape = dataOf(
  z.strictObject({
    api_slug: z.string().regex(/^[a-z0-9_]+$/),
    singular_noun: z.string().min(1),
    plural_noun: z.string().min(1),
  }),
);

const attributeMembers = z.strictObject({
  title: z.string(),
  description: z.string().nullable(),
  api_slug: z.string().min(1),
  type: z.enum([
    'text',
    'number',
    'checkbox',
    'currency',
    'date',
    'timestamp',
    'rating',
    'status',
    'select',
    'record-reference',
    'actor-reference',
    'location',
    'domain',
    'email-address',
    'phone-number',
  ]),
  is_required: z.boolean(),
  is_unique: z.boolean(),
  is_multiselect: z.boolean(),
  default_value: z.null().optional(),
  relationship: z.null().optional(),
  config: z.object({
    currency: z.object({ default_currency_code: z.string().length(3), display_type: z.string() }).optional(),
    record_reference: z.object({ allowed_objects: z.array(z.string()).min(1) }).optional(),
  }),
});
const attributeShape = dataOf(attributeMembers);

const attributeUpdateShape = dataOf(
  attributeMembers.omit({ type: true, is_multiselect: true }).extend({ is_archived: z.boolean() }).partial(),
);
const pageShape = z.strictObject({
  limit: queryNumber.optional(),
  offset: queryNumber.optional(),
  show_archived: queryFlag.optional(),
});

/** `/v2/objects` and `/v2/{objects,lists}/…/attributes…` */
export function schemaRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();
  routes.get('/v2/objects', READ, (c) => c.json({ data: workspace.objects.map(show) }));
  routes.get('/v2/objects/:object', READ, (c) =>
    c.json({ data: show(workspace.object(c.req.param('object'))) }),
  );

  routes.post('/v2/objects', WRITE, async (c) => {
    const { data } = await readBody(c, objectShape);
    if (workspace.objects.some(({ slug }) => slug === data.api_slug)) throw slugConflict(data.api_slug);
    if (workspace.objects.filter(({ isCustom }) => isCustom).length >= MAX_CUSTOM_OBJECTS)
      throw new CrmRefusal(
        400,
        'quota_exceeded',
        `This workspace holds ${MAX_CUSTOM_OBJECTS} custom objects at most.`,
      );
    const names = {
      slug: data.api_slug,
      singular: data.singular_noun,
      plural: data.plural_noun,
      isCustom: true,
    };
    const name = { slug: 'name', title: 'Name', type: 'text' } as const;
    return c.json({ data: show(addObject(workspace, names, [name], workspace.now())) });
  });

  for (const kind of ['objects', 'lists'] as const) {
    const base = `/v2/${kind}/:identifier/attributes` as const;
    const read = kind === 'objects' ? READ : needs('list_configuration:read');
    const write = kind === 'objects' ? WRITE : needs('list_configuration:read-write');
    const attributesOf = (identifier: string, slug: string) => {
      const target = workspace.target(kind, identifier);
      return { target, attribute: attributeOf(target, slug) };
    };

    routes.get(base, read, (c) => {
      const { attributes } = workspace.target(kind, c.req.param('identifier'));
      return c.json({ data: pageOf(attributes, readQuery(c, pageShape)) });
    });
    routes.post(base, write, async (c) => {
      const target = workspace.target(kind, c.req.param('identifier'));
      const { data } = await readBody(c, attributeShape);
      if (target.attributes.some(({ api_slug }) => api_slug === data.api_slug))
        throw slugConflict(data.api_slug);
      return c.json({ data: addAttribute(workspace, target, data) });
    });
    routes.get(`${base}/:attribute`, read, (c) =>
      c.json({ data: attributesOf(c.req.param('identifier'), c.req.param('attribute')).attribute }),
    );
    routes.patch(`${base}/:attribute`, write, async (c) => {
      const { target, attribute } = attributesOf(c.req.param('identifier'), c.req.param('attribute'));
      const { data } = await readBody(c, attributeUpdateShape);
      changeAttribute(workspace, target, attribute, data);
      return c.json({ data: attribute });
    });
  }
  return routes;
}

function addAttribute(workspace: Workspace, target: Target, data: z.infer<typeof attributeShape>['data']) {
  const { currency, record_reference } = data.config;
  const isList = ['select', 'record-reference', 'actor-reference', 'domain', 'email-address', 'phone-number'];
  if (data.is_multiselect && !isList.includes(data.type))
    throw invalid(`An attribute of the type ${data.type} holds one value only (is_multiselect).`);
  return workspace.addAttribute(
    target,
    {
      slug: data.api_slug,
      title: data.title,
      description: data.description,
      type: data.type,
      isRequired: data.is_required,
      isUnique: data.is_unique,
      isMultiselect: data.is_multiselect,
      ...(currency && { currency }),
      ...(record_reference && {
        allowedObjectIds: record_reference.allowed_objects.map((slug) => workspace.object(slug).id),
      }),
    },
    workspace.now(),
  );
}

/** @throws CrmRefusal 400 for an attribute of the system, 409 */
function changeAttribute(
  workspace: Workspace,
  target: Target,
  attribute: Attribute,
  { config, ...changes }: z.infer<typeof attributeUpdateShape>['data'],
): void {
  if (attribute.is_system_attribute)
    throw new CrmRefusal(
      400,
      'system_edit_unauthorized',
      `The attribute "${attribute.api_slug}" is maintained by the system and cannot be changed.`,
    );
  const { api_slug: slug } = changes;
  if (slug !== undefined && target.attributes.some((other) => other !== attribute && other.api_slug === slug))
    throw slugConflict(slug);
  const before = attribute.api_slug;
  Object.assign(attribute, changes);
  if (config?.currency !== undefined) attribute.config.currency = config.currency;
  if (config?.record_reference !== undefined)
    attribute.config.record_reference.allowed_object_ids = config.record_reference.allowed_objects.map(
      (name) => workspace.object(name).id,
    );
  if (attribute.api_slug !== before) workspace.renameValues(target, before, attribute.api_slug);
}

function show({ id, slug, singular, plural, createdAt }: CrmObject): object {
  return {
    id: { workspace_id: WORKSPACE.id, object_id: id },
    api_slug: slug,
    singular_noun: singular,
    plural_noun: plural,
    created_at: createdAt,
  };
}

function slugConflict(slug: string): CrmRefusal {
  return new CrmRefusal(409, 'slug_conflict', `The slug "${slug}" is taken.`);
}
