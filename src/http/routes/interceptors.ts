/** Interceptors, their Test action and their log over REST (docs/contract.md#9-interceptors). */
import { z } from '@hono/zod-openapi';
import type { InterceptorLog } from '../../interceptors/interceptor-log.ts';
import { TIMEOUT_MS } from '../../interceptors/interceptor-rules.ts';
import type { InterceptorTest } from '../../interceptors/interceptor-test.ts';
import type { Interceptors } from '../../interceptors/interceptors.ts';
import type { Endpoints } from '../api/endpoint.ts';
import {
  anyObject,
  emptyAnswer,
  idParams,
  pageAnswerShape,
  pageOf,
  pageShape,
  text,
  timestamp,
} from '../api/schemas.ts';
import { FALLBACKS, TRIGGER_POINTS } from '../../core/stored-words.ts';

const path = '/api/v1/interceptors';
const one = `${path}/{id}`;
const tag = 'Interceptors';
const access = { unbound: 'admin' } as const;

const shape = {
  name: text(200, 'What it is for, for people. Unique in the environment; sent as display_name.'),
  trigger_point: z.enum(TRIGGER_POINTS).openapi({ description: 'The flow it may stop or change.' }),
  endpoint: text(2_048, 'Where it is asked: https, without user name, password and fragment.'),
  fallback: z
    .enum(FALLBACKS)
    .openapi({ description: 'What becomes of the flow when there is no readable answer in time.' }),
};

const optionalShape = {
  timeout_ms: z
    .number()
    .int()
    .min(TIMEOUT_MS.min)
    .max(TIMEOUT_MS.max)
    .optional()
    .openapi({ description: 'How long an answer may take. Default: 5000.' }),
  enabled: z.boolean().optional().openapi({ description: 'Whether it is asked. Default: true.' }),
};

const interceptor = z
  .object({
    id: z.string().openapi({ example: 'icp_01kaghg4w0v8j3d9c2n5r7t1xz' }),
    name: z.string(),
    trigger_point: z.enum(TRIGGER_POINTS),
    endpoint: z.string(),
    timeout_ms: z.number().int(),
    fallback: z.enum(FALLBACKS),
    enabled: z.boolean(),
    managed_by_file: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Interceptor');

const response = z
  .object({
    status: z.number().int(),
    body: z.string().openapi({ description: 'As it came, at most 64 kB of it.' }),
  })
  .nullable()
  .openapi({ description: 'null: no complete answer.' });

const failure = z
  .string()
  .nullable()
  .openapi({ description: 'Why the fallback decides; null: the answer does.' });

const log = z
  .object({
    id: z.string().openapi({ description: 'The header interceptor-id of the request.' }),
    at: timestamp,
    trigger_point: z.enum(TRIGGER_POINTS),
    request: anyObject.openapi({ description: 'The body as it was sent.' }),
    response,
    failure,
    decision: z.enum(['ALLOW', 'DENY']).openapi({ description: 'What held, the fallback included.' }),
    duration_ms: z.number().int(),
  })
  .openapi('InterceptorLog');

const tested = z.object({
  request: z.object({ headers: z.record(z.string(), z.string()), body: anyObject }),
  response,
  failure,
  would: z.enum(FALLBACKS).openapi({ description: 'What would become of a flow.' }),
});

const answer = z.object({ interceptor });

/** Services that the routes of interceptors use. */
export interface InterceptorServices {
  interceptors: Pick<Interceptors, 'list' | 'get' | 'create' | 'update' | 'enable' | 'disable' | 'remove'>;
  interceptorTest: Pick<InterceptorTest, 'run'>;
  interceptorLog: Pick<InterceptorLog, 'list'>;
}

/** Adds the routes of interceptors. */
export function addInterceptorRoutes(
  endpoints: Endpoints,
  { interceptors, interceptorTest, interceptorLog }: InterceptorServices,
): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List interceptors, newest first. They are asked oldest first.',
      access,
      query: z.strictObject(pageShape),
      answer: z.object({ interceptors: z.array(interceptor), ...pageAnswerShape }),
    },
    ({ caller, query }) => interceptors.list(caller.environmentId, pageOf(query)),
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary: 'Create an interceptor.',
      access,
      body: z.strictObject({ ...shape, ...optionalShape }),
      status: 201,
      answer,
      refusals: [409],
    },
    async ({ caller, body }) => ({ interceptor: await interceptors.create(caller, body) }),
  );
  endpoints.add(
    {
      method: 'get',
      path: one,
      tag,
      summary: 'Get an interceptor.',
      access,
      params: idParams,
      answer,
      refusals: [404],
    },
    async ({ caller, params }) => ({
      interceptor: await interceptors.get(caller.environmentId, params.id),
    }),
  );
  endpoints.add(
    {
      method: 'patch',
      path: one,
      tag,
      summary: 'Change what is given of an interceptor.',
      access,
      params: idParams,
      body: z.strictObject({ ...z.object(shape).partial().shape, ...optionalShape }),
      answer,
      refusals: [404, 409],
    },
    async ({ caller, params, body }) => ({ interceptor: await interceptors.update(caller, params.id, body) }),
  );
  endpoints.add(
    {
      method: 'delete',
      path: one,
      tag,
      summary: 'Delete an interceptor and its log.',
      access,
      params: idParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await interceptors.remove(caller, params.id);
      return {};
    },
  );
  for (const verb of ['enable', 'disable'] as const) {
    endpoints.add(
      {
        method: 'post',
        path: `${one}:${verb}`,
        tag,
        summary: verb === 'enable' ? 'Have an interceptor asked.' : 'Ask an interceptor no more.',
        access,
        params: idParams,
        answer,
        refusals: [404],
      },
      async ({ caller, params }) => ({ interceptor: await interceptors[verb](caller, params.id) }),
    );
  }
  endpoints.add(
    {
      method: 'post',
      path: `${one}:test`,
      tag,
      summary: 'Ask an interceptor, enabled or not, about invented people. Shown whole, recorded nowhere.',
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
      tag,
      summary: 'List what an interceptor was asked and what came of it, newest first.',
      access,
      params: idParams,
      query: z.strictObject(pageShape),
      answer: z.object({ logs: z.array(log), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, params, query }) => interceptorLog.list(caller.environmentId, params.id, pageOf(query)),
  );
}
