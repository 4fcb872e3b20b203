/** Which documents are read, and everything that is wrong with the others at once. */
import { describe, expect, it } from 'vitest';
import { bookShop, imported, loaded, notesOf, problemsOf, withBody } from './import-support.ts';

const one = bookShop();

describe('OpenAPI import: document formats', () => {
  it('accept JSON, with a byte order mark too', () => {
    expect(imported(`\ufeff${JSON.stringify(one)}`).operations).toEqual([
      { id: 'addBook', method: 'POST', path: '/books', tool: 'book_shop_add_book', notes: [] },
    ]);
  });

  it('accept YAML like JSON in the import', () => {
    const yaml = `
openapi: 3.1.0
info:
  title: Book shop
servers:
  - url: https://books.example.test
paths:
  /books:
    get:
      operationId: listBooks
`;
    expect(loaded(imported(yaml)).tools.map(({ name }) => name)).toEqual(['book_shop_list_books']);
  });

  it.each([
    ['text that is neither', 'hello', [': is not an OpenAPI description: an object was expected.']],
    ['a list', [1], [': is not an OpenAPI description: an object was expected.']],
    [
      'version 2',
      { swagger: '2.0', paths: {} },
      [
        'swagger: is a description of version 2. Convert it to OpenAPI 3 first, for example with swagger2openapi.',
      ],
    ],
    [
      'no version',
      { paths: {} },
      ['openapi: is missing, so this is not an OpenAPI description of version 3.0 or 3.1.'],
    ],
    [
      'a later version',
      { ...one, openapi: '4.0.0' },
      ['openapi: must be text such as 3.0.3 or 3.1.0. Other versions are not read.'],
    ],
    ['no paths', { openapi: '3.1.0' }, ['paths: is required.']],
    [
      'several mistakes',
      { openapi: '3.1.0', servers: [{}], paths: { '/a': { get: { tags: 'x', parameters: {} } }, '/b': 1 } },
      [
        'servers.0.url: is required.',
        'paths./a.get.tags: must be a list.',
        'paths./a.get.parameters: must be a list.',
        'paths./b: must be an object.',
      ],
    ],
    [
      'YAML anchors',
      'openapi: 3.0.0\npaths: &x {}\nservers: *x\n',
      [
        'line 2 (paths): must not use YAML anchors and aliases (& and *): write the value out.',
        'line 3 (servers): must not use YAML anchors and aliases (& and *): write the value out.',
      ],
    ],
  ])('refuse a document with %s', (_, document, problems) => {
    expect(problemsOf(document)).toEqual(problems);
  });

  it('refuse a document with broken JSON', () => {
    expect(problemsOf('{"openapi": ')[0]).toMatch(/^: is not valid JSON: /);
  });
});

describe('OpenAPI import: references', () => {
  it.each([
    ['another address', 'https://example.com/book.json#/Book'],
    ['another file', 'schemas.yaml#/Book'],
  ])('refuse a reference to %s and fetch nothing', (_, $ref) => {
    expect(problemsOf(bookShop({}, withBody({ $ref })))).toEqual([
      `$ref ${$ref}: leads to another file or address, and nothing but this document is read. Bundle the document into one file first, for example with redocly bundle.`,
    ]);
  });

  it('refuse each missing target once', () => {
    const operation = {
      ...withBody({ $ref: '#/components/schemas/Book' }),
      parameters: [{ $ref: '#/x' }, { $ref: '#/x' }],
    };
    expect(problemsOf(bookShop({}, operation))).toEqual([
      '$ref #/x: leads to nothing in this document.',
      '$ref #/components/schemas/Book: leads to nothing in this document.',
    ]);
  });

  it('refuse a reference to itself', () => {
    const components = { parameters: { A: { $ref: '#/components/parameters/A' } } };
    expect(
      problemsOf(bookShop({ components }, { parameters: [{ $ref: '#/components/parameters/A' }] })),
    ).toEqual(['$ref #/components/parameters/A: leads back to itself.']);
  });

  it('ignore a broken reference inside an operation that is not selected', () => {
    const paths = {
      '/a': { get: { operationId: 'a', ...withBody({ $ref: 'x.json' }) } },
      '/b': { get: { operationId: 'b' } },
    };
    expect(problemsOf(bookShop({ paths }), { operations: ['b'] })).toEqual([]);
  });
});

