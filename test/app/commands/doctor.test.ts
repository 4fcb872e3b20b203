import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdsInstallation } from '../../../src/app/commands/existing-database.ts';
import { openAdmin } from '../../../src/app/commands/admin.ts';
import { runDoctor } from '../../../src/app/commands/doctor.ts';
import { openServices } from '../../../src/app/services/services.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { InstallationStore } from '../../../src/store/installation/installation-store.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { startMcpProvider } from '../../support/mcp-provider.ts';
import { noteTool, startNotesServer } from '../../upstream/notes-server.ts';
import { EXAMPLES } from '../../support/example-server.ts';
import { folderWith, settingsIn } from '../folder.ts';

const log = silentLog;

function namesAndStates({ checks }: Awaited<ReturnType<typeof runDoctor>>): string[] {
  return checks.map(({ name, status }) => `${name} ${status}`);
}

describe('gatehouse doctor', () => {
  it.each([[{}], [{ 'data/gatehouse.db': '' }]])(
    'creates nothing before the first start of the installation: %j',
    async (files) => {
      const folder = folderWith(files);
      const before = readdirSync(folder, { recursive: true });
      const found = await runDoctor({ settings: settingsIn(folder), log });
      expect(namesAndStates(found)).toEqual(['settings ok', 'key warning', 'database warning']);
      expect(found.checks[2]?.message).toContain('the first start makes it');
      expect(readdirSync(folder, { recursive: true })).toEqual(before);
    },
  );

  it.each([
    ['10m', ['warning']],
    ['2s', ['warning']],
    ['11m', []],
    ['1h', []],
  ])('warns of links that cannot be given again where they live %s', async (lifetime, expected) => {
    const settings = settingsIn(folderWith(), { GATEHOUSE_LIFETIMES_LINK: lifetime });
    const { checks } = await runDoctor({ settings, log });
    expect(checks.flatMap(({ name, status }) => (name === 'links' ? [status] : []))).toEqual(expected);
  });

  it('checks every part of an existing installation', async () => {
    const settings = settingsIn(folderWith(), { GATEHOUSE_PORT: '3999' });
    await (await openServices({ settings, log })).close();
    expect(namesAndStates(await runDoctor({ settings, log })).slice(0, 4)).toEqual([
      'settings ok',
      'key ok',
      'database ok',
      'catalog ok',
    ]);
  });

  it.each([
    ['127.0.0.1', []],
    [
      '0.0.0.0',
      ['metrics.host is 0.0.0.0: everybody who reaches port 9100 reads the metrics without a token.'],
    ],
  ])('warns of metrics that a network can read without a token: %s', async (host, expected) => {
    const settings = settingsIn(folderWith(), {
      GATEHOUSE_METRICS_PORT: '9100',
      GATEHOUSE_METRICS_HOST: host,
    });
    const { checks } = await runDoctor({ settings, log });
    const found = checks.filter(({ status, message }) => status === 'warning' && message.includes('metrics'));
    expect(found.map(({ message }) => /^.*? token\./.exec(message)?.[0])).toEqual(expected);
  });

  it('names what waits at a remote MCP server, with the command that decides it', async () => {
    const notes = await startNotesServer('modern');
    const provider = await startMcpProvider();
    notes.tools['*'] = [noteTool('search-notes'), noteTool('n\u043ete')];
    const hosts = [notes, provider.server, provider.authorizer].map(({ origin }) => new URL(origin).host);
    const settings = settingsIn(folderWith(), { GATEHOUSE_ALLOW_PRIVATE_HOSTS: hosts.join(',') });
    const admin = await openAdmin({ settings, log });
    const caller = await admin.caller('development');
    const { operators } = admin.upstreams;
    const connector = { mcp: { approval: 'manual' } };
    await operators.add(caller, { name: 'memos', url: notes.url, connector, confirm: true });
    await admin.accounts.create(caller, { connector: 'memos', identifier: 'ada', user_id: 'ada' });
    await operators.probe(caller.environmentId, 'memos');
    const tracker = { name: 'tracker', url: provider.url };
    const seen = await operators.add(caller, tracker);
    await operators.add(caller, { ...tracker, confirm: true, seen });
    await admin.close();
    const services = await openServices({ settings, log });
    const [server] = await rows(services.db.read, 'upstream_servers').list(caller.environmentId);
    const held = JSON.stringify({ ...server!.authorization_found, issuer: 'https://other.example' });
    await services.db.transaction(async (tx) =>
      rows(tx, 'upstream_servers').update(caller.environmentId, server!.id, { held, held_at: 1 }),
    );
    await services.close();
    const { checks } = await runDoctor({ settings, log });
    expect(
      checks
        .filter(({ name }) => name.startsWith('upstream '))
        .map(({ name, status, message }) => `${status} ${name}: ${message}`),
    ).toEqual([
      'warning upstream development/memos: 1 tool waits for approval: "gatehouse upstreams diff memos" shows what is new, "gatehouse upstreams approve memos --all" publishes it.',
      'warning upstream development/memos: 1 tool cannot be published. "gatehouse upstreams diff memos" says why.',
      'warning upstream development/tracker: Its authorization server is to be https://other.example from now on. Accounts go on, and new consents wait: "gatehouse upstreams accept tracker" takes it.',
    ]);
    await notes.close();
    await provider.close();
  });

  it('names everything that does not work yet of a connection, and the redirect URI of a working one', async () => {
    const folder = folderWith({
      'gatehouse.yaml': `
catalog_dirs: [./catalog]
base_url: https://gate.example.test
user_verification: signed_in
connections:
  - {connector: tracker, name: bare}
  - connector: tracker
    name: whole
    id: conn_whole
    client_id: app-1
    client_secret: planted-secret
    scopes: [issue:read, offline_access]
  - connector: tracker
    name: local
    client_id: app-1
    client_secret: planted-secret
    scopes: [issue:read]
    overrides: {base_url: "http://127.0.0.1:4010"}
`,
      'catalog/tracker/connector.yaml': `
name: tracker
title: Tracker
description: Keeps issues.
hosts: [{url: https://api.tracker.example}]
auth:
  - type: OAUTH
    scopes: {"issue:read": Read issues., offline_access: Stay connected.}
    oauth:
      authorization_url: https://tracker.example/authorize
      token_url: https://tracker.example/token
      offline_scope: offline_access
`,
      'catalog/tracker/issues.yaml': `
connector: tracker
tools:
  - name: tracker_list
    title: List issues
    description: Lists issues of the tracker.
    effect: read
    scopes: [issue:read]
    source: {url: https://tracker.example/docs, checked: '2026-11-20'}
    request: {method: GET, path: /issues}
`,
    });
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    expect(JSON.stringify(checks)).not.toContain('planted-secret');
    expect(
      checks
        .filter(({ name }) => /tracker|bare|whole|local|verification/.test(name))
        .map(({ name, status, message }) => `${status} ${name}: ${message.split('. ')[0]}`),
    ).toEqual([
      'warning verification development: People confirm by signing in, and without smtp no codes can be sent: only those sign in whose organization has an OpenID provider',
      'warning connection development/bare: It has no client_id, so no account can be connected',
      'warning connection development/local: overrides has no authorization_url and no token_url',
      'warning connection development/local: Outbound calls may not reach 127.0.0.1:4010',
      'warning connection development/local: offline_access is not among its scopes',
      'ok connection development/whole: tracker, OAUTH, redirect URI https://gate.example.test/sso/v1/oauth/conn_whole/callback',
    ]);
  });

  it.each([
    ['user_verify_url: https://app.example.test/v', 'ok', 'links go to https://app.example.test/v only'],
    [
      'user_verify_urls: [https://a.example.test/, https://b.example.test/v]',
      'warning',
      'Set user_verify_url',
    ],
    [
      'user_verify_url: https://c.example.test/v\nuser_verify_urls: [https://a.example.test/, https://b.example.test/v]',
      'ok',
      'links go to https://a.example.test/ or https://b.example.test/v only',
    ],
    ['user_verification: app', 'warning', 'a link may name any https address'],
  ])('says where the links of an app lead: %s', async (lines, status, message) => {
    const folder = folderWith({ 'gatehouse.yaml': `base_url: https://gate.example.test\n${lines}\n` });
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    expect(checks.filter(({ name }) => name.startsWith('verification'))).toEqual([
      { name: 'verification development', status, message: expect.stringContaining(message) },
    ]);
  });

  it('warns that AWS cannot read the signing keys of a private issuer', async () => {
    const folder = folderWith({
      'gatehouse.yaml': JSON.stringify({
        catalog_dirs: [EXAMPLES],
        connections: [
          {
            connector: 'redshift',
            params: {
              role_arn: 'arn:aws:iam::123456789012:role/gatehouse',
              region: 'eu-west-1',
              workgroup: 'analysts',
              database: 'sales',
            },
          },
        ],
      }),
    });
    const found = async (baseUrl: string) => {
      const settings = settingsIn(folder, { GATEHOUSE_BASE_URL: baseUrl });
      await (await openServices({ settings, log })).close();
      const { checks } = await runDoctor({ settings, log });
      return checks.filter(({ name }) => name.endsWith('/redshift'));
    };
    expect(await found('http://127.0.0.1:3999')).toMatchObject([
      { status: 'warning', message: expect.stringContaining('accepts public https addresses') as string },
    ]);
    expect(await found('https://gate.example.com')).toMatchObject([{ status: 'ok' }]);
  });

  it.each([
    ['invited', '', ['warning']],
    ['open', 'smtp: {url: "smtp://127.0.0.1:1", from: gate@example.test}', []],
    ['closed', '', []],
  ])('says whether people can sign in where sign_up is %s', async (signUp, smtp, expected) => {
    const folder = folderWith({
      'gatehouse.yaml': `base_url: https://gate.example.test\nsign_up: ${signUp}\n${smtp}\n`,
    });
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    const found = checks.filter(({ name }) => name === 'sign-up development');
    expect(found.map(({ status }) => status)).toEqual(expected);
  });

  it('says that there is no address to register with port 0', async () => {
    const settings = settingsIn(folderWith(), { GATEHOUSE_PORT: '0' });
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    expect(checks.at(-1)).toMatchObject({
      name: 'listener',
      status: 'warning',
      message: expect.stringContaining('each start has another address'),
    });
  });

  it.each([
    ['', 'warning', 'all callers count as one'],
    ['request_info: {ip_header: x-forwarded-for}', 'warning', 'Set request_info.trusted_proxies'],
    ['request_info: {trusted_proxies: [10.0.0.0/8], ip_header: x-forwarded-for}', 'ok', 'not asked'],
  ])('warns about limits behind a proxy that is not named: %s', async (yaml, status, message) => {
    const folder = folderWith({ 'gatehouse.yaml': `base_url: https://gate.example.test\n${yaml}\n` });
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    expect(checks.at(-1)).toMatchObject({
      name: 'listener',
      status,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    [
      'http://gate.example.test',
      [
        'warning base_url development: http://gate.example.test is not encrypted: others on the network can read sign-ins, tokens and secrets. Put a TLS proxy in front of it, and set base_url to the https address of the proxy.',
      ],
    ],
    ['http://127.0.0.1:3999', []],
    ['https://gate.example.test', []],
  ])('warns of a base URL that a network can read: %s', async (baseUrl, expected) => {
    const settings = settingsIn(folderWith(), { GATEHOUSE_BASE_URL: baseUrl });
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    const found = checks.filter(({ name }) => name.startsWith('base_url'));
    expect(found.map(({ name, status, message }) => `${status} ${name}: ${message}`)).toEqual(expected);
  });

  it('asks the address of every environment', async () => {
    const folder = folderWith({
      'gatehouse.yaml':
        'base_url: http://127.0.0.1:1\nenvironments: [{name: production, base_url: "http://localhost:2"}]\n',
    });
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    const { checks } = await runDoctor({ settings, log });
    const found = checks.filter(({ name }) => name === 'listener');
    expect(found.map(({ status, message }) => `${status} ${message}`)).toEqual([
      'warning No server of this installation answers at http://127.0.0.1:1. That is fine while none is running.',
      'warning No server of this installation answers at http://localhost:2. That is fine while none is running.',
    ]);
  });

  it('creates no new master key instead of a lost one', async () => {
    const folder = folderWith();
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    const other = { ...settings, keys: { masterKeyFile: join(folder, 'other.key') } };
    const { checks } = await runDoctor({ settings: other, log });
    expect(checks.slice(1)).toEqual([
      {
        name: 'key',
        status: 'problem',
        message: `${join(folder, 'other.key')} is missing, and the database holds secrets that only its key can open. Put the file back.`,
      },
      {
        name: 'start',
        status: 'problem',
        message: expect.stringContaining('No new key was made.') as string,
      },
    ]);
    expect(existsSync(join(folder, 'other.key'))).toBe(false);
  });

  it('says once that the key file holds no key', async () => {
    const settings = settingsIn(folderWith());
    await (await openServices({ settings, log })).close();
    const { masterKeyFile } = settings.keys;
    writeFileSync(masterKeyFile, 'garbage');
    const { checks } = await runDoctor({ settings, log });
    expect(checks.slice(1)).toEqual([
      {
        name: 'key',
        status: 'problem',
        message: expect.stringContaining(
          `The master keys in ${masterKeyFile} cannot be used. Entry 1 is not id:base64 of 32 bytes.`,
        ) as string,
      },
    ]);
  });

  it('says nothing about keys when the database does not answer', async () => {
    const settings = settingsIn(
      folderWith({ 'data/gatehouse.db': 'This is no database, whatever its name says.' }),
    );
    const { checks } = await runDoctor({ settings, log });
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'settings ok',
      'key warning',
      'start problem',
    ]);
    expect(checks[1]?.message).toContain('Only for a database without data the first start makes it');
  });

  it('counts the users who cannot sign in because mail is not set up', async () => {
    const env = { GATEHOUSE_BASE_URL: 'https://gate.example.test' };
    const settings = settingsIn(folderWith(), env);
    const signIn = async (its: Settings) =>
      (await runDoctor({ settings: its, log })).checks.filter(({ name }) => name === 'sign-in development');
    const admin = await openAdmin({ settings, log });
    const before = await signIn(settings);
    const caller = await admin.caller('development');
    await admin.users.create(caller, { email: 'ada@example.test', is_operator: true });
    await admin.close();
    expect(before).toEqual([]);
    expect(await signIn(settings)).toEqual([
      {
        name: 'sign-in development',
        status: 'warning',
        message:
          '1 user is in no organization that has an OpenID provider, and without smtp no codes can be sent: they cannot sign in, unless such a provider names the domain of their address. Set smtp.',
      },
    ]);
    const smtp = { url: 'smtps://smtp.example.test', from: 'gatehouse@example.test' };
    expect(await signIn({ ...settings, smtp })).toEqual([]);
  });

  it('warns of an identity provider that is trusted with more than its domains', async () => {
    const settings = settingsIn(folderWith());
    const services = await openServices({ settings, log });
    const environment_id = services.environments.byName('development').id;
    const dates = { created_at: 1, updated_at: 1 };
    await services.db.transaction(async (tx) => {
      for (const [name, on] of [
        ['strict', 0],
        ['trusted', 1],
      ] as const) {
        await tx
          .insertInto('organizations')
          .values({ id: `org_${name}`, environment_id, name, ...dates })
          .execute();
        await tx
          .insertInto('organization_providers')
          .values({
            id: `idp_${name}`,
            environment_id,
            organization_id: `org_${name}`,
            issuer: 'https://login.acme.example',
            client_id: 'gatehouse',
            client_secret_sealed: null,
            domains: '[]',
            entered_by_operator: 1,
            assume_email_verified: on,
            allow_operator_rights: on,
            ...dates,
          })
          .execute();
      }
    });
    await services.close();
    const { checks } = await runDoctor({ settings, log });
    expect(checks.filter(({ name }) => name.startsWith('identity provider'))).toEqual(
      ['allow_operator_rights is on', 'assume_email_verified is on'].map((message) => ({
        name: 'identity provider development/org_trusted',
        status: 'warning',
        message: expect.stringContaining(message),
      })),
    );
  });

  it('shows each mistake in declarations with its line, also before the first start', async () => {
    const folder = folderWith({
      'gatehouse.yaml':
        'connections:\n  - connector: nosuch\n  - {connector: crm, authorization_type: NOPE}\n',
    });
    const { checks } = await runDoctor({ settings: settingsIn(folder), log });
    expect(checks.map(({ name, status, message }) => `${name} ${status} ${message}`)).toEqual([
      expect.stringContaining(
        '/gatehouse.yaml:2: connections[0].connector: The catalog has no connector nosuch.',
      ),
      expect.stringContaining('/gatehouse.yaml:3: connections[1].authorization_type: crm accepts OAUTH.'),
      expect.stringMatching(/^key warning/),
    ]);
    expect(checks[0]).toMatchObject({ name: 'settings', status: 'problem' });
  });
});

forEachDatabase((_name, open, newUrl) => {
  it('distinguishes an installation from a database without one', async () => {
    expect(await holdsInstallation(await newUrl('empty'))).toBe(false);
    const url = await newUrl();
    const db = await open({ url });
    expect(await holdsInstallation(url)).toBe(false);
    await db.transaction(async (tx) => new InstallationStore(tx).setIfAbsent('key_check', 'sealed'));
    expect(await holdsInstallation(url)).toBe(true);
  });
});
