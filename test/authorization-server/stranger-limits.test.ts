/** What somebody without an account can have stored: waiting authorization requests, registrations, failed attempts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OAuthRecords } from '../../src/authorization-server/library/oauth-records.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { until } from '../support/manual-timers.ts';
import { admin, basic, testVault, withEnvironments } from './identity-support.ts';
import { CALLBACK, startPeople, wayBack, type PeopleServer } from './people-support.ts';

let people: PeopleServer;

beforeEach(async () => {
  people = await startPeople();
  await people.user('usr_ann');
});
afterEach(async () => people.close());

const artifacts = async (model: string) =>
  rows(people.database.read, 'authorization_artifacts').list('env_dev', {
    where: { model },
    orderBy: ['created_at', 'id'],
  });

/** Sends an authorization request and does not follow it. */
const authorize = async (
  clientId: string,
  ip: string,
  changes: Record<string, string | undefined> = {},
): Promise<Response> => {
  const { pathname, search } = new URL(people.authorizeUrl(clientId, changes));
  return people.request(`${pathname}${search}`, { ip, redirect: 'manual' });
};

const register = async (ip: string, metadata: object = {}): Promise<Response> =>
  people.request('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ip,
    body: JSON.stringify({
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    }),
  });

/** Existing rows of strangers, `count` in each network. */
async function fill(model: string, networks: Readonly<Record<string, number>>): Promise<void> {
  const row = (network: string, i: number) => ({
    id: `art_${network}_${i}`,
    environment_id: 'env_dev',
    model,
    id_hash: `${network}_${i}`,
    grant_hash: null,
    uid_hash: null,
    session_id: null,
    payload_sealed: 's',
    created_at: 1_000 + i,
    expires_at: people.clock.now() + 1_000_000,
    consumed_at: null,
    network,
  });
  await people.database.transaction(async (tx) => {
    for (const [network, count] of Object.entries(networks))
      await rows(tx, 'authorization_artifacts').insert(
        ...Array.from({ length: count }, (_, i) => row(network, i)),
      );
  });
}

describe('waiting authorization requests of strangers', () => {
  it('holds at most 200 of one network, the latest', async () => {
    const id = await people.register();
    const first = await authorize(id, '203.0.113.1');
    const neighbor = await authorize(id, '203.0.112.1');
    expect([first.status, neighbor.status]).toEqual([303, 303]);
    const [oldest, other] = await artifacts('Interaction');
    for (let i = 0; i < 200; i++) {
      people.clock.advance(1);
      expect((await authorize(id, `203.0.113.${i}`)).status).toBe(303);
    }
    const left = await artifacts('Interaction');
    expect(left.filter(({ network }) => network === '203.0.113.0/24')).toHaveLength(200);
    expect(left.map((row) => row.id)).not.toContain(oldest?.id);
    expect(left.map((row) => row.id)).toContain(other?.id);
  });

  it('holds at most 10,000 of an environment, and makes room in the network that holds most', async () => {
    const id = await people.register();
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`net${i}`, 199]));
    await fill('Interaction', { ...many, few: 49, net7: 200 });
    const before = await artifacts('Interaction');
    expect(before).toHaveLength(10_000);
    expect((await authorize(id, '203.0.113.1')).status).toBe(303);
    const left = new Set((await artifacts('Interaction')).map((row) => row.id));
    expect(left.size).toBe(10_000);
    expect(before.filter((row) => !left.has(row.id)).map((row) => row.id)).toEqual(['art_net7_0']);
  });

  it.each(['state', 'nonce', 'scope', 'login_hint', 'ui_locales', 'acr_values', 'resource', 'unheard_of'])(
    'refuses a %s of more than 2 kB with a page, and stores nothing',
    async (name) => {
      const id = await people.register();
      for (const length of [2_049, 60_000]) {
        const form = new URL(people.authorizeUrl(id, { [name]: 'x'.repeat(length) })).searchParams;
        const text = form.toString();
        const page = await people.post('/oauth/authorize', text, {}, '203.0.113.1');
        const html = await page.text();
        expect([page.status, /<h1>[^<]*cannot be connected/.test(html)]).toEqual([400, true]);
        expect(
          wayBack({ url: '', status: 400, headers: page.headers, text: html }).searchParams.get('error'),
        ).toMatch(/^invalid_/);
      }
      expect(await artifacts('Interaction')).toEqual([]);
    },
  );

  it('names the parameter that is too long, measured in bytes', async () => {
    const id = await people.register();
    const answer = await authorize(id, '203.0.113.1', { state: 'é'.repeat(1_025) });
    expect(await answer.text()).toContain('The parameter state is longer than 2048 bytes.');
    const longest = { state: 'é'.repeat(1_024), login_hint: 'x'.repeat(2_048) };
    expect((await authorize(id, '203.0.113.1', longest)).status).toBe(303);
    expect(await artifacts('Interaction')).toHaveLength(1);
  });

  it('accepts the longest redirect URI that may be registered, with any port', async () => {
    const start = 'http://127.0.0.1/';
    const id = await people.register({ redirect_uris: [start.padEnd(2_048, 'a')] });
    const redirect_uri = 'http://127.0.0.1:49152/'.padEnd(2_054, 'a');
    expect((await authorize(id, '203.0.113.1', { redirect_uri })).status).toBe(303);
  });
});

