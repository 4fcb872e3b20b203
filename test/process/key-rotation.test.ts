/**
 * New master keys while servers are busy (docs/security.md#key-rotation), cut short at any point, and what damage and
 * wrong keys do (docs/security.md#wrong-key): real processes, on both databases.
 */
import { once } from 'node:events';
import { readFileSync, utimesSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyReport } from '../../src/operations/key-verification.ts';
import type { Database, WriteTransaction } from '../../src/store/engine/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { SEALED_COLUMNS, SealedValueStore } from '../../src/store/installation/sealed-value-store.ts';
import { SealingProcessStore } from '../../src/store/installation/sealing-process-store.ts';
import { readKeyFile } from '../../src/vault/key-file.ts';
import { Vault } from '../../src/vault/vault.ts';
import { FakeOpenId } from '../people/sign-in/fake-openid.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { authRequestIn } from '../support/deployment/browser.ts';
import { runCommand, startCommand } from '../support/deployment/command.ts';
import { BASE_URL, Deployment, tally } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { inFullRounds, ROUNDS } from '../support/rounds.ts';

const CALLERS = ROUNDS.full ? 10 : 5;
const BETWEEN_CALLS_MS = ROUNDS.full ? 50 : 100;

forEachDatabaseInFull((name, _open, newUrl) => {
  let deployment: Deployment;
  let servers: [ServerProcess, ServerProcess];
  let url: string;
  let keyFile: string;

  beforeAll(async () => {
    const databaseUrl = name === 'postgres' ? await newUrl() : undefined;
    deployment = await Deployment.open({ ...(databaseUrl !== undefined && { databaseUrl }) });
    url = databaseUrl ?? `sqlite:${join(deployment.dir, 'data/gatehouse.db')}`;
    keyFile = join(deployment.dir, 'data/master.key');
    // The first of them makes the keys.
    servers = [await deployment.serve(), await deployment.serve()];
    await plantSecrets(ROUNDS.rotatedSecrets);
  });
  afterAll(() => deployment?.close());

  describe('key rotation while two servers are busy', () => {
    it('fails no call and no refresh, and completes what began before it', async () => {
      const [one, other] = servers;
      const browser = deployment.browser(one);
      const callback = await browser.consent(await one.magicLink('under-way'));
      const waits = authRequestIn(await browser.connect(await one.magicLink('waits')));
      await deployment.connect(one, 'page-1');
      await deployment.connect(one, 'page-2');
      const page = await one.api('GET', '/connected_accounts?page_size=1');
      const [before] = readKeyFile(keyFile);

      const load = await startLoad();
      const rotation = await runCommand(deployment, ['keys', 'rotate', '--json']);
      await runCommand(deployment, ['keys', 'rotate', '--remove-old', '--yes']);
      // So many that some were before the rotation, in it and after it, however quick it was.
      await expect.poll(() => deployment.provider.counts().refreshes).toBeGreaterThan(CALLERS * 2);
      const statuses = await load.stop();

      expect([rotation.code, JSON.parse(rotation.stdout)]).toEqual([
        0,
        { made: true, first_key: expect.any(String), resealed: expect.any(Number), unreadable: [] },
      ]);
      const { first_key: first, resealed } = JSON.parse(rotation.stdout) as KeyReport & { resealed: number };
      expect(resealed).toBeGreaterThan(ROUNDS.rotatedSecrets);
      expect(readKeyFile(keyFile).map(({ id }) => id)).toEqual([first, before.id]);
      expect(tally(statuses)).toEqual({ 200: statuses.length });
      expect(statuses.length).toBeGreaterThan(CALLERS * 2);
      expect(deployment.provider.counts()).toMatchObject({
        familiesRevoked: 0,
        maxPresentations: 1,
        apiRefused: 0,
      });
      expect(await verified()).toEqual({ first_key: first, keys: [first] });

      await browser.get(callback);
      expect((await other.verify(waits, 'waits')).status).toBe(200);
      expect((await other.call('waits')).status).toBe(200);
      const token = (JSON.parse(page.text) as { next_page_token: string }).next_page_token;
      const later = await deployment.serve();
      const next = await later.api('GET', `/connected_accounts?page_size=1&page_token=${token}`);
      expect(next.status).toBe(200);
      await later.stop();
    });

    it('removes the old key when nothing is sealed with it, without any failure', async () => {
      const [old] = readKeyFile(keyFile);
      await runCommand(deployment, ['keys', 'rotate']);
      const removing = ['keys', 'rotate', '--remove-old', '--yes'];
      expect((await runCommand(deployment, removing)).stderr).toContain('less than 5 minutes ago');
      const longAgo = new Date(Date.now() - 301_000);
      utimesSync(keyFile, longAgo, longAgo);
      await bothSealWith(readKeyFile(keyFile)[0].id);
      const load = await startLoad();
      const { code, stdout } = await runCommand(deployment, removing);
      const statuses = await load.stop();
      expect([code, stdout]).toEqual([0, expect.stringContaining(old.id) as string]);
      const ids = readKeyFile(keyFile).map(({ id }) => id);
      expect(ids).toHaveLength(1);
      expect(tally(statuses)).toEqual({ 200: statuses.length });
      expect(await verified()).toEqual({ first_key: ids[0], keys: ids });
      const later = await deployment.serve();
      expect((await later.call('load-0')).status).toBe(200);
      await later.stop();
    });
  });

  it.each(Array.from({ length: ROUNDS.rotationKills }, (_, i) => i))(
    'completes a rotation after kill -9 at a random moment (%i)',
    async (round) => {
      await deployment.connect(servers[0], `killed-${round}`);
      const { child, ended } = startCommand(deployment, ['keys', 'rotate']);
      const before = readFileSync(keyFile, 'utf8');
      while (child.exitCode === null && readFileSync(keyFile, 'utf8') === before) await delay(5);
      await delay(Math.random() * 200);
      child.kill('SIGKILL');
      const killed = (await ended).code === null;

      for (const server of servers) expect((await server.call(`killed-${round}`)).status).toBe(200);
      const half = await runCommand(deployment, ['keys', 'verify', '--json']);
      expect([half.code, (JSON.parse(half.stdout) as KeyReport).unreadable]).toEqual([0, []]);
      expect(deployment.integrity()).toBe('ok');

      const [first] = readKeyFile(keyFile);
      const { code, stdout } = await runCommand(deployment, ['keys', 'rotate', '--json']);
      const result = JSON.parse(stdout) as { made: boolean; first_key: string };
      expect(code).toBe(0);
      // One that died after its last step was complete, so that this run made the next key.
      if (killed && !result.made) expect(result.first_key).toBe(first.id);
      expect(await verified()).toEqual({ first_key: result.first_key, keys: [result.first_key] });
    },
  );

  it('agrees on one key in two concurrent rotations', async () => {
    const before = readKeyFile(keyFile).length;
    const ends = await Promise.all([1, 2].map(() => runCommand(deployment, ['keys', 'rotate', '--json'])));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const results = ends.map(({ stdout }) => JSON.parse(stdout) as { made: boolean; first_key: string });
    const made = results.filter((result) => result.made).length;
    expect(readKeyFile(keyFile)).toHaveLength(before + made);
    const [first] = readKeyFile(keyFile);
    expect(await verified()).toEqual({ first_key: first.id, keys: [first.id] });
  });

  it('opens every kind of secret after a key rotation', async () => {
    const [server] = servers;
    await deployment.browser(server).consent(await server.magicLink('sets-out'));
    await deployment.browser(server).connect(await server.magicLink('still-waits'));
    await deployment.connect(server, 'keyed');
    const call = { tool_name: 'ledger_list', connector: 'ledger', identifier: 'keyed', user_id: 'keyed' };
    const keyed = await server.api('POST', '/execute_tool', { ...call, idempotency_key: 'once' });
    expect(keyed.status).toBe(200);
    const { body: prompted } = await server.call('prompted');
    const openId = await startOpenId();
    const { userId, comeBack } = await setOut(server, openId);
    const session = await made<{ refresh_token: string }>(server, '/sessions', { user_id: userId });
    await plantNamesAndClient();
    await withDatabase(async (db) => {
      for (const column of SEALED_COLUMNS)
        expect([column, await new SealedValueStore(db.read).page(column, '', 1)]).toEqual([
          column,
          [expect.anything()],
        ]);
    });
    const { stdout } = await runCommand(deployment, ['keys', 'rotate', '--json']);
    const { first_key: first } = JSON.parse(stdout) as KeyReport;
    expect(await verified()).toEqual({ first_key: first, keys: [first] });
    const [{ authorization_link: link } = {}] = prompted['details'] as { authorization_link?: string }[];
    expect((await server.call('prompted')).body).toMatchObject({ details: [{ authorization_link: link }] });

    const signedIn = await comeBack();
    expect([signedIn.status, signedIn.location]).toEqual([303, '/dashboard']);
    openId.close();
    const refreshed = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: session.refresh_token,
        client_id: deployment.env['GATEHOUSE_CLIENT_ID'] ?? '',
        client_secret: deployment.env['GATEHOUSE_CLIENT_SECRET'] ?? '',
      }),
    });
    expect(refreshed.status).toBe(200);
  });

  it('disables only their own accounts for a damaged secret and two swapped ones', async () => {
    const [server] = servers;
    const users = ['damaged', 'swapped-1', 'swapped-2', 'sound'];
    for (const user of users) await deployment.connect(server, user);
    const ids: string[] = [];
    for (const user of users) ids.push((await server.account(user)).id);
    await withDatabase(async (db) => {
      const sealed = await Promise.all(ids.map(async (id) => credentialsOf(db, id)));
      await setCredentials(db, ids[0]!, `${sealed[0]!.slice(0, -4)}AAAA`);
      await setCredentials(db, ids[1]!, sealed[2]!);
      await setCredentials(db, ids[2]!, sealed[1]!);
    });
    const statuses = [];
    for (const user of users) statuses.push((await server.call(user)).status);
    expect(statuses).toEqual([503, 503, 503, 200]);

    const { code, stdout } = await runCommand(deployment, ['keys', 'verify', '--json']);
    const { unreadable } = JSON.parse(stdout) as KeyReport;
    expect(code).toBe(1);
    expect(unreadable.map(({ id, reason }) => `${id} ${reason}`).toSorted()).toEqual(
      [`${ids[0]} damaged`, `${ids[1]} other_place`, `${ids[2]} other_place`].toSorted(),
    );
    expect(unreadable[0]).toMatchObject({ table: 'accounts', column: 'credentials_sealed' });
    const rotation = await runCommand(deployment, ['keys', 'rotate']);
    expect([rotation.code, rotation.stdout]).toEqual([1, expect.stringContaining(ids[0]!) as string]);
    expect((await server.call('sound')).status).toBe(200);

    await runCommand(deployment, ['accounts', 'delete', ids[0]!, '--yes']);
    for (const id of ids.slice(1, 3))
      expect((await server.api('POST', '/connected_accounts:delete', { id })).status).toBe(200);
    expect((await runCommand(deployment, ['keys', 'verify'])).code).toBe(0);
  });

  it.each([
    ['another key', { GATEHOUSE_MASTER_KEY: `k9:${Buffer.alloc(32, 9).toString('base64')}` }],
    ['no key file', { GATEHOUSE_MASTER_KEY_FILE: 'nowhere.key' }],
  ])('refuses to start any command or server with %s, and changes nothing', async (_what, env) => {
    const before = await contents();
    await expect(deployment.serve(env)).rejects.toThrow(/serve ended: .*(master keys are not|is missing)/s);
    for (const argv of [['keys', 'rotate'], ...inFullRounds(['keys', 'verify'], ['accounts', 'list'])]) {
      const { code, stderr } = await runCommand(deployment, argv, env);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/master keys are not|is missing/)]);
    }
    expect(await contents()).toEqual(before);
  });

  /** Calls with tokens that are renewed all the time, until the test stops them. @returns how each call ended: 200, or what was answered instead */
  async function startLoad(): Promise<{ stop: () => Promise<string[]> }> {
    // Renewed every second, but never too late, however busy the machine is: a refused call is a lost credential.
    deployment.provider.reset({ expiresInSeconds: 1, accessLifetimeMs: 600_000 });
    const answers: string[] = [];
    const over = new AbortController();
    const caller = async (i: number): Promise<void> => {
      const user = `load-${i}`;
      while (!over.signal.aborted) {
        const { status, text } = await servers[i % 2]!.call(user);
        answers.push(status === 200 ? '200' : text);
        await delay(BETWEEN_CALLS_MS);
      }
    };
    for (let i = 0; i < CALLERS; i++) {
      const known = await servers[0].api('GET', `/connected_accounts?identifier=load-${i}`);
      if (known.body.connected_accounts?.length === 0)
        await deployment.connect(servers[0], `load-${i}`, -1_000);
    }
    const callers = Array.from({ length: CALLERS }, (_, i) => caller(i));
    return {
      stop: async () => {
        over.abort();
        await Promise.all(callers);
        return answers;
      },
    };
  }

  /** Somebody of an organization on the way to its provider. */
  async function setOut(server: ServerProcess, { openId }: Awaited<ReturnType<typeof startOpenId>>) {
    const { organization, user } = await made<{ organization: { id: string }; user: { id: string } }>(
      server,
      '/organizations',
      { name: 'Acme', user: { email: 'ann@acme.example' } },
    );
    const { status } = await server.api('PUT', `/organizations/${organization.id}/provider`, {
      issuer: openId.issuer,
      client_id: 'gatehouse',
      client_secret: 'secret of the client',
      domains: ['acme.example'],
    });
    expect(status).toBe(200);
    const browser = deployment.browser(server);
    await browser.get(`${BASE_URL}/sign-in`);
    const query = new URLSearchParams({ organization_id: organization.id, next: '/dashboard' });
    const { location } = await browser.get(`${BASE_URL}/sign-in/provider?${query.toString()}`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    return {
      userId: user.id,
      comeBack: async () => {
        const answer = openId.signIn(location, { email: 'ann@acme.example', email_verified: true });
        const callback = new URL(location).searchParams.get('redirect_uri') ?? '';
        return browser.get(`${callback}?${answer.toString()}`);
      },
    };
  }

  async function verified(): Promise<{ first_key: string; keys: string[] }> {
    const { code, stdout, stderr } = await runCommand(deployment, ['keys', 'verify', '--json']);
    if (code !== 0) throw new Error(stdout + stderr);
    const { first_key, keys } = JSON.parse(stdout) as KeyReport;
    return { first_key, keys: keys.map(({ id }) => id) };
  }

  async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const db = await openDatabase({ url });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }

  /** Until each server says that it seals with this key, which takes it some seconds. */
  async function bothSealWith(keyId: string): Promise<void> {
    const said = async () =>
      withDatabase(async (db) => (await new SealingProcessStore(db.read).list()).map((one) => one.keyId));
    for (let keys = await said(); keys.length !== 2 || keys.some((key) => key !== keyId); keys = await said())
      await delay(200);
  }

  /** Secrets that signed webhooks once. */
  async function plantSecrets(count: number): Promise<void> {
    const vault = new Vault(readKeyFile(keyFile));
    await withDatabase(async (db) => {
      const { id: environment } = await db.read
        .selectFrom('environments')
        .select('id')
        .executeTakeFirstOrThrow();
      for (let from = 0; from < count; from += 500) {
        const rows = await Promise.all(
          Array.from({ length: 500 }, async (_, i) => {
            const id = `sec_${100_000 + from + i}`;
            const place = { table: 'signing_secrets', row: id, column: 'secret_sealed' };
            const secret_sealed = await vault.seal(place, `planted ${id}`);
            return { id, environment_id: environment, secret_sealed, created_at: 1, expires_at: Date.now() };
          }),
        );
        await db.transaction(async (tx) => {
          await tx.insertInto('signing_secrets').values(rows).execute();
        });
      }
    });
  }

  /** What the stand-in does not make: names of accounts at their provider, and a registered client. */
  async function plantNamesAndClient(): Promise<void> {
    const vault = new Vault(readKeyFile(keyFile));
    await withDatabase(async (db) =>
      db.transaction(async (tx) => {
        for (const table of ['accounts', 'auth_requests'] as const)
          for (const { id } of await tx.selectFrom(table).select('id').execute()) {
            const place = { table, row: id, column: 'display_name_sealed' };
            const display_name_sealed = await vault.seal(place, 'ada@example.test');
            await tx.updateTable(table).set({ display_name_sealed }).where('id', '=', id).execute();
          }
        await plantClient(tx, vault);
      }),
    );
  }

  /** A client that the authorization server of a remote MCP server registered. */
  async function plantClient(tx: WriteTransaction, vault: Vault): Promise<void> {
    const { id: connection_id, environment_id } = await tx
      .selectFrom('connections')
      .select(['id', 'environment_id'])
      .executeTakeFirstOrThrow();
    const [server, client] = ['ups_1', 'upc_1'];
    const place = { table: 'upstream_clients', row: client, column: 'client_secret_sealed' };
    const kept = { environment_id, created_at: 1 };
    await tx
      .insertInto('upstream_servers')
      .values({
        ...kept,
        id: server,
        connection_id,
        url: 'https://mcp.example.test/mcp',
        authorization_found: 'null',
        held: 'null',
        challenge_scopes: '[]',
        checked_at: 1,
        reset_at: 0,
      })
      .execute();
    await tx
      .insertInto('upstream_clients')
      .values({
        ...kept,
        id: client,
        server_id: server,
        issuer: 'https://as.example.test',
        client_id: 'c',
        client_secret_sealed: await vault.seal(place, 'secret of a client'),
        authentication: 'basic',
        redirect_uri: 'https://gate.example.test/callback',
        lost_browsers: 0,
      })
      .execute();
  }

  async function contents(): Promise<unknown> {
    return withDatabase(async (db) => ({
      keys: readFileSync(keyFile, 'utf8'),
      rows: await Promise.all(
        ['installation', 'accounts', 'connections', 'signing_keys', 'signing_secrets', 'credentials'].map(
          async (table) => {
            const { rows } = await sql<{
              key?: string;
            }>`select * from ${sql.table(table)} order by 1`.execute(db.read);
            // What running servers say of themselves changes all the time.
            return rows.filter(({ key = '' }) => !key.startsWith('sealing:'));
          },
        ),
      ),
    }));
  }
});

/** What the API has made. */
async function made<T>(server: ServerProcess, path: string, body: object): Promise<T> {
  const { status, text } = await server.api('POST', path, body);
  expect([path, status]).toEqual([path, 201]);
  return JSON.parse(text) as T;
}

/** An OpenID provider on loopback. */
async function startOpenId(): Promise<{ openId: FakeOpenId; close: () => void }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const url = new URL(request.url ?? '', openId.issuer);
    const { status, headers, body } = await openId.send({
      method,
      url,
      headers: {},
      body: await text(request),
    });
    response.writeHead(status, headers).end(body);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const openId = new FakeOpenId(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    openId,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function credentialsOf(db: Database, id: string): Promise<string> {
  const row = await db.read
    .selectFrom('accounts')
    .select('credentials_sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.credentials_sealed ?? '';
}

async function setCredentials(db: Database, id: string, sealed: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.updateTable('accounts').set({ credentials_sealed: sealed }).where('id', '=', id).execute();
  });
}
