/** Placeholders of addresses: where values come from, and that none can lead anywhere else. */
import { describe, expect, it } from 'vitest';
import {
  completeValue,
  fillPlaceholders,
  missingPlaceholders,
  neededPlaceholders,
  placeholderValues,
} from '../../src/connections/placeholders.ts';

const PATTERN = '[A-Za-z0-9-]+\\.desk\\.example';
const RULES = { title: 'Desk', settings: { domain: { label: 'Address', suffix: '.desk.example' } } };
const patterns = { domain: PATTERN };

const values = (config: object, params: object = {}, tokenDomain?: string) =>
  placeholderValues({ apiConfig: { ...config }, connection: { params: { ...params } } }, tokenDomain);
const filled = (config: object, params?: object, tokenDomain?: string): string =>
  fillPlaceholders('https://{domain}/oauth/{domain}', patterns, RULES, values(config, params, tokenDomain));

describe("placeholder in a connector's addresses", () => {
  it.each([
    ['api_config', { domain: 'a.desk.example' }, 'b.desk.example', 'a'],
    ['the token', {}, 'b.desk.example', 'b'],
    ['the params of the connection', {}, undefined, 'c'],
    ['the params where the token says nothing', {}, '', 'c'],
  ])('fills the placeholder from %s', (_case, config, tokenDomain, name) => {
    expect(filled(config, { domain: 'c.desk.example' }, tokenDomain)).toBe(
      `https://${name}.desk.example/oauth/${name}.desk.example`,
    );
  });

  it('completes a short form by the suffix', () => {
    expect(filled({ domain: 'acme' })).toBe('https://acme.desk.example/oauth/acme.desk.example');
  });

  it('fills only `domain` from the token', () => {
    const at = values({}, {}, 'a.desk.example');
    expect(missingPlaceholders({ tenant: PATTERN, domain: PATTERN }, RULES, at)).toEqual(['tenant']);
  });

  it.each([
    ['missing', {}],
    ['empty', { domain: '' }],
    ['a number', { domain: 7 }],
    ['of another host', { domain: 'evil.example' }],
    ['of a host that ends alike', { domain: 'evildesk.example' }],
    ['with a path', { domain: 'evil.example/a.desk.example' }],
    ['with a query', { domain: 'evil.example?a.desk.example' }],
    ['with a fragment', { domain: 'evil.example#a.desk.example' }],
    ['with a user name', { domain: 'a.desk.example@evil.example' }],
    ['with a port', { domain: 'a.desk.example:8443' }],
    ['with a line', { domain: 'a.desk.example\n' }],
    ['with a blank', { domain: ' a.desk.example' }],
    ['with an empty label', { domain: '..desk.example' }],
    ['with another placeholder', { domain: '{domain}' }],
    ['with escapes', { domain: '%2f.desk.example' }],
    ['in letters that look alike', { domain: 'а.desk.example' }],
    ['too long', { domain: `${'a'.repeat(250)}.desk.example` }],
  ])('refuses a value that is %s, also where another source has a good one', (_case, config) => {
    const params = Object.hasOwn(config, 'domain') ? { domain: 'c.desk.example' } : {};
    expect(() => filled(config, params)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: {
          field_violations: [
            {
              field: 'connected_account.api_config.domain',
              description: `Desk needs domain in the account's api_config, in the form ${PATTERN}.`,
              constraint: 'pattern',
            },
          ],
        },
      }) as Error,
    );
  });

  it('accepts host labels only, even where the pattern allows more', () => {
    for (const value of ['a/b', 'a@b', 'a:1', '..', '.', 'a..b', 'a?b', 'a\\b', 'a b', ''])
      expect(completeValue(value, '.*', undefined), value).toBeUndefined();
    expect(completeValue('a-b_c.d', '.*', undefined)).toBe('a-b_c.d');
  });
});

describe('placeholders that an account needs', () => {
  const hosts = [{ url: 'https://{domain}/api/{site}', placeholders: { domain: '[a-z.]+', site: '[a-z]+' } }];
  const oauth = {
    type: 'OAUTH',
    oauth: { placeholders: { tenant: '[a-z]+' } },
  } as unknown as Parameters<typeof neededPlaceholders>[1];

  it.each([
    [{}, ['domain', 'site', 'tenant']],
    // A test double stands for the host and for the consent; paths stay.
    [{ base_url: 'http://127.0.0.1:1' }, ['site']],
    [{ token_url: 'http://127.0.0.1:1/t' }, ['domain', 'site']],
  ])('names the needed placeholders with overrides %j', (overrides, names) => {
    expect(Object.keys(neededPlaceholders({ hosts }, oauth, overrides))).toEqual(names);
  });
});
