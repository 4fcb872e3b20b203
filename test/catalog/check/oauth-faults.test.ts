/** Mistakes in the `oauth` block of connector.yaml, each with the line of the key that is wrong, and its defaults. */
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import { catalogFolder, problemsOf, toolsetFile } from '../files.ts';

const FORUM = `name: books
title: Book forum
description: Talks about books.
hosts:
  - url: https://api.forum.example
auth:
  - type: OAUTH
    scopes:
      post:read: Read posts.
      offline: Stay connected.
    oauth:
      authorization_url: https://forum.example/authorize
      token_url: https://forum.example/token
errors:
  reconnect: [401]
`;

const problems = (text: string): string[] =>
  problemsOf({ 'books/connector.yaml': text }).map((line) => line.replace('books/connector.yaml:', ''));

const addedToOauth = (lines: string): string =>
  FORUM.replace('errors:', `${lines.replaceAll(/^/gm, '      ')}\nerrors:`);

describe('check of the oauth block of a connector', () => {
  it('gives defaults to everything except two addresses', () => {
    const dir = catalogFolder({
      'books/connector.yaml': FORUM,
      'books/all.yaml': toolsetFile(`
scopes: [post:read]
request:
  method: GET
  path: /posts`),
    });
    expect(loadCatalog([dir]).connectors.get('books')).toMatchObject({
      needsNoOperator: false,
      auth: [
        {
          type: 'OAUTH',
          fields: [],
          oauth: {
            authorization_url: 'https://forum.example/authorize',
            token_url: 'https://forum.example/token',
            pkce: true,
            authorize_parameters: {},
            scope_parameter: true,
            scope_separator: ' ',
            client_authentication: 'post',
            refresh_tokens: true,
            revocation: 'none',
          },
        },
      ],
    });
  });

  it.each([
    ['revocation: token', ['14 auth.0.oauth.revocation: needs revocation_url']],
    [
      'offline_scope: offline_access',
      ['14 auth.0.oauth.offline_scope: names offline_access, which is not in scopes'],
    ],
    [
      [
        'placeholders:',
        "  realm: '[a-z]+'",
        'metadata:',
        '  token:',
        '    realm: realm',
        '    id: id_token.sub',
        '    timeout: t',
        '  callback:',
        '    id: code',
        '  request:',
        '    url: https://{where}.forum.example/me',
        '    where: {a: b}',
        '    headers: {Accept: text/json}',
        '    values: {site: site.0.id}',
      ].join('\n'),
      [
        '15 auth.0.oauth.placeholders.realm: is not in an address',
        '18 auth.0.oauth.metadata.token.realm: comes too late for an address of this block: take another name',
        '19 auth.0.oauth.metadata.token.id: id_token.sub is a secret, or read by Gatehouse itself',
        '20 auth.0.oauth.metadata.token.timeout: timeout is a setting of every account: take another name',
        '22 auth.0.oauth.metadata.callback.id: id is declared twice',
        '22 auth.0.oauth.metadata.callback.id: code is a secret, or read by Gatehouse itself',
        '24 auth.0.oauth.metadata.request.url: has the placeholder {where}, which placeholders does not describe',
        '25 auth.0.oauth.metadata.request.where: needs list',
      ],
    ],
    [
      'token_body: xml\nmetadata:\n  request:\n    url: /me\n    headers: {Authorization: x}\n    values: {Site: id}',
      [
        '14 auth.0.oauth.token_body: must be one of json',
        '17 auth.0.oauth.metadata.request.url: must be a web address without user name and fragment',
        '18 auth.0.oauth.metadata.request.headers.Authorization: must be a header name, and not Authorization',
        '19 auth.0.oauth.metadata.request.values.Site: must be lower-case letters, digits and _',
      ],
    ],
    [
      'authorize_parameters:\n  state: fixed\n  prompt: consent',
      ['15 auth.0.oauth.authorize_parameters.state: is set by Gatehouse: remove it'],
    ],
    ['scope_names:\n  post:write: x', ['15 auth.0.oauth.scope_names.post:write: is not in scopes']],
    [
      'scope_names:\n  post:read: x\n  offline: x',
      [
        '15 auth.0.oauth.scope_names.post:read: x is the name of two scopes',
        '16 auth.0.oauth.scope_names.offline: x is the name of two scopes',
      ],
    ],
    [
      'scope_names:\n  post:read: a b',
      ['15 auth.0.oauth.scope_names.post:read: must be text without blanks'],
    ],
    ["scope_separator: ';'", [expect.stringContaining('14 auth.0.oauth.scope_separator: ')]],
    [
      'revocation_url: https://me@forum.example/revoke',
      [expect.stringContaining('14 auth.0.oauth.revocation_url: ')],
    ],
  ])('refuses the oauth block with %j', (lines, expected) => {
    expect(problems(addedToOauth(lines))).toEqual(expected);
  });

  it.each([
    ['offline_scope: offline'],
    ['revocation: grant\nrevocation_url: https://forum.example/revoke'],
    ['authorize_parameters:\n  access_type: offline'],
    ['scope_names:\n  post:read: https://forum.example/scopes/read'],
  ])('accepts the optional key %j', (lines) => {
    expect(problems(addedToOauth(lines))).toEqual([]);
  });

  it('requires it for OAUTH and refuses it for other types', () => {
    const without = FORUM.replace(/ {4}oauth:\n(?: {6}.*\n)*/, '');
    expect(problems(without)).toEqual(['7 auth.0: OAUTH needs oauth: where and how consent is asked for']);
    const bearer = FORUM.replace(
      'type: OAUTH',
      'type: BEARER_TOKEN\n    fields: [{name: token, label: Token}]',
    );
    expect(problems(bearer)).toEqual(['12 auth.0.oauth: is for OAUTH only: remove it from BEARER_TOKEN']);
    const fields = FORUM.replace('type: OAUTH', 'type: OAUTH\n    fields: [{name: token, label: Token}]');
    expect(problems(fields)).toEqual(['8 auth.0.fields: OAUTH has no fields']);
  });
});

