/** Interceptors, their Test action and their log over REST (docs/contract.md#9-interceptors). */
import { z } from '@hono/zod-openapi';
import type { InterceptorLog } from '../../interceptors/interceptor-log.ts';
import { TIMEOUT_MS } from '../../interceptors/interceptor-rules.ts';
import type { InterceptorTest } from '../../interceptors/interceptor-test.ts';
import type { Interceptors } from '../../interceptors/interceptors.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { ResourceRoutes } from '../api/resource-routes.ts';
import {
  anyObject,
  createdAt,
  idParams,
  listed,
  managedByFile,
  pageAnswerShape,
  pageOf,
  pageShape,
  resourceId,
  shown,
  text,
  timestamp,
  updatedAt,
} from '../api/schemas.ts';
import { FALLBACKS, TRIGGER_POINTS } from '../../core/stored-words.ts';

const path = '/api/v1/interceptors';
const one = `${path}/{id}`;
const tag = 'Interceptors';
const access = { unbound: 'admin' } as const;

const shape = {
  name: text(200, 'What it is for, for people. Unique in the environment; sent as display_name.'),
  trigger_point: z.enum(TRIGGER_POINTS).openapi({ description: 'The flow it may stop or change.' }),
  endpoint: text(2_048, 'The URL that is called: https, without user name, password and fragment.'),
  fallback: z
    .enum(FALLBACKS)
    .openapi({ description: 'What happens to the flow if no readable answer comes in time.' }),
};

const optionalShape = {
  timeout_ms: z
    .number()
    .int()
    .min(TIMEOUT_MS.min)
    .max(TIMEOUT_MS.max)
    .optional()
    .openapi({ description: 'How long an answer may take. Default: 5000.' }),
  enabled: z.boolean().optional().openapi({ description: 'Whether it is called. Default: true.' }),
};

const interceptor = z
  .object({
    id: resourceId('icp_'),
    name: shown('What it is for, for people.'),
    trigger_point: z.enum(TRIGGER_POINTS).openapi({ description: 'The flow it may stop or change.' }),
    endpoint: shown('Where it is asked.'),
    timeout_ms: z.number().int().openapi({ description: 'Longest time for an answer, in milliseconds.' }),
    fallback: z
      .enum(FALLBACKS)
      .openapi({ description: 'What becomes of the flow without a readable answer.' }),
    enabled: z.boolean().openapi({ description: 'Whether it is asked.' }),
    managed_by_file: managedByFile,
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .openapi('Interceptor', { description: 'An endpoint that is asked before a flow goes on.' });

const response = z
  .object({
    status: z.number().int().openapi({ description: 'HTTP status of the answer.' }),
    body: z.string().openapi({ description: 'As received, at most 64 kB of it.' }),
  })
  .nullable()
  .openapi({ description: 'null: no complete answer.' });

const failure = z
  .string()
  .nullable()
  .openapi({ description: 'Why the fallback decided; null if the answer did.' });

const log = z
  .object({
    id: z.string().openapi({ description: 'The header interceptor-id of the request.' }),
    at: timestamp.openapi({ description: 'When it was asked.' }),
    interceptor_id: z.string().openapi({ description: 'The interceptor, which may be deleted by now.' }),
    trigger_point: z.enum(TRIGGER_POINTS).openapi({ description: 'The flow it may stop or change.' }),
    request: anyObject.openapi({ description: 'The body as it was sent.' }),
    response,
    failure,
    decision: z.enum(['ALLOW', 'DENY']).openapi({ description: 'The decision, the fallback included.' }),
    duration_ms: z.number().int().openapi({ description: 'Milliseconds until the decision.' }),
  })
  .openapi('InterceptorLog');

const tested = z.object({
  request: z
    .object({
      headers: z.record(z.string(), z.string()).openapi({ description: 'With the signature.' }),
      body: anyObject.openapi({ description: 'About invented people.' }),
    })
    .openapi({ description: 'The request as it was sent.' }),
  response,
  failure,
  would: z.enum(FALLBACKS).openapi({ description: 'What would happen to a flow.' }),
});

/** Services that the routes of interceptors use. */
export interface InterceptorServices {
  interceptors: Pick<Interceptors, 'list' | 'get' | 'create' | 'update' | 'enable' | 'disable' | 'remove'>;
  interceptorTest: Pick<InterceptorTest, 'run'>;
  interceptorLog: Pick<InterceptorLog, 'list' | 'listAll'>;
}

/** Adds the routes of interceptors. */
export function addInterceptorRoutes(
  endpoints: Endpoints,
  { interceptors, interceptorTest, interceptorLog }: InterceptorServices,
): void {
  const routes = new ResourceRoutes(endpoints, { name: 'interceptor', item: interceptor, path, tag, access });
  routes.list(
    'List interceptors, newest first. They are called oldest first.',
    { query: z.strictObject(pageShape) },
    async ({ caller, query }) => interceptors.list(caller.environmentId, pageOf(query)),
  );
  routes.create(
    'Create an interceptor.',
    { body: z.strictObject({ ...shape, ...optionalShape }), refusals: [409] },
    async ({ caller, body }) => interceptors.create(caller, body),
  );
  routes.get('Get an interceptor.', async ({ environmentId }, id) => interceptors.get(environmentId, id));
  routes.update(
    'Change what is given of an interceptor.',
    { body: z.strictObject({ ...z.object(shape).partial().shape, ...optionalShape }), refusals: [404, 409] },
    async (caller, id, body) => interceptors.update(caller, id, body),
  );
  routes.remove('Delete an interceptor. Its log stays until its time is over.', async (caller, id) =>
    interceptors.remove(caller, id),
  );
  routes.act('enable', 'Enable an interceptor.', async (caller, id) => interceptors.enable(caller, id));
  routes.act('disable', 'Disable an interceptor.', async (caller, id) => interceptors.disable(caller, id));
  endpoints.add(
    {
      method: 'post',
      path: `${one}:test`,
      tag,
      summary:
        'Call an interceptor, enabled or not, with invented people. Shows everything, records nothing.',
      access,
      params: idParams,
      answer: tested,
      refusals: [404],
    },
    ({ caller, params }) => interceptorTest.run(caller.environmentId, params.id),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${one}/logs`,
      operationId: 'listLogsOfInterceptor',
      tag,
      summary: 'List the requests to an interceptor and their outcomes, newest first.',
      access,
      params: idParams,
      query: z.strictObject(pageShape),
      answer: z.object({ logs: listed(log), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, params, query }) => interceptorLog.list(caller.environmentId, params.id, pageOf(query)),
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/interceptor_logs',
      tag,
      summary: 'List what interceptors were asked, deleted ones too, newest first.',
      access,
      query: z.strictObject({
        interceptor_id: text(100, 'Only this interceptor, `icp_…`.').optional(),
        ...pageShape,
      }),
      answer: z.object({ interceptor_logs: listed(log), ...pageAnswerShape }),
    },
    ({ caller, query }) => interceptorLog.listAll(caller.environmentId, query.interceptor_id, pageOf(query)),
  );
}
