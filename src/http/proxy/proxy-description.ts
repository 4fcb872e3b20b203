/** The proxy in the REST API description. Written by hand, because it is no endpoint of the framework. */
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import { PROXY_METHODS } from '../../executor/proxy/proxy.ts';
import type { ApiEnv } from '../api/endpoint-types.ts';
import {
  accountId,
  connectorName,
  errorSchema,
  FORCE_MEANING,
  identifier,
  linkOptionsShape,
  organizationId,
  text,
  userId,
} from '../api/schemas.ts';

type Registry = OpenAPIHono<ApiEnv>['openAPIRegistry'];

const params = z.object({
  path: z.string().openapi({
    description:
      "The path below the provider's address, as written: not resolved, not decoded. The query is the provider's.",
  }),
});

const headers = z.object({
  'connected-account-id': accountId.optional(),
  'connection-name': connectorName.optional(),
  identifier: identifier.optional(),
  'organization-id': organizationId.optional(),
  'user-id': userId.optional(),
  'link-state': linkOptionsShape.state,
  'link-user-verify-url': linkOptionsShape.user_verify_url,
  'link-force': z.enum(['true', 'false']).optional().openapi({ description: FORCE_MEANING }),
  'idempotency-key': text(
    255,
    'The same in every repetition of one request: it is sent once, and its answer is given again for 24 hours with the header `idempotency-replayed: true`. It is passed on to the provider too.',
  ).optional(),
});

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The path, the query or a header is refused; or the account is not connected. With the header `gatehouse-execution-id` the answer is that of the provider.',
  401: 'The access token is missing or not valid.',
  403: 'The credential lacks the scope, or Host or Origin are foreign.',
  404: 'There is no such account.',
  409: 'The idempotency key was used for another request, or its answer was too large to be kept.',
  413: 'The body is larger than 10 MB.',
  429: 'Too many calls; `Retry-After` says when to try again.',
  502: 'The provider cannot be reached or closed the connection.',
  503: 'Not available for the moment; `Retry-After` says when to try again.',
  504: 'The provider did not answer in time.',
};

const ANSWER = {
  description: "The provider's answer, whatever its status.",
  content: { '*/*': { schema: z.string() } },
};

/** Adds the proxy's methods to the documentation. */
export function documentProxy(registry: Registry): void {
  for (const method of PROXY_METHODS) {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    registry.registerPath({
      method: method.toLowerCase() as Lowercase<typeof method>,
      path: '/proxy/{path}',
      operationId: `${method.toLowerCase()}ThroughProxy`,
      tags: ['Proxy'],
      summary: `${method} of the provider of a connected account.`,
      description:
        "Sends the request with the account's credential and gives back status and body as they are. Of the headers only those pass that concern the content, conditions and the provider's versions; redirects are not followed. Every answer of the provider has the header `gatehouse-execution-id`.",
      security: [{ clientCredentials: ['tools:execute'] }],
      request: {
        params,
        headers,
        ...(hasBody && { body: { content: { '*/*': { schema: z.string() } }, required: false } }),
      },
      responses: {
        200: ANSWER,
        default: ANSWER,
        ...Object.fromEntries(
          Object.entries(REFUSALS).map(([status, description]) => [
            status,
            { description, content: { 'application/json': { schema: errorSchema } } },
          ]),
        ),
      },
    });
  }
}
