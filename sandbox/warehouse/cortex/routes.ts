/** The stand-in Cortex REST API: Cortex Analyst, and the services of Cortex Search. They act with the role of the token. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { likePattern } from '../functions.ts';
import { SqlFailure, WarehouseRefusal } from '../refusal.ts';
import { read, readJson, type WarehouseEnv } from '../requests.ts';
import type { Statements } from '../statements.ts';
import { answerQuestion } from './analyst.ts';
import { searchRows, SERVICES, type SearchService } from './search-services.ts';
import { findView } from './semantic-views.ts';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });

const messageShape = z
  .strictObject({
    messages: z
      .array(z.strictObject({ role: z.enum(['user', 'analyst']), content: z.array(textPart).min(1) }))
      .min(1),
    semantic_view: z.string().optional(),
    semantic_model_file: z.string().optional(),
    stream: z.literal(false).optional(),
  })
  .refine((body) => (body.semantic_view === undefined) !== (body.semantic_model_file === undefined), {
    error: 'exactly one semantic model is needed',
  });

const queryShape = z.strictObject({
  query: z.string().min(1),
  columns: z.array(z.string()).default([]),
  filter: z.record(z.string(), z.unknown()).optional(),
  limit: z.int().min(1).max(1000).default(10),
});

const listShape = z.strictObject({
  like: z.string().optional(),
  showLimit: z.coerce.number().int().min(1).max(10_000).default(10_000),
});

const SERVICES_PATH = '/api/v2/databases/:database/schemas/:schema/cortex-search-services';

/** Below the check of the token. */
export function cortexRoutes(statements: Statements): Hono<WarehouseEnv> {
  const routes = new Hono<WarehouseEnv>();

  routes.post('/api/v2/cortex/analyst/message', async (c) => {
    const { messages, semantic_view = '' } = read(messageShape, await readJson(c));
    const { session } = statements.open(c.get('user'), c.get('role'));
    const view = findView(session.role, semantic_view.split('.').map(storedName));
    if (view === undefined) throw notThere(`The semantic view or model '${semantic_view}'`, 400);
    const question =
      messages
        .at(-1)
        ?.content.map(({ text }) => text)
        .join(' ') ?? '';
    const content = answerQuestion(view, question);
    return c.json({ message: { role: 'analyst', content }, request_id: randomUUID() });
  });

  routes.get(SERVICES_PATH, (c) => {
    const { like = '%', showLimit } = read(listShape, c.req.query());
    const pattern = likePattern(like, '', 'i');
    const found = servicesIn(c.req.param(), c.get('user'), c.get('role'));
    return c.json(found.filter(({ name }) => pattern.test(name)).slice(0, showLimit));
  });

  routes.post(`${SERVICES_PATH}/:action{[^/]+:query}`, async (c) => {
    const name = storedName(c.req.param('action').slice(0, -':query'.length));
    const service = servicesIn(c.req.param(), c.get('user'), c.get('role')).find((one) => one.name === name);
    if (service === undefined) throw notThere(`Cortex Search Service '${name}'`, 404);
    const { query, columns, filter, limit } = read(queryShape, await readJson(c));
    const { database } = statements.open(c.get('user'), c.get('role'));
    const results = searchRows(database, service, { query, columns, filter, limit });
    return c.json({ results, request_id: randomUUID() });
  });

  function servicesIn(
    place: { database: string; schema: string },
    user: string,
    role: string | undefined,
  ): readonly SearchService[] {
    const { session } = statements.open(user, role);
    try {
      const [database, schema] = session.schemaNamed([place.database, place.schema].map(storedName));
      return SERVICES.filter((one) => one.database_name === database && one.schema_name === schema);
    } catch (error) {
      if (error instanceof SqlFailure) throw new WarehouseRefusal(404, error.code, error.message);
      throw error;
    }
  }
  return routes;
}

/** A name as SQL reads it: in quotes as it is, else in upper case. */
function storedName(name: string): string {
  return /^".*"$/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name.toUpperCase();
}

function notThere(what: string, status: 400 | 404): WarehouseRefusal {
  return new WarehouseRefusal(status, '002003', `${what} does not exist or not authorized.`);
}
