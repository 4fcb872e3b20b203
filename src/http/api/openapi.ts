/**
 * The description of the REST API (`/openapi.json`), generated from the schemas that validate.
 *
 * OpenAPI 3.1.1, version 1.0.0 (docs/contract.md#12-operation). Adds the parts that no endpoint describes: security
 * schemes, the errors that every route has, and the token endpoint.
 */
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import { SCOPES, type CredentialScope } from '../../core/caller.ts';
import { scopeOf, type Access } from './access.ts';
import type { ApiEnv, Endpoint } from './endpoint-types.ts';
import { errorSchema, shown } from './schemas.ts';

type Registry = OpenAPIHono<ApiEnv>['openAPIRegistry'];

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not valid; `field_violations` names every field. Or the account or connection is not ready.',
  401: 'The access token is missing or not valid.',
  403: 'The credential lacks the scope, or Host or Origin are foreign.',
  404: 'There is no such resource, or it belongs to somebody else.',
  409: 'It exists already, or the idempotency key was used for another call.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many calls; `Retry-After` says when to try again.',
  502: 'The provider failed; `tool_error` has its status, code and message.',
  503: 'Not available for the moment; `Retry-After` says when to try again.',
  504: 'The provider did not answer in time.',
};

const SCOPE_MEANING: Readonly<Record<CredentialScope, string>> = {
  'accounts:read': 'List and read connected accounts.',
  'accounts:write': 'Create, change, connect and delete connected accounts.',
  'accounts:credentials': 'Read the credentials of connected accounts.',
  'tools:execute': 'List and execute tools, over REST and MCP.',
  'metrics:read': 'Read the metrics of the process.',
  admin: 'Connections, API credentials, people, webhooks, metrics.',
};

/** Adds one endpoint to the documentation. */
export function documentEndpoint(
  registry: Registry,
  endpoint: Endpoint<z.ZodObject, z.ZodObject, z.ZodObject, z.ZodType>,
): void {
  const isPublic = endpoint.access === 'public';
  const statuses = [
    ...(isPublic ? [] : [400, 401, 403, 503]),
    ...(endpoint.body === undefined ? [] : [400, 413, 415]),
    ...(endpoint.refusals ?? []),
  ];
  registry.registerPath({
    method: endpoint.method,
    path: endpoint.path,
    operationId: endpoint.operationId ?? operationId(endpoint.method, endpoint.path),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    security: securityOf(endpoint.access),
    request: {
      ...(endpoint.params && { params: endpoint.params }),
      ...(endpoint.query && { query: endpoint.query }),
      ...(endpoint.body && {
        body: { content: { 'application/json': { schema: endpoint.body } }, required: true },
      }),
    },
    responses: {
      [endpoint.status ?? 200]: {
        description: endpoint.summary,
        content: { [mediaTypeOf(endpoint.answer)]: { schema: endpoint.answer } },
      },
      ...Object.fromEntries([...new Set(statuses)].map((status) => [status, refusal(status)])),
    },
  });
}

/**
 * The document of one environment.
 *
 * @param baseUrl public address, without trailing slash
 * @param version of the program; that of the API stays
 */
export function openApiDocument(app: OpenAPIHono<ApiEnv>, baseUrl: string, version: string): object {
  return app.getOpenAPI31Document({
    openapi: '3.1.1',
    info: {
      title: 'Gatehouse',
      version: '1.0.0',
      'x-gatehouse-version': version,
      description: 'Authenticated access for AI agents to the apps of other people: accounts, links, tools.',
    },
    servers: [{ url: baseUrl }],
  });
}

/** Adds the parts that belong to no endpoint, such as how to authenticate. */
export function documentAuthentication(registry: Registry): void {
  registry.registerComponent('securitySchemes', 'clientCredentials', {
    type: 'oauth2',
    description:
      'API credentials of the environment (POST /oauth/token). Tokens of signed-in people are taken too: they reach the accounts of their person, and with the header `gatehouse-organization-id` those of the organization they are signed in to, as its admin or owner. An app needs `organization:read` or `organization:write` for that.',
    flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: { ...SCOPE_MEANING } } },
  });
  registry.registerPath({
    method: 'post',
    path: '/oauth/token',
    operationId: 'createToken',
    tags: ['Authentication'],
    summary: 'Obtain an access token.',
    description: 'The client authenticates with the form fields or with HTTP Basic, never with both.',
    security: [],
    request: {
      body: { content: { 'application/x-www-form-urlencoded': { schema: tokenRequest } }, required: true },
    },
    responses: {
      200: { description: 'An access token.', content: { 'application/json': { schema: tokenAnswer } } },
      400: {
        description: 'RFC 6749 section 5.2.',
        content: { 'application/json': { schema: tokenRefusal } },
      },
      401: {
        description: 'Client authentication failed.',
        content: { 'application/json': { schema: tokenRefusal } },
      },
      429: {
        description: 'Too many failed attempts.',
        content: { 'application/json': { schema: tokenRefusal } },
      },
    },
  });
}

const tokenRequest = z.object({
  grant_type: z.literal('client_credentials').openapi({ description: 'RFC 6749 section 4.4.' }),
  client_id: shown('Of the API credential, unless HTTP Basic has it.').optional(),
  client_secret: shown('Of the API credential, unless HTTP Basic has it.').optional(),
  scope: z
    .string()
    .optional()
    .openapi({ description: `Some of: ${SCOPES.join(' ')}. Default: all of the credential.` }),
  resource: z
    .string()
    .optional()
    .openapi({ description: '`{base_url}/mcp` or `{base_url}/api`. Default: both.' }),
});

const tokenAnswer = z.object({
  access_token: shown('For the header `Authorization: Bearer`.'),
  token_type: z.literal('Bearer').openapi({ description: 'Always Bearer.' }),
  expires_in: z.number().int().openapi({ description: 'Seconds.' }),
  scope: shown('What the token may do, separated by spaces.'),
});

const tokenRefusal = z.object({
  error: shown('Code of RFC 6749 section 5.2.'),
  error_description: shown('What happened, for people.').optional(),
});

function refusal(status: number): { description: string; content: object } {
  return {
    description: REFUSALS[status] ?? 'Refused.',
    content: { 'application/json': { schema: errorSchema } },
  };
}

function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  const withToken = { clientCredentials: [scopeOf(access)] };
  if (typeof access === 'string' || !('unlessLocal' in access)) return [withToken];
  return [{}, withToken, { clientCredentials: ['admin'] }];
}

function mediaTypeOf(answer: z.ZodType): string {
  return answer instanceof z.ZodString ? 'text/plain' : 'application/json';
}

/**
 * Verb and noun of an endpoint: `listWebhookDeliveries`, `disconnectConnectedAccount`. The noun has the words of the path,
 * in the plural for a list only.
 */
function operationId(method: string, path: string): string {
  const [before = '', verb] = path.replace('/api/v1/', '').split(':');
  const segments = before.split('/');
  const words = segments.filter((segment) => !segment.startsWith('{'));
  const last = words.at(-1) ?? '';
  const isList = last.endsWith('s') && last === segments.at(-1) && (method === 'get' || verb !== undefined);
  const noun = words.map((word, n) => pascalCase(isList && n === words.length - 1 ? word : singular(word)));
  return `${verb ?? (isList ? 'list' : VERBS[method])}${noun.join('')}`;
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  post: 'create',
  put: 'set',
  patch: 'update',
  delete: 'delete',
};

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function pascalCase(word: string): string {
  return word.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
