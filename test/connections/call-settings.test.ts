/** What an account and its connection may say about calls, and how far they are believed. */
import { describe, expect, it } from 'vitest';
import { hostOf } from '../../src/connections/allowed-endpoint.ts';
import {
  apiConfigViolations,
  callParamViolations,
  callSettings,
} from '../../src/connections/call-settings.ts';
import type { Connector } from '../../src/catalog/model/types.ts';

const connector = {
  name: 'shop',
  title: 'Shop',
  hosts: [
    { url: 'https://api.shop.example/v1', placeholders: {} },
    { url: 'https://{region}.shop.example', placeholders: { region: '[a-z]{2}' } },
    { url: 'http://box.internal:8080', placeholders: {} },
  ],
  limits: { reads: 60, writes: 10 },
} as unknown as Connector;

const unlimited = { ...connector, limits: {} };

const fields = (config: Record<string, unknown>, of = connector): string[] =>
  apiConfigViolations(of, config).map(({ field }) => field);

describe('api_config of an account: call settings', () => {
  it.each([
    [{}],
    [{ rate_limit: 1 }],
    [{ rate_limit: 60 }],
    [{ rate_limit: null, timeout: null, endpoint: null }],
    [{ timeout: 55 }],
    [{ timeout: 0.5 }],
    [{ timeout: '100ms' }],
    [{ timeout: '55s' }],
    [{ endpoint: 'https://api.shop.example/v1' }],
    [{ endpoint: 'https://eu.shop.example/' }],
    [{ anything: { else: 1 } }],
  ])('accepts the api_config %j', (config) => {
    expect(fields(config)).toEqual([]);
  });

  it.each([0, -1, 1.5, 61, '10', true, [], Number.NaN])('refuses a rate_limit of %j', (rate_limit) => {
    expect(fields({ rate_limit })).toEqual(['connected_account.api_config.rate_limit']);
  });

  it('accepts a rate_limit where the catalog has none', () => {
    expect(fields({ rate_limit: 100_000 }, unlimited)).toEqual([]);
    expect(fields({ rate_limit: 100_001 }, unlimited)).toHaveLength(1);
  });

  it.each([0, 0.05, 55.1, 30_000, -1, '56s', '1h', 'soon', '', true, {}])(
    'refuses a timeout of %j',
    (timeout) => {
      expect(fields({ timeout })).toEqual(['connected_account.api_config.timeout']);
    },
  );

  it.each([7, {}, '', 'https://evil.test'])('refuses the endpoint %j', (endpoint) => {
    expect(fields({ endpoint })).toEqual(['connected_account.api_config.endpoint']);
  });

  it('names everything that is wrong at once', () => {
    expect(fields({ rate_limit: 0, timeout: 0, endpoint: 'x' })).toHaveLength(3);
  });
});

describe('params of a connection: call settings', () => {
  it('accepts a rate limit for all accounts together and a timeout', () => {
    expect(callParamViolations({ rate_limit: 10_000, timeout: '20s', endpoint: 'x' })).toEqual([]);
  });

  it('refuses wrong params and names the field', () => {
    const found = callParamViolations({ rate_limit: 'many', timeout: 99 });
    expect(found.map(({ field }) => field)).toEqual(['params.rate_limit', 'params.timeout']);
  });
});

describe('call settings of account and connection in force', () => {
  const settings = (api: object, params: object = {}) =>
    callSettings({ apiConfig: { ...api }, connection: { params: { ...params } } });

  it('sets no limit by default', () => {
    expect(settings({})).toEqual({});
  });

  it('prefers the settings of the account to those of its connection', () => {
    expect(settings({ rate_limit: 5, timeout: 2 }, { rate_limit: 100, timeout: '30s' })).toEqual({
      accountPerMinute: 5,
      connectionPerMinute: 100,
      timeoutMs: 2_000,
    });
    expect(settings({}, { timeout: '30s' })).toEqual({ timeoutMs: 30_000 });
  });

  it('ignores stored settings that cannot be', () => {
    expect(settings({ rate_limit: 'x', timeout: 99, endpoint: 5 })).toEqual({});
  });
});

describe('host of another base address of a connector', () => {
  it.each([
    ['https://api.shop.example/v1', 0],
    ['https://api.shop.example/v1/', 0],
    ['https://api.shop.example/v1/beta', 0],
    ['https://eu.shop.example', 1],
    ['https://eu.shop.example/x', 1],
    ['http://box.internal:8080/api', 2],
  ])('finds for %s the host that allows it', (endpoint, host) => {
    expect(hostOf(connector, endpoint)).toBe(host);
  });

  it.each([
    'https://api.shop.example',
    'https://api.shop.example/v10',
    'http://api.shop.example/v1',
    'https://api.shop.example:8443/v1',
    'https://API.shop.example/v1',
    'https://api.shop.example./v1',
    'https://apixshop.example/v1',
    'https://europe.shop.example',
    'https://e.u.shop.example',
    'https://eu.shop.example.evil.test',
    'https://eu.shop.example@evil.test',
    'https://user@eu.shop.example',
    'https://eu.shop.example?x',
    'https://eu.shop.example#x',
    'https://eu.shop.example/../x',
    'https://eu.shop.example/%2e%2e/x',
    'https://eu.shop.example/..;/x',
    'https://eu.shop.example\\@evil.test',
    'https://eu.shop.example/\nx',
    'http://box.internal/api',
    'http://box.internal:80800',
    'ftp://eu.shop.example',
    '//eu.shop.example',
    'eu.shop.example',
  ])('finds no host for %j', (endpoint) => {
    expect(hostOf(connector, endpoint)).toBeUndefined();
  });

  it('finds no host by a pattern that lets through more than host labels', () => {
    const hosts = [{ url: 'https://{domain}', placeholders: { domain: '.+' } }];
    expect(hostOf({ hosts }, 'https://evil.test..x')).toBeUndefined();
    expect(hostOf({ hosts }, 'https://[::1]')).toBeUndefined();
    expect(hostOf({ hosts }, 'https://shop.example')).toBe(0);
  });
});
