import { describe, expect, it } from 'vitest';
import { TokenFailure } from '../../../src/credentials/oauth/token-endpoint.ts';
import { refreshFailure } from '../../../src/credentials/refresh/refresh-failure.ts';
import type {
  Catalog,
  Connector,
  ConnectorAuth,
  McpServer,
  OAuthRules,
  Tool,
} from '../../../src/catalog/model/types.ts';
import { invalidField } from '../../../src/core/errors.ts';
import { missingScope, type MissingScope } from '../../../src/executor/call/missing-scope.ts';
import { ProviderFailure, type ToolError } from '../../../src/outbound/provider-failure.ts';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import { answer, BROWSER, ENVIRONMENT_ID, machine, testServices } from '../../support/services.ts';
import { testCatalog } from '../../support/test-catalog.ts';

const oauth = (scope_parameter: boolean): ConnectorAuth => ({
  type: 'OAUTH',
  fields: [],
  oauth: { scope_parameter } as OAuthRules,
});

const connector: Connector = {
  name: 'mailbox',
  title: 'Mailbox',
  description: '',
  hosts: [],
  auth: [],
  errors: {
    message: [],
    code: [],
    reconnect: [401],
    conflicts: [],
    missing_scope: { statuses: [403, 400], except: ['over_quota'] },
  },
  needsNoOperator: false,
};

const tool: Tool = {
  name: 'mailbox_send',
  scopes: [['mail.send'], ['mail.read', 'mail.all']],
} as unknown as Tool;

const refusal = (change: Partial<ToolError> = {}): ProviderFailure =>
  new ProviderFailure('Mailbox does not allow this account to do this (403).', 403, {
    code: 'HTTP_403',
    message: 'insufficient_scope',
    provider_status: 403,
    provider_body: { error: 'insufficient_scope' },
    retry_after: null,
    required_scopes: null,
    execution_id: 'exe_1',
    ...change,
  });

/** What becomes of a refusal of a call with an account whose connection selects `mail.read` and `mail.all`. */
async function answered(
  options: {
    granted?: readonly string[] | undefined;
    auth?: ConnectorAuth;
    tool?: Tool;
    error?: unknown;
    connector?: Connector;
    link?: () => Promise<{ link: string; expiry: string }>;
    /** Scopes of a link that the owner has declined. */
    declined?: readonly string[];
    /** Scopes of a link that was made before. */
    offered?: readonly string[];
    /** How long ago, in milliseconds. */
    offeredAgo?: number;
    force?: boolean;
  } = {},
) {
  const services = await testServices();
  const client = { client_id: 'client-1', client_secret: 'secret-1' };
  await services.connections.create(machine, {
    connector: 'mailbox',
    ...client,
    scopes: ['mail.read', 'mail.all'],
  });
  const { id } = await services.accounts.create(machine, {
    connector: 'mailbox',
    identifier: 'ada',
    user_id: 'ada',
    connected_account: { authorization_details: { oauth_token: { access_token: 'token-1' } } },
  });
  const reach = { environmentId: ENVIRONMENT_ID };
  const account = (await new AccountStore(services.db.read).find(reach, id))!;
  const asked: unknown[] = [];
  const links = {
    createFor: (_caller: unknown, _row: unknown, wanted?: object) => {
      asked.push(wanted);
      return options.link?.() ?? Promise.resolve({ link: 'https://gate.example/connect/t', expiry: 'soon' });
    },
  };
  const call = {
    caller: machine,
    account,
    connector: options.connector ?? connector,
    tool: options.tool ?? tool,
    auth: options.auth ?? oauth(true),
    granted: 'granted' in options ? options.granted : ['mail.read'],
  };
  if (options.declined !== undefined) {
    const { link } = await services.links.createFor(machine, account, { scopes: options.declined });
    const token = link.split('/connect/')[1] ?? '';
    const { page } = await services.links.open(ENVIRONMENT_ID, token, BROWSER);
    await services.linkEnds.decline(ENVIRONMENT_ID, token, BROWSER, page.csrf);
  }
  if (options.offered !== undefined) {
    await services.links.createFor(machine, account, { scopes: options.offered });
    services.clock.advance(options.offeredAgo ?? 0);
  }
  const given = options.force === true ? { ...call, link: { force: true } } : call;
  const { db, clock } = services;
  const failure = await missingScope({ db, clock, links }, given, options.error ?? refusal());
  const after = await new AccountStore(services.db.read).find(reach, id);
  return { failure, asked, id, status: after?.status, declinedAt: after?.declinedAt };
}

