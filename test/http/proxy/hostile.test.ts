/** Paths and addresses that try to lead a credential elsewhere, from outside: nobody ever gets a request. */
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startFaultServer, type FaultServer } from '../../support/fault-server.ts';
import { HOSTILE_PATHS } from '../../support/hostile-paths.ts';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';
import { untilClosed } from '../raw-request.ts';

let main: FaultServer;
let canary: FaultServer;
let shop: ShopServer;

beforeAll(async () => {
  [main, canary] = await Promise.all([startFaultServer(), startFaultServer({ host: '127.0.0.2' })]);
  shop = await startShopServer({ hosts: { main: main.origin, files: main.origin } });
  await shop.account('ada');
});

afterEach(() => main.reset());

afterAll(async () => {
  await shop.close();
  await Promise.all([main.close(), canary.close()]);
});

/** A request whose target is written as it is, byte for byte. */
async function raw(target: string): Promise<{ status: number; text: string }> {
  const socket = connect(shop.port, '127.0.0.1');
  const received = untilClosed(socket);
  const head = [
    `GET ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${shop.port}`,
    `Authorization: Bearer ${shop.token}`,
    'Connection: close',
    'Connection-Name: shop',
    'User-Id: ada',
    '',
    '',
  ].join('\r\n');
  socket.write(Buffer.from(head, 'utf8'));
  const text = await received;
  return { status: Number(text.slice(9, 12)), text };
}

/** Those that a request line can hold: of the others its parser makes something else, or nothing. */
const IN_A_REQUEST_LINE = HOSTILE_PATHS.filter((path) => /^[!-~]*$/.test(path) && !path.includes('?'));

/** Those that end the target early: what is left is an ordinary request to us. */
const CUT_SHORT = new Map([
  ['/users ', '/api/users'],
  ['/a\r\nX-Injected: 1', '/api/a'],
]);
const BROKEN_LINES = HOSTILE_PATHS.filter((path) => !/^[!-~]*$/.test(path) && !CUT_SHORT.has(path));

describe('proxied request with a hostile path', () => {
  it('covers at least 38 hostile forms', () => {
    expect(IN_A_REQUEST_LINE.length + BROKEN_LINES.length).toBeGreaterThanOrEqual(38);
  });

  it.each(IN_A_REQUEST_LINE.map((path) => [path]))(
    'answers 400 for the path %j, naming the path',
    async (path) => {
      const hostile = path.replaceAll('CANARY', `127.0.0.2:${canary.port}`);
      // Without a slash of its own it would name another route.
      const target = hostile.startsWith('/') || hostile === '' ? `/proxy${hostile}` : `/proxy/${hostile}`;
      const { status, text } = await raw(target);
      if (hostile.startsWith('/') || hostile === '' || hostile.startsWith('..') || hostile.includes('\\')) {
        expect(status).toBe(400);
        expect(text).toContain('"field":"path"');
        expect(main.requests).toEqual([]);
      } else {
        // A segment with an unusual name, below the provider's own address.
        expect(status).toBe(200);
        expect(main.requests.map((request) => request.target)).toEqual([`/api/${hostile}`]);
      }
      expect(canary.connections()).toBe(0);
      main.reset();
    },
  );

  it.each(IN_A_REQUEST_LINE.map((path) => [path]))('reaches nobody by the whole target %j', async (path) => {
    const hostile = path.replaceAll('CANARY', `127.0.0.2:${canary.port}`);
    const { status } = await raw(hostile);
    expect([400, 403, 404]).toContain(status);
    expect(main.requests).toEqual([]);
    expect(canary.connections()).toBe(0);
  });

  it.each(BROKEN_LINES.map((path) => [path]))(
    'answers 400 to the broken request line with %j',
    async (path) => {
      const hostile = path.replaceAll('CANARY', `127.0.0.2:${canary.port}`);
      const { status } = await raw(`/proxy${hostile.startsWith('/') ? '' : '/'}${hostile}`);
      expect(status).toBe(400);
      expect(main.requests).toEqual([]);
      expect(canary.connections()).toBe(0);
    },
  );

  it.each([...CUT_SHORT])('adds nothing to the request that the path %j cuts short', async (path, target) => {
    expect((await raw(`/proxy${path}`)).status).toBe(200);
    expect(main.requests.map((request) => request.target)).toEqual([target]);
    expect(main.requests[0]?.headers).not.toHaveProperty('x-injected');
    expect(canary.connections()).toBe(0);
  });

  it('refuses an absolute target with a hostile path', async () => {
    for (const target of [
      `http://127.0.0.2:${canary.port}/proxy/x`,
      `http://127.0.0.1:${shop.port}/proxy/x`,
    ]) {
      const { status, text } = await raw(target);
      expect(status).toBe(400);
      expect(text).toContain('"field":"path"');
    }
    expect(main.requests).toEqual([]);
  });
});

