/** What the parts of an operation become, and which of them are only reported. */
import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../src/catalog/call/request.ts';
import { checkInput } from '../../../src/catalog/call/input.ts';
import type { JsonObject, Tool } from '../../../src/catalog/model/types.ts';
import { bookShop, imported, loaded, notesOf, onlyTool, withBody } from './import-support.ts';

const sent = (tool: Tool, input: JsonObject) => buildRequest(tool, checkInput(tool, input));

/** A document with `GET path`. */
const reading = (path: string, parameters: unknown[], more: JsonObject = {}): JsonObject =>
  bookShop({ paths: { [path]: { get: { operationId: 'listBooks', parameters, ...more } } } });

const query = (name: string, schema: unknown, more: JsonObject = {}): JsonObject => ({
  name,
  in: 'query',
  schema,
  ...more,
});

describe('OpenAPI import: tools', () => {
  it('have name, description, source and effect', () => {
    const operation = {
      description: 'Puts a book on the shelf. See <b>the [guide](https://x.example)</b>.',
      externalDocs: { url: 'https://books.example.test/docs/add' },
      tags: ['Shelf Books'],
    };
    expect(onlyTool(bookShop({}, operation))).toMatchObject({
      name: 'book_shop_add_book',
      title: 'Add a book to the shelf',
      description: 'Add a book to the shelf. Puts a book on the shelf. See the guide.',
      effect: 'create',
      toolset: 'shelf-books',
      source: { url: 'https://books.example.test/docs/add', checked: '2026-11-20' },
    });
  });

  it.each([
    ['get', 'read'],
    ['post', 'create'],
    ['put', 'update'],
    ['patch', 'update'],
    ['delete', 'delete'],
  ])('give the method %s the effect %s', (method, effect) => {
    expect(onlyTool(bookShop({ paths: { '/books': { [method]: {} } } })).effect).toBe(effect);
  });

  it.each([
    ['listBooks', '/books', 'book_shop_list_books'],
    ['shop.books.list', '/books', 'book_shop_list_shop_books'],
    ['bookShop_getBook', '/books', 'book_shop_get_book'],
    ['HTMLPages-get', '/pages', 'book_shop_get_html_pages'],
    [undefined, '/v1/books/{id}/pages', 'book_shop_list_books_pages'],
    [undefined, '/v1/books/{id}', 'book_shop_get_books'],
    ['書店', '/books', 'book_shop_list_books'],
    [
      'getEverythingThereIsToKnowAboutTheBooksOfAnAuthorAndTheirEditions',
      '/x',
      'book_shop_get_everything_there_is_to_know_about_the_books_of',
    ],
  ])('name the operation %j at %s %s', (operationId, path, name) => {
    const operation = operationId === undefined ? {} : { operationId };
    expect(onlyTool(bookShop({ paths: { [path]: { get: operation } } })).name).toBe(name);
  });

  it('have unique names in the catalog', () => {
    const paths = { '/a': { get: { operationId: 'getBook' } }, '/b': { get: { operationId: 'get-book' } } };
    const taken = { connectors: new Set<string>(), tools: new Set(['book_shop_get_book']) };
    expect(imported(bookShop({ paths }), { taken }).operations.map(({ tool }) => tool)).toEqual([
      'book_shop_get_book_2',
      'book_shop_get_book_3',
    ]);
  });

  it('describe what they send where the operation has no summary', () => {
    expect(
      onlyTool(bookShop({ paths: { '/b': { get: { operationId: 'b', deprecated: true } } } })).description,
    ).toBe('Deprecated. Sends GET /b to the provider.');
  });
});