describe('scope that a remote MCP server asks for in its challenge', () => {
  const challenge = 'Bearer error="insufficient_scope", scope="notes.share"';
  const remote = {
    connector: { ...connector, mcp: { url: 'https://notes.example.test/mcp' } as McpServer },
    tool: { ...tool, scopes: [] },
    error: new ProviderFailure('Notes does not allow this (403).', 403, refusal().toolError, { challenge }),
  };

  it('leads to a link that asks for it together with everything that was granted', async () => {
    const { failure, asked } = await answered(remote);
    expect(failure?.details.tool_error).toMatchObject({ required_scopes: ['notes.share'] });
    expect(asked).toEqual([{ scopes: ['notes.share', 'mail.read'] }]);
  });

  it.each([
    ['the same', ['notes.share', 'mail.read'], 599_999],
    ['another one, as a server may name others for ever', ['notes.delete', 'mail.read'], 599_999],
  ])('leads to no second link within ten minutes of one for %s', async (_, offered, offeredAgo) => {
    const { failure, asked } = await answered({ ...remote, offered, offeredAgo });
    expect(asked).toEqual([]);
    expect(failure?.message).toBe(
      'Mailbox refused mailbox_send, because its owner has not granted the scope notes.share. ' +
        'A link that asks for more was given within the last ten minutes. Its owner opens that one; a later call gets another.',
    );
    expect(failure?.details).not.toHaveProperty('authorization_link');
  });

  it.each([
    ['ten minutes later', { offered: ['notes.delete'], offeredAgo: 600_000 }],
    ['after a link that asked for nothing more', { offered: [], offeredAgo: 0 }],
    ['where the call forces it', { offered: ['notes.delete'], offeredAgo: 0, force: true }],
  ])('leads to a new link %s', async (_, options) => {
    expect((await answered({ ...remote, ...options })).asked).toHaveLength(1);
  });
});