/** Ways to write an address that is not public. */
const PRIVATE_ADDRESSES = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '127.0.0.2',
  'localhost',
];

/** Those that no host name can be. */
const NO_HOST_NAMES = [
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[fc00::1]',
  '[fe80::1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '127.0.0.1:80',
  'api.example@127.0.0.1',
  '127.0.0.1/x',
  '127.0.0.1?',
  '127.0.0.1#',
  '127。0。0。1',
];

describe('proxied request for an account whose own domain is not a public host', () => {
  it.each(PRIVATE_ADDRESSES.map((host) => [host]))('calls no private address: %s', async (domain) => {
    const user = `host-${domain}`;
    await shop.account(user, 'branch', { domain });
    const response = await fetch(`${shop.baseUrl}/proxy/x`, {
      headers: { authorization: `Bearer ${shop.token}`, 'connection-name': 'branch', 'user-id': user },
    });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      details: [{ error_code: 'TOOL_ERROR', tool_error: { code: 'ADDRESS_REFUSED' } }],
    });
  });

  it.each(NO_HOST_NAMES.map((host) => [host]))('answers 400 for the domain %s', async (domain) => {
    const user = `name-${domain}`;
    await expect(shop.account(user, 'branch', { domain })).rejects.toThrow(
      '"field":"connected_account.api_config.domain"',
    );
    const id = await shop.account(user, 'branch', { domain: 'api.example' });
    const updated = await shop.api('PUT', '/connected_accounts', {
      id,
      connected_account: { api_config: { domain } },
    });
    expect(updated.status).toBe(400);
    expect(await updated.text()).toContain('"field":"connected_account.api_config.domain"');
  });

  it('has reached no private host', () => {
    expect(canary.connections()).toBe(0);
  });
});

describe('api_config of an account: hostile base address', () => {
  it.each([
    'http://evil.test/api',
    'https://evil.test',
    '//evil.test',
    'javascript:alert(1)',
    'MAIN/api/../admin',
    'MAIN/api/%2e%2e/admin',
    'MAIN/api?x=1',
    'MAIN/api#x',
    'http://user@HOST/api',
    'http://HOST@evil.test/api',
    'http://HOST.evil.test/api',
    'MAIN\\@evil.test/api',
    ' MAIN/api',
    'https://HOST/api',
    'http://127.0.0.1/api',
  ])('stores the base address %s, warns, and calls the host of the connector', async (form) => {
    const endpoint = form.replace('HOST', new URL(main.origin).host).replace('MAIN', main.origin);
    const id = await shop.account(`steering-${form}`);
    const updated = await shop.api('PUT', '/connected_accounts', {
      id,
      connected_account: { api_config: { endpoint } },
    });
    expect([updated.status, await updated.json()]).toMatchObject([
      200,
      {
        connected_account: { api_config: { endpoint } },
        warnings: [expect.stringContaining('has no effect: endpoint')],
      },
    ]);
    main.reset();
    const response = await fetch(`${shop.baseUrl}/proxy/items`, {
      headers: { authorization: `Bearer ${shop.token}`, 'connected-account-id': id },
    });
    expect(response.status).toBe(200);
    expect(main.requests.map(({ target }) => target)).toEqual(['/api/items']);
  });
});