describe('OpenAPI import: parameters of a tool', () => {
  it('keep their place from the description, in snake case', () => {
    const tool = onlyTool(
      reading('/books/{book-id}', [
        { name: 'book-id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
        query('maxResults', { type: 'integer', maximum: 50, default: 5 }, { description: 'Page size.' }),
        { name: 'X-Shop', in: 'header', schema: { type: 'string' } },
      ]),
    );
    expect(tool.parameters).toEqual({
      book_id: { type: 'integer', required: true, minimum: 1, description: 'Book id.' },
      max_results: {
        type: 'integer',
        required: false,
        maximum: 50,
        to: 'query.maxResults',
        description: 'Page size. Left out, 5.',
      },
      x_shop: { type: 'string', required: false, to: 'header.X-Shop', description: 'X shop.' },
    });
    expect(sent(tool, { book_id: 7, max_results: 3, x_shop: 'a' })).toEqual({
      method: 'GET',
      host: 0,
      path: '/books/7',
      query: [['maxResults', '3']],
      headers: { 'X-Shop': 'a' },
    });
  });

  it('combine path item and operation, with the operation first', () => {
    const item = {
      parameters: [query('a', { type: 'string' }), query('b', { type: 'string' })],
      get: { operationId: 'x', parameters: [query('a', { type: 'boolean' })] },
    };
    const { parameters } = onlyTool(bookShop({ paths: { '/x': item } }));
    expect(Object.entries(parameters).map(([name, { type }]) => [name, type])).toEqual([
      ['a', 'boolean'],
      ['b', 'string'],
    ]);
  });

  it.each([
    [
      'a list',
      { type: 'array', items: { type: 'string' } },
      {},
      [
        ['a', 'x'],
        ['a', 'y'],
      ],
    ],
    ['a list with commas', { type: 'array', items: { type: 'string' } }, { explode: false }, [['a', 'x,y']]],
  ])('encode a parameter with the style of %s', (_, schema, more, expected) => {
    expect(sent(onlyTool(reading('/x', [query('a', schema, more)])), { a: ['x', 'y'] }).query).toEqual(
      expected,
    );
  });

  it('turn numeric enums into text outside a body, and keep numbers in it', () => {
    const schema = { type: 'integer', enum: [1, 2] };
    const tool = onlyTool(
      bookShop({}, { parameters: [query('a', schema)], ...withBody({ properties: { b: schema } }) }),
    );
    expect(tool.parameters['a']).toMatchObject({ type: 'string', enum: ['1', '2'] });
    expect(sent(tool, { a: '1', b: '2' })).toMatchObject({ query: [['a', '1']], body: { b: 2 } });
  });

  it('add the place to the name for duplicate and reserved names', () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      query('id', { type: 'string' }),
      query('account', { type: 'string' }),
    ];
    expect(Object.keys(onlyTool(reading('/x/{id}', parameters)).parameters)).toEqual([
      'id',
      'query_id',
      'query_account',
    ]);
  });

  it('become text where the description forgets a path parameter', () => {
    const result = imported(reading('/x/{id}', []));
    expect(loaded(result).tools[0]!.parameters['id']).toMatchObject({ type: 'string', required: true });
    expect(notesOf(result)).toEqual(['path.id: is not described; it is taken for text.']);
  });

  it.each([
    [
      'an object',
      query('a', { type: 'object', properties: { b: { type: 'string' } } }),
      'is an object, which only a body can hold',
    ],
    [
      'a list with pipes',
      query('a', { type: 'array', items: { type: 'string' } }, { style: 'pipeDelimited' }),
      'is a list in the style pipeDelimited',
    ],
    [
      'a document',
      { name: 'a', in: 'query', content: { 'application/json': {} } },
      'is written as a document of its own',
    ],
    ['a cookie', { name: 'a', in: 'cookie', schema: { type: 'string' } }, 'goes into a cookie'],
  ])('report a parameter that is %s, or refuse the operation that needs it', (_, parameter, words) => {
    const place = `${(parameter as { in: string }).in}.a`;
    const optional = imported(reading('/x', [parameter]));
    expect(notesOf(optional)).toEqual([`${place}: ${words}; it cannot be given.`]);
    const paths = {
      '/x': { get: { operationId: 'x', parameters: [{ ...parameter, required: true }] } },
      '/y': { get: { operationId: 'y' } },
    };
    expect(notesOf(imported(bookShop({ paths })))).toEqual([`Left out: ${place} ${words}.`]);
  });
});

