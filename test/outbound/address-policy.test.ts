/** Outbound calls reach public https hosts, and other hosts that the operator allows. */
import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressPolicy, type Resolve } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';

const REFUSED = expect.objectContaining({ kind: 'refused_address', sent: false });

/** Hosts as somebody might write them in a URL. */
const PRIVATE_HOSTS: readonly string[] = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '\uff11\uff12\uff17.0.0.1',
  '127\u30020\u30020\u30021',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::8.8.8.8]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '168.63.129.16',
  '[::ffff:168.63.129.16]',
  '192.88.99.0',
  '192.88.99.255',
  '[::ffff:192.88.99.1]',
  '[::ffff:0:8.8.8.8]',
  '[::ffff:0:7f00:1]',
  '[0:0:0:0:ffff:0:a00:1]',
  '[100::]',
  '[100::ffff:ffff:ffff:ffff]',
  '[2001:db8::1]',
  '[2001:db8:ffff:ffff::1]',
  '[3fff::1]',
  '[3fff:fff:ffff::1]',
  '[5f00::1]',
  '[5f00:ffff::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
];

const PUBLIC_HOSTS: readonly string[] = [
  'api.provider.test',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '198.20.0.1',
  '223.255.255.255',
  '168.63.129.15',
  '168.63.129.17',
  '192.88.98.255',
  '192.88.100.0',
  '[100:0:0:1::1]',
  '[2001:db7:ffff::1]',
  '[2001:db9::1]',
  '[3fff:1000::1]',
  '[5eff:ffff::1]',
  '[5f01::1]',
  '[2606:4700::1111]',
  '[2001:4860:4860::8888]',
  '[::ffff:8.8.8.8]',
];

describe('address policy of outbound requests: host in the URL', () => {
  const policy = new AddressPolicy({ allowPrivateHosts: [] });

  it.each(PRIVATE_HOSTS.map((host) => [host]))('refuses the private host %s', (host) => {
    expect(() => policy.checkUrl(new URL(`https://${host}/x`))).toThrow(REFUSED);
  });

  it.each(PUBLIC_HOSTS.map((host) => [host]))('allows the public host %s', (host) => {
    expect(() => policy.checkUrl(new URL(`https://${host}/x`))).not.toThrow();
  });

  it.each([
    ['http://api.provider.test/'],
    ['http://8.8.8.8/'],
    ['ftp://api.provider.test/'],
    ['file:///etc/passwd'],
    ['data:text/plain,x'],
    ['https://user@api.provider.test/'],
    ['https://:word@api.provider.test/'],
  ])('refuses the URL %s as an address', (url) => {
    expect(() => policy.checkUrl(new URL(url))).toThrow(REFUSED);
  });
});

describe('address policy of outbound requests: resolved addresses', () => {
  const look = async (policy: AddressPolicy, url: string): Promise<LookupAddress[]> => {
    const target = new URL(url);
    return new Promise((resolve, reject) => {
      policy.lookupFor(target)(target.hostname, { all: true }, (error, addresses) =>
        error === null ? resolve(addresses as LookupAddress[]) : reject(error),
      );
    });
  };
  const resolvingTo =
    (...addresses: string[]): Resolve =>
    (_, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );

  it('allows a name when all its addresses are public', async () => {
    const policy = new AddressPolicy({
      allowPrivateHosts: [],
      resolve: resolvingTo('8.8.8.8', '2606:4700::1111'),
    });
    expect(await look(policy, 'https://api.provider.test')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['::1']],
    [['::ffff:169.254.169.254']],
    [['fe80::1%eth0']],
    [['64:ff9b::a00:1']],
    [['not an address']],
    [[]],
  ])('refuses a name with the addresses %j', async (addresses) => {
    const policy = new AddressPolicy({ allowPrivateHosts: [], resolve: resolvingTo(...addresses) });
    await expect(look(policy, 'https://api.provider.test')).rejects.toEqual(REFUSED);
  });

  it('passes on the failure of the resolver', async () => {
    const notFound = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const policy = new AddressPolicy({
      allowPrivateHosts: [],
      resolve: (_, callback) => callback(notFound, []),
    });
    await expect(look(policy, 'https://api.provider.test')).rejects.toBe(notFound);
  });

  it('allows plain http only when every address lies in an allowed network', async () => {
    const url = 'http://api.provider.test';
    const allowed = ['10.1.0.0/16'];
    const inside = new AddressPolicy({ allowPrivateHosts: allowed, resolve: resolvingTo('10.1.2.3') });
    expect(() => inside.checkUrl(new URL(url))).not.toThrow();
    expect(await look(inside, url)).toEqual([{ address: '10.1.2.3', family: 4 }]);
    const outside = new AddressPolicy({
      allowPrivateHosts: allowed,
      resolve: resolvingTo('10.1.2.3', '8.8.8.8'),
    });
    await expect(look(outside, url)).rejects.toEqual(REFUSED);
  });
});

