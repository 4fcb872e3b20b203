/** Health, metrics and the description of the API (docs/contract.md#12-operation). */
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import { ServiceError } from '../../core/errors.ts';
import type { Endpoints } from '../api/endpoint.ts';
import type { ApiEnv } from '../api/endpoint-types.ts';
import type { Metrics } from '../listener/metrics.ts';
import { openApiDocument } from '../api/openapi.ts';
import { anyObject } from '../api/schemas.ts';

const tag = 'Operation';

export interface OperationServices {
  installationId: string;
  /** Resolves if the database answers and the key opens the stored data; rejects otherwise. */
  ready(): Promise<void>;
  /** Absent: no metrics are kept and `/metrics` does not exist. */
  metrics?: Pick<Metrics, 'render' | 'contentType'> | undefined;
}

/** Adds the routes of operation. */
export function addOperationRoutes(
  endpoints: Endpoints,
  app: OpenAPIHono<ApiEnv>,
  services: OperationServices,
): void {
  const { installationId, metrics } = services;
  endpoints.add(
    {
      method: 'get',
      path: '/healthz',
      tag,
      summary:
        'Whether the process answers, and which installation it belongs to; on the machine itself also its process id.',
      access: 'public',
      answer: z.object({
        status: z.literal('ok'),
        installation_id: z.string(),
        pid: z.int().optional(),
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
      tag,
      summary: 'Whether database and key are usable.',
      access: 'public',
      answer: z.object({ status: z.literal('ok') }),
      refusals: [503],
    },
    async () => {
      await services.ready().catch(notReady);
      return { status: 'ok' as const };
    },
  );
  if (metrics !== undefined) {
    endpoints.add(
      {
        method: 'get',
        path: '/metrics',
        tag,
        summary: 'Metrics in the Prometheus text format.',
        access: { unlessLocal: 'admin' },
        answer: z.string(),
      },
      async () => new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } }),
    );
  }
  const documents = new Map<string, object>();
  endpoints.add(
    {
      method: 'get',
      path: '/openapi.json',
      tag,
      summary: 'This description.',
      access: 'public',
      answer: anyObject,
    },
    async ({ context }) => {
      const { baseUrl } = context.environment;
      const document = documents.get(baseUrl) ?? openApiDocument(app, baseUrl);
      documents.set(baseUrl, document);
      return document as Record<string, unknown>;
    },
  );
}

function notReady(cause: unknown): never {
  throw new ServiceError('UNAVAILABLE', 'The database or the key is not usable at the moment.', {
    cause,
    retryAfterSeconds: 1,
  });
}