describe('OpenAPI import: options', () => {
  it('reports all invalid options at once', () => {
    const document = bookShop({ servers: [{ url: '/v1' }] });
    const taken = { connectors: new Set(['crm']), tools: new Set<string>() };
    expect(problemsOf(document, { name: 'crm', operations: ['addBok', 'all'], taken })).toEqual([
      '--name: is needed: there is a connector crm already. Give another name.',
      '--operations: addBok names no operation of the document. Did you mean addBook?',
      'servers: /v1 is not a complete web address. Give the address of the API with --server.',
    ]);
  });

  it.each(['Crm', 'a b', '9a', 'a__b', 'a_', 'x'.repeat(31)])('refuses the connector name %j', (name) => {
    expect(problemsOf(one, { name })).toEqual([
      '--name: must be at most 30 lower-case letters and digits, words joined by _.',
    ]);
  });

  it('requires a name where the title gives none', () => {
    expect(problemsOf(bookShop({ info: { title: '書店' } }))).toEqual([
      '--name: is needed: no name can be made from the title of the document.',
    ]);
  });

  it('refuses a server that is not a URL', () => {
    expect(problemsOf(one, { server: 'books.example.test' })).toContain(
      '--server: must be a web address such as https://api.example.com.',
    );
  });

  it('fails when no operation can become a tool', () => {
    const document = bookShop({ paths: { '/books': { head: { operationId: 'peek' }, trace: {} } } });
    expect(problemsOf(document)).toEqual([
      'peek: Left out: its method is HEAD.',
      'TRACE /books: Left out: its method is TRACE.',
    ]);
  });

  it.each([
    [['listBooks'], ['listBooks']],
    [['*Books'], ['listBooks', 'addBooks']],
    [
      ['list*', 'GET /authors*'],
      ['listBooks', 'GET /authors/{id}'],
    ],
    [['* /authors/{id}'], ['GET /authors/{id}']],
    [['all'], ['listBooks', 'addBooks', 'GET /authors/{id}']],
  ])('selects the operations %j', (operations, expected) => {
    const paths = {
      '/books': { get: { operationId: 'listBooks' }, post: { operationId: 'addBooks' } },
      '/authors/{id}': { get: {} },
    };
    expect(imported(bookShop({ paths }), { operations }).operations.map(({ id }) => id)).toEqual(expected);
  });
});

describe('OpenAPI import: hostile or large documents', () => {
  it('write nothing except comments into the head of a file', () => {
    const document = bookShop(
      { info: { title: 'Books\nname: evil\u2028x: y', version: '1\n- x' } },
      { requestBody: { content: { 'text/x\nconnector: evil': {} } } },
    );
    const result = imported(document, { name: 'shop' });
    const texts = [...result.files.values()];
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.filter((text) => /^(name|connector): evil/m.test(text))).toEqual([]);
    expect(loaded(result).connector.title).toBe('Books name: evil x: y');
  });

  it('create no tool from a member of the prototype', () => {
    const properties = JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}, "title": {"type": "string"}}',
    );
    const result = imported(bookShop({}, withBody({ type: 'object', properties })));
    expect(Object.keys(loaded(result).tools[0]!.parameters)).toEqual(['title']);
    expect(notesOf(result)).toEqual(['body.__proto__, body.constructor: cannot be given.']);
  });

  it('finish the import of schemas that contain themselves', () => {
    const Book = {
      type: 'object',
      properties: {
        title: { type: 'string' },
        sequel: { $ref: '#/components/schemas/Book' },
        series: { type: 'array', items: { $ref: '#/components/schemas/Book' } },
        self: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
      },
    };
    const Loop = { allOf: [{ $ref: '#/components/schemas/Loop' }], type: 'object' };
    const schema = { type: 'object', properties: { book: { $ref: '#/components/schemas/Book' } } };
    const result = imported(bookShop({ components: { schemas: { Book, Loop } } }, withBody(schema)));
    expect(loaded(result).tools[0]!.parameters['title']).toMatchObject({
      type: 'string',
      to: 'body.book.title',
    });
    expect(notesOf(result)).toContain(
      'body.book.sequel, body.book.series[]: contains itself: its members are not checked.',
    );
  });

  it('finish the import of a document of 2 MB', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [
        `Book${i}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 20 }, (_, j) => [
              `member${j}`,
              { $ref: `#/components/schemas/Book${(i * 7 + j) % 1_000}`, description: 'x'.repeat(60) },
            ]),
          ),
        },
      ]),
    );
    const paths = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [
        `/books${i}`,
        { post: { operationId: `add${i}`, ...withBody({ $ref: `#/components/schemas/Book${i}` }) } },
      ]),
    );
    const text = JSON.stringify(bookShop({ paths, components: { schemas } }));
    expect(text.length).toBeGreaterThan(2_000_000);
    expect(imported(text, { operations: ['add1*'] }).operations).toHaveLength(111);
  });
});