describe('address policy of outbound requests: allow_private_hosts', () => {
  const allows = (entry: string, url: string): boolean => {
    try {
      new AddressPolicy({ allowPrivateHosts: [entry] }).checkUrl(new URL(url));
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:9/', true],
    ['127.0.0.1', 'http://2130706433/', true],
    ['127.0.0.1', 'http://127.0.0.2/', false],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/', true],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081/', false],
    ['127.0.0.1:80', 'http://127.0.0.1/', true],
    ['127.0.0.1:443', 'https://127.0.0.1/', true],
    ['[::1]:8080', 'http://[::1]:8080/', true],
    ['::1', 'http://[::1]:8080/', true],
    ['::ffff:10.0.0.1', 'http://10.0.0.1/', true],
    ['api.internal', 'http://API.internal:81/', true],
    ['API.Internal.', 'http://api.internal/', true],
    ['api.internal', 'http://x.api.internal/', false],
    ['api.internal', 'http://api.internal.evil.test/', false],
    ['10.1.0.0/16', 'https://10.1.255.255/', true],
    ['10.1.0.0/16', 'http://10.1.0.1/', true],
    ['10.1.0.0/16', 'https://10.2.0.1/', false],
    ['fd00::/8', 'https://[fd00::1]/', true],
  ])('decides with %s about %s: %s', (entry, url, expected) => {
    expect(allows(entry, url)).toBe(expected);
  });

  it.each([
    ['http://api.internal'],
    ['10.0.0.0/33'],
    ['::/129'],
    ['a b'],
    [''],
    ['x/8'],
    ['api.internal:http'],
  ])('refuses the entry %j in the list', (entry) => {
    expect(() => new AddressPolicy({ allowPrivateHosts: [entry] })).toThrow(
      'is not a host, host:port or CIDR',
    );
  });

  it('names every invalid entry of the list', () => {
    const allowPrivateHosts = ['a b', 'api.internal', '10.0.0.0/33'];
    expect(() => new AddressPolicy({ allowPrivateHosts })).toThrow(
      /^"a b", "10\.0\.0\.0\/33" are not each a host, host:port or CIDR\./,
    );
  });
});

describe('address policy of outbound connections', () => {
  let provider: FaultServer;
  let canary: FaultServer;

  beforeAll(async () => {
    provider = await startFaultServer();
    canary = await startFaultServer({ host: '127.0.0.2' });
  });

  afterAll(async () => {
    await Promise.all([provider.close(), canary.close()]);
  });

  const outboundWith = (policy: AddressPolicy): Outbound =>
    new Outbound({
      policy,
      connectTimeoutMs: 1_000,
      headersTimeoutMs: 1_000,
      totalTimeoutMs: 2_000,
      maxResponseBytes: 10_000,
    });

  it('reach no private host in any notation (SSRF)', async () => {
    const outbound = outboundWith(new AddressPolicy({ allowPrivateHosts: [] }));
    const hosts = ['localhost', 'LOCALHOST', ...PRIVATE_HOSTS];
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        const url = new URL(`${scheme}://${host}:${canary.port}/`);
        await expect(outbound.send({ method: 'GET', url, headers: {} })).rejects.toEqual(REFUSED);
      }
    }
    expect(canary.connections()).toBe(0);
    await outbound.close();
  });

  it('do not follow a name that changes its address between two calls (DNS rebinding)', async () => {
    let answer = '127.0.0.1';
    const policy = new AddressPolicy({
      allowPrivateHosts: ['127.0.0.1/32'],
      resolve: (_, callback) => callback(null, [{ address: answer, family: 4 }]),
    });
    const outbound = outboundWith(policy);
    const call = async (port: number): Promise<number> =>
      (await outbound.send({ method: 'GET', url: new URL(`http://rebind.test:${port}/`), headers: {} }))
        .status;
    provider.always({ headers: { connection: 'close' } });
    expect(await call(provider.port)).toBe(200);
    answer = '127.0.0.2';
    await expect(call(provider.port)).rejects.toEqual(REFUSED);
    await expect(call(canary.port)).rejects.toEqual(REFUSED);
    expect(canary.connections()).toBe(0);
    await outbound.close();
  });

  it('resolve the address once and connect to the checked one', async () => {
    let questions = 0;
    const policy = new AddressPolicy({
      allowPrivateHosts: ['127.0.0.1/32'],
      resolve: (_, callback) =>
        callback(null, [{ address: questions++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]),
    });
    const outbound = outboundWith(policy);
    const url = new URL(`http://rebind.test:${provider.port}/`);
    expect((await outbound.send({ method: 'GET', url, headers: {} })).status).toBe(200);
    expect(questions).toBe(1);
    expect(canary.connections()).toBe(0);
    await outbound.close();
  });
});
