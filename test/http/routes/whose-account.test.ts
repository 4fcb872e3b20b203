/** Whose account an answer is about: lists with owners, executions by owner and what went wrong, over REST. */
import { beforeEach, describe, expect, it } from 'vitest';
import { answer, testServices, type Services } from '../../support/services.ts';
import { json, restApi, type RestApi } from '../rest-api.ts';
import { answerProblems, openApi } from '../openapi-document.ts';

const document = await openApi();
const API = '/api/v1';

let services: Services;
let api: RestApi;
beforeEach(async () => {
  services = await testServices();
  api = await restApi({ services });
});

type Listed = Record<string, unknown>[];

/** The items of a list, after a check of the answer against the description. */
async function list(path: string, member: string): Promise<Listed> {
  const response = await api.request(`${API}${path}`);
  const body = (await response.json()) as Record<string, Listed>;
  const template = `${API}${path.split('?')[0] ?? ''}`;
  expect(answerProblems(document, { method: 'GET', path: template, status: 200, body })).toEqual([]);
  return body[member] ?? [];
}

async function create(owner: Record<string, string>, api_config: object = {}): Promise<string> {
  const response = await api.request(
    `${API}/connected_accounts`,
    json('POST', {
      connector: 'notes',
      identifier: 'secret-name@example.test',
      ...owner,
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: 'key-1' } } },
        api_config,
      },
    }),
  );
  expect(response.status).toBe(201);
  return ((await response.json()) as { connected_account: { id: string } }).connected_account.id;
}

const run = async (connected_account_id: string) =>
  api.request(
    `${API}/execute_tool`,
    json('POST', { tool_name: 'notes_search', tool_input: { query: 'private' }, connected_account_id }),
  );

describe('list of connected accounts with view=full', () => {
  it('adds owner, creation and configuration to each item', async () => {
    const id = await create({ user_id: 'ada' }, { timeout: '20s' });
    const [plain] = await list('/connected_accounts', 'connected_accounts');
    const [full] = await list('/connected_accounts?view=full', 'connected_accounts');
    expect(Object.keys(plain ?? {})).toHaveLength(10);
    expect(full).toEqual({
      ...plain,
      id,
      organization_id: '',
      user_id: 'ada',
      display_name: null,
      created_at: '2026-11-20T12:00:00.000Z',
      api_config: { timeout: '20s' },
    });
    expect(await list('/connected_accounts:search?query=secret&view=full', 'connected_accounts')).toEqual([
      full,
    ]);
    expect((await api.request(`${API}/connected_accounts?view=plain`)).status).toBe(400);
  });
});

describe('verification of an unknown auth request', () => {
  it.each(['', 'short', '../../etc/passwd', 'with\u0000nul', '\ud800', 'x'.repeat(5_000), 'ﬀ 🚪'])(
    'answers 404 to %j',
    async (auth_request_id) => {
      const body = json('POST', { auth_request_id, identifier: 'ada' });
      const response = await api.request(`${API}/connected_accounts/user/verify`, body);
      expect([response.status, await response.json()]).toEqual([
        404,
        {
          code: 5,
          message: 'auth request not found or no longer valid',
          details: [{ error_code: 'RESOURCE_NOT_FOUND' }],
        },
      ]);
    },
  );
});

describe('list of executions', () => {
  it('filters by owner, connection and time', async () => {
    const ada = await create({ user_id: 'ada' });
    const acme = await create({ organization_id: 'acme' });
    await run(ada);
    services.clock.advance(60_000);
    await run(acme);
    const ids = async (query: string) =>
      (await list(`/executions?${query}`, 'executions')).map(({ connected_account_id: id }) => id);
    expect(await ids('user_id=ada')).toEqual([ada]);
    expect(await ids('organization_id=acme')).toEqual([acme]);
    expect(await ids('user_id=acme')).toEqual([]);
    expect(await ids('connector=notes')).toEqual([acme, ada]);
    expect(await ids('connector=other')).toEqual([]);
    expect(await ids('from=2026-11-20T12:01:00Z')).toEqual([acme]);
    expect(await ids('to=2026-11-20T12:01:00Z')).toEqual([ada]);
    expect(await ids('from=2026-11-20T14:00:00%2B02:00&to=2026-11-20T12:02:00Z')).toEqual([acme, ada]);
  });

  it.each(['from=yesterday', 'to=2026-11-20', 'from=1', `user_id=${'x'.repeat(65)}`, 'connector=a%2Fb'])(
    'refuses executions filtered by %s',
    async (query) => {
      expect((await api.request(`${API}/executions?${query}`)).status).toBe(400);
    },
  );

  it('says in words of its own what went wrong, with the status of the provider', async () => {
    const id = await create({ user_id: 'ada' });
    services.answers.push(answer(422, { error: { message: 'provider words secret-name', code: 'words' } }));
    expect((await run(id)).status).toBeGreaterThanOrEqual(400);
    const [failed] = await list('/executions', 'executions');
    expect(failed).toMatchObject({
      user_id: 'ada',
      organization_id: '',
      connector: 'notes',
      status: 'error',
      error_code: 'TOOL_ERROR',
      provider_status: 422,
    });
    expect(failed?.error_message).toMatch(/^Notes .*422/);
    expect(JSON.stringify(failed)).not.toMatch(/words|secret-name|private/);
    expect(String(failed?.error_message).length).toBeLessThanOrEqual(300);
  });
});
