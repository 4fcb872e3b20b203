/** What Gatehouse makes of an account's api_config: refusals and warnings. */
import { describe, expect, it } from 'vitest';
import type { Connector, ConnectorAuth } from '../../src/catalog/model/types.ts';
import { apiConfigViolations, apiConfigWarnings } from '../../src/connections/api-config.ts';

const connector = {
  name: 'shop',
  title: 'Shop',
  hosts: [
    { url: 'https://api.shop.example/v1', placeholders: {} },
    { url: 'https://{region}.shop.example', placeholders: { region: '[a-z]{2}' } },
  ],
  limits: { reads: 60, writes: 10 },
} as unknown as Connector;
const auth = { type: 'API_KEY', fields: [] } as unknown as ConnectorAuth;

const warnings = (config: Record<string, unknown>) => apiConfigWarnings(connector, auth, config);

describe('api_config of an account: violations', () => {
  it.each([
    {},
    { timeout: 30_000, rate_limit: '100/min', endpoint: 'https://evil.test', anything: { else: 1 } },
    { rate_limit: 1_000 },
    { region: 'eu' },
    { region: null },
  ])('accepts and stores freely %j', (config) => {
    expect(apiConfigViolations(connector, auth, config)).toEqual([]);
  });

  it.each(['europe', 'e.u', 'eu/x', 'eu@evil.test', '', 7, {}, ['eu']])(
    'refuses %j as the value of a placeholder',
    (region) => {
      expect(apiConfigViolations(connector, auth, { region })).toEqual([
        {
          field: 'connected_account.api_config.region',
          description: 'Shop needs region in the form [a-z]{2}.',
          constraint: 'pattern',
        },
      ]);
    },
  );
});

describe('api_config of an account: warnings', () => {
  it.each([
    {},
    { timeout: 30_000 },
    { timeout: '30s', rate_limit: 60, region: 'eu', endpoint: 'https://eu.shop.example/x' },
    { rate_limit: { requests: 1, per: 'second' } },
    { timeout: null, rate_limit: null, endpoint: null, anything: null },
  ])('says nothing about %j', (config) => {
    expect(warnings(config)).toEqual([]);
  });

  it.each([
    [{ timeout: 'soon' }, 'no effect: timeout'],
    [{ timeout: 60_000 }, 'A call ends after 55 s'],
    [{ rate_limit: '100/min' }, 'no effect: rate_limit'],
    [{ rate_limit: { requests: 1, per: 'day' } }, 'no effect: rate_limit'],
    [{ rate_limit: 1_000 }, 'The limit of Shop stays: 60 calls a minute'],
    [{ endpoint: 'https://evil.test' }, 'no effect: endpoint'],
    [{ endpoint: 7 }, 'no effect: endpoint'],
    [{ color: 'red', shape: {} }, 'does not use it: color, shape.'],
  ])('names what is not used of %j', (config, words) => {
    expect(warnings(config)).toEqual([expect.stringContaining(words)]);
  });

  it('warns of a thousand members in one short sentence', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${'x'.repeat(200)}${n}`, 1]));
    const [warning = '', ...others] = warnings(many);
    expect(others).toEqual([]);
    expect(warning).toMatch(/ and 990 more\.$/);
    expect(warning.length).toBeLessThan(1_500);
  });
});
