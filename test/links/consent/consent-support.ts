/** Consents and links over a real database, with an invented connector and a token endpoint that answers as the test says. */
import { smallestEntry } from '../../support/auth-entries.ts';
import { randomBytes } from 'node:crypto';
import { connectionSecretPlace } from '../../../src/connections/connection-columns.ts';
import { buildAccounts, buildFinders } from '../../../src/accounts/build-accounts.ts';
import { buildCredentials } from '../../../src/credentials/build-credentials.ts';
import { buildLinks } from '../../../src/links/consent/build-links.ts';
import type { Links } from '../../../src/links/links.ts';
import { TokenClient } from '../../../src/credentials/oauth/token-client.ts';
import type { Catalog, Connector, OAuthRules, Tool } from '../../../src/catalog/model/types.ts';
import { SCOPES, type MachineCaller } from '../../../src/core/caller.ts';
import { Environments, type Environment } from '../../../src/core/environment.ts';
import { silentLog } from '../../../src/core/log.ts';
import { OutboundFailure } from '../../../src/outbound/outbound-failure.ts';
import type { OutboundRequest, OutboundResponse } from '../../../src/outbound/outbound.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import type { Account } from '../../../src/store/accounts/account.ts';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import { ConnectionStore } from '../../../src/store/accounts/connection-store.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { EnvironmentStore } from '../../../src/store/installation/environment-store.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { RateLimiter } from '../../../src/store/records/rate-limiter.ts';
import { PageTokens } from '../../../src/core/page-token.ts';
import { Vault } from '../../../src/vault/vault.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { tokenRequestsOnly } from '../../support/scheme-services.ts';
import type { StoredForm } from '../../../src/store/tables/column-types.ts';
import type { ConnectionTable } from '../../../src/store/tables/tables.ts';

export const ENVIRONMENT = 'env_test';
export const BROWSER = 'B'.repeat(43);

export const machine: MachineCaller = {
  kind: 'machine',
  environmentId: ENVIRONMENT,
  actor: 'cred_test',
  scopes: new Set(SCOPES),
  source: 'api',
  ip: '',
};

const RULES: OAuthRules = {
  authorization_url: 'https://login.ledger.example/authorize?prompt=consent&scope=old',
  token_url: 'https://login.ledger.example/token',
  revocation_url: 'https://login.ledger.example/revoke',
  pkce: true,
  authorize_parameters: { access_type: 'offline', state: 'fixed' },
  scope_parameter: true,
  scope_separator: ' ',
  client_authentication: 'post',
  refresh_tokens: true,
  offline_scope: 'offline',
  revocation: 'token',
};

function catalogOf(rules: OAuthRules, change: Partial<Connector> = {}): Catalog {
  const ledger: Connector = {
    name: 'ledger',
    title: 'Ledger',
    description: 'Books.',
    hosts: [{ url: 'https://api.ledger.example', placeholders: {} }],
    auth: [
      {
        type: 'OAUTH',
        fields: [],
        scopes: { 'entries:read': 'Read entries', 'role:*': 'Act with a role' },
        oauth: rules,
      },
      {
        type: 'API_KEY',
        fields: [{ name: 'api_key', label: 'API key', input: 'password', required: true }],
        attach: { in: 'header', name: 'x-api-key', field: 'api_key', prefix: '' },
      },
      smallestEntry('SMART_FHIR'),
    ],
    errors: { message: [], code: [], reconnect: [401], conflicts: [] },
    needsNoOperator: false,
    ...change,
  };
  return {
    connectors: new Map([['ledger', ledger]]),
    tools: new Map([
      ['ledger_read', tool('ledger_read', [['entries:read', 'entries:all']])],
      ['ledger_write', tool('ledger_write', [['entries:write'], ['books:read']])],
      ['ledger_list', tool('ledger_list', [['books:all', 'books:read']])],
    ]),
  };
}

function tool(name: string, scopes: readonly (readonly string[])[]): Tool {
  return {
    name,
    title: name,
    description: name,
    effect: 'read',
    connector: 'ledger',
    toolset: 'all',
    scopes,
    source: { url: 'https://docs.example', checked: '2026-11-20' },
    parameters: {},
    constraints: [],
    requests: [],
    response: {},
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  };
}