describe('missing scope in the answer of a provider', () => {
  it.each([
    ['text with commas', { needed: 'files.read,mail.read,root' }],
    ['a list', { errors: [{ scopes: ['root', 'https://mailbox.example/files'] }] }],
  ])(
    'comes from the answer that names it as %s, if the connector describes it and nobody granted it',
    async (_, body) => {
      const rule = { statuses: [403], except: [], named: ['needed', 'errors.*.scopes.*'] };
      const rules = { scope_parameter: true, scope_names: { 'files.read': 'https://mailbox.example/files' } };
      const auth: ConnectorAuth = {
        type: 'OAUTH',
        fields: [],
        scopes: { 'mail.read': '', 'files.read': '' },
        oauth: rules as unknown as OAuthRules,
      };
      const { failure, asked } = await answered({
        auth,
        connector: { ...connector, errors: { ...connector.errors, missing_scope: rule } },
        error: refusal({ provider_body: body }),
      });
      expect(failure?.details.tool_error).toMatchObject({ required_scopes: ['files.read'] });
      expect(asked).toEqual([{ scopes: ['files.read'] }]);
    },
  );

  it('gives no link for scopes that the owner declined within a day, and the account is not refused', async () => {
    const { failure, asked, declinedAt } = await answered({ declined: ['mail.send'] });
    expect(failure).toMatchObject({ details: { declined_at: '2026-11-20T12:00:00.000Z' } });
    expect(failure?.message).toBe(
      'Mailbox refused mailbox_send, because its owner has not granted the scope mail.send. ' +
        'Its owner declined to grant this at 2026-11-20T12:00:00.000Z. Do not ask again unless they want it: ' +
        'no link is given until 2026-11-21T12:00:00.000Z.',
    );
    expect([asked, declinedAt]).toEqual([[], null]);
  });

  it.each([
    ['other scopes were declined', { declined: ['mail.all'] }],
    ['the call forces it', { declined: ['mail.send'], force: true }],
  ])('gives a link where %s', async (_, options) => {
    expect((await answered(options)).asked).toHaveLength(1);
  });

  it('answers 403 with the scopes and a link that asks for them, and the account stays active', async () => {
    const { failure, asked, id, status } = await answered();
    expect(failure).toMatchObject({
      code: 'TOOL_ERROR',
      status: 403,
      rpcCode: 7,
      message:
        'Mailbox refused mailbox_send, because its owner has not granted the scope mail.send. ' +
        'The owner of the account consents again by opening the authorization link.',
      details: {
        tool_error: {
          code: 'HTTP_403',
          message: 'insufficient_scope',
          provider_status: 403,
          provider_body: { error: 'insufficient_scope' },
          retry_after: null,
          required_scopes: ['mail.send'],
          execution_id: 'exe_1',
        },
        connected_account_id: id,
        authorization_link: 'https://gate.example/connect/t',
        expiry: 'soon',
      },
    });
    expect([asked, status]).toEqual([[{ scopes: ['mail.send'] }], 'ACTIVE']);
  });

  it('asks again for what was granted beyond the scopes of the connection, so that nothing is lost', async () => {
    const auth: ConnectorAuth = { ...oauth(true), scopes: { 'mail.read': '', 'dates.read': '' } };
    const granted = ['mail.read', 'dates.read', 'openid'];
    const { failure, asked } = await answered({ auth, granted });
    expect(asked).toEqual([{ scopes: ['mail.send', 'dates.read'] }]);
    expect(failure?.details.tool_error).toMatchObject({ required_scopes: ['mail.send'] });
  });

  it('answers 403 for any status of the provider', async () => {
    const { failure } = await answered({ error: refusal({ provider_status: 400 }) });
    expect(failure?.status).toBe(403);
  });

  it.each([
    ['everything it needs, where nothing of it was granted', ['other'], ['mail.send', 'mail.read']],
    ['what the connection does not select, where the grant is not said', [], ['mail.send']],
    ['what the connection does not select, where the grant is unknown', undefined, ['mail.send']],
    [
      'the alternatives to what was granted, where that did not suffice',
      ['mail.send', 'mail.read'],
      ['mail.send', 'mail.all'],
    ],
    [
      'what is selected of it, where every alternative was granted',
      ['mail.send', 'mail.read', 'mail.all'],
      ['mail.send', 'mail.read'],
    ],
  ])('names the required scopes: %s', async (_what, granted, required) => {
    const { failure } = await answered({ granted });
    expect(failure?.details.tool_error).toMatchObject({ required_scopes: required });
  });

  it('refers the operator to the app settings where the provider grants the scopes of the app', async () => {
    const { failure } = await answered({ auth: oauth(false) });
    expect(failure?.message).toBe(
      'Mailbox refused mailbox_send, because the app registered there, or the consent given to it, lacks the scope mail.send. ' +
        'The operator ticks what is missing in that app first. ' +
        'The owner of the account consents again by opening the authorization link.',
    );
  });

  it('asks for another key where the account uses an API key', async () => {
    const { failure } = await answered({ auth: { type: 'API_KEY', fields: [] } });
    expect(failure?.message).toBe(
      'Mailbox refused mailbox_send, because the credential of this account lacks the scope mail.send. ' +
        'The owner of the account enters one that has it by opening the authorization link.',
    );
  });

  it('explains why there is no link', async () => {
    const { failure } = await answered({
      link: () => Promise.reject(invalidField('connector', 'The connection has no client_id.', 'incomplete')),
    });
    expect(failure?.message).toContain('No link can be made here: The connection has no client_id.');
    expect(failure?.details).not.toHaveProperty('authorization_link');
    expect(failure?.details.tool_error).toMatchObject({ required_scopes: ['mail.send'] });
  });
});

describe('connector with error codes for a missing scope', () => {
  const named: Connector = {
    ...connector,
    errors: { ...connector.errors, missing_scope: { statuses: [403], codes: ['no_scope'], except: [] } },
  };

  it('recognizes these codes, and no other answer with the same status', async () => {
    const { failure } = await answered({ connector: named, error: refusal({ code: 'no_scope' }) });
    expect(failure?.details.tool_error).toMatchObject({ required_scopes: ['mail.send'] });
    const other = await answered({ connector: named, error: refusal({ code: 'over_limit' }) });
    expect(other).toMatchObject({ failure: undefined, asked: [] });
  });
});

const failedRenewal = refreshFailure(
  {
    reason: 'refused',
    retryAfterMs: 1_000,
    failure: new TokenFailure('refused', 'refused', { status: 403 }),
  },
  { title: 'Mailbox', connection: 'mailbox', executionId: 'exe_1' },
);

