/**
 * No outbound request reaches a private address without the operator's word (docs/security.md#private-addresses), and
 * none leaves with a credential for anywhere but its connector's origin
 * (docs/security.md#credential-stays-at-its-origin): a real process, from outside. A canary listens at loopback; nobody
 * may ever connect to it.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess, type ApiAnswer } from '../support/deployment/server-process.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { API_KEY, faultCatalog } from './faults/catalog.ts';

const CREDENTIAL = { id: 'test', secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };
const RESOLVER = join(import.meta.dirname, 'children/rebinding-resolver.ts');

/** The canary's own address, as somebody might write it to get past a look at it. PORT is the canary's. */
const FORMS: readonly string[] = [
  '127.0.0.2:PORT',
  '127.2:PORT',
  '127.0.2:PORT',
  '2130706434:PORT',
  '0x7f000002:PORT',
  '0x7f.0.0.2:PORT',
  '0x7f.2:PORT',
  '0177.0.0.2:PORT',
  '017700000002:PORT',
  '0177.0x0.0.2:PORT',
  '127.0.0.2.:PORT',
  '\uff11\uff12\uff17.0.0.2:PORT',
  '127\u30020\u30020\u30022:PORT',
  '[::ffff:127.0.0.2]:PORT',
  '[::ffff:7f00:2]:PORT',
  '[0:0:0:0:0:ffff:7f00:2]:PORT',
  '[::127.0.0.2]:PORT',
  '[64:ff9b::7f00:2]:PORT',
  '[64:ff9b:1::7f00:2]:PORT',
  '[2002:7f00:2::]:PORT',
  '0.0.0.0:PORT',
  '0:PORT',
  'x.rebind.test:PORT',
  'user:word@127.0.0.2:PORT',
];

let folder: string;
let rebind: string;
let provider: FaultServer;
let canary: FaultServer;
let server: ServerProcess;
let made = 0;
let organizationId = '';

beforeAll(async () => {
  [provider, canary] = await Promise.all([startFaultServer(), startFaultServer({ host: '127.0.0.2' })]);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-addresses-'));
  rebind = join(folder, 'rebind');
  writeFileSync(rebind, '127.0.0.2');
  const connectors = { main: provider.origin, named: `http://named.rebind.test:${provider.port}` };
  for (const [name, text] of Object.entries(faultCatalog(connectors))) {
    const file = join(folder, 'catalog', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const settings = {
    data_dir: 'data',
    base_url: 'https://gate.example.test',
    catalog_dirs: [join(folder, 'catalog')],
    client_id: CREDENTIAL.id,
    client_secret: CREDENTIAL.secret,
    outbound: { allow_private_hosts: ['127.0.0.1/32'], connect_timeout: '1s', timeout: '2s' },
  };
  writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify(settings));
  server = await ServerProcess.start({
    dir: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      NODE_OPTIONS: `--import ${RESOLVER}`,
      REBIND_FILE: rebind,
      GATEHOUSE_CONFIG: join(folder, 'gatehouse.yaml'),
    },
    token: requestToken,
    keep: () => {},
  });
  await connect('main', 'ada');
  await connect('named', 'ada');
});

afterEach(() => provider.reset());

