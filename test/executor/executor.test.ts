import { beforeEach, describe, expect, it } from 'vitest';
import { AccountNotActive } from '../../src/accounts/not-active.ts';
import {
  answer,
  connectedAccount,
  ENVIRONMENT_ID,
  machine,
  mcpCaller,
  OTHER_ENVIRONMENT_ID,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { storedForm } from '../support/stored-rows.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices();
});

const call = async (
  account: Parameters<Services['executor']['execute']>[0]['account'],
  change: object = {},
) =>
  services.executor.execute({
    caller: machine,
    toolName: 'notes_search',
    input: { query: 'x' },
    account,
    ...change,
  });

const executions = async () => services.db.read.selectFrom('executions').selectAll().orderBy('id').execute();

async function refusal(promise: Promise<unknown>): Promise<AccountNotActive> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AccountNotActive);
  return error as AccountNotActive;
}

describe('tool call', () => {
  it('sends the request with the credential of the account and returns the answer', async () => {
    const { id } = await connectedAccount(services);
    services.answers.push(answer(200, { results: [1] }));
    const result = await call({ id });
    expect(result).toEqual({
      data: { results: [1] },
      executionId: expect.stringMatching(/^exe_/),
      account: { id, identifier: 'u1', connection: 'notes' },
      deadline: 1_795_176_030_000,
      answers: 1,
    });
    expect(services.sent.map(({ method, url, headers }) => [method, url.href, headers['x-api-key']])).toEqual(
      [['GET', 'https://api.notes.example/search?q=x', 'key-1']],
    );
  });

  it.each([
    ['an account of somebody else', { user_id: 'usr_ada' }, ['usr_op connected_account.use']],
    ['an account of an organization', { organization_id: 'acme' }, ['usr_op connected_account.use']],
    ['their own account', { user_id: 'usr_op' }, []],
  ])('leaves a line in the audit log where an operator runs it with %s', async (_whose, owner, expected) => {
    const { id } = await connectedAccount(services, owner);
    const caller = {
      kind: 'operator',
      environmentId: ENVIRONMENT_ID,
      actor: 'usr_op',
      scopes: machine.scopes,
      source: 'dashboard',
      ip: '',
    } as const;
    await call({ id }, { caller });
    const lines = await services.db.read.selectFrom('audit').selectAll().execute();
    const uses = lines.filter(({ action }) => action === 'connected_account.use');
    expect(uses.map(({ actor, action }) => `${actor} ${action}`)).toEqual(expected);
    expect(uses.every(({ target }) => target === id)).toBe(true);
  });

  it.each([
    ['</p?n=0>; rel="first", </p?n=2>; rel="next"', '/p?n=2'],
    ['</p?n=2>;rel=next', '/p?n=2'],
    ['</p?n=0>; rel="first", </p?n=2>; rel="last"', null],
    ['</next>; title="next"; rel="prev"', null],
    [undefined, undefined],
  ])('says from the Link header %j which page follows', async (link, expected) => {
    const { id } = await connectedAccount(services);
    const page = answer(200, { results: [1] });
    services.answers.push(link === undefined ? page : { ...page, headers: { ...page.headers, link } });
    const { nextLink } = await call({ id });
    expect(nextLink).toBe(expected);
  });

  it('records the execution without input and output, and updates the last use of the account', async () => {
    const { id } = await connectedAccount(services);
    services.clock.advance(5_000);
    const { executionId } = await call({ id });
    expect(await executions()).toEqual([
      {
        id: executionId,
        environment_id: 'env_test',
        tool_name: 'notes_search',
        connected_account_id: id,
        source: 'api',
        status: 'ok',
        error_code: null,
        duration_ms: 0,
        at: Date.UTC(2026, 10, 20, 12, 0, 5),
        user_id: 'u1',
        organization_id: '',
        connector: 'notes',
        error_message: null,
        provider_status: null,
        queue_ms: expect.any(Number),
        provider_ms: expect.any(Number),
        attempts: 1,
        renewals: 0,
        client_id: null,
        virtual_server_id: null,
      },
    ]);
    expect((await services.accounts.describe(machine, { id })).last_used_at).toBe('2026-11-20T12:00:05.000Z');
  });

  it('names the account it uses before the provider fails', async () => {
    const { id } = await connectedAccount(services);
    services.answers.push(answer(404, { error: 'gone' }));
    const used: unknown[] = [];
    await expect(call({ id }, { onAccount: (account: unknown) => used.push(account) })).rejects.toMatchObject(
      {
        code: 'TOOL_ERROR',
        status: 404,
      },
    );
    expect(used).toEqual([{ id, identifier: 'u1', connection: 'notes' }]);
  });

  it('records each of many concurrent calls', async () => {
    const { id } = await connectedAccount(services);
    const results = await Promise.all(Array.from({ length: 40 }, async () => call({ id })));
    expect((await executions()).map((row) => row.id).sort()).toEqual(
      results.map((result) => result.executionId).sort(),
    );
  });

  it('checks the input before it looks for an account, and records nothing', async () => {
    await expect(call({}, { input: { wrong: 1 } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          expect.objectContaining({ field: 'wrong' }),
          expect.objectContaining({ field: 'query' }),
        ],
      },
    });
    expect(await executions()).toEqual([]);
    expect(services.sent).toEqual([]);
  });

  it('reports violations of the input and of the account reference together', async () => {
    const account = { userId: 'a', organizationId: 'b', identifier: '' };
    await expect(call(account, { input: { wrong: 1 } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          expect.objectContaining({ field: 'wrong' }),
          expect.objectContaining({ field: 'query' }),
          expect.objectContaining({ field: 'identifier' }),
          expect.objectContaining({ field: 'organization_id' }),
        ],
      },
    });
  });

  it('answers RESOURCE_NOT_FOUND for an unknown tool', async () => {
    await expect(call({}, { toolName: 'nothing' })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: 'There is no tool of that name. GET /api/v1/tools lists the tools.',
    });
    await expect(call({}, { toolName: 'notes_serch' })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: 'There is no tool of that name. Did you mean notes_search? GET /api/v1/tools lists the tools.',
    });
  });

  it('fills the host from api_config and refuses invalid values', async () => {
    const details = { static_auth: { details: { username: 'u', password: 'p' } } };
    for (const [identifier, domain] of [
      ['good', 'acme.desk.example'],
      ['bad', 'evil.test'],
      ['path', 'acme.desk.example/x'],
    ] as const) {
      const connected_account = { authorization_details: details, api_config: { domain } };
      const desk = { connector: 'desk', identifier };
      if (identifier !== 'good')
        await expect(services.accounts.create(machine, { ...desk, connected_account })).rejects.toMatchObject(
          {
            details: { field_violations: [{ field: 'connected_account.api_config.domain' }] },
          },
        );
      // A value stored before it was checked.
      const valid = { ...connected_account, api_config: { domain: 'acme.desk.example' } };
      const { id } = await services.accounts.create(machine, { ...desk, connected_account: valid });
      await services.db.transaction(async (tx) =>
        rows(tx, 'accounts').update(ENVIRONMENT_ID, id, { api_config: JSON.stringify({ domain }) }),
      );
    }
    const desk = async (identifier: string) => call({ identifier }, { toolName: 'desk_search' });
    await desk('good');
    expect(services.sent.map(({ url, headers }) => [url.href, headers.authorization])).toEqual([
      ['https://acme.desk.example/api/search?q=x', 'Basic dTpw'],
    ]);
    for (const identifier of ['bad', 'path']) {
      await expect(desk(identifier)).rejects.toMatchObject({
        details: { field_violations: [{ field: 'connected_account.api_config.domain' }] },
      });
    }
    expect(services.sent).toHaveLength(1);
  });

  it('refuses calls above the rate limit of the catalog before sending them', async () => {
    const { id } = await connectedAccount(services);
    const limited = async () => call({ id }, { toolName: 'notes_limited' });
    await limited();
    await limited();
    services.clock.advance(10_000);
    await expect(limited()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfterSeconds: 50,
    });
    expect(services.sent).toHaveLength(2);
    await call({ id });
    services.clock.advance(50_000);
    await limited();
    expect(services.sent).toHaveLength(4);
  });
});

