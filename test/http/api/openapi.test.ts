import { describe, expect, it } from 'vitest';
import { AUTHORIZATION_TYPE_NAMES } from '../../../src/authorization-types/index.ts';
import { compile, descriptions, openApi, operations, type Json } from '../openapi-document.ts';

const document = await openApi();

describe('OpenAPI document of the REST API: /openapi.json', () => {
  it('describes API version 1.0.0 in OpenAPI 3.1.1 at the address of the environment', () => {
    expect(document.openapi).toBe('3.1.1');
    expect(document.info).toMatchObject({
      title: 'Gatehouse',
      version: '1.0.0',
      'x-gatehouse-version': '9.8.7',
    });
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:3000' }]);
    expect(Object.keys(document)).toEqual(expect.arrayContaining(['openapi', 'info', 'paths', 'components']));
  });

  it('lists every route, custom verbs with a colon', () => {
    const listed = operations(document).map(({ method, path }) => `${method} ${path}`);
    expect(listed.toSorted()).toEqual([
      'DELETE /api/v1/connections/{id}',
      'DELETE /api/v1/credentials/{id}',
      'DELETE /api/v1/interceptors/{id}',
      'DELETE /api/v1/mcp_servers/{id}',
      'DELETE /api/v1/organizations/{id}',
      'DELETE /api/v1/organizations/{id}/invitations/{invitation_id}',
      'DELETE /api/v1/organizations/{id}/members/{user_id}',
      'DELETE /api/v1/organizations/{id}/provider',
      'DELETE /api/v1/sessions/{id}',
      'DELETE /api/v1/upstreams/{name}',
      'DELETE /api/v1/users/{id}',
      'DELETE /api/v1/webhooks/{id}',
      'DELETE /proxy/{path}',
      'GET /api/v1/audit',
      'GET /api/v1/audit:export',
      'GET /api/v1/connected_accounts',
      'GET /api/v1/connected_accounts/auth',
      'GET /api/v1/connected_accounts/details',
      'GET /api/v1/connected_accounts/{id}/events',
      'GET /api/v1/connected_accounts:search',
      'GET /api/v1/connections',
      'GET /api/v1/connections/{id}',
      'GET /api/v1/connectors',
      'GET /api/v1/connectors/{name}',
      'GET /api/v1/credentials',
      'GET /api/v1/credentials/{id}',
      'GET /api/v1/doctor',
      'GET /api/v1/environments',
      'GET /api/v1/executions',
      'GET /api/v1/executions/{id}',
      'GET /api/v1/executions:summary',
      'GET /api/v1/interceptor_logs',
      'GET /api/v1/interceptors',
      'GET /api/v1/interceptors/{id}',
      'GET /api/v1/interceptors/{id}/logs',
      'GET /api/v1/mcp_servers',
      'GET /api/v1/mcp_servers/{id}',
      'GET /api/v1/organizations',
      'GET /api/v1/organizations/{id}',
      'GET /api/v1/organizations/{id}/invitations',
      'GET /api/v1/organizations/{id}/members',
      'GET /api/v1/organizations/{id}/provider',
      'GET /api/v1/sessions',
      'GET /api/v1/sessions/{id}',
      'GET /api/v1/settings',
      'GET /api/v1/signing_secret',
      'GET /api/v1/tools',
      'GET /api/v1/tools/scoped',
      'GET /api/v1/tools/{name}',
      'GET /api/v1/upstreams',
      'GET /api/v1/upstreams/{name}',
      'GET /api/v1/upstreams/{name}/diff',
      'GET /api/v1/upstreams/{name}/tools',
      'GET /api/v1/users',
      'GET /api/v1/users/{id}',
      'GET /api/v1/webhooks',
      'GET /api/v1/webhooks/{id}',
      'GET /api/v1/webhooks/{id}/deliveries',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /proxy/{path}',
      'GET /readyz',
      'HEAD /proxy/{path}',
      'PATCH /api/v1/connections/{id}',
      'PATCH /api/v1/interceptors/{id}',
      'PATCH /api/v1/mcp_servers/{id}',
      'PATCH /api/v1/organizations/{id}',
      'PATCH /api/v1/organizations/{id}/members/{user_id}',
      'PATCH /api/v1/upstreams/{name}',
      'PATCH /api/v1/users/{id}',
      'PATCH /api/v1/webhooks/{id}',
      'PATCH /proxy/{path}',
      'POST /api/v1/connected_accounts',
      'POST /api/v1/connected_accounts/magic_link',
      'POST /api/v1/connected_accounts/user/verify',
      'POST /api/v1/connected_accounts/{id}:disconnect',
      'POST /api/v1/connected_accounts/{id}:refresh',
      'POST /api/v1/connected_accounts:delete',
      'POST /api/v1/connections',
      'POST /api/v1/credentials',
      'POST /api/v1/credentials/{id}:rotate',
      'POST /api/v1/execute_tool',
      'POST /api/v1/interceptors',
      'POST /api/v1/interceptors/{id}:disable',
      'POST /api/v1/interceptors/{id}:enable',
      'POST /api/v1/interceptors/{id}:test',
      'POST /api/v1/mcp_servers',
      'POST /api/v1/mcp_servers/{id}/tokens',
      'POST /api/v1/organizations',
      'POST /api/v1/organizations/{id}/invitations',
      'POST /api/v1/sessions',
      'POST /api/v1/signing_secret:rotate',
      'POST /api/v1/upstreams',
      'POST /api/v1/upstreams/{name}:accept',
      'POST /api/v1/upstreams/{name}:approve',
      'POST /api/v1/upstreams/{name}:probe',
      'POST /api/v1/upstreams/{name}:reregister',
      'POST /api/v1/users',
      'POST /api/v1/users/{id}:unbind',
      'POST /api/v1/webhooks',
      'POST /api/v1/webhooks/deliveries/{id}:redeliver',
      'POST /api/v1/webhooks/{id}:redeliver',
      'POST /oauth/token',
      'POST /proxy/{path}',
      'PUT /api/v1/connected_accounts',
      'PUT /api/v1/organizations/{id}/provider',
      'PUT /proxy/{path}',
    ]);
  });

  it('gives every operation an id of its own, a summary and described answers', () => {
    const all = operations(document).map(({ operation }) => operation);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    for (const operation of all) {
      expect(operation.operationId).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
      expect(operation.summary).toMatch(/\.$/);
      expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
      for (const response of Object.values(operation.responses)) expect(response.description).not.toBe('');
    }
  });

  it('names operations by verb and noun', () => {
    const id = (method: string, path: string) => document.paths[`/api/v1/${path}`]?.[method]?.operationId;
    expect([
      id('get', 'connected_accounts'),
      id('get', 'connected_accounts:search'),
      id('post', 'connected_accounts'),
      id('post', 'connected_accounts:delete'),
      id('post', 'connected_accounts/{id}:disconnect'),
      id('get', 'webhooks/{id}/deliveries'),
      id('post', 'webhooks/deliveries/{id}:redeliver'),
      id('put', 'organizations/{id}/provider'),
      id('post', 'execute_tool'),
      document.paths['/oauth/token']?.['post']?.operationId,
    ]).toEqual([
      'listConnectedAccounts',
      'searchConnectedAccounts',
      'createConnectedAccount',
      'deleteConnectedAccount',
      'disconnectConnectedAccount',
      'listWebhookDeliveries',
      'redeliverWebhookDelivery',
      'setOrganizationProvider',
      'executeTool',
      'createToken',
    ]);
  });

  it('describes every property and parameter', () => {
    const { found, missing } = descriptions(document);
    expect(missing).toEqual([]);
    expect(found).toBeGreaterThan(700);
  });

  it('types the credentials of answers and names every authorization type', () => {
    const { ConnectedAccount, ConnectedAccountListItem, AuthorizationDetails } = document.components
      .schemas as Record<string, { properties: Record<string, Json> }>;
    for (const schema of [ConnectedAccount, ConnectedAccountListItem])
      expect(schema?.properties['authorization_type']).toMatchObject({ enum: [...AUTHORIZATION_TYPE_NAMES] });
    const variants = Object.entries(AuthorizationDetails?.properties ?? {}).map(([name, variant]) => [
      name,
      Object.keys((variant as { properties: object }).properties),
    ]);
    expect(Object.fromEntries(variants)).toEqual({
      oauth_token: ['access_token', 'refresh_token', 'scopes', 'domain'],
      static_auth: ['details'],
      workspace_dwd: ['subject', 'access_token', 'scopes', 'token_expires_at'],
      trusted_idp: ['db_user', 'access_key_id', 'expiry'],
    });
  });

  it('gives every list the same parameters and members of a page', () => {
    const lists = operations(document).filter(({ operation }) =>
      /^(list|search)[A-Z]/.test(operation.operationId),
    );
    expect(lists.length).toBeGreaterThan(20);
    for (const { path, operation } of lists) {
      const names = (operation.parameters ?? []).map(({ name }) => name);
      const answer = operation.responses['200']?.content?.['application/json']?.schema;
      expect([path, names]).toEqual([path, expect.arrayContaining(['page_size', 'page_token'])]);
      expect([path, answer?.['required']]).toEqual([
        path,
        expect.arrayContaining(['next_page_token', 'prev_page_token', 'total_size']),
      ]);
    }
  });

  it('declares exactly the parameters of each path', () => {
    for (const { path, operation } of operations(document)) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect([path, inPath.map(({ name }) => name)]).toEqual([
        path,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      ]);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  it('has valid JSON Schemas throughout, and every reference leads somewhere', () => {
    const schemas: Json[] = Object.values(document.components.schemas);
    for (const { operation } of operations(document)) {
      schemas.push(...(operation.parameters ?? []).map(({ schema }) => schema));
      const contents = [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map(({ content }) => content),
      ];
      for (const content of contents)
        schemas.push(...Object.values(content ?? {}).map(({ schema }) => schema));
    }
    expect(schemas.length).toBeGreaterThan(100);
    for (const schema of schemas) expect(() => compile(document, schema)).not.toThrow();
  });

  it('says which scope each route needs', () => {
    const security = (method: string, path: string): unknown => document.paths[path]?.[method]?.security;
    expect(security('get', '/api/v1/connected_accounts/auth')).toEqual([
      { clientCredentials: ['accounts:credentials'] },
    ]);
    expect(security('post', '/api/v1/connections')).toEqual([{ clientCredentials: ['admin'] }]);
    expect(security('get', '/metrics')).toEqual([
      {},
      { clientCredentials: ['metrics:read'] },
      { clientCredentials: ['admin'] },
    ]);
    expect(security('get', '/openapi.json')).toEqual([]);
    expect(document.components.securitySchemes).toMatchObject({
      clientCredentials: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: '/oauth/token',
            scopes: {
              'accounts:read': expect.any(String),
              'accounts:write': expect.any(String),
              'accounts:credentials': expect.any(String),
              'tools:execute': expect.any(String),
              admin: expect.any(String),
            },
          },
        },
      },
    });
  });

  it('documents refusals with the shape of the error body', () => {
    const responses = document.paths['/api/v1/connected_accounts']?.post?.responses ?? {};
    expect(Object.keys(responses).toSorted()).toEqual([
      '201',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '503',
    ]);
    const check = compile(document, responses['409']?.content?.['application/json']?.schema ?? {});
    expect(check({ code: 6, message: 'm', details: [{ error_code: 'ALREADY_EXISTS' }] })).toEqual([]);
    expect(check({ code: '6', details: [{}] })).not.toEqual([]);
  });

  it('documents what validates: limits, patterns, refused members', () => {
    const body =
      document.paths['/api/v1/connected_accounts']?.post?.requestBody?.content['application/json']?.schema;
    expect(body).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: expect.arrayContaining(['connector', 'identifier']),
      properties: {
        connector: { type: 'string', minLength: 1, maxLength: 400, pattern: '^[A-Za-z0-9 _:-]+$' },
        identifier: { type: 'string', maxLength: 200 },
        organization_id: { type: 'string', maxLength: 64 },
        user_id: { type: 'string', maxLength: 64 },
      },
    });
    const query = document.paths['/api/v1/connected_accounts']?.get?.parameters ?? [];
    expect(query.find(({ name }) => name === 'page_size')).toMatchObject({
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 30 },
    });
    expect(query.find(({ name }) => name === 'connection_names')).toMatchObject({
      schema: { type: 'array' },
    });
  });
});
