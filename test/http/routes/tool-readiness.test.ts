import { describe, expect, it } from 'vitest';
import { readinessOf } from '../../../src/http/routes/tool-readiness.ts';
import type { AccountView } from '../../../src/accounts/account-views.ts';
import { connectedAccount } from '../../support/services.ts';
import { json, restApi } from '../rest-api.ts';

const account: AccountView = {
  id: 'ca_1',
  connection_id: 'conn_1',
  connector: 'websearch',
  provider: 'websearch',
  identifier: 'ada@example.test',
  authorization_type: 'API_KEY',
  status: 'ACTIVE',
  token_expires_at: null,
  last_used_at: null,
  updated_at: '2026-11-20T12:00:00.000Z',
  organization_id: '',
  user_id: 'ada',
  api_config: {},
  authorization_details: {},
};

const of = (id: string, status: string, provider = 'websearch') => ({
  ...account,
  id,
  identifier: `${id}@x.test`,
  status,
  provider,
});

describe('readiness of a tool', () => {
  it.each([
    ['no account', [], { account: null, status: 'needs_connection' }],
    [
      'an account of another connector',
      [of('a', 'ACTIVE', 'crm')],
      { account: null, status: 'needs_connection' },
    ],
    [
      'an active account',
      [of('a', 'ACTIVE')],
      { account: { id: 'a', identifier: 'a@x.test' }, status: 'ready' },
    ],
    [
      'an active account beside others',
      [of('a', 'EXPIRED'), of('b', 'ACTIVE')],
      { account: { id: 'b', identifier: 'b@x.test' }, status: 'ready' },
    ],
    ['two active accounts', [of('a', 'ACTIVE'), of('b', 'ACTIVE')], { account: null, status: 'ready' }],
    [
      'an expired account',
      [of('a', 'EXPIRED')],
      { account: { id: 'a', identifier: 'a@x.test' }, status: 'needs_reauth' },
    ],
    [
      'a disconnected account',
      [of('a', 'DISCONNECTED')],
      { account: { id: 'a', identifier: 'a@x.test' }, status: 'needs_reauth' },
    ],
    [
      'an account never connected',
      [of('a', 'PENDING_AUTH')],
      { account: { id: 'a', identifier: 'a@x.test' }, status: 'needs_connection' },
    ],
    [
      'an account to be verified',
      [of('a', 'PENDING_VERIFICATION')],
      { account: { id: 'a', identifier: 'a@x.test' }, status: 'needs_connection' },
    ],
  ])('tells the readiness of a tool for %s', (_name, accounts, readiness) => {
    expect(readinessOf(accounts, new Set(['websearch', 'crm']))('websearch')).toEqual(readiness);
  });
});

describe('readiness of a tool whose connector has several connections', () => {
  const elsewhere = { ...of('a', 'ACTIVE'), connector: 'second' };

  it('follows the connection named like the connector', () => {
    const both = new Set(['websearch', 'second']);
    expect(readinessOf([elsewhere], both)('websearch')).toEqual({
      account: null,
      status: 'needs_connection',
    });
    expect(readinessOf([elsewhere, of('b', 'EXPIRED')], both)('websearch')).toEqual({
      account: { id: 'b', identifier: 'b@x.test' },
      status: 'needs_reauth',
    });
  });

  it('follows the others where there is none of that name', () => {
    expect(readinessOf([elsewhere], new Set(['second']))('websearch')).toEqual({
      account: { id: 'a', identifier: 'a@x.test' },
      status: 'ready',
    });
  });
});

describe('tools of an owner: GET /api/v1/tools/scoped', () => {
  it('reads all accounts of the owner and says for each tool whether it can be used', async () => {
    const api = await restApi();
    const { services } = api;
    const desk = { connector: 'desk', identifier: 'first', user_id: 'ada', connected_account: {} };
    await api.request('/api/v1/connected_accounts', json('POST', desk));
    for (let n = 1; n <= 100; n += 1) {
      services.clock.advance(1_000);
      await connectedAccount(services, { user_id: 'ada' }, `note-${n}`);
    }
    const response = await api.request('/api/v1/tools/scoped?user_id=ada');
    const { tools } = (await response.json()) as {
      tools: { name: string; account: unknown; status: string }[];
    };
    expect(
      Object.fromEntries(tools.map(({ name, account: used, status }) => [name, [used, status]])),
    ).toMatchObject({
      // The oldest account, on the second page.
      desk_search: [{ identifier: 'first' }, 'needs_connection'],
      notes_search: [null, 'ready'],
      weather_search: [null, 'needs_connection'],
    });
  });
});