describe('account of a REST call', () => {
  it('defaults to the only account of the owner', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' });
    await connectedAccount(services, { user_id: 'u2' });
    expect((await call({ userId: 'u1' })).account.id).toBe(id);
  });

  it('refuses an ambiguous call and lists the accounts', async () => {
    await connectedAccount(services, { user_id: 'u1' }, 'work');
    await connectedAccount(services, { user_id: 'u1' }, 'private');
    await expect(call({ userId: 'u1' })).rejects.toMatchObject({
      details: {
        field_violations: [
          { field: 'identifier', description: 'There are several accounts. Name one: work, private.' },
        ],
      },
    });
    expect((await call({ userId: 'u1', identifier: 'private' })).account.identifier).toBe('private');
  });

  it('finds an account by its identifier among many', async () => {
    const { id } = await connectedAccount(services, {}, 'shared');
    await services.db.transaction(async (tx) => {
      const row = await tx.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      for (let i = 0; i < 30; i++) {
        await tx
          .insertInto('accounts')
          .values({ ...storedForm('accounts', row), id: `ca_${i}`, identifier: `many-${i}` })
          .execute();
      }
    });
    expect((await call({ identifier: 'shared' })).account.id).toBe(id);
  });

  it('ignores accounts that never connected next to a connected one', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' }, 'work');
    await services.links.create(machine, { connector: 'notes', user_id: 'u1', identifier: 'other' });
    expect((await call({ userId: 'u1' })).account.id).toBe(id);
  });

  it('answers not found for an identifier without an owner, and creates no account', async () => {
    await expect(call({ identifier: 'u9' })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message:
        'There is no such connected account. POST /api/v1/connected_accounts/magic_link creates it with a link to connect it.',
    });
    expect((await services.accounts.list(machine, {})).total_size).toBe(0);
  });

  it('requires an owner or an account id', async () => {
    await expect(call({})).rejects.toMatchObject({
      details: { field_violations: [{ field: 'connected_account_id' }] },
    });
  });

  it('finds no account by an id next to the name of another owner', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' });
    expect((await call({ id, userId: 'u1', identifier: 'u1', connection: 'notes' })).account.id).toBe(id);
    for (const other of [
      { userId: 'u2' },
      { identifier: 'x' },
      { connection: 'desk' },
      { organizationId: 'o' },
    ]) {
      await expect(call({ id, ...other })).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    }
  });

  it('refuses an account of another connector', async () => {
    const { id } = await connectedAccount(services);
    await expect(call({ id }, { toolName: 'weather_search' })).rejects.toMatchObject({
      details: { field_violations: [{ field: 'connected_account_id' }] },
    });
  });

  it('finds no account of another environment', async () => {
    const { id } = await connectedAccount(services);
    const caller = { ...machine, environmentId: OTHER_ENVIRONMENT_ID };
    await expect(call({ id }, { caller })).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('requires the connection where several connections fit', async () => {
    for (const name of ['mail a', 'mail b'])
      await services.connections.create(machine, { connector: 'mailbox', name });
    await expect(call({ userId: 'u1' }, { toolName: 'mailbox_search' })).rejects.toMatchObject({
      details: {
        field_violations: [{ field: 'connector', description: expect.stringContaining('mail a, mail b') }],
      },
    });
  });

  it('requires a connection for the connector', async () => {
    await expect(call({ userId: 'u1' }, { toolName: 'mailbox_search' })).rejects.toMatchObject({
      code: 'CONNECTION_MISSING',
    });
  });
});

