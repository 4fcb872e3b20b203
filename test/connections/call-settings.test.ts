/** What an account and its connection may say about calls, and how far they are believed. */
import { describe, expect, it } from 'vitest';
import { hostOf } from '../../src/connections/allowed-endpoint.ts';
import { callParamViolations, callSettings } from '../../src/connections/call-settings.ts';
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
    expect(settings({ rate_limit: 'x', timeout: 0.05, endpoint: 5 })).toEqual({});
  });

  it.each([
    [30_000, 30_000],
    [100, 100],
    ['250ms', 250],
    ['30s', 30_000],
    [20, 20_000],
    [0.5, 500],
    [60_000, 55_000],
    ['1h', 55_000],
    [99, 55_000],
  ])('reads the timeout %j as %i ms', (timeout, timeoutMs) => {
    expect(settings({ timeout })).toEqual({ timeoutMs });
  });

  it.each([
    [1_000, 1_000],
    [{ requests: 5, per: 'second' }, 300],
    [{ requests: 100, per: 'minute' }, 100],
    [{ requests: 90, per: 'hour' }, 1],
    [1e12, 100_000],
  ])('reads the rate_limit %j as %i calls a minute', (rate_limit, accountPerMinute) => {
    expect(settings({ rate_limit })).toEqual({ accountPerMinute });
  });

  it.each([0, -1, 1.5, '100/min', true, [], null, {}, { requests: 30, per: 'hour' }])(
    'takes no limit from the rate_limit %j',
    (rate_limit) => {
      expect(settings({ rate_limit })).toEqual({});
    },
  );

  it.each([0, 0.05, -1, 'soon', '', '99ms', true, {}, Number.NaN])(
    'takes no limit from the timeout %j',
    (timeout) => {
      expect(settings({ timeout })).toEqual({});
    },
  );
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
