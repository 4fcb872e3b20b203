/** Loading catalog files: what is accepted, and every mistake with its file and line. */
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CatalogError, loadCatalog, readCatalog } from '../../../src/catalog/load/load.ts';
import { BOOKS_CONNECTOR, catalogFolder, problemsOf, toolOf, toolsetFile, writeFolder } from '../files.ts';

const SHIPPED = fileURLToPath(new URL('../../../catalogs', import.meta.url));

const GOOD_REQUEST = `
request:
  method: GET
  path: /books
`;

describe('valid catalog', () => {
  it('keeps what people may ask first of each shipped connector', () => {
    const asked = [...loadCatalog([SHIPPED]).connectors.values()].map(({ name, prompts }) => [
      name,
      prompts?.length,
    ]);
    expect(Object.fromEntries(asked)).toEqual({ crm: 2, mail: 2, video: 2, warehouse: 2, websearch: 2 });
  });

  it('loads connectors and tools with all derived values', () => {
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/search.yaml': toolsetFile(`
scopes: [books:read, [books:read, books:write]]
limit: search
deadline:
  headers: 20s
  total: 40s
parameters:
  title:
    type: string
    required: true
    to: query.title
    description: Title.
  author:
    type: string
    to: query.author
    description: Author.
constraints:
  - together: [title, author]
request:
  method: GET
  path: /books
  host: 1
response:
  pick: data
  empty:
    found: 0
`),
    });
    const { connectors, tools } = loadCatalog([dir]);
    expect([...connectors.keys()]).toEqual(['books']);
    expect(tools.get('books_find')).toEqual({
      name: 'books_find',
      title: 'Find books',
      description: 'Finds books by what is given. Give title and author together or not at all.',
      effect: 'read',
      connector: 'books',
      toolset: 'search',
      scopes: [['books:read'], ['books:read', 'books:write']],
      source: { url: 'https://books.example.test/docs', checked: '2026-11-20' },
      parameters: {
        title: { type: 'string', required: true, to: 'query.title', description: 'Title.' },
        author: { type: 'string', required: false, to: 'query.author', description: 'Author.' },
      },
      constraints: [{ together: ['title', 'author'] }],
      requests: [{ method: 'GET', path: '/books', host: 1, fixed: {} }],
      response: { pick: 'data', empty: { found: 0 } },
      limit: { group: 'search', perMinute: 5 },
      deadline: { headersMs: 20_000, totalMs: 40_000 },
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'Title.' },
          author: { type: 'string', description: 'Author.' },
        },
        required: ['title'],
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
    });
  });

  it.each([
    ['read', true, false, true],
    ['create', false, false, false],
    ['update', false, true, true],
    ['delete', false, true, true],
  ])('derives the hints of effect %s', (effect, readOnlyHint, destructiveHint, idempotentHint) => {
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': toolsetFile(GOOD_REQUEST).replace('effect: read', `effect: ${effect}`),
    });
    expect(loadCatalog([dir]).tools.get('books_find')?.annotations).toEqual({
      readOnlyHint,
      destructiveHint,
      idempotentHint,
      openWorldHint: true,
    });
  });

  it('publishes connectors and tools in order of their names, whatever the order of files', () => {
    const other = BOOKS_CONNECTOR.replace('name: books', 'name: albums');
    const dir = catalogFolder({
      'a/connector.yaml': BOOKS_CONNECTOR,
      'a/z.yaml': toolsetFile(GOOD_REQUEST, 'books_a'),
      'a/b.yaml': toolsetFile(GOOD_REQUEST, 'books_c'),
      'z/connector.yaml': other,
      'z/b.yaml': toolsetFile(GOOD_REQUEST, 'albums_z').replace('connector: books', 'connector: albums'),
    });
    const { connectors, tools } = loadCatalog([dir]);
    expect([...connectors.keys()]).toEqual(['albums', 'books']);
    expect([...tools.keys()]).toEqual(['albums_z', 'books_a', 'books_c']);
  });

  it('reads a folder given twice, or through a symbolic link, once', () => {
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': toolsetFile(GOOD_REQUEST),
    });
    symlinkSync(join(dir, 'books'), join(dir, 'again'));
    expect([...loadCatalog([dir, dir, join(dir, 'again')]).tools.keys()]).toEqual(['books_find']);
  });

  it('accepts a connector folder itself', () => {
    const dir = catalogFolder({ 'connector.yaml': BOOKS_CONNECTOR, 't.yaml': toolsetFile(GOOD_REQUEST) });
    expect(loadCatalog([dir]).tools.size).toBe(1);
  });
});

describe('catalog folder of an operator next to the shipped catalog', () => {
  const base = () =>
    loadCatalog([
      catalogFolder({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': toolsetFile(GOOD_REQUEST) }),
    ]);

  it('adds connectors, and tools to a shipped connector', () => {
    const dir = catalogFolder({
      'mine/connector.yaml': BOOKS_CONNECTOR.replace('name: books', 'name: mine'),
      'mine/own.yaml': toolsetFile(`limit: search${GOOD_REQUEST}`, 'mine_find').replace(
        'connector: books',
        'connector: mine',
      ),
      'more/more.yaml': toolsetFile(`limit: search\nscopes: [books:read]${GOOD_REQUEST}`, 'books_more'),
    });
    const { connectors, tools } = loadCatalog([dir], { base: base() });
    expect([...connectors.keys()]).toEqual(['books', 'mine']);
    expect([...tools.keys()]).toEqual(['books_find', 'books_more', 'mine_find']);
  });

  it('cannot replace shipped connectors and tools', () => {
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': toolsetFile(GOOD_REQUEST),
    });
    expect(
      readCatalog([dir], { base: base() }).problems.map(({ line, message }) => `${line} ${message}`),
    ).toEqual([
      '1 name: the connector books is already declared in the catalog that comes with the program',
      '3 name: the tool books_find is already declared in the catalog that comes with the program',
    ]);
  });

  it('stops the start with every mistake of every file, in order', () => {
    const broken = {
      'books/connector.yaml': BOOKS_CONNECTOR.replace('type: API_KEY', 'type: MAGIC').replace(
        'name: books\n',
        'name: books\ncolour: red\n',
      ),
      'books/a.yaml': toolsetFile(GOOD_REQUEST.replace('GET', 'FETCH')).replace(
        'effect: read',
        'effect: reed',
      ),
      'books/b.yaml': toolsetFile('handler: books/none', 'books_other').replace('tools:', 'toolz: 1\ntools:'),
      'other/c.yaml': toolsetFile(GOOD_REQUEST).replace('connector: books', 'connector: nowhere'),
      'other/d.yaml': 'connector: books\ntools: [\n',
    };
    expect(problemsOf(broken, new Set())).toEqual([
      'books/a.yaml:6 books_find: effect: must be one of read, create, update, delete',
      'books/a.yaml:11 books_find: request.method: must be one of GET, POST, PUT, PATCH, DELETE',
      'books/b.yaml:2 toolz: is not a key that exists here',
      'books/b.yaml:11 books_other: handler: names books/none, which does not exist. Handlers are part of the program; a catalog of your own describes a request',
      'books/connector.yaml:2 colour: is not a key that exists here',
      'books/connector.yaml:11 auth.0.type: must be one of OAUTH, API_KEY, BASIC_AUTH, BEARER_TOKEN, CUSTOM, BASIC, OAUTH_M2M, BOARD_OAUTH1, WORKSPACE_DWD, TRUSTED_IDP, SMART_FHIR, NO_AUTH, MCP_OAUTH',
      'other/c.yaml:1 connector: there is no connector named nowhere. Declare it in a connector.yaml',
      'other/c.yaml:3 name: the tool books_find is already declared in /books/a.yaml:3',
      'other/d.yaml:3 not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
    ]);
  });

  it('lists the mistakes in the message of the error', () => {
    const dir = catalogFolder({ 'x/connector.yaml': 'name: x', 'x/t.yaml': 'connector: x' });
    expect(() => loadCatalog([dir])).toThrow(CatalogError);
    expect(() => loadCatalog([dir])).toThrow(
      `The catalog is not valid:\n  ${dir}/x/connector.yaml:1: title: is required\n`,
    );
  });
});

describe('catalog loader with unusable folders and files', () => {
  it('reports a folder that is missing or empty', () => {
    const dir = catalogFolder({ 'readme.md': 'hello' });
    expect(readCatalog([join(dir, 'none'), dir]).problems).toEqual([
      {
        file: dir,
        line: 1,
        message: 'holds no catalog files (<connector>/connector.yaml, <connector>/<toolset>.yaml)',
      },
      { file: join(dir, 'none'), line: 1, message: 'cannot be read as a folder of catalog files (ENOENT)' },
    ]);
  });

  it('reports a file that the loader would ignore', () => {
    const files = {
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/more.yml': 'x',
      'books/My File.yaml': 'x',
    };
    const message =
      'is not read: name catalog files with lower-case letters, digits, - or _ and the ending .yaml';
    expect(problemsOf(files)).toEqual([`books/My File.yaml:1 ${message}`, `books/more.yml:1 ${message}`]);
  });

  it('reports a file that cannot be read', () => {
    const dir = catalogFolder({ 'books/connector.yaml': BOOKS_CONNECTOR });
    mkdirSync(join(dir, 'books/folder.yaml'));
    expect(readCatalog([dir]).problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '1 cannot be read (EISDIR)',
    ]);
  });
});

describe('YAML of catalog files', () => {
  const withLine = (text: string) =>
    problemsOf({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': toolsetFile(GOOD_REQUEST) + text });

  it.each([
    [
      'a key that is there twice',
      '    title: Again\n',
      'books/t.yaml:13 not valid YAML: map keys must be unique',
    ],
    [
      'an anchor',
      '    limit: &a search\n',
      'books/t.yaml:13 tools.0.limit: must not use YAML anchors and aliases (& and *): write the value out',
    ],
    [
      'a tag',
      '    limit: !!str search\n',
      'books/t.yaml:13 tools.0.limit: must not use YAML tags (!): quote text and write other values plainly',
    ],
    [
      'a key __proto__',
      '    __proto__: 1\n',
      'books/t.yaml:13 tools.0.__proto__: is not a plain word, so it cannot be a key',
    ],
    [
      'a second document',
      '---\nconnector: books\n',
      'books/t.yaml:13 not valid YAML: source contains multiple documents; please use YAML.parseAllDocuments()',
    ],
  ])('refuses a file with %s', (_, text, expected) => {
    expect(withLine(text)).toEqual([expected]);
  });

  it('refuses a connector with more than 25 everyday tools, at the last of them', () => {
    const tools = Array.from({ length: 26 }, (_, i) =>
      toolsetFile(`everyday: default${GOOD_REQUEST}`, `books_find_${i}`),
    );
    const [first = '', ...others] = tools;
    const text = [first, ...others.map((file) => file.split('\n').slice(2).join('\n'))].join('');
    expect(problemsOf({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': text })).toEqual([
      'books/t.yaml:285 books_find_25: everyday: is one of 26 everyday tools of books, which may have 25. Remove the key from others',
    ]);
  });

  it.each(['gatehouse', 'gatehouse_x', 'default', 'core', 'all'])(
    'refuses the connector name %s, which Gatehouse uses itself',
    (name) => {
      const text = BOOKS_CONNECTOR.replace('name: books', `name: ${name}`);
      expect(problemsOf({ 'books/connector.yaml': text, 'books/t.yaml': toolsetFile(GOOD_REQUEST) })).toEqual(
        expect.arrayContaining([expect.stringMatching(/^books\/connector\.yaml:1 name: must be /)]),
      );
    },
  );

  it('reports a refused value once, not as missing too', () => {
    const text = toolsetFile(GOOD_REQUEST).replace('title: Find books', 'title: !!str Find books');
    expect(problemsOf({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': text })).toEqual([
      'books/t.yaml:4 tools.0.title: must not use YAML tags (!): quote text and write other values plainly',
    ]);
  });

  it('follows version 1.2: yes and no are text', () => {
    expect(
      toolOf(`
parameters:
  a:
    type: string
    enum: [yes, no]
    to: query.a
    description: A value.
${GOOD_REQUEST.trim()}`).parameters['a']?.enum,
    ).toEqual(['yes', 'no']);
  });
});

describe('damaged catalog file', () => {
  const connector = readFileSync(join(SHIPPED, 'websearch/connector.yaml'), 'utf8');
  const toolset = readFileSync(join(SHIPPED, 'websearch/search.yaml'), 'utf8');
  const lines = toolset.split('\n');

  const damage = fc.record({
    line: fc.nat({ max: lines.length - 1 }),
    how: fc.constantFrom<(line: string) => string>(
      () => '',
      (line) => `${line}\n${line}`,
      (line) => ` ${line}`,
      (line) => line.replace(/^ {2}/, ''),
      (line) => line.replace(/:.*/, ': [1, {a: null}]'),
      (line) => line.replace(/:.*/, ': -1'),
      (line) => line.replace(/:.*/, ':'),
      (line) => line.replace(/\w+:/, 'toString:'),
      (line) => line.replace(/\w+:/, '__proto__:'),
      (line) => line.replace(/: /, ': &a '),
      (line) => line.replace(/: /, ': "'),
    ),
  });

  it('gives problems with places, or a catalog, never anything else', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
        const changed = [...lines];
        for (const { line, how } of damages) changed[line] = how(changed[line]!);
        const dir = writeFolder({ 'w/connector.yaml': connector, 'w/search.yaml': changed.join('\n') });
        const { problems } = readCatalog([dir]);
        rmSync(dir, { recursive: true });
        if (problems.length > 0) refused += 1;
        for (const { file, line, message } of problems) {
          expect(file.startsWith(dir)).toBe(true);
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(changed.join('\n').split('\n').length + 1);
          expect(message).not.toMatch(/undefined|\[object|Invalid input/);
        }
      }),
      { seed: 20_261_120, numRuns: 100 },
    );
    expect(refused).toBeGreaterThan(50);
  });
});
