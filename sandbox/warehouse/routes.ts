/** The stand-in SQL API: statements, their status and partitions, canceling. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { Clock } from '../../src/core/clock.ts';
import type { OAuthProvider } from '../oauth/provider.ts';
import {
  partitionLinks,
  renderFailure,
  renderPartition,
  renderResult,
  renderRunning,
  statusUrl,
} from './answers.ts';
import { bindingsShape } from './bindings.ts';
import { cortexRoutes } from './cortex/routes.ts';
import { badRequest, SqlFailure, WarehouseRefusal } from './refusal.ts';
import { read, readJson, type WarehouseEnv } from './requests.ts';
import { Statements, type StatementRecord } from './statements.ts';

type WarehouseContext = Context<WarehouseEnv>;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const queryShape = z.strictObject({
  requestId: z.uuid().optional(),
  retry: flag.optional(),
  async: flag.default(false),
  nullable: flag.default(true),
});

const bodyShape = z.strictObject({
  statement: z.string(),
  timeout: z.int().min(0).max(604_800).optional(),
  database: z.string().optional(),
  schema: z.string().optional(),
  warehouse: z.string().optional(),
  role: z.string().optional(),
  bindings: bindingsShape.optional(),
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const statusShape = z.strictObject({
  requestId: z.uuid().optional(),
  partition: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .optional(),
});

const ROLE_SCOPE = 'session:role:';

/** `/api/v2/…`. Accepts only tokens of the provider. */
export function warehouseRoutes(provider: OAuthProvider, clock: Clock): Hono<WarehouseEnv> {
  const statements = new Statements(clock);
  const routes = new Hono<WarehouseEnv>();
  routes.onError(renderRefusal);
  routes.use('/api/v2/*', async (c, next) => {
    const grant = provider.grantOf(c.req.header('authorization'));
    const type = c.req.header('x-snowflake-authorization-token-type') ?? 'OAUTH';
    if (grant === undefined || type !== 'OAUTH')
      throw new WarehouseRefusal(401, '390303', 'Invalid OAuth access token.');
    if ((c.req.header('user-agent') ?? '') === '') throw badRequest('The header User-Agent is missing.');
    c.set('user', grant.memberId);
    c.set('role', grant.scopes.find((scope) => scope.startsWith(ROLE_SCOPE))?.slice(ROLE_SCOPE.length));
    c.set('requestId', c.req.query('requestId') ?? randomUUID());
    await next();
  });

  routes.post('/api/v2/statements', async (c) => {
    const query = read(queryShape, c.req.query());
    const { parameters, ...body } = read(bodyShape, await readJson(c));
    const record = statements.submit(
      {
        ...body,
        role: body.role ?? c.get('role'),
        count: announcedCount(parameters ?? {}),
        requestId: query.requestId,
        isAsync: query.async,
        isNullable: query.nullable,
      },
      c.get('user'),
    );
    return answer(c, record, true);
  });
  routes.get('/api/v2/statements/:handle', (c) => {
    const { partition = 0 } = read(statusShape, c.req.query());
    const record = statements.find(handleOf(c), c.get('user'));
    if (record === undefined) throw new WarehouseRefusal(404, '000709', `Statement ${handleOf(c)} not found`);
    if (partition === 0 || record.state !== 'done') return answer(c, record, false);
    const body = renderPartition(record, partition);
    if (body === undefined) throw badRequest(`There is no partition ${partition} of this result.`);
    c.header('link', partitionLinks(record, c.get('requestId'), partition));
    c.header('content-type', 'application/json');
    c.header('content-encoding', 'gzip');
    return c.body(new Uint8Array(gzipSync(JSON.stringify(body))));
  });
  routes.post('/api/v2/statements/:handle/cancel', (c) => {
    const handle = handleOf(c);
    const isStopped = statements.cancel(handle, c.get('user'));
    const known = statements.find(handle, c.get('user'));
    const reason =
      known === undefined
        ? `Statement ${handle} not found`
        : 'Identified SQL statement is not currently executing.';
    return c.json(
      {
        code: isStopped ? '000604' : '000709',
        sqlState: isStopped ? '57014' : '02000',
        message: isStopped ? 'SQL execution canceled' : reason,
        statementHandle: handle,
        statementStatusUrl: statusUrl(handle, c.get('requestId')),
      },
      isStopped ? 200 : 422,
    );
  });
  routes.all('/api/v2/statements/*', () => {
    throw new WarehouseRefusal(405, '391401', 'Method not allowed.');
  });
  routes.route('/', cortexRoutes(statements));
  routes.all('/api/v2/*', () => {
    throw new WarehouseRefusal(404, '390404', 'Resource not found.');
  });
  return routes;
}

/** @param isFirst only answers to the submission itself report a timeout as such */
function answer(c: WarehouseContext, record: StatementRecord, isFirst: boolean): Response {
  const requestId = c.get('requestId');
  if (record.state === 'running') return c.json(renderRunning(record, requestId), 202);
  if (record.failure !== undefined)
    return c.json(
      renderFailure(record, record.failure, requestId),
      isFirst && record.failure.code === '000630' ? 408 : 422,
    );
  c.header('link', partitionLinks(record, requestId, 0));
  return c.json(renderResult(record, requestId), 200);
}

/** @throws WarehouseRefusal 400 for text that is not a handle */
function handleOf(c: WarehouseContext): string {
  const handle = c.req.param('handle') ?? '';
  if (!z.uuid().safeParse(handle).success)
    throw badRequest(`Invalid statement handle ${handle.slice(0, 100)}.`);
  return handle;
}

function announcedCount(parameters: Readonly<Record<string, string | number | boolean>>): number {
  const found = Object.entries(parameters).find(([name]) => name.toUpperCase() === 'MULTI_STATEMENT_COUNT');
  const count = Number(found?.[1] ?? 1);
  if (!Number.isInteger(count) || count < 0) throw badRequest('MULTI_STATEMENT_COUNT is no whole number.');
  return count;
}

function renderRefusal(error: unknown, c: WarehouseContext): Response {
  if (error instanceof WarehouseRefusal)
    return c.json({ code: error.code, message: error.message }, error.status);
  const message = 'The sandbox failed. This is a defect.';
  return c.json({ code: '300000', message: error instanceof SqlFailure ? error.message : message }, 500);
}
