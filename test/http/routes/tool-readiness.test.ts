import { describe, expect, it } from 'vitest';
import { readinessOf } from '../../../src/http/routes/tool-readiness.ts';
import { account, fakeApi } from '../fake-services.ts';

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
    const asked: unknown[] = [];
    const pages = [
      {
        connected_accounts: [of('a', 'EXPIRED', 'crm')],
        next_page_token: 't',
        prev_page_token: '',
        total_size: 2,
      },
      { connected_accounts: [of('b', 'ACTIVE')], next_page_token: '', prev_page_token: '', total_size: 2 },
    ];
    const api = fakeApi();
    const scoped = fakeApi({
      accounts: {
        ...api.deps.accounts,
        list: (_caller, query) => {
          asked.push(query);
          return Promise.resolve(pages[asked.length - 1]!);
        },
      },
    });
    const response = await scoped.request('/api/v1/tools/scoped?user_id=ada');
    const { tools } = (await response.json()) as {
      tools: { name: string; account: unknown; status: string }[];
    };
    expect(tools.map(({ name, account: used, status }) => ({ name, used, status }))).toEqual([
      { name: 'websearch_search', used: { id: 'b', identifier: 'b@x.test' }, status: 'ready' },
      { name: 'crm_delete_record', used: { id: 'a', identifier: 'a@x.test' }, status: 'needs_reauth' },
    ]);
    expect(asked).toEqual([
      { user_id: 'ada', organization_id: undefined, page_size: 100, page_token: undefined },
      { user_id: 'ada', organization_id: undefined, page_size: 100, page_token: 't' },
    ]);
  });
});
