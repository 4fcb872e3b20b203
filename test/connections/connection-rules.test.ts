import { describe, expect, it } from 'vitest';
import { connectionViolations } from '../../src/connections/connection-rules.ts';
import type { ConnectionPatch } from '../../src/connections/connection-views.ts';
import type { Catalog, Connector } from '../../src/catalog/model/types.ts';

const connector = (scope_separator: ' ' | ','): Connector =>
  ({
    name: 'desk',
    title: 'Desk',
    hosts: [{ url: 'https://{tenant}.desk.example', placeholders: { tenant: '[a-z]{1,20}' } }],
    settings: { realm: { label: 'Realm', suffix: '.desk.example' } },
    auth: [
      {
        type: 'OAUTH',
        fields: [],
        oauth: { scope_separator, placeholders: { realm: '[a-z]+\\.desk\\.example' } },
      },
    ],
  }) as unknown as Connector;

const catalog: Catalog = {
  connectors: new Map([
    ['desk', connector(' ')],
    ['board', connector(',')],
  ]),
  tools: new Map(),
};

/** Outbound calls reach https, and http at hosts that the operator allows. */
const isReachable = (url: URL): boolean => url.protocol === 'https:' || url.hostname === 'box.internal';

const fieldsOf = (input: ConnectionPatch, name = 'desk') =>
  connectionViolations({ catalog, isReachable }, input, name).map(({ field }) => field);

describe('connection rules', () => {
  it.each<[ConnectionPatch]>([
    [{}],
    [{ client_id: 'a', client_secret: '~ !"' }],
    [{ client_id: 'x'.repeat(4_096), client_secret: 'x'.repeat(4_096) }],
    [{ client_id: null, client_secret: null, post_user_verify_redirect_url: null }],
    [{ scopes: ['https://www.example.com/auth/mail.readonly', 'note:read-write', 'a,b'] }],
    [{ params: { tenant: 'acme', anything: { at: ['all'] } } }],
    [{ params: { realm: 'acme.desk.example' } }],
    [{ params: { realm: 'acme' } }],
    [{ overrides: { base_url: 'https://box.example/' } }],
    [{ overrides: { base_url: 'http://127.0.0.1:4010', token_url: 'http://localhost:4010/token?a=1' } }],
    [{ overrides: { token_url: 'http://box.internal:8080/token', issuer: 'https://box.example/tenant' } }],
  ])('accepts the connection %j', (input) => {
    expect(fieldsOf(input)).toEqual([]);
  });

  it.each<[ConnectionPatch, string[]]>([
    [{ client_id: '' }, ['client_id']],
    [{ client_id: ' id' }, ['client_id']],
    [{ client_secret: 'secret\n' }, ['client_secret']],
    [{ client_id: 'ümlaut', client_secret: 'x'.repeat(4_097) }, ['client_id', 'client_secret']],
    [
      { scopes: ['good', 'two words', '', 'qu"ote', 'back\\slash'] },
      ['scopes.1', 'scopes.2', 'scopes.3', 'scopes.4'],
    ],
    [{ scopes: Array.from({ length: 501 }, (_, i) => `s${i}`) }, ['scopes']],
    [{ params: { tenant: 'acme.evil' } }, ['params.tenant']],
    [{ params: { tenant: 7 } }, ['params.tenant']],
    [{ params: { realm: 'evil.example' } }, ['params.realm']],
    [{ overrides: { base_url: 'https://box.example/v2' } }, ['overrides.base_url']],
    [{ overrides: { base_url: 'https://box.example?a=1' } }, ['overrides.base_url']],
    [{ overrides: { base_url: 'javascript:alert(1)' } }, ['overrides.base_url']],
    [{ overrides: { base_url: 'box.example' } }, ['overrides.base_url']],
    [{ overrides: { token_url: 'http://box.example/token' } }, ['overrides.token_url']],
    [{ overrides: { token_url: 'http://127.0.0.1.evil.example/token' } }, ['overrides.token_url']],
    [{ overrides: { token_url: 'http://10.0.0.1/token' } }, ['overrides.token_url']],
    [{ overrides: { authorization_url: 'http://box.example/authorize' } }, ['overrides.authorization_url']],
    [
      { overrides: { authorization_url: 'https://ada@box.example/authorize' } },
      ['overrides.authorization_url'],
    ],
    [{ overrides: { revocation_url: 'https://box.example/revoke#a' } }, ['overrides.revocation_url']],
    [{ overrides: { issuer: `https://box.example/${'x'.repeat(2_048)}` } }, ['overrides.issuer']],
    [{ overrides: { discovery_url: 'https://box.example' } }, ['overrides.discovery_url']],
    [
      { overrides: { token_url: 7 as unknown as string, base_url: null as unknown as string } },
      ['overrides.token_url', 'overrides.base_url'],
    ],
    [{ post_user_verify_redirect_url: 'http://app.example/done' }, ['post_user_verify_redirect_url']],
    [
      {
        name: 'a/b',
        id: 'x',
        authorization_type: 'API_KEY',
        client_id: '',
        scopes: [''],
        overrides: { x: '' },
      },
      ['authorization_type', 'name', 'id', 'client_id', 'scopes.0', 'overrides.x'],
    ],
  ])('refuses the connection %j for its fields %j', (input, fields) => {
    expect(fieldsOf(input)).toEqual(fields);
  });

  it('refuses a comma in a scope where the provider separates scopes by commas', () => {
    expect(fieldsOf({ scopes: ['a', 'b,c'] }, 'board')).toEqual(['scopes.1']);
  });

  it('lists the known connectors for an unknown one, together with everything else that is wrong', () => {
    expect(connectionViolations({ catalog, isReachable }, { client_id: '' }, 'dask')).toEqual([
      {
        field: 'connector',
        description: 'The catalog has no connector dask. It has: desk, board.',
        constraint: 'enum',
      },
      expect.objectContaining({ field: 'client_id' }),
    ]);
  });

  it('repeats no secret in a violation', () => {
    const violations = connectionViolations(
      { catalog, isReachable },
      { client_secret: 'planted-secret\n' },
      'desk',
    );
    expect(violations).toHaveLength(1);
    expect(JSON.stringify(violations)).not.toContain('planted-secret');
  });
});