describe('answer of a provider with another meaning', () => {
  it.each([
    ['another status', { error: refusal({ provider_status: 404 }) }],
    ['a code that the connector excepts', { error: refusal({ code: 'over_quota' }) }],
    ['no answer', { error: refusal({ provider_status: null }) }],
    ['a token endpoint that refuses a renewal', { error: failedRenewal }],
    ['no failure of a provider', { error: new Error('defect') }],
    ['a tool that needs no scope', { tool: { ...tool, scopes: [] } }],
  ])('passes through unchanged: %s', async (_what, options) => {
    expect(await answered(options)).toMatchObject({ failure: undefined, asked: [], status: 'ACTIVE' });
  });
});

/** The test catalog, whose mailbox takes consents, and whose search needs a scope. */
function mailboxCatalog(): Catalog {
  const rules: OAuthRules = {
    authorization_url: 'https://mailbox.example/authorize',
    token_url: 'https://mailbox.example/token',
    pkce: true,
    authorize_parameters: {},
    scope_parameter: true,
    scope_separator: ' ',
    client_authentication: 'post',
    refresh_tokens: true,
    revocation: 'none',
  };
  const mailbox: Connector = {
    ...testCatalog.connectors.get('mailbox')!,
    auth: [
      { type: 'OAUTH', fields: [], scopes: { 'mail.read': 'Read mail', 'mail.send': '' }, oauth: rules },
    ],
    errors: { ...connector.errors, code: ['error'] },
  };
  const search: Tool = { ...testCatalog.tools.get('mailbox_search')!, scopes: [['mail.read', 'mail.all']] };
  return {
    connectors: new Map([...testCatalog.connectors, ['mailbox', mailbox]]),
    tools: new Map([...testCatalog.tools, ['mailbox_search', search]]),
  };
}

describe('call that the provider refuses for a missing scope', () => {
  async function connected() {
    const services = await testServices({ catalog: mailboxCatalog() });
    await services.connections.create(machine, {
      connector: 'mailbox',
      client_id: 'app-1',
      client_secret: 'secret-1',
      scopes: ['mail.send'],
    });
    const { id } = await services.accounts.create(machine, {
      connector: 'mailbox',
      identifier: 'ada',
      user_id: 'ada',
      connected_account: {
        authorization_details: { oauth_token: { access_token: 'token-1', scopes: ['mail.send'] } },
      },
    });
    const call = async () =>
      services.executor.execute({
        caller: machine,
        toolName: 'mailbox_search',
        input: { query: 'x' },
        account: { id },
      });
    return { services, call, id };
  }

  it('answers with a link whose page asks for the scope together with those of the connection', async () => {
    const { services, call } = await connected();
    services.answers.push(answer(403, { error: 'insufficient_scope' }));
    const failure = (await call().catch((error: unknown) => error)) as MissingScope;
    expect(failure).toMatchObject({
      code: 'TOOL_ERROR',
      status: 403,
      details: { tool_error: { code: 'insufficient_scope', required_scopes: ['mail.read'] } },
    });
    const link = String(failure.details.authorization_link);
    const { page } = await services.links.open(ENVIRONMENT_ID, link.split('/connect/')[1]!, undefined);
    expect(page.consent?.scopes).toEqual([
      { name: 'mail.send', meaning: '', power: 'other', isIncluded: false },
      { name: 'mail.read', meaning: 'Read mail', power: 'read', isIncluded: false },
    ]);
  });

  it('never expires the account, however often it happens', async () => {
    const { services, call, id } = await connected();
    for (const _ of [1, 2, 3]) {
      services.answers.push(answer(403, { error: 'insufficient_scope' }));
      await expect(call()).rejects.toMatchObject({ status: 403 });
    }
    expect(await services.accounts.describe(machine, { id })).toMatchObject({ status: 'ACTIVE' });
    expect(await call()).toMatchObject({ data: { results: [] } });
  });

  it('differs from a call that the provider refuses for another reason', async () => {
    const { services, call } = await connected();
    services.answers.push(answer(403, { error: 'over_quota' }));
    const failure = (await call().catch((error: unknown) => error)) as MissingScope;
    expect(failure).toMatchObject({ status: 403, details: { tool_error: { required_scopes: null } } });
    expect(failure.details).not.toHaveProperty('authorization_link');
  });
});