/** Fresh services with the connection conn_1 (`ledger`) and another one, conn_2 (`other`). */
export async function consentServices(
  options: {
    db?: Database;
    rules?: { [Name in keyof OAuthRules]?: OAuthRules[Name] | undefined };
    /** The connector of these rules. */
    connector?: Partial<Connector>;
    connection?: Partial<StoredForm<ConnectionTable>>;
    environment?: Partial<Environment>;
  } = {},
) {
  const db = options.db ?? (await openDatabase({ url: 'sqlite::memory:' }));
  const clock = fixedClock();
  const environments = new Environments(
    [ENVIRONMENT, 'env_other'].map((id) => ({
      id,
      name: id,
      baseUrl: 'https://gate.example',
      userVerification: 'app' as const,
      userVerifyUrl: 'https://app.example/verify',
      userVerifyUrls: [],
      signUp: 'open',
      isLocalOnly: true,
      ...options.environment,
    })),
  );
  const vault = new Vault([{ id: 'k1', bytes: randomBytes(32) }]);
  const catalog = catalogOf({ ...RULES, ...options.rules } as OAuthRules, options.connector);
  const secret = await vault.seal(connectionSecretPlace('conn_1'), 'client-secret');
  await db.transaction(async (tx) => {
    for (const { id, name } of environments.all)
      await new EnvironmentStore(tx).ensure({ id, name, created_at: 1 });
    const connection: StoredForm<ConnectionTable> = {
      id: 'conn_1',
      environment_id: ENVIRONMENT,
      name: 'ledger',
      connector: 'ledger',
      authorization_type: 'OAUTH',
      client_id: 'client-1',
      client_secret_sealed: secret,
      secret_set_at: 1,
      scopes: '[]',
      params: '{}',
      overrides: '{}',
      post_user_verify_redirect_url: null,
      managed_by: 'operator',
      paused_until: null,
      created_at: 1,
      updated_at: 1,
      ...options.connection,
    };
    await new ConnectionStore(tx).insert(connection);
    await new ConnectionStore(tx).insert({
      ...connection,
      id: 'conn_2',
      name: 'other',
      client_secret_sealed: null,
      secret_set_at: null,
    });
  });

  const sent: OutboundRequest[] = [];
  const answers: (OutboundResponse | OutboundFailure | (() => Promise<OutboundResponse>))[] = [];
  const tokens = new TokenClient(
    {
      send: async (request) => {
        sent.push(request);
        const next = answers.shift() ?? tokenReply();
        if (next instanceof OutboundFailure) throw next;
        return typeof next === 'function' ? next() : next;
      },
    },
    { clock },
  );
  const base = { db, vault, clock, catalog, environments, log: silentLog };
  const finders = buildFinders(base);
  const rates = new RateLimiter(db, clock);
  const held = buildCredentials({
    ...base,
    ...finders,
    ...tokenRequestsOnly({ vault, clock, tokens }),
    tokens,
    rates,
    opener: {
      open: async () => {
        throw new Error('this test opens no streams');
      },
    },
    isReachable: (url) => url.protocol === 'https:',
    refresh: { marginMs: 60_000, leaseMs: 10_000, deadlineMs: 60_000 },
  });
  const { waiting, trials, displayNames } = buildAccounts({
    ...base,
    ...finders,
    pageTokens: new PageTokens(vault.derive('page-token')),
    isReachable: (url) => url.protocol === 'https:',
    erased: held.revocation,
    rates,
    askWho: async () => undefined,
    sendTrial: async () => 'unknown',
  });
  const { links, consents, verification } = buildLinks({
    ...base,
    ...finders,
    ...held,
    waiting,
    trials,
    displayNames,
    linkBase: async (id) => environments.get(id).baseUrl,
    callerName: async () => undefined,
    lifetimes: { linkMs: 3_600_000, pendingVerificationMs: 600_000, stateMs: 600_000 },
  });
  return {
    db,
    clock,
    environments,
    links,
    consents,
    revocation: held.revocation,
    sealed: finders.sealed,
    verification,
    /** Requests that went out. */
    sent,
    /** What the token endpoint answers next; a token reply when empty. */
    answers,
    /** Makes a link for user u1 and returns its token. */
    link: async (input: Parameters<Links['create']>[1] = { connector: 'ledger', user_id: 'u1' }) =>
      (await links.create(machine, input)).link.split('/connect/')[1] ?? '',
    /** Sends a browser out and returns where it is sent. */
    go: async (token: string, browser = BROWSER) =>
      new URL((await consents.start(ENVIRONMENT, token, browser)).redirectTo),
    /** Comes back with these parameters; browser null: without the cookie. */
    back: async (
      query: Record<string, string> | URLSearchParams,
      at: { connectionId?: string; browser?: string | null; environmentId?: string } = {},
    ) =>
      consents.finish(
        at.environmentId ?? ENVIRONMENT,
        at.connectionId ?? 'conn_1',
        new URLSearchParams(query),
        at.browser === undefined ? BROWSER : (at.browser ?? undefined),
      ),
    account: async (): Promise<Account> => {
      const { id } = await db.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
      const row = await new AccountStore(db.read).find({ environmentId: ENVIRONMENT }, id);
      if (row === undefined) throw new Error('no account');
      return row;
    },
    /** Changes the connection conn_1. */
    change: async (change: Partial<StoredForm<ConnectionTable>>) =>
      db.transaction(async (tx) => rows(tx, 'connections').update(ENVIRONMENT, 'conn_1', change)),
  };
}

export type ConsentServices = Awaited<ReturnType<typeof consentServices>>;

export function json(status: number, body: unknown): OutboundResponse {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}

/** A usual token reply. */
export function tokenReply(change: Record<string, unknown> = {}): OutboundResponse {
  return json(200, {
    access_token: 'at-fresh',
    token_type: 'Bearer',
    refresh_token: 'rt-fresh',
    expires_in: 3600,
    ...change,
  });
}