describe('OpenAPI import: request bodies', () => {
  it('become a parameter for each member; objects stay objects', () => {
    const tool = onlyTool(
      bookShop(
        {},
        withBody({
          type: 'object',
          required: ['title'],
          properties: {
            title: { type: 'string', minLength: 1, maxLength: 200 },
            author: {
              type: 'object',
              required: ['name'],
              properties: {
                name: { type: 'string', description: 'As printed.' },
                born: { type: 'string', format: 'date' },
              },
            },
            id: { type: 'string', readOnly: true },
          },
        }),
      ),
    );
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string', description: 'Title.', maxLength: 200 },
        author: {
          type: 'object',
          description: 'Author.',
          properties: {
            name: { type: 'string', description: 'As printed.' },
            born: { type: 'string', format: 'date' },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
      required: ['title'],
      additionalProperties: false,
    });
    expect(sent(tool, { title: 'Dune', author: { name: 'Frank' } }).body).toEqual({
      title: 'Dune',
      author: { name: 'Frank' },
    });
    expect(() => sent(tool, { title: 'Dune', author: { nmae: 'Frank' } })).toThrow('author.nmae');
  });

  it('omit an object that only wraps another one', () => {
    const data = {
      type: 'object',
      required: ['title', 'kind', 'due'],
      properties: {
        title: { type: 'string' },
        kind: { type: 'string', enum: ['book'] },
        due: { type: ['string', 'null'] },
      },
    };
    const tool = onlyTool(
      bookShop({}, withBody({ type: 'object', required: ['data'], properties: { data } })),
    );
    expect(sent(tool, { title: 'Dune' }).body).toEqual({ data: { title: 'Dune', kind: 'book', due: null } });
    expect(sent(tool, { title: 'Dune', due: 'now' }).body).toEqual({
      data: { title: 'Dune', kind: 'book', due: 'now' },
    });
  });

  it('merge the parts of allOf, member by member', () => {
    const components = {
      schemas: {
        Base: {
          type: 'object',
          properties: {
            a: { type: 'object', properties: { b: { type: 'string' }, c: { type: 'integer' } } },
          },
        },
      },
    };
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/Base' },
        {
          required: ['a'],
          properties: { a: { required: ['b'], properties: { b: { maxLength: 3 } } }, d: { type: 'boolean' } },
        },
      ],
    };
    const { properties, required } = onlyTool(bookShop({ components }, withBody(schema))).inputSchema;
    expect(required).toEqual(['a']);
    expect(properties).toMatchObject({
      a: { properties: { b: { type: 'string', maxLength: 3 }, c: { type: 'integer' } }, required: ['b'] },
      d: { type: 'boolean' },
    });
  });

  it.each([
    ['anyOf', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'Give at least one of: a, b.'],
    [
      'oneOf',
      { oneOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
      'Give exactly one of: a, b with c.',
    ],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, 'When a is given, b is required.'],
  ])('keep the rules of %s', (_, rule, sentence) => {
    const text = { type: 'string' };
    const tool = onlyTool(
      bookShop({}, withBody({ type: 'object', properties: { a: text, b: text, c: text }, ...rule })),
    );
    expect(tool.description).toBe(`Add a book to the shelf. ${sentence}`);
  });

  it.each([
    ['of any kind', {}, { type: 'string', encode: 'json' }],
    ['nullable in 3.0', { type: 'string', nullable: true }, { type: 'string' }],
    ['nullable in 3.1', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'integer' }],
    [
      'with enums to choose from',
      { oneOf: [{ enum: ['a'] }, { const: 'b' }] },
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      'with a limit that excludes itself, 3.0',
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
      { minimum: 1 },
    ],
    ['with a limit that excludes itself, 3.1', { type: 'integer', exclusiveMaximum: 10 }, { maximum: 9 }],
    ['of two forms', { oneOf: [{ type: 'boolean' }, { type: 'object' }] }, { type: 'boolean' }],
    ['without type', { properties: { x: { type: 'string' } } }, { type: 'object' }],
  ])('translate a member %s into a parameter', (_, schema, expected) => {
    const tool = onlyTool(
      bookShop({}, withBody({ type: 'object', properties: { m: schema, other: { type: 'string' } } })),
    );
    expect(tool.parameters['m']).toMatchObject(expected);
  });

  it('send a value of any kind as that value', () => {
    const tool = onlyTool(
      bookShop({}, withBody({ type: 'object', properties: { m: {}, other: { type: 'string' } } })),
    );
    expect(sent(tool, { m: '{"a": [1]}' }).body).toEqual({ m: { a: [1] } });
  });

  it.each([
    [{ type: 'string', format: 'ipv4' }, 'has the format ipv4, which is not checked.'],
    [{ type: 'string', pattern: '(?<x>a)(?<x>' }, 'has a pattern that is not checked.'],
    [{ type: 'string', pattern: '^(?!x).*$' }, 'has a pattern that is not checked.'],
    [{ type: 'string', pattern: '^(a)\\1$' }, 'has a pattern that is not checked.'],
    [{ type: 'string', pattern: '^([a-z]{1,20},?){0,50}$' }, 'has a pattern that is not checked.'],
    [
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      'has the limit uniqueItems, which is not checked.',
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      'has members of a certain shape, which is not checked.',
    ],
    [
      { oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] },
      'can have 2 forms; only the first (an object) can be given.',
    ],
    [{ type: ['string', 'integer'] }, 'can have 2 types; only text can be given.'],
    [{ type: 'string', nullable: true }, 'may be null, which cannot be given.'],
  ])('report what is lost of %j', (schema, note) => {
    const result = imported(
      bookShop({}, withBody({ type: 'object', properties: { m: schema, other: { type: 'string' } } })),
    );
    expect(notesOf(result).filter((text) => text.startsWith('body.m:'))).toContain(`body.m: ${note}`);
  });

  it.each([
    [
      { requestBody: { required: true, content: { 'multipart/form-data': {} } } },
      'its body is multipart/form-data, and only JSON can be sent',
    ],
    [withBody({ type: 'array', items: {} }), 'its body is not an object'],
    [withBody({ type: 'object' }), 'its body has no named members'],
    [
      { responses: { 200: { description: '', content: { 'application/pdf': {} } } } },
      'it answers application/pdf, and only JSON and text can be read',
    ],
  ])('leave out an operation with an impossible body or answer: %j', (operation, reason) => {
    const paths = { '/x': { post: { operationId: 'x', ...operation } }, '/y': { get: { operationId: 'y' } } };
    expect(notesOf(imported(bookShop({ paths })))).toEqual([`Left out: ${reason}.`]);
  });

  it.each([
    [['text/csv'], { as: 'text' }],
    [['text/plain', 'text/csv'], { as: 'text' }],
    [['text/csv', 'application/json'], {}],
    [[], {}],
  ])('give the body or answer %j the result %j', (types, expected) => {
    const content = Object.fromEntries(types.map((type) => [type, {}]));
    const get = { operationId: 'x', responses: { 200: { description: '', content } } };
    const [tool] = loaded(imported(bookShop({ paths: { '/x': { get } } }))).tools;
    expect(tool?.response).toEqual(expected);
  });

  it('leave out an operation with an answer of text or another type', () => {
    const content = { 'text/csv': {}, 'application/pdf': {} };
    const get = { operationId: 'x', responses: { 200: { description: '', content } } };
    const paths = { '/x': { get }, '/y': { get: { operationId: 'y' } } };
    expect(notesOf(imported(bookShop({ paths })))).toEqual([
      'Left out: it answers text/csv, application/pdf, and only JSON and text can be read.',
    ]);
  });

  it('omit an optional body that cannot be sent', () => {
    const operation = { requestBody: { content: { 'text/plain': {} } } };
    const result = imported(bookShop({}, operation));
    expect(notesOf(result)).toEqual(['Its body is text/plain, and only JSON can be sent; it is not sent.']);
    expect(sent(loaded(result).tools[0]!, {}).body).toBeUndefined();
  });
});