describe('error codes of a provider in a connector', () => {
  it('refuse one code as both a refused credential and a missing scope', () => {
    const both = FORUM.replace('[401]', '[401, 403]\n  missing_scope:\n    statuses: [400, 403]');
    expect(problems(both)).toEqual([
      '17 errors.missing_scope.statuses.1: 403 is also in reconnect: it can mean only one of them',
    ]);
    expect(problems(both.replace('[401, 403]', '[401]'))).toEqual([]);
  });

  it.each([
    ['reconnect_except', 'reconnect_except: [other, expired]'],
    ['conflicts', 'conflicts: [expired]'],
    ['missing_scope.codes', 'missing_scope:\n    statuses: [403]\n    codes: [expired]'],
  ])('refuse a code that means a refused credential and is among %s', (key, rule) => {
    const both = FORUM.replace(
      '[401]',
      `[401]\n  code: [code]\n  reconnect_codes: [dead, expired]\n  ${rule}`,
    );
    expect(problemsOf({ 'forum/connector.yaml': both })).toEqual([
      `forum/connector.yaml:17 errors.reconnect_codes.1: expired is also in ${key}: it can mean only one of them`,
    ]);
  });

  it('refuse such codes without a place of codes in the answer', () => {
    const nowhere = FORUM.replace('[401]', '[401]\n  reconnect_codes: [dead]');
    expect(problemsOf({ 'forum/connector.yaml': nowhere })).toEqual([
      'forum/connector.yaml:16 errors.reconnect_codes: needs code: where the error code is',
    ]);
  });
});

describe('placeholders in OAuth addresses', () => {
  const withTenant = (lines: string): string =>
    FORUM.replace('forum.example/authorize', 'forum.example/{tenant}/authorize').replace(
      'errors:',
      `${lines.replaceAll(/^/gm, '      ')}\nerrors:`,
    );

  it('come from the block or from a host, and keep their patterns', () => {
    const hostOnly = FORUM.replace('https://api.forum.example', 'https://{site}')
      .replace('auth:', "    placeholders:\n      site: '[a-z.]+'\nsettings:\n  site: {label: Site}\nauth:")
      .replace('https://forum.example/token', 'https://{site}/token');
    expect(problems(hostOnly)).toEqual([]);
    expect(problems(withTenant("placeholders:\n  tenant: '[a-z]+'"))).toEqual([]);
    const dir = catalogFolder({ 'books/connector.yaml': hostOnly });
    expect(loadCatalog([dir]).connectors.get('books')).toMatchObject({
      settings: { site: { label: 'Site' } },
      auth: [{ oauth: { placeholders: { site: '[a-z.]+' } } }],
    });
  });

  it.each([
    [
      'pkce: true',
      [
        '12 auth.0.oauth.authorization_url: has the placeholder {tenant}, which placeholders does not describe',
      ],
    ],
    [
      "placeholders:\n  tenant: '[a-z]+'\n  shop: '[a-z]+'",
      ['16 auth.0.oauth.placeholders.shop: is not in an address'],
    ],
    [
      "placeholders:\n  tenant: '.+'",
      [
        '15 auth.0.oauth.placeholders.tenant: must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
      ],
    ],
  ])('reports the mistake in the placeholders of: %s', (lines, expected) => {
    expect(problems(withTenant(lines))).toEqual(expected);
  });

  it('have settings under their own names', () => {
    expect(problems(FORUM.replace('auth:', 'settings:\n  shop: {label: Shop}\nauth:'))).toEqual([
      '7 settings.shop: is not the name of a placeholder',
    ]);
  });
});
