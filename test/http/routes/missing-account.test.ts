/** REST requests whose account does not exist yet, or whose owner is left out. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  machine,
  OTHER_ENVIRONMENT_ID,
  submitForm,
  testServices,
  type Services,
} from '../../support/services.ts';
import { json, restApi, type RestApi } from '../rest-api.ts';

const ACCOUNTS = '/api/v1/connected_accounts';
const SEARCH = { tool_name: 'notes_search', tool_input: { query: 'x' } };

let services: Services;
let api: RestApi;

beforeEach(async () => {
  services = await testServices();
  api = await restApi({ services });
});

interface Answer {
  status: number;
  body: { message: string; details: Record<string, unknown>[]; link: string; expiry: string };
}

async function call(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await api.request(path, init);
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const execute = async (body: object, init: RequestInit = {}) =>
  call('/api/v1/execute_tool', { ...json('POST', { ...SEARCH, ...body }), ...init });

const stored = async () =>
  services.db.read
    .selectFrom('accounts')
    .select(['identifier', 'user_id', 'organization_id', 'status'])
    .orderBy('identifier')
    .execute();

const links = async () => services.db.read.selectFrom('links').selectAll().execute();

const fields = ({ body }: Answer): unknown =>
  (body.details[0]?.['field_violations'] as { field: string }[] | undefined)?.map(({ field }) => field);

describe('execute_tool for an owner who has never connected', () => {
  it.each([
    [{ user_id: 'u1' }, { identifier: 'u1', user_id: 'u1', organization_id: '' }],
    [{ organization_id: 'o1' }, { identifier: 'o1', user_id: '', organization_id: 'o1' }],
    [
      { user_id: 'u1', identifier: 'jose\u0301' },
      { identifier: 'jos\u00e9', user_id: 'u1', organization_id: '' },
    ],
    [
      { user_id: 'u1', identifier: 'work', connector: 'notes' },
      { identifier: 'work', user_id: 'u1', organization_id: '' },
    ],
  ])('makes the account of %j and answers with a link that connects it', async (owner, account) => {
    const refused = await execute(owner);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 9,
        details: [
          {
            error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
            status: 'NOT_CONNECTED',
            connected_account_id: expect.stringMatching(/^ca_/),
            connector: 'notes',
            identifier: account.identifier,
            expiry: '2026-11-20T13:00:00.000Z',
          },
        ],
      },
    });
    expect(await stored()).toEqual([{ ...account, status: 'PENDING_AUTH' }]);
    const link = String(refused.body.details[0]?.['authorization_link']);
    const redirect = new URL((await submitForm(services, link, { api_key: 'k' })) ?? '');
    const auth_request_id = redirect.searchParams.get('auth_request_id') ?? '';
    await services.verification.verify(machine, { auth_request_id, identifier: account.identifier });
    expect((await execute(owner)).status).toBe(200);
  });

  it('answers the same link again, then with the status of the account', async () => {
    const first = await execute({ user_id: 'u1' });
    const second = await execute({ user_id: 'u1' });
    expect(second.body.details[0]).toEqual({ ...first.body.details[0], status: 'PENDING_AUTH' });
    expect(await links()).toHaveLength(1);
  });

  it('makes one account for concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, async () => execute({ user_id: 'u1' })));
    expect(new Set(answers.map(({ body }) => body.details[0]?.['authorization_link'])).size).toBe(1);
    expect(await stored()).toHaveLength(1);
  });

  it('calls at once where the connector needs no credential', async () => {
    expect(await execute({ user_id: 'u1', tool_name: 'weather_search' })).toMatchObject({ status: 200 });
  });

  it('lists the refused call among the executions', async () => {
    await execute({ user_id: 'u1' });
    const rows = await services.db.read.selectFrom('executions').select('error_code').execute();
    expect(rows).toEqual([{ error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' }]);
  });

  it('says in words that no link can be made where the operator has named no app', async () => {
    services = await testServices({ environment: { userVerifyUrl: undefined } });
    api = await restApi({ services });
    const refused = await execute({ user_id: 'u1' });
    expect(refused.body.message).toContain('set user_verify_url in the settings');
    expect(refused.body.details[0]).not.toHaveProperty('authorization_link');
  });

  it.each<[string, object]>([
    ['an id that does not exist', { connected_account_id: 'ca_00000000000000000000000000' }],
    [
      'an id that does not exist, and its owner',
      { connected_account_id: 'ca_00000000000000000000000000', user_id: 'u1' },
    ],
    ['an identifier without an owner', { identifier: 'u1' }],
  ])('answers 404 for %s, and makes nothing', async (_case, account) => {
    expect(await execute(account)).toMatchObject({ status: 404 });
    expect(await stored()).toEqual([]);
  });

  it.each<[string, object, number]>([
    ['two owners', { user_id: 'u1', organization_id: 'o1' }, 400],
    ['no owner', {}, 400],
    ['a connection that does not exist', { user_id: 'u1', connector: 'nowhere' }, 400],
    ['a connection of another connector', { user_id: 'u1', connector: 'weather' }, 400],
    ['wrong input', { user_id: 'u1', tool_input: {} }, 400],
    ['an unknown tool', { user_id: 'u1', tool_name: 'notes_nothing' }, 404],
    ['an owner with a control character', { user_id: 'u\u0000' }, 400],
    ['an owner too long', { user_id: 'u'.repeat(65) }, 400],
    ['an identifier too long', { user_id: 'u1', identifier: 'u'.repeat(201) }, 400],
  ])('makes nothing for a call with %s', async (_case, body, status) => {
    expect((await execute(body)).status).toBe(status);
    expect(await stored()).toEqual([]);
    expect(await links()).toEqual([]);
  });

  it('makes nothing for an owner whom the credential does not reach', async () => {
    const headers = { authorization: 'Bearer bound', 'content-type': 'application/json' };
    for (const owner of [{ user_id: 'u1' }, { organization_id: 'other' }]) {
      expect((await execute(owner, { headers })).status).toBe(403);
    }
    expect(await stored()).toEqual([]);
    expect(await execute({ organization_id: 'acme' }, { headers })).toMatchObject({
      body: { details: [{ status: 'NOT_CONNECTED' }] },
    });
  });

  it('leaves other routes at 404', async () => {
    const combination = { connector: 'notes', identifier: 'u1', user_id: 'u1' };
    const query = new URLSearchParams(combination).toString();
    for (const answer of [
      await call(`${ACCOUNTS}/auth?${query}`),
      await call(`${ACCOUNTS}/details?${query}`),
      await call(ACCOUNTS, json('PUT', { ...combination, connected_account: {} })),
      await call(`${ACCOUNTS}:delete`, json('POST', combination)),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect(await stored()).toEqual([]);
  });
});

describe('link of an answer of execute_tool', () => {
  const target = async (answer: Answer): Promise<string | null> =>
    submitForm(services, String(answer.body.details[0]?.['authorization_link']), { api_key: 'k' });

  it('leads to the user_verify_url of the request, with its state', async () => {
    const link = { state: 'a b&c', user_verify_url: 'https://own.example/back?x=1' };
    const url = new URL((await target(await execute({ user_id: 'u1', link }))) ?? '');
    expect(url.origin + url.pathname).toBe('https://own.example/back');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ x: '1', state: 'a b&c' });
  });

  it('differs where state or user_verify_url differ, and is the same otherwise', async () => {
    const requests = [
      undefined,
      { state: 'a' },
      { state: 'b' },
      { user_verify_url: 'https://own.example/back' },
    ];
    for (const link of [...requests, ...requests]) await execute({ user_id: 'u1', link });
    expect(await links()).toHaveLength(requests.length);
  });

  it('goes with a dry run and with an account that exists too', async () => {
    await execute({ user_id: 'u1' });
    for (const body of [{ dry_run: true }, {}]) {
      const refused = await execute({ user_id: 'u1', link: { state: 'a' }, ...body });
      expect(refused.body.details[0]).toMatchObject({ status: 'PENDING_AUTH' });
    }
    expect((await links()).map(({ caller_state }) => caller_state)).toEqual([null, 'a']);
  });

  it.each<[string, unknown, string[]]>([
    ['a URL that is none', { user_verify_url: 'app' }, ['link.user_verify_url']],
    ['http off loopback', { user_verify_url: 'http://own.example/' }, ['link.user_verify_url']],
    ['a user name in the URL', { user_verify_url: 'https://a:b@own.example/' }, ['link.user_verify_url']],
    ['a script', { user_verify_url: 'javascript:alert(1)' }, ['link.user_verify_url']],
    [
      'a URL too long',
      { user_verify_url: `https://a.example/${'a'.repeat(2048)}` },
      ['link.user_verify_url'],
    ],
    ['an empty URL', { user_verify_url: '' }, ['link.user_verify_url']],
    ['an empty state', { state: '' }, ['link.state']],
    ['a state too long', { state: 'a'.repeat(513) }, ['link.state']],
    ['a state with a control character', { state: 'a\n' }, ['link.state']],
    ['both wrong', { state: '', user_verify_url: '' }, ['link.state', 'link.user_verify_url']],
    [
      'no state and a script',
      { state: '', user_verify_url: 'javascript:alert(1)' },
      ['link.state', 'link.user_verify_url'],
    ],
    [
      'another member and a script',
      { scopes: ['all'], user_verify_url: 'javascript:alert(1)' },
      ['link.scopes', 'link.user_verify_url'],
    ],
    ['another member', { scopes: ['all'] }, ['link.scopes']],
    ['a text', 'https://own.example/', ['link']],
    ['null', null, ['link']],
  ])('refuses %s with the field, and makes nothing', async (_case, link, wrong) => {
    const refused = await execute({ user_id: 'u1', link });
    expect(refused.status).toBe(400);
    expect(fields(refused)).toEqual(wrong);
    expect(await stored()).toEqual([]);
  });

  it('stays within the allow-list, and is refused together with wrong input', async () => {
    services = await testServices({ environment: { userVerifyUrls: ['https://app.example/'] } });
    api = await restApi({ services });
    const link = { user_verify_url: 'https://evil.example/' };
    const refused = await execute({ user_id: 'u1', tool_input: {}, link });
    expect(fields(refused)).toEqual(['query', 'link.user_verify_url']);
    expect(await stored()).toEqual([]);
  });

  it('causes 400 for an active account too', async () => {
    await services.accounts.create(machine, {
      connector: 'notes',
      identifier: 'u1',
      user_id: 'u1',
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'k' } } } },
    });
    expect(fields(await execute({ user_id: 'u1', link: { user_verify_url: 'ftp://a.example' } }))).toEqual([
      'link.user_verify_url',
    ]);
    expect(services.sent).toEqual([]);
  });
});

describe('magic_link more than twenty times in an hour', () => {
  it('answers 429 with Retry-After', async () => {
    const make = async () =>
      api.request(`${ACCOUNTS}/magic_link`, json('POST', { connector: 'notes', user_id: 'u1' }));
    for (let i = 0; i < 20; i++) expect((await make()).status).toBe(200);
    const refused = await make();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect(await execute({ user_id: 'u1' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('ask again after 2026-11-20T13:00:00.000Z') },
    });
  });
});

describe('request that leaves the owner out', () => {
  const NAMED = { connector: 'notes', identifier: 'shared' };
  const create = async (owner: object, identifier = 'shared') => {
    const { id } = await services.accounts.create(machine, {
      connector: 'notes',
      identifier,
      ...owner,
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'k' } } } },
    });
    return id;
  };

  /** Ids that each way of naming an account without its owner leads to; a status where it is refused. */
  async function meant(): Promise<unknown[]> {
    const query = new URLSearchParams(NAMED).toString();
    const account = async (path: string, init?: RequestInit): Promise<unknown> => {
      const response = await api.request(path, init);
      if (response.status !== 200) return response.status;
      return ((await response.json()) as { connected_account: { id: string } }).connected_account.id;
    };
    const before = new Set((await links()).map(({ id }) => id));
    const linked = await api.request(`${ACCOUNTS}/magic_link`, json('POST', NAMED));
    const called = await api.request('/api/v1/execute_tool', json('POST', { ...SEARCH, ...NAMED }));
    const rows = await services.db.read.selectFrom('executions').selectAll().orderBy('id', 'desc').execute();
    return [
      await account(`${ACCOUNTS}/details?${query}`),
      await account(`${ACCOUNTS}/auth?${query}`),
      await account(ACCOUNTS, json('PUT', { ...NAMED, connected_account: {} })),
      linked.status === 200 ? (await links()).find(({ id }) => !before.has(id))?.account_id : linked.status,
      called.status === 200 ? rows[0]?.connected_account_id : called.status,
    ];
  }

  it('means the only account there is, with any owner', async () => {
    const id = await create({ user_id: 'u1' });
    await create({ user_id: 'u1' }, 'another');
    expect(await meant()).toEqual([id, id, id, id, id]);
    expect(await stored()).toHaveLength(2);
  });

  it('means the account without an owner where there is one', async () => {
    await create({ user_id: 'u1' });
    await create({ organization_id: 'o1' });
    const id = await create({});
    expect(await meant()).toEqual([id, id, id, id, id]);
  });

  it('fails where several fit, and says how many', async () => {
    for (const owner of [{ user_id: 'u1' }, { user_id: 'u2' }, { organization_id: 'o1' }])
      await create(owner);
    expect(await meant()).toEqual([400, 400, 400, 400, 400]);
    const refused = await call(`${ACCOUNTS}:delete`, json('POST', NAMED));
    expect(fields(refused)).toEqual(['user_id']);
    expect(JSON.stringify(refused.body)).toContain('3 accounts at notes have this identifier');
    expect(await stored()).toHaveLength(3);
  });

  it('deletes the only account there is', async () => {
    await create({ user_id: 'u1' });
    expect((await call(`${ACCOUNTS}:delete`, json('POST', NAMED))).status).toBe(200);
    expect(await stored()).toEqual([]);
  });

  it('makes an account without an owner by magic_link where none fits', async () => {
    await create({ user_id: 'u1' }, 'another');
    expect((await call(`${ACCOUNTS}/magic_link`, json('POST', NAMED))).status).toBe(200);
    expect(await stored()).toContainEqual({
      identifier: 'shared',
      user_id: '',
      organization_id: '',
      status: 'PENDING_AUTH',
    });
  });

  it('makes no link for an account of nobody where its owner has to sign in, but one for its owner', async () => {
    services = await testServices({
      environment: { userVerification: 'signed_in', userVerifyUrl: undefined },
    });
    api = await restApi({ services });
    expect(fields(await call(`${ACCOUNTS}/magic_link`, json('POST', NAMED)))).toEqual(['user_id']);
    await create({ user_id: 'usr_ada' });
    expect((await call(`${ACCOUNTS}/magic_link`, json('POST', NAMED))).status).toBe(200);
  });

  it('keeps a credential of an organization to naming that organization', async () => {
    await create({ organization_id: 'acme' });
    const headers = { authorization: 'Bearer bound', 'content-type': 'application/json' };
    const query = new URLSearchParams(NAMED).toString();
    expect(await call(`${ACCOUNTS}/details?${query}`, { headers })).toMatchObject({ status: 403 });
    expect(await execute(NAMED, { headers })).toMatchObject({ status: 403 });
  });

  it('keeps an account of another environment out', async () => {
    const elsewhere = { ...machine, environmentId: OTHER_ENVIRONMENT_ID };
    await services.accounts.create(elsewhere, { ...NAMED, user_id: 'u1' });
    const query = new URLSearchParams(NAMED).toString();
    expect((await call(`${ACCOUNTS}/details?${query}`)).status).toBe(404);
    expect((await execute(NAMED)).status).toBe(404);
  });
});
