/** A provider URL is built from parts; no path can change the host or leave the base path. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUrl } from '../../src/outbound/url.ts';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { HOSTILE_PATHS } from '../support/hostile-paths.ts';

const BASE = 'https://api.provider.test/v1';

describe('URL of a provider request', () => {
  it('puts the path below the base path and keeps its encoding', () => {
    expect(buildUrl(BASE, '/users/a%2Fb%20c', []).href).toBe('https://api.provider.test/v1/users/a%2Fb%20c');
  });

  it('joins a base with a trailing slash the same way', () => {
    expect(buildUrl(`${BASE}/`, '/users', []).href).toBe('https://api.provider.test/v1/users');
  });

  it('accepts a base without a path', () => {
    expect(buildUrl(new URL('https://api.provider.test'), '/search', []).href).toBe(
      'https://api.provider.test/search',
    );
  });

  it('writes the query in order, repeats names, and encodes reserved characters', () => {
    const query = [
      ['q', 'a b&c=d+e'],
      ['id', '1'],
      ['id', '2'],
      ['x#', '%'],
    ] as const;
    expect(buildUrl(BASE, '/s', query).href).toBe(
      'https://api.provider.test/v1/s?q=a%20b%26c%3Dd%2Be&id=1&id=2&x%23=%25',
    );
  });

  it('leaves names with dots and colons alone that are no dot segments', () => {
    expect(buildUrl(BASE, '/files/.well-known/a..b/v1:run;x=1', []).pathname).toBe(
      '/v1/files/.well-known/a..b/v1:run;x=1',
    );
  });

  it('puts a written query first and keeps its encoding', () => {
    expect(buildUrl(BASE, '/s', [['key', 'a b']], 'q=%20+%2f&x').href).toBe(
      'https://api.provider.test/v1/s?q=%20+%2f&x&key=a%20b',
    );
  });

  it.each(['a=1#b', 'a=\t', 'a b', 'caf\u00e9', 'a=\u0000', 'a=1\r\nX: 1'])(
    'refuses the written query %j',
    (query) => {
      expect(() => buildUrl(BASE, '/s', [], query)).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          details: { field_violations: [expect.objectContaining({ field: 'query' })] },
        }),
      );
    },
  );

  it('refuses a query value with half a surrogate pair and names it', () => {
    expect(() => buildUrl(BASE, '/s', [['q', '\ud800']])).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: {
          field_violations: [expect.objectContaining({ field: 'query.q', constraint: 'encoding' })],
        },
      }),
    );
  });

  it.each(HOSTILE_PATHS.map((path) => [path]))('refuses the hostile path %j', (path) => {
    expect(() => buildUrl(BASE, path.replaceAll('CANARY', 'evil.test'), [])).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: { field_violations: [expect.objectContaining({ field: 'path' })] },
      }),
    );
  });
});

describe('credentials of outbound requests leave for their own origin only', () => {
  let provider: FaultServer;
  let canary: FaultServer;
  let outbound: Outbound;

  beforeAll(async () => {
    provider = await startFaultServer();
    canary = await startFaultServer();
    outbound = new Outbound({
      policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
      connectTimeoutMs: 1_000,
      headersTimeoutMs: 1_000,
      totalTimeoutMs: 1_000,
      maxResponseBytes: 1_000,
    });
  });

  afterAll(async () => {
    await outbound.close();
    await Promise.all([provider.close(), canary.close()]);
  });

  it(`sends nothing at all for ${HOSTILE_PATHS.length} hostile paths`, async () => {
    for (const path of HOSTILE_PATHS) {
      const hostile = path.replaceAll('CANARY', `127.0.0.1:${canary.port}`);
      const sending = async (): Promise<unknown> =>
        outbound.send({ method: 'GET', url: buildUrl(`${provider.origin}/v1`, hostile, []), headers: {} });
      await expect(sending()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect(canary.connections()).toBe(0);
    expect(provider.requests).toEqual([]);
  });
});
