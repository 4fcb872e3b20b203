/** Mistakes in connector.yaml, each with the line of the key that is wrong. */
import { describe, expect, it } from 'vitest';
import { BOOKS_CONNECTOR, problemsOf, toolsetFile } from '../files.ts';

/** Problems of connector.yaml with one piece of text replaced. */
function connectorProblems(from: string, to: string): string[] {
  expect(BOOKS_CONNECTOR).toContain(from);
  return problemsOf({ 'books/connector.yaml': BOOKS_CONNECTOR.replace(from, to) }).map((text) =>
    text.replace('books/connector.yaml:', ''),
  );
}

describe('check of connector.yaml in a catalog', () => {
  it.each([
    ['a plain text host', 'https://books.example.test', 'books.example.test'],
    ['a query in the host', 'https://books.example.test', 'https://books.example.test?a=1'],
    ['a user name in the host', 'https://books.example.test', 'https://me@books.example.test'],
    ['a final slash', 'https://books.example.test', 'https://books.example.test/'],
    ['another scheme', 'https://books.example.test', 'ftp://books.example.test'],
  ])('refuses a connector with %s', (_, from, to) => {
    expect(connectorProblems(from, to)).toEqual([
      '5 hosts.0.url: must be https://host (or http://host inside your own network), perhaps with a path, without query, user name and final slash',
    ]);
  });

  it.each([
    [
      'an undescribed placeholder',
      '{shop}',
      '{store}',
      [
        '6 hosts.1.url: has the placeholder {store}, which placeholders does not describe',
        '8 hosts.1.placeholders.shop: is not in the url',
      ],
    ],
    [
      'a placeholder that lets a path through',
      "'[a-z0-9-]{1,40}'",
      "'.*'",
      [
        '8 hosts.1.placeholders.shop: must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
      ],
    ],
    [
      'a placeholder whose dot is any character',
      "'[a-z0-9-]{1,40}'",
      "'[a-z]+.[a-z]+'",
      [
        '8 hosts.1.placeholders.shop: must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
      ],
    ],
    [
      'a placeholder pattern that looks ahead',
      "'[a-z0-9-]{1,40}'",
      "'(?!x)[a-z]+'",
      [
        '8 hosts.1.placeholders.shop: must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
      ],
    ],
    [
      'a broken placeholder pattern',
      "'[a-z0-9-]{1,40}'",
      "'['",
      [
        '8 hosts.1.placeholders.shop: must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
      ],
    ],
    [
      'an API key without its field',
      '- name: api_key',
      '- name: key',
      [
        '10 auth.0: API_KEY needs a field named api_key',
        '17 auth.0.attach.field: names api_key, which is not a field',
      ],
    ],
    [
      'a credential that goes nowhere',
      '    attach:\n      in: header\n      name: x-api-key\n      field: api_key\n',
      '',
      ['10 auth.0: API_KEY needs attach: where the credential goes'],
    ],
    [
      'an attached bearer token',
      'type: API_KEY',
      'type: BEARER_TOKEN',
      [
        '10 auth.0: BEARER_TOKEN needs a field named token',
        '14 auth.0.attach: BEARER_TOKEN has a fixed place: remove attach',
      ],
    ],
    [
      'fields without authorization',
      'type: API_KEY',
      'type: NO_AUTH',
      [
        '11 auth.0.fields: NO_AUTH has no fields',
        '14 auth.0.attach: NO_AUTH has a fixed place: remove attach',
      ],
    ],
    [
      'a custom type without fields',
      '  - type: API_KEY\n    fields:\n      - name: api_key\n        label: API key\n',
      '  - type: CUSTOM\n',
      [
        '10 auth.0: CUSTOM needs at least one field',
        '14 auth.0.attach.field: names api_key, which is not a field',
      ],
    ],
    [
      'a field twice',
      '        label: API key\n',
      '        label: API key\n      - name: api_key\n        label: Again\n',
      ['14 auth.0.fields.1: api_key is declared twice'],
    ],
    [
      'a type twice',
      'limits:',
      '  - type: NO_AUTH\n  - type: NO_AUTH\nlimits:',
      ['22 auth.2.type: NO_AUTH is declared twice'],
    ],
    [
      'a limit of nothing',
      'per_minute: 5',
      'per_minute: 0',
      ['23 limits.search.per_minute: must be at least 1'],
    ],
    [
      'a name with capitals',
      'name: books\n',
      'name: Books\n',
      [
        '1 name: must be at most 30 lower-case letters, digits and _, and none of gatehouse, default, core and all',
      ],
    ],
  ])('refuses a connector with %s', (_, from, to, expected) => {
    expect(connectorProblems(from, to)).toEqual(expected);
  });

  it('reports mistakes in shape and meaning together', () => {
    const file = BOOKS_CONNECTOR.replace('title: Book shop\n', '')
      .replace('{shop}', '{store}')
      .replace('      field: api_key\n', '      field: key\n')
      .concat('errors:\n  reconnect: [401]\n  reconnect_codes: [gone]\n');
    expect(problemsOf({ 'books/connector.yaml': file })).toEqual([
      'books/connector.yaml:1 title: is required',
      'books/connector.yaml:5 hosts.1.url: has the placeholder {store}, which placeholders does not describe',
      'books/connector.yaml:7 hosts.1.placeholders.shop: is not in the url',
      'books/connector.yaml:16 auth.0.attach.field: names key, which is not a field',
      'books/connector.yaml:25 errors.reconnect_codes: needs code: where the error code is',
    ]);
  });

  it('reports nothing that follows from malformed hosts', () => {
    const file = BOOKS_CONNECTOR.replace(
      '  - url: https://books.example.test\n',
      '  - address: https://books.example.test\n',
    ).concat('settings:\n  shop:\n    label: Shop\n');
    expect(problemsOf({ 'books/connector.yaml': file })).toEqual([
      'books/connector.yaml:5 hosts.0.url: is required',
      'books/connector.yaml:5 hosts.0.address: is not a key that exists here',
    ]);
  });

  it('refuses a second definition with the place of the first', () => {
    expect(problemsOf({ 'a/connector.yaml': BOOKS_CONNECTOR, 'b/connector.yaml': BOOKS_CONNECTOR })).toEqual([
      'b/connector.yaml:1 name: the connector books is already declared in /a/connector.yaml:1',
    ]);
  });
});

describe('check of search words in a catalog', () => {
  it('refuses words of tools that do not exist or belong to another connector', () => {
    const other = BOOKS_CONNECTOR.replace('name: books', 'name: shop');
    const words = ['search_words:', '  tools:', '    books_find: look up', '    books_fnd: look up', ''];
    const toolset = toolsetFile('parameters: {}\nrequest:\n  method: GET\n  path: /books\n');
    expect(
      problemsOf({
        'books/connector.yaml': `${BOOKS_CONNECTOR}${words.join('\n')}`,
        'books/search.yaml': toolset,
        'shop/connector.yaml': `${other}${words.slice(0, 3).join('\n')}\n`,
      }),
    ).toEqual([
      'books/connector.yaml:27 search_words.tools.books_fnd: names the tool books_fnd, which does not exist',
      'shop/connector.yaml:26 search_words.tools.books_find: names the tool books_find, which belongs to the connector books',
    ]);
  });
});