afterAll(async () => {
  await server?.stop();
  await Promise.all([provider.close(), canary.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function connect(connection: string, user: string, apiConfig: object = {}): Promise<ApiAnswer> {
  return server.api('POST', '/connected_accounts', {
    connector: connection,
    identifier: user,
    user_id: user,
    connected_account: {
      authorization_details: { static_auth: { details: { api_key: API_KEY } } },
      api_config: apiConfig,
    },
  });
}

async function call(connector: string, connection = connector): Promise<ApiAnswer> {
  return server.api('POST', '/execute_tool', {
    tool_name: `${connector}_add`,
    tool_input: { fault: 'x' },
    connector: connection,
    identifier: 'ada',
    user_id: 'ada',
  });
}

describe('outbound addresses: private canary', () => {
  it.each(FORMS.flatMap((form) => [[`http://${form}`], [`https://${form}`]]))(
    '%s as the base of a connection is refused or not called',
    async (form) => {
      const base = form.replace('PORT', String(canary.port));
      const name = `canary-${(made += 1)}`;
      const answer = await server.api('POST', '/connections', {
        name,
        connector: 'main',
        overrides: { base_url: base },
      });
      if (answer.status !== 400) {
        expect(answer.status).toBe(201);
        expect((await connect(name, 'ada')).status).toBe(201);
        const { status, body } = await call('main', name);
        expect([status, body.details?.[0]?.tool_error?.code]).toEqual([502, 'ADDRESS_REFUSED']);
      }
      expect(canary.connections()).toBe(0);
    },
  );

  it.each(FORMS.map((form) => [form]))('refuses a webhook to %s', async (form) => {
    const url = `https://${form.replace('PORT', String(canary.port))}/`;
    const events = ['connected_account.created'];
    const name = `hook ${form.slice(0, 20)}`;
    const { status } = await server.api('POST', '/webhooks', { name, url, events });
    // Where a name leads is known only when it is called.
    expect(status).toBe(form === 'x.rebind.test:PORT' ? 201 : 400);
    expect(canary.connections()).toBe(0);
  });

  it('receives no request after all webhooks were due', async () => {
    expect((await connect('main', 'told')).status).toBe(201);
    await expect.poll(async () => (await deliveries()).length).toBeGreaterThan(0);
    expect(canary.connections()).toBe(0);
    expect(canary.requests).toEqual([]);
  });
});

async function newOrganization(): Promise<string> {
  const owner = { name: 'X', user: { email: 'ada@x.test' } };
  const { text } = await server.api('POST', '/organizations', owner);
  return (JSON.parse(text) as { organization: { id: string } }).organization.id;
}

/** A browser's request to the public address. */
async function browse(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const { hostname, port } = new URL(server.url);
  const host = 'gate.example.test';
  const asked = request({ hostname, port, path, headers: { host, ...headers } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer.resume();
}

describe('outbound addresses: private canary in people and policies', () => {
  const at = (form: string): string => `https://${form.replace('PORT', String(canary.port))}`;

  it.each(FORMS.map((form) => [form]))('refuses an interceptor at %s', async (form) => {
    const { status, text } = await server.api('POST', '/interceptors', {
      name: `interceptor ${(made += 1)}`,
      trigger_point: 'PRE_USER_INVITATION',
      endpoint: `${at(form)}/ask`,
      fallback: 'block',
      enabled: false,
    });
    if (status !== 400) {
      const { interceptor } = JSON.parse(text) as { interceptor: { id: string } };
      const tested = await server.api('POST', `/interceptors/${interceptor.id}:test`);
      expect(tested.status).toBe(200);
      expect(JSON.parse(tested.text)).toMatchObject({ response: null, would: 'block' });
    }
    expect(canary.connections()).toBe(0);
  });

  it.each(FORMS.map((form) => [form]))(
    'refuses an OpenID provider of an organization at %s',
    async (form) => {
      organizationId ||= await newOrganization();
      const provider = { issuer: at(form), client_id: 'gatehouse', domains: ['canary.example'] };
      const { status } = await server.api('PUT', `/organizations/${organizationId}/provider`, provider);
      if (status !== 400) {
        const page = await browse('/sign-in');
        const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
        const path = `/sign-in/provider?organization_id=${organizationId}`;
        const left = await browse(path, { cookie, 'sec-fetch-site': 'same-origin' });
        expect([status, left.statusCode]).toEqual([200, 502]);
      }
      expect(canary.connections()).toBe(0);
    },
  );

  it('fetches no client metadata document, under any name', async () => {
    const before = lookups();
    for (const host of ['x.rebind.test', `x.rebind.test:${canary.port}`, '127.0.0.2', '[::ffff:7f00:2]']) {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: `https://${host}/client.json`,
        redirect_uri: 'https://app.example.test/done',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      expect((await browse(`/oauth/authorize?${query.toString()}`)).statusCode).toBe(400);
    }
    expect(lookups()).toBeGreaterThan(before);
    expect(canary.connections()).toBe(0);
  });
});

/** How often the addresses of names were asked for. */
function lookups(): number {
  return existsSync(`${rebind}.asked`) ? readFileSync(`${rebind}.asked`, 'utf8').split('\n').length : 0;
}

describe('outbound addresses: DNS rebinding', () => {
  const asked = (): number =>
    existsSync(`${rebind}.asked`) ? readFileSync(`${rebind}.asked`, 'utf8').split('named.').length - 1 : 0;

  it('connects to the checked address, and not to the canary after a change', async () => {
    writeFileSync(rebind, '127.0.0.1');
    provider.always({ headers: { connection: 'close' } });
    expect((await call('named')).status).toBe(200);
    expect([asked(), provider.requests.length]).toEqual([1, 1]);
    for (const addresses of [
      '127.0.0.2',
      '127.0.0.1 127.0.0.2',
      '::ffff:127.0.0.2',
      '0.0.0.0',
      '169.254.169.254',
    ]) {
      writeFileSync(rebind, addresses);
      const { status, body } = await call('named');
      expect([status, body.details?.[0]?.tool_error?.code]).toEqual([502, 'ADDRESS_REFUSED']);
    }
    expect(provider.requests).toHaveLength(1);
    expect(canary.connections()).toBe(0);
    writeFileSync(rebind, '127.0.0.1');
    expect((await call('named')).status).toBe(200);
  });
});

describe('outbound addresses: redirects of a provider', () => {
  it.each([301, 302, 303, 307, 308])('follows no redirect with status %i', async (status) => {
    provider.queue({
      status,
      headers: { location: `${canary.origin}/`, refresh: `0; url=${canary.origin}/` },
    });
    expect((await call('main')).status).toBe(502);
    expect(canary.connections()).toBe(0);
    expect(provider.requests.map(({ headers }) => headers['x-api-key'])).toEqual([API_KEY]);
  });
});

async function deliveries(): Promise<unknown[]> {
  const { text } = await server.api('GET', '/webhooks');
  const { webhooks } = JSON.parse(text) as { webhooks: { id: string }[] };
  const lists = webhooks.map(async ({ id }) => {
    const answer = await server.api('GET', `/webhooks/${id}/deliveries`);
    return (JSON.parse(answer.text) as { deliveries?: { attempts?: unknown }[] }).deliveries ?? [];
  });
  return (await Promise.all(lists)).flat();
}

let token: Promise<string> | undefined;

async function requestToken(url: string): Promise<string> {
  token ??= fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CREDENTIAL.id,
      client_secret: CREDENTIAL.secret,
    }),
  }).then(async (response) => ((await response.json()) as { access_token: string }).access_token);
  return token;
}