describe('dynamic client registration by strangers', () => {
  const idOf = async (answer: Response): Promise<string> =>
    ((await answer.json()) as { client_id: string }).client_id;

  it('holds at most 50 of one network, and none of those that are used', async () => {
    const used = await idOf(await register('203.0.113.1'));
    const tokens = await people.tokens('usr_ann', used);
    const oldest = await idOf(await register('203.0.113.1'));
    for (let i = 0; i < 50; i++) {
      people.clock.advance(1);
      expect((await register(`203.0.113.${i}`)).status).toBe(201);
    }
    expect((await artifacts('Client')).filter(({ network }) => network !== null)).toHaveLength(50);
    expect((await authorize(oldest, '203.0.113.1')).status).toBe(400);
    expect((await people.refresh(used, tokens.refresh_token)).status).toBe(200);
  });

  it('holds at most 1,000 of an environment, and makes room in the network that holds most', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`net${i}`, 49]));
    await fill('Client', { ...many, most: 20 });
    await fill('Client', { large: 50 });
    for (let i = 0; i < 50; i++) {
      people.clock.advance(1);
      expect((await register(`203.0.${i}.1`)).status).toBe(201);
    }
    const left = await artifacts('Client');
    expect(left).toHaveLength(1_050 - 50);
    expect(left.filter(({ network }) => network === 'most')).toHaveLength(20);
    expect(left.filter(({ network }) => network?.startsWith('203.0.') === true)).toHaveLength(50);
  });

  it('writes an audit line for a registration, and none for a refused one', async () => {
    for (const metadata of [{ redirect_uris: ['http://evil.test'] }, { client_name: 7 }, { grant_types: [] }])
      expect((await register('203.0.113.1', metadata)).status).toBe(400);
    for (let i = 0; i < 8; i++) await register('203.0.113.1');
    expect((await register('203.0.113.1')).status).toBe(429);
    const lines = await people.database.read.selectFrom('audit').select('action').execute();
    expect(lines.filter(({ action }) => action === 'client.register')).toHaveLength(7);
  });
});

describe('failed attempts of unknown clients', () => {
  const attempt = async (clientId: string, ip: string): Promise<number> =>
    (
      await people.post(
        '/oauth/token',
        { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId, client_secret: 'guess' },
        {},
        ip,
      )
    ).status;

  it.each<[string, (i: number) => string, status?: number]>([
    ['of machines', (i) => `gh_${i}`],
    ['of registered apps', (i) => `ghapp_${String(i).padStart(32, '0')}`],
    ['with documents', (i) => `https://agent${i}.example.test/client.json`, 400],
  ])(
    'stores no row for client ids %s, and answers 429 after 20 a minute and network',
    async (_what, idOf, refused = 401) => {
      const statuses = [];
      for (let i = 0; i < 300; i++) statuses.push(await attempt(idOf(i), `203.0.113.${i % 250}`));
      expect(statuses).toEqual([
        ...Array.from({ length: 20 }, () => refused),
        ...Array.from({ length: 280 }, () => 429),
      ]);
      expect(await attempt(idOf(300), '203.0.114.1')).toBe(refused);
      const windows = await people.database.read.selectFrom('rate_windows').select('key').execute();
      expect(windows.filter(({ key }) => !key.includes(':client-documents:'))).toEqual([]);
      people.clock.advance(60_000);
      expect(await attempt(idOf(0), '203.0.113.1')).toBe(refused);
    },
  );

  it('counts wrong secrets of a known client for all processes', async () => {
    const { client_id: id } = await people.registered({ token_endpoint_auth_method: 'client_secret_post' });
    const { credential } = await people.credentials.create(admin, { name: 'B', scopes: ['tools:execute'] });
    for (const clientId of [id, credential.client_id]) {
      for (let i = 0; i < 20; i++) expect(await attempt(clientId, '203.0.113.1')).toBe(401);
      expect(await attempt(clientId, '203.0.113.1')).toBe(429);
    }
    const counted = async () => people.database.read.selectFrom('rate_windows').selectAll().execute();
    const isCounted = ({ key, points }: { key: string; points: number }) =>
      key.startsWith('env_dev:client:') && points === 20;
    await until(async () => (await counted()).filter(isCounted).length === 2);
  });

  it('lets known clients of that network go on', async () => {
    const { credential } = await people.credentials.create(admin, { name: 'B', scopes: ['tools:execute'] });
    const app = await people.register();
    const tokens = await people.tokens('usr_ann', app);
    for (let i = 0; i < 25; i++) await attempt(`ghapp_${i}`, '192.0.2.9');
    expect(await attempt('ghapp_25', '192.0.2.1')).toBe(429);
    expect((await people.refresh(app, tokens.refresh_token)).status).toBe(200);
    const machine = await people.post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      basic(credential.client_id, credential.client_secret),
      '192.0.2.1',
    );
    expect(machine.status).toBe(200);
  });
});

forEachDatabase((_name, open) => {
  it('keeps to the limit of a network when many strangers come at once', async () => {
    const database = await withEnvironments(await open(), 'env_dev', 'env_prod');
    const records = new OAuthRecords({ database, vault: testVault(), clock: fixedClock() });
    const save = async (i: number, network: string, environmentId = 'env_dev') =>
      records.save(
        { environmentId, model: 'Interaction', id: `${network}${i}` },
        {},
        { lifetimeMs: 1_000, room: { network, ofNetwork: 5, inEnvironment: 8 } },
      );
    await save(0, 'other', 'env_prod');
    await Promise.all(Array.from({ length: 20 }, async (_, i) => save(i, 'one')));
    await Promise.all(Array.from({ length: 20 }, async (_, i) => save(i, `small${i}`)));
    const left = await rows(database.read, 'authorization_artifacts').list('env_dev');
    expect(left.length).toBeLessThanOrEqual(8);
    expect(left.filter(({ network }) => network === 'one').length).toBeLessThanOrEqual(1);
    expect(await rows(database.read, 'authorization_artifacts').count('env_prod')).toBe(1);
  });
});