describe('account of an MCP call', () => {
  const ask = async (account?: string, toolName = 'notes_search') =>
    services.executor.execute({
      caller: mcpCaller('u1'),
      toolName,
      input: { query: 'x' },
      account: { account },
    });

  it('creates a missing account and gives its owner a link', async () => {
    const error = await refusal(ask());
    expect(error.connect).toMatchObject({ link: expect.stringContaining('/connect/') });
    expect(error.account).toMatchObject({
      identifier: 'u1',
      status: 'PENDING_AUTH',
      connectorTitle: 'Notes',
      everConnected: false,
    });
    expect((await services.accounts.list(machine, { user_id: 'u1' })).total_size).toBe(1);
  });

  it('works after form and verification, with the same call', async () => {
    const error = await refusal(ask());
    const link = 'link' in error.connect ? error.connect.link : '';
    const target = new URL((await submitForm(services, link, { api_key: 'from-form' })) ?? '');
    await services.verification.verify(machine, {
      auth_request_id: target.searchParams.get('auth_request_id') ?? '',
      identifier: 'u1',
    });
    await ask();
    expect(services.sent.map((request) => request.headers['x-api-key'])).toEqual(['from-form']);
  });

  it('requires the identifier where there are several accounts, with the connection if needed', async () => {
    await connectedAccount(services, { user_id: 'u1' }, 'work');
    await connectedAccount(services, { user_id: 'u1' }, 'private');
    await expect(ask()).rejects.toMatchObject({
      details: {
        field_violations: [{ field: 'account', description: expect.stringContaining('work, private') }],
      },
    });
    expect((await ask('private')).account.identifier).toBe('private');
    expect((await ask('notes/work')).account.identifier).toBe('work');
    await expect(ask('nobody')).rejects.toMatchObject({
      details: {
        field_violations: [{ field: 'account', description: expect.stringContaining('work, private') }],
      },
    });
    expect(await services.executor.accountChoices(mcpCaller('u1'))).toEqual(
      new Map([['notes', ['work', 'private']]]),
    );
  });

  it('needs no name for the only account that is left after another one was disconnected', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' }, 'work');
    await connectedAccount(services, { user_id: 'u1' }, 'private');
    await services.disconnection.disconnect(machine, id);
    expect((await ask()).account.identifier).toBe('private');
    expect(await services.executor.accountChoices(mcpCaller('u1'))).toEqual(new Map());
    expect((await refusal(ask('work'))).account.status).toBe('DISCONNECTED');
  });

  it('means the disconnected account of the own connection, beside a connected one at another', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' }, 'work');
    await services.connections.create(machine, { connector: 'notes', name: 'notes2' });
    await services.accounts.create(machine, {
      connector: 'notes2',
      user_id: 'u1',
      identifier: 'other',
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'key-2' } } } },
    });
    await services.disconnection.disconnect(machine, id);
    expect((await refusal(ask())).account.identifier).toBe('work');
    expect(await services.executor.accountChoices(mcpCaller('u1'))).toEqual(
      new Map([['notes', ['notes/work', 'notes2/other']]]),
    );
  });

  it('lists accounts that were all disconnected, and requires the identifier of one', async () => {
    for (const name of ['work', 'private']) {
      const { id } = await connectedAccount(services, { user_id: 'u1' }, name);
      await services.disconnection.disconnect(machine, id);
    }
    await expect(ask()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await services.executor.accountChoices(mcpCaller('u1'))).toEqual(
      new Map([['notes', ['work', 'private']]]),
    );
  });

  it('means the disconnected account before one that was never connected', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' }, 'work');
    await services.accounts.create(machine, { connector: 'notes', user_id: 'u1', identifier: 'new' });
    await services.disconnection.disconnect(machine, id);
    expect((await refusal(ask())).account.identifier).toBe('work');
  });

  it("prefers the account at the tool's own connection where several have the name", async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' }, 'u');
    await services.connections.create(machine, { connector: 'notes', name: 'notes2' });
    await services.accounts.create(machine, {
      connector: 'notes2',
      identifier: 'u',
      user_id: 'u1',
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'k2' } } } },
    });
    expect((await ask('u')).account.id).toBe(id);
    expect((await ask('notes2/u')).account.connection).toBe('notes2');
  });

  it('answers not found for an API credential of another organization', async () => {
    await connectedAccount(services, { user_id: 'victim' });
    await connectedAccount(services, { organization_id: 'org_b' });
    for (const owner of [
      { userId: 'victim', organizationId: '' },
      { userId: '', organizationId: 'org_b' },
    ]) {
      const caller = { ...mcpCaller('x'), owner, boundOrganizationId: 'org_a' };
      const foreign = { caller, toolName: 'notes_search', input: { query: 'x' }, account: {} };
      await expect(services.executor.execute(foreign)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
      await expect(services.executor.accountChoices(caller)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    }
    expect(services.sent).toEqual([]);
    expect((await services.accounts.list(machine, {})).total_size).toBe(2);
  });

  it('never belongs to another user', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u2' }, 'theirs');
    await expect(ask('theirs')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(
      services.executor.execute({
        caller: mcpCaller('u1'),
        toolName: 'notes_search',
        input: { query: 'x' },
        account: { id },
      }),
    ).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('needs no account where the connector needs no credential', async () => {
    expect((await ask(undefined, 'weather_search')).account.identifier).toBe('u1');
  });

  it('names the missing setting of the operator where no link can be made', async () => {
    services = await testServices({ environment: { userVerifyUrl: undefined } });
    const error = await refusal(ask());
    expect(error.connect).toEqual({ unavailable: expect.stringContaining('user_verify_url') });
    expect(error.details).not.toHaveProperty('authorization_link');
  });
});

describe('account that is not ACTIVE', () => {
  it('refuses the call with the status and a link', async () => {
    const { id } = await connectedAccount(services);
    await services.disconnection.disconnect(machine, id);
    const error = await refusal(call({ id }));
    expect(error.details).toEqual({
      status: 'DISCONNECTED',
      connected_account_id: id,
      connector: 'notes',
      identifier: 'u1',
      authorization_link: expect.stringContaining('http://127.0.0.1:3000/connect/'),
      expiry: '2026-11-20T13:00:00.000Z',
    });
    expect(error.message).not.toContain('/connect/');
    expect(await executions()).toMatchObject([
      {
        status: 'error',
        error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
        error_message: 'The account was not connected (DISCONNECTED). Its owner has to connect it.',
        provider_status: null,
      },
    ]);
  });
});

describe('API key that the provider refuses', () => {
  const refused = () => answer(401, { error: 'bad key' });

  it('expires the account at the second refusal in a row, with a link', async () => {
    const { id } = await connectedAccount(services);
    services.answers.push(refused(), refused());
    await expect(call({ id })).rejects.toMatchObject({ code: 'TOOL_ERROR', status: 502 });
    expect((await services.accounts.describe(machine, { id })).status).toBe('ACTIVE');
    const error = await refusal(call({ id }));
    expect(error.account.status).toBe('EXPIRED');
    expect(error.connect).toHaveProperty('link');
    expect(services.sent).toHaveLength(2);
    await refusal(call({ id }));
    expect(services.sent).toHaveLength(2);
  });

  it('keeps the account active when a call in between succeeds or the key is replaced', async () => {
    const { id } = await connectedAccount(services);
    services.answers.push(refused(), answer(200, {}), refused());
    await expect(call({ id })).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    await call({ id });
    await expect(call({ id })).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    await services.accounts.update(machine, {
      id,
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'better' } } } },
    });
    services.answers.push(refused());
    await expect(call({ id })).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    expect((await services.accounts.describe(machine, { id })).status).toBe('ACTIVE');
  });

  it('leaves the account waiting for verification when new credentials wait already', async () => {
    const { id } = await connectedAccount(services);
    const { link } = await services.links.create(machine, { id });
    const target = new URL((await submitForm(services, link, { api_key: 'new' })) ?? '');
    services.answers.push(refused(), refused());
    await expect(call({ id })).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    expect((await refusal(call({ id }))).account.status).toBe('PENDING_VERIFICATION');
    services.clock.advance(600_000);
    expect((await services.accounts.describe(machine, { id })).status).toBe('EXPIRED');
    expect(target.searchParams.get('auth_request_id')).not.toBeNull();
  });

  it('keeps the account active after temporary failures', async () => {
    const { id } = await connectedAccount(services);
    for (const status of [403, 429, 500, 503]) {
      services.answers.push(...Array.from({ length: 3 }, () => answer(status, { error: 'x' })));
      await expect(call({ id })).rejects.toMatchObject({ code: 'TOOL_ERROR' });
      services.answers.length = 0;
    }
    expect((await services.accounts.describe(machine, { id })).status).toBe('ACTIVE');
  });
});
