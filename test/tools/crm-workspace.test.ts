/** CRM toolsets workspace and webhooks: the exact provider requests, and what the handlers make of the answers. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callTool, del, get, refusals, requestOf } from './tool-request.ts';

const description = readProviderDescription('crm');

const ID = '50cf242c-7fa3-4cad-87d0-75b1af71c57b';

describe('CRM tools for the workspace: requests', () => {
  it.each([
    ['crm_list_workspace_members', {}, get('/v2/workspace_members')],
    ['crm_list_workspace_members', { limit: 2, offset: 4 }, get('/v2/workspace_members')],
    ['crm_get_workspace_member', { workspace_member_id: ID }, get(`/v2/workspace_members/${ID}`)],
    ['crm_get_current_token_info', {}, get('/v2/self')],
    ['crm_list_webhooks', {}, get('/v2/webhooks')],
    ['crm_list_webhooks', { limit: 3 }, get('/v2/webhooks', [['limit', '10']])],
    [
      'crm_list_webhooks',
      { limit: 100, offset: 5 },
      get('/v2/webhooks', [
        ['limit', '100'],
        ['offset', '5'],
      ]),
    ],
    ['crm_list_webhooks', { offset: 0 }, get('/v2/webhooks', [['offset', '0']])],
    ['crm_get_webhook', { webhook_id: ID }, get(`/v2/webhooks/${ID}`)],
    ['crm_delete_webhook', { webhook_id: ID }, del(`/v2/webhooks/${ID}`)],
  ])('send the request of %s for %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });
});

describe('CRM tools for the workspace: invalid input', () => {
  it.each([
    ['crm_list_workspace_members', ['limit minimum', 'offset minimum'], { limit: 0, offset: -1 }],
    ['crm_get_workspace_member', ['workspace_member_id format'], { workspace_member_id: 'ada' }],
    ['crm_get_current_token_info', ['token unknown'], { token: 'x' }],
    ['crm_list_webhooks', ['limit minimum', 'offset minimum'], { limit: 0, offset: -1 }],
    ['crm_list_webhooks', ['limit maximum'], { limit: 101 }],
    ['crm_get_webhook', ['webhook_id required'], {}],
    ['crm_delete_webhook', ['webhook_id format'], { webhook_id: '..' }],
  ])('%s reports the violations %j', (name, expected, input) => {
    expect(refusals(name, input)).toEqual(expected);
  });
});

const items = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ email_address: `${i}@example.com` }));

describe('tool crm_list_workspace_members', () => {
  it('returns the answer unchanged without limit and offset', async () => {
    const answer = { data: items(3), extra: 1 };
    expect((await callTool('crm_list_workspace_members', {}, answer)).data).toEqual(answer);
  });

  it.each([
    [{ limit: 2 }, { data: items(5).slice(0, 2), has_more: true }],
    [
      { limit: 2, offset: 2 },
      { data: items(5).slice(2, 4), has_more: true },
    ],
    [{ limit: 2, offset: 3 }, { data: items(5).slice(3) }],
    [{ limit: 5 }, { data: items(5) }],
    [{ offset: 1 }, { data: items(5).slice(1) }],
    [{ offset: 9 }, { data: [] }],
  ])('returns a part of five members for %j', async (input, expected) => {
    expect((await callTool('crm_list_workspace_members', input, { data: items(5) })).data).toEqual(expected);
  });
});

describe('tool crm_list_webhooks', () => {
  it.each([
    [{ limit: 3 }, { data: items(10).slice(0, 3) }],
    [{ limit: 3, offset: 6 }, { data: items(10).slice(0, 3) }],
    [{ limit: 10 }, { data: items(10), extra: 1 }],
    [{}, { data: items(10), extra: 1 }],
  ])('returns the requested part with %j, though the page has ten', async (input, expected) => {
    const { data } = await callTool('crm_list_webhooks', input, { data: items(10), extra: 1 });
    expect(data).toEqual(expected);
  });
});

describe('tool crm_get_current_token_info', () => {
  const self = {
    active: true,
    scope: 'record_permission:read-write  note:read',
    client_id: '0ba9c12c-0001-4d4b-95de-3a3c6b8e0b6b',
    token_type: 'Bearer',
    exp: null,
    sub: 'ws-1',
    authorized_by_workspace_member_id: ID,
    workspace_id: 'ws-1',
    workspace_name: 'Example',
  };
  const member = { data: { first_name: 'Ada', last_name: 'Lovelace', email_address: 'ada@example.com' } };
  const refusal = (status: number): ServiceError =>
    new ServiceError('TOOL_ERROR', 'Refused.', { details: { tool_error: { provider_status: status } } });
  const told = {
    active: true,
    workspace: { id: 'ws-1', name: 'Example' },
    actor: { type: 'workspace-member', id: ID, name: 'Ada Lovelace', email: 'ada@example.com' },
    scopes: ['record_permission:read-write', 'note:read'],
  };

  it('names the workspace, the authorizing member and the scopes', async () => {
    const answers: unknown[] = [self, member];
    const { requests, data } = await callTool('crm_get_current_token_info', {}, () => answers.shift());
    expect(requests).toEqual([get('/v2/self'), get(`/v2/workspace_members/${ID}`)]);
    for (const request of requests) expectRequestMatches(description, request);
    expect(data).toEqual(told);
  });

  it.each([
    [{ data: { first_name: 'Ada', last_name: '', email_address: null } }, { name: 'Ada' }],
    [{ data: { last_name: 'Lovelace' } }, { name: 'Lovelace' }],
    [{ data: {} }, {}],
    [null, {}],
  ])('returns the known names of a member: %j', async (answer, expected) => {
    const answers: unknown[] = [self, answer];
    const { data } = await callTool('crm_get_current_token_info', {}, () => answers.shift());
    expect((data as { actor: unknown }).actor).toEqual({ type: 'workspace-member', id: ID, ...expected });
  });

  it.each([403, 404])('omits name and email where members are answered %i', async (status) => {
    const { data } = await callTool('crm_get_current_token_info', {}, ({ path }) => {
      if (path === '/v2/self') return self;
      throw refusal(status);
    });
    expect(data).toEqual({ ...told, actor: { type: 'workspace-member', id: ID } });
  });

  it.each([refusal(401), refusal(429), refusal(500), new Error('defect')])(
    'passes on any other failure of the second call: %s',
    async (failure) => {
      const call = callTool('crm_get_current_token_info', {}, ({ path }) => {
        if (path === '/v2/self') return self;
        throw failure;
      });
      await expect(call).rejects.toBe(failure);
    },
  );

  it('passes on a failure of the first call', async () => {
    const failure = refusal(401);
    const call = callTool('crm_get_current_token_info', {}, () => {
      throw failure;
    });
    await expect(call).rejects.toBe(failure);
  });

  it.each([
    [{ authorized_by_workspace_member_id: null }, { type: 'api-token', id: self.client_id }],
    [{ authorized_by_workspace_member_id: undefined, client_id: undefined }, { type: 'api-token' }],
    // never a path of the provider's making
    [{ authorized_by_workspace_member_id: '../tasks' }, { type: 'workspace-member', id: '../tasks' }],
  ])('with %j makes one request only', async (change, actor) => {
    const { requests, data } = await callTool('crm_get_current_token_info', {}, { ...self, ...change });
    expect(requests).toEqual([get('/v2/self')]);
    expect((data as { actor: unknown }).actor).toEqual(actor);
  });

  it.each([[{ active: false }], [{}], [null], [[]]])(
    'reports that the token is not active: %j',
    async (answer) => {
      const { requests, data } = await callTool('crm_get_current_token_info', {}, answer);
      expect(requests).toHaveLength(1);
      expect(data).toEqual({ active: false });
    },
  );

  it('returns no scopes where the answer names none', async () => {
    const answers: unknown[] = [{ ...self, scope: undefined }, member];
    const { data } = await callTool('crm_get_current_token_info', {}, () => answers.shift());
    expect((data as { scopes: unknown }).scopes).toEqual([]);
  });
});
