/** What servers and security schemes become. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/catalog/model/types.ts';
import { bookShop, imported, loaded, notesOf } from './import-support.ts';

/** A document whose operation needs these schemes. */
const secured = (securitySchemes: JsonObject, security?: unknown): JsonObject =>
  bookShop({ components: { securitySchemes } }, security === undefined ? {} : { security });

const flow = {
  authorizationUrl: 'https://login.example.test/authorize',
  tokenUrl: '/oauth/token',
  scopes: { 'books:read': 'Read books.', 'books:write': '' },
};

describe('OpenAPI import: authorization of a connector', () => {
  it.each([
    [
      'a key in a header',
      { type: 'apiKey', in: 'header', name: 'X-Key', description: 'From your settings.' },
      {
        type: 'API_KEY',
        fields: [
          {
            name: 'api_key',
            label: 'API key',
            input: 'password',
            hint: 'From your settings.',
            required: true,
          },
        ],
        attach: { in: 'header', name: 'X-Key', field: 'api_key', prefix: '' },
      },
    ],
    [
      'a key in the query',
      { type: 'apiKey', in: 'query', name: 'key' },
      { type: 'API_KEY', attach: { in: 'query', name: 'key', field: 'api_key', prefix: '' } },
    ],
    [
      'a bearer token',
      { type: 'http', scheme: 'Bearer' },
      { type: 'BEARER_TOKEN', fields: [{ name: 'token' }] },
    ],
    [
      'user name and password',
      { type: 'http', scheme: 'basic' },
      { type: 'BASIC', fields: [{ name: 'username' }, { name: 'password', input: 'password' }] },
    ],
    [
      'OAuth with consent',
      { type: 'oauth2', flows: { authorizationCode: flow } },
      {
        type: 'OAUTH',
        scopes: { 'books:read': 'Read books.', 'books:write': 'books:write' },
        oauth: {
          authorization_url: 'https://login.example.test/authorize',
          token_url: 'https://books.example.test/oauth/token',
        },
      },
    ],
    [
      'OAuth of machines',
      { type: 'oauth2', flows: { clientCredentials: flow } },
      { type: 'OAUTH_M2M', oauth_m2m: { token_url: 'https://books.example.test/oauth/token' } },
    ],
  ])('becomes an entry of a connector for %s', (_, scheme, expected) => {
    const { connector } = loaded(imported(secured({ it: scheme }, [{ it: [] }])));
    expect(connector.auth).toHaveLength(1);
    expect(connector.auth[0]).toMatchObject(expected);
  });

  it.each([
    ['header', 'api_key'],
    ['header', "X~Key!#$%&'*+.^_`|"],
    ['query', 'project_id'],
    ['query', 'key of the shop [1]'],
  ])('sends a key in the %s %s', (place, name) => {
    const scheme = { type: 'apiKey', in: place, name };
    const { connector } = loaded(imported(secured({ it: scheme }, [{ it: [] }])));
    expect(connector.auth[0]).toMatchObject({ attach: { in: place, name } });
  });

  it.each(['', 'api key', 'schlüssel', 'a:b', 'a\r\nb'])('leaves out a key in the header %j', (name) => {
    const result = imported(
      secured({ it: { type: 'apiKey', in: 'header', name }, other: { type: 'http', scheme: 'basic' } }, [
        { it: [] },
        { other: [] },
      ]),
    );
    expect(loaded(result).connector.auth.map(({ type }) => type)).toEqual(['BASIC']);
    expect(result.remarks).toEqual([
      'The security scheme it sends its key in a header whose name cannot be sent.',
    ]);
  });

  it('becomes NO_AUTH where the description has no security', () => {
    expect(loaded(imported(bookShop())).connector.auth).toEqual([{ type: 'NO_AUTH', fields: [] }]);
  });

  it('includes all schemes where no operation names one', () => {
    const result = imported(
      secured({ a: { type: 'http', scheme: 'basic' }, b: { type: 'http', scheme: 'bearer' } }),
    );
    expect(loaded(result).connector.auth.map(({ type }) => type)).toEqual(['BASIC', 'BEARER_TOKEN']);
    expect(result.remarks).toEqual([
      'The document does not say which of its security schemes count; all of them are taken.',
    ]);
  });

  it('has one entry per type, and reports what is left out', () => {
    const key = (name: string): JsonObject => ({ type: 'apiKey', in: 'header', name });
    const result = imported(
      secured({ a: key('x-a'), b: key('x-b'), c: key('x-a') }, [{ a: [] }, { b: [] }, { c: [] }]),
    );
    expect(loaded(result).connector.auth).toMatchObject([{ type: 'API_KEY', attach: { name: 'x-a' } }]);
    expect(result.remarks).toEqual(['The security scheme b is left out: a connector has API_KEY once.']);
  });

  it.each([
    ['a cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }],
    [
      'OpenID discovery',
      { type: 'openIdConnect', openIdConnectUrl: 'https://x.example/.well-known/openid-configuration' },
    ],
    ['digest', { type: 'http', scheme: 'digest' }],
    ['the implicit flow alone', { type: 'oauth2', flows: { implicit: flow } }],
  ])('by %s leaves out an operation that accepts nothing else', (_, scheme) => {
    const paths = {
      '/a': { get: { operationId: 'a', security: [{ it: [] }] } },
      '/b': { get: { operationId: 'b', security: [] } },
    };
    const result = imported(bookShop({ paths, components: { securitySchemes: { it: scheme } } }));
    expect(notesOf(result)).toEqual(['Left out: it needs it, for which there is no authorization type.']);
    expect(result.remarks).toHaveLength(1);
  });

  it('reports operations that need two schemes at once', () => {
    const schemes = {
      a: { type: 'http', scheme: 'basic' },
      b: { type: 'apiKey', in: 'header', name: 'x-b' },
    };
    expect(notesOf(imported(secured(schemes, [{ a: [], b: [] }, { a: [] }])))).toEqual([
      'It needs a and b together, which an import cannot write.',
      'It takes accounts of the type BASIC only.',
    ]);
  });

  it('keeps parameters away from the place of the credential', () => {
    const document = bookShop(
      { components: { securitySchemes: { it: { type: 'apiKey', in: 'query', name: 'key' } } } },
      {
        security: [{ it: [] }],
        parameters: [{ name: 'key', in: 'query', required: true, schema: { type: 'string' } }],
      },
    );
    expect(loaded(imported(document)).tools[0]!.parameters).toEqual({});
  });
});

describe('OpenAPI import: scopes of a tool', () => {
  const scheme = { type: 'oauth2', flows: { authorizationCode: flow } };

  it.each([
    ['all of one set', [{ it: ['a', 'b'] }], [['a'], ['b']]],
    ['one of several', [{ it: ['a'] }, { it: ['b'] }], [['a', 'b']]],
    ['one of two sets', [{ it: ['a', 'b'] }, { it: ['a', 'c'] }], [['a'], ['b', 'c']]],
    ['none where one way needs none', [{ it: ['a'] }, { it: [] }], []],
  ])('become the scope sets of the operation: %s', (_, security, expected) => {
    const { tools, connector } = loaded(imported(secured({ it: scheme }, security)));
    expect(tools[0]!.scopes).toEqual(expected);
    for (const scope of expected.flat()) expect(connector.auth[0]!.scopes).toHaveProperty([scope]);
  });

  it('put the scope that only reads first for a reading tool', () => {
    const paths = {
      '/b': { get: { operationId: 'b', security: [{ it: ['books'] }, { it: ['books.readonly'] }] } },
    };
    const { tools } = loaded(imported(bookShop({ paths, components: { securitySchemes: { it: scheme } } })));
    expect(tools[0]!.scopes).toEqual([['books.readonly', 'books']]);
  });
});

describe('OpenAPI import: hosts of a connector', () => {
  const at = (...servers: JsonObject[]): JsonObject => bookShop({ servers });

  it('become account settings where they have variables', () => {
    const variables = {
      shopName: { default: 'my-shop', description: 'Name of your shop.' },
      region: { default: 'eu', enum: ['eu', 'us'] },
      basePath: { default: 'v2' },
    };
    const result = imported(at({ url: 'https://{shopName}.{region}.example.test/{basePath}/', variables }));
    const { connector } = loaded(result);
    expect(connector.hosts).toEqual([
      {
        url: 'https://{shop_name}.{region}.example.test/v2',
        placeholders: { shop_name: '[A-Za-z0-9-]{1,63}', region: 'eu|us' },
      },
    ]);
    expect(connector.settings).toEqual({
      shop_name: { label: 'Shop name', hint: 'Name of your shop.' },
      region: { label: 'Region' },
    });
    expect(result.remarks).toEqual([
      'Each account is asked for shop_name, a part of the host name.',
      'Each account is asked for region, a part of the host name.',
      'The variable basePath of the server is fixed at v2.',
    ]);
  });

  it('ask to narrow a host that consists of one variable', () => {
    expect(imported(at({ url: 'https://{domain}' })).remarks).toEqual([
      'Any host name can be entered for domain: narrow its pattern to the hosts of the provider.',
    ]);
  });

  it.each([
    ['/v1', 'https://api.example.test', 'https://api.example.test/v1'],
    ['v1', 'https://api.example.test/', 'https://api.example.test/v1'],
    ['/', 'https://api.example.test/base', 'https://api.example.test'],
  ])('%s below the server %s are %s', (url, server, expected) => {
    expect(loaded(imported(at({ url }), { server })).connector.hosts[0]!.url).toBe(expected);
  });

  it('may be several, each with its paths', () => {
    const paths = {
      '/books/{id}': { get: { operationId: 'getBook' } },
      '/files/{id}': { servers: [{ url: 'https://files.example.test' }], get: { operationId: 'getFile' } },
    };
    const { connector, tools } = loaded(imported(bookShop({ paths })));
    expect(connector.hosts.map(({ url, path_prefixes }) => [url, path_prefixes])).toEqual([
      ['https://books.example.test/v1', undefined],
      ['https://files.example.test', ['/files']],
    ]);
    expect(tools.map(({ name, requests }) => [name, requests[0]!.host])).toEqual([
      ['book_shop_get_book', 0],
      ['book_shop_get_file', 1],
    ]);
  });
});

describe('OpenAPI import: catalog files', () => {
  it('cover one tag each, and begin with what they cannot express', () => {
    const paths = {
      '/v1/books': {
        get: { operationId: 'listBooks', parameters: [{ name: 'sid', in: 'cookie', schema: {} }] },
        trace: { operationId: 'traceBooks' },
      },
      '/v1/authors': { get: { operationId: 'listAuthors', tags: ['People'] } },
    };
    const { files } = imported(bookShop({ paths }));
    expect([...files.keys()]).toEqual(['connector.yaml', 'books.yaml', 'people.yaml']);
    expect(files.get('connector.yaml'))
      .toBe(`# Written by gatehouse catalog import from openapi.json (Book shop 1) on 2026-11-20.
# traceBooks left out (TRACE /v1/books):
#   - Left out: its method is TRACE.
name: book_shop
title: Book shop
description: Calls the API of Book shop.
hosts:
  - url: https://books.example.test/v1
auth:
  - type: NO_AUTH
`);
    expect(files.get('books.yaml'))
      .toBe(`# Written by gatehouse catalog import from openapi.json (Book shop 1) on 2026-11-20.
# book_shop_list_books (GET /v1/books):
#   - cookie.sid: goes into a cookie; it cannot be given.
connector: book_shop
tools:
  - name: book_shop_list_books
    title: List books
    description: Sends GET /v1/books to the provider.
    effect: read
    source:
      url: https://books.example.test/v1
      checked: '2026-11-20'
    request:
      method: GET
      path: /v1/books
`);
  });
});
