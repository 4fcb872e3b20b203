/** An invented OAuth provider, the ledger, and accounts of it for tests about tokens that run out. */
import type { AuthorizationDetails } from '../../../src/authorization-types/credentials.ts';
import type { CredentialUse } from '../../../src/credentials/usable-credential.ts';
import type { Catalog, Connector, OAuthRules, Tool } from '../../../src/catalog/model/types.ts';
import { hashSecret } from '../../../src/core/ids.ts';
import type { Account } from '../../../src/store/accounts/account.ts';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import type { ReadForm } from '../../../src/store/tables/column-types.ts';
import type { AccountTable } from '../../../src/store/tables/tables.ts';
import { LinkStore } from '../../../src/store/accounts/link-store.ts';
import { ENVIRONMENT_ID, machine, testServices, type Services } from '../../support/services.ts';

const HOUR_MS = 3_600_000;

/** The ledger with `rules` changed. */
export function ledgerCatalog(rules: Partial<OAuthRules> = {}): Catalog {
  const connector: Connector = {
    name: 'ledger',
    title: 'Ledger',
    description: 'A place for entries.',
    hosts: [{ url: 'https://api.ledger.example', placeholders: {} }],
    auth: [
      {
        type: 'OAUTH',
        fields: [],
        oauth: {
          authorization_url: 'https://login.ledger.example/authorize',
          token_url: 'https://login.ledger.example/token',
          revocation_url: 'https://login.ledger.example/revoke',
          pkce: true,
          authorize_parameters: {},
          scope_parameter: true,
          scope_separator: ' ',
          client_authentication: 'post',
          refresh_tokens: true,
          revocation: 'token',
          ...rules,
        },
      },
    ],
    errors: { message: ['error'], code: ['code'], reconnect: [401], conflicts: [] },
    needsNoOperator: false,
  };
  const tools = [tool('list', 'read', 'GET'), tool('create', 'create', 'POST')];
  const pair: Tool = { ...tool('pair', 'create', 'POST'), requests: [], handler: 'ledger/pair' };
  return {
    connectors: new Map([[connector.name, connector]]),
    tools: new Map([...tools, pair].map((entry) => [entry.name, entry])),
  };
}

function tool(name: string, effect: Tool['effect'], method: 'GET' | 'POST'): Tool {
  return {
    name: `ledger_${name}`,
    title: name,
    description: `Tool ${name} of ledger.`,
    effect,
    connector: 'ledger',
    toolset: 'all',
    scopes: [],
    source: { url: 'https://docs.example', checked: '2026-11-20' },
    parameters: {},
    constraints: [],
    requests: [{ method, path: '/entries', host: 0, fixed: {} }],
    response: {},
    inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: false,
      idempotentHint: effect === 'read',
      openWorldHint: true,
    },
  };
}

/** For whom a credential is renewed when nobody calls a tool. */
export function ledgerUse(): CredentialUse {
  const connector = ledgerCatalog().connectors.get('ledger');
  const auth = connector?.auth[0];
  if (connector === undefined || auth === undefined) throw new Error('no ledger');
  return { connector, auth, executionId: null };
}

/** Services with the ledger and a connection to it. */
export async function ledgerServices(
  options: Parameters<typeof testServices>[0] & { rules?: Partial<OAuthRules> } = {},
): Promise<Services> {
  const { rules, ...rest } = options;
  const services = await testServices({ catalog: ledgerCatalog(rules), ...rest });
  if (options.vault === undefined) {
    await services.connections.create(machine, {
      connector: 'ledger',
      client_id: 'client-1',
      client_secret: 'the-secret-of-client-1',
    });
  }
  return services;
}

/** What else works on the same database: another process, with the same key and the same provider. */
export async function anotherProcess(of: Services, change: Parameters<typeof testServices>[0] = {}) {
  const { db, vault, clock, tokens } = of;
  return ledgerServices({ db, vault, clock, tokens, ...change });
}

/** An ACTIVE account with `at-0` and `rt-0`, good for an hour. */
export async function ledgerAccount(
  services: Services,
  token: { access_token?: string; refresh_token?: string; scopes?: string[] } = {
    access_token: 'at-0',
    refresh_token: 'rt-0',
  },
  options: { identifier?: string; expiresInMs?: number | null; connector?: string } = {},
): Promise<string> {
  const { identifier = 'ada', expiresInMs = HOUR_MS, connector = 'ledger' } = options;
  const { id } = await services.accounts.create(machine, {
    connector,
    identifier,
    connected_account: {
      authorization_details: { oauth_token: token },
      ...(expiresInMs !== null && {
        token_expires_at: new Date(services.clock.now() + expiresInMs).toISOString(),
      }),
    },
  });
  return id;
}

/** The account as services read it. */
export async function storedAccount(services: Services, id: string): Promise<Account> {
  const account = await new AccountStore(services.db.read).find({ environmentId: ENVIRONMENT_ID }, id);
  if (account === undefined) throw new Error(`no account ${id}`);
  return account;
}

/** Its row, with the columns of a renewal. */
export async function rowOf(services: Services, id: string): Promise<ReadForm<AccountTable>> {
  const rows = services.db.read.selectFrom('accounts').selectAll();
  return rows.where('environment_id', '=', ENVIRONMENT_ID).where('id', '=', id).executeTakeFirstOrThrow();
}

/** What is stored as the account's live credentials. */
export async function storedToken(
  services: Services,
  id: string,
): Promise<AuthorizationDetails['oauth_token']> {
  return (await services.sealed.open(await storedAccount(services, id))).oauth_token;
}

/** Credentials from a completed consent, which wait for verify. Returns the auth_request_id. */
export async function consent(
  services: Services,
  id: string,
  token: NonNullable<AuthorizationDetails['oauth_token']>,
): Promise<string> {
  const { link } = await services.links.create(machine, { id });
  const made = await new LinkStore(services.db.read).findByToken(
    ENVIRONMENT_ID,
    hashSecret(link.split('/connect/')[1] ?? ''),
  );
  if (made === undefined) throw new Error('no link');
  const credentials = { details: { oauth_token: token }, expiresAt: null, apiConfig: {} };
  const row = await storedAccount(services, id);
  const target = await services.completion.complete(made, row, credentials, hashSecret('browser'));
  return new URL(target ?? '').searchParams.get('auth_request_id') ?? '';
}

/** Calls a tool of the ledger. */
export async function callLedger(
  services: Services,
  id: string,
  change: { toolName?: string; signal?: AbortSignal } = {},
) {
  return services.executor.execute({
    caller: machine,
    toolName: 'ledger_list',
    input: {},
    account: { id },
    ...change,
  });
}

/** Access tokens that the API has been sent, in order. */
export function sentTokens(services: Services): (string | undefined)[] {
  return services.sent.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
}

/** Changes columns behind the services' back. */
export async function setColumns(
  services: Services,
  id: string,
  columns: Parameters<AccountStore['update']>[2],
): Promise<void> {
  await services.db.transaction(async (tx) => new AccountStore(tx).update(ENVIRONMENT_ID, id, columns));
}
