/** Health, metrics and the description of the API (docs/contract.md#12-operation). */
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Environment } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Endpoints } from '../api/endpoint.ts';
import type { ApiEnv } from '../api/endpoint-types.ts';
import type { Metrics } from '../listener/metrics.ts';
import { openApiDocument } from '../api/openapi.ts';
import { anyObject } from '../api/schemas.ts';

const tag = 'Operation';

/** The state of a server with a usable database and key. */
export interface Readiness {
  /** Why it should get no requests nevertheless, in a sentence for everybody. */
  unready?: string;
  /** Parts that do not work although requests are answered: `records` of tool calls cannot be stored. */
  degraded?: 'records'[];
}

export interface OperationServices {
  /** Version of the program. */
  version: string;
  installationId: string;
  /** Rejects if the database does not answer, or the key does not open the stored data. */
  ready(): Promise<Readiness>;
  /** Absent: no metrics are kept and `/metrics` does not exist. */
  metrics?: Pick<Metrics, 'render' | 'contentType'> | undefined;
  /** The description of the API as a page. Absent: `/docs` does not exist. */
  referencePage?: (
    document: object,
    acceptLanguage: string | undefined,
    environment: Environment,
  ) => Promise<Response>;
}

/** Adds the routes of operation. */
export function addOperationRoutes(
  endpoints: Endpoints,
  app: OpenAPIHono<ApiEnv>,
  services: OperationServices,
): void {
  const { installationId, metrics, version } = services;
  endpoints.add(
    {
      method: 'get',
      path: '/healthz',
      operationId: 'getHealth',
      tag,
      summary:
        'Whether the process answers, and which installation it belongs to; on the machine itself also its process id.',
      access: 'public',
      answer: z.object({
        status: z.literal('ok').openapi({ description: 'The process answers.' }),
        installation_id: z.string().openapi({ description: 'Which installation it belongs to.' }),
        pid: z.int().optional().openapi({ description: 'Process id, for callers on the same machine.' }),
      }),
    },
    async ({ context }) => ({
      status: 'ok' as const,
      installation_id: installationId,
      ...(context.isLocalPeer && { pid: process.pid }),
    }),
  );
  endpoints.add(
    {
      method: 'get',
      path: '/readyz',
      operationId: 'getReadiness',
      tag,
      summary:
        'Whether the server should get requests: database, its version and key are usable, and the server is not stopping.',
      access: 'public',
      answer: z.object({
        status: z.literal('ok').openapi({ description: 'Database and key work.' }),
        degraded: z.array(z.literal('records')).optional().openapi({
          description: 'What does not work nevertheless: `records`: those of tool calls cannot be stored.',
        }),
      }),
      refusals: [503],
    },
    async () => {
      const { unready, degraded } = await services.ready().catch(notReady);
      if (unready !== undefined) throw new ServiceError('UNAVAILABLE', unready, { retryAfterSeconds: 1 });
      return { status: 'ok' as const, ...(degraded !== undefined && { degraded }) };
    },
  );
  if (metrics !== undefined) {
    endpoints.add(
      {
        method: 'get',
        path: '/metrics',
        operationId: 'getMetrics',
        tag,
        summary: 'Metrics in the Prometheus text format.',
        access: { unlessLocal: 'metrics:read' },
        answer: z.string(),
      },
      async () => new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } }),
    );
  }
  const documents = new Map<string, object>();
  const documentOf = ({ baseUrl }: Environment): object => {
    const document = documents.get(baseUrl) ?? openApiDocument(app, baseUrl, version);
    documents.set(baseUrl, document);
    return document;
  };
  endpoints.add(
    {
      method: 'get',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      tag,
      summary: 'This description.',
      access: 'public',
      answer: anyObject,
    },
    async ({ context }) => documentOf(context.environment) as Record<string, unknown>,
  );
  const { referencePage } = services;
  if (referencePage !== undefined) {
    app.get('/docs', async (c) => {
      const { context } = c.env;
      context.route = '/docs';
      const { environment } = context;
      return referencePage(documentOf(environment), c.req.header('accept-language'), environment);
    });
  }
}

function notReady(cause: unknown): never {
  throw new ServiceError('UNAVAILABLE', 'The database or the key is not usable at the moment.', {
    cause,
    retryAfterSeconds: 1,
  });
}