describe('a header with a default', () => {
  it('sends the header with every call, and lists it', () => {
    const header = { name: 'Shop_Version', in: 'header', schema: { type: 'string', default: '2026-11-20' } };
    const document = bookShop({}, { parameters: [header] });
    const tool = onlyTool(document);
    expect(tool.parameters).toEqual({});
    expect(sent(tool, {}).headers).toEqual({ Shop_Version: '2026-11-20' });
    expect(notesOf(imported(document))).toEqual([
      'header.Shop_Version: has a default, which every call sends; it cannot be given.',
    ]);
  });

  it.each(['a\r\nb: c', 'é', '', ' x'])('stays a parameter where its default %j cannot be sent', (value) => {
    const header = { name: 'X-Shop', in: 'header', schema: { type: 'string', default: value } };
    const tool = onlyTool(bookShop({}, { parameters: [header] }));
    expect(Object.keys(tool.parameters)).toEqual(['x_shop']);
    expect(sent(tool, {}).headers).toEqual({});
  });
});

describe('a description with code', () => {
  it.each([
    ['Give `*` for **all** the `books`.', 'Give `*` for all the books.'],
    ['Matches `a*b` and *nothing* else.', 'Matches `a*b` and nothing else.'],
  ])('%s keeps its literal asterisk', (description, expected) => {
    expect(onlyTool(bookShop({}, { description })).description).toContain(expected);
  });
});
