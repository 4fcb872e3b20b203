/** `gatehouse catalog import` as somebody types it, with the real import and the shipped catalog. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkCatalogFiles } from '../../../src/app/commands/catalog.ts';
import { importCatalog } from '../../../src/app/commands/catalog-import.ts';
import { emptyFolder, gatehouse } from '../cli-support.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Book Shop API', version: '1' },
  servers: [{ url: 'https://books.example.test' }],
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [{ name: 'sid', in: 'cookie', schema: { type: 'string' } }],
      },
    },
    '/files': { get: { operationId: 'getFiles', responses: { 200: { content: { 'image/png': {} } } } } },
  },
};

let folder: string;

beforeEach(() => {
  folder = emptyFolder();
  writeFileSync(join(folder, 'work/openapi.json'), JSON.stringify(DOCUMENT));
});

const run = (...argv: string[]) =>
  gatehouse(['catalog', 'import', ...argv], { app: { importCatalog }, folder });

const connectorFile = (): string => join(folder, 'work/catalog/book_shop/connector.yaml');

describe('gatehouse catalog import', () => {
  it('writes a connector that passes the checks, and prints what it could not express on stderr', async () => {
    const { code, stdout, stderr } = await run('openapi.json', '--operations', 'all');
    expect([code, stdout]).toEqual([0, 'catalog/book_shop/connector.yaml\ncatalog/book_shop/books.yaml\n']);
    expect(stderr).toBe(`book_shop_list_books (GET /books):
  - cookie.sid: goes into a cookie; it cannot be given.
getFiles left out (GET /files):
  - Left out: it answers image/png, and only JSON and text can be read.
1 of 2 operations became tools. Read the files, then name their folder in catalog_dirs.
`);
    expect(checkCatalogFiles([join(folder, 'work/catalog')]).problems).toEqual([]);
  });

  it.each([
    ['catalog_dirs: [./catalog]', 'check them: gatehouse catalog check.'],
    ['catalog_dirs: [./other]', 'name their folder in catalog_dirs.'],
    ['catalog_dirs: [./gone]', 'name their folder in catalog_dirs.'],
  ])('with %s prints what is left to do', async (settings, next) => {
    writeFileSync(join(folder, 'work/gatehouse.yaml'), `${settings}\n`);
    mkdirSync(join(folder, 'work/other'));
    const { code, stderr } = await run('openapi.json', '--operations', 'listBooks');
    expect([code, stderr.split('Read the files, then ')[1]]).toEqual([0, `${next}\n`]);
  });

  it('prints the same report as JSON', async () => {
    const { code, stdout, stderr } = await run('openapi.json', '--operations', 'listBooks', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      connector: 'book_shop',
      remarks: [],
      operations: [
        {
          id: 'listBooks',
          method: 'GET',
          path: '/books',
          tool: 'book_shop_list_books',
          notes: [{ places: ['cookie.sid'], message: 'goes into a cookie; it cannot be given.' }],
        },
      ],
      folder: join(folder, 'work/catalog/book_shop'),
      files: ['connector.yaml', 'books.yaml'],
    });
  });

  it('accepts names, a folder and several operations', async () => {
    const argv = [
      '--operations',
      'listBooks',
      '--operations',
      'getF*',
      '--name',
      'shop',
      '--title',
      'The shop',
      '--out',
      'mine',
    ];
    expect((await run('openapi.json', ...argv)).stdout).toContain('mine/shop/connector.yaml\n');
    expect(readFileSync(join(folder, 'work/mine/shop/connector.yaml'), 'utf8')).toContain(
      '\nname: shop\ntitle: The shop\n',
    );
  });

  it('reads the document from stdin', async () => {
    const stdin = JSON.stringify(DOCUMENT);
    const { code } = await gatehouse(['catalog', 'import', '-', '--operations', 'all'], {
      app: { importCatalog },
      folder,
      stdin,
    });
    expect([code, existsSync(connectorFile())]).toEqual([0, true]);
  });

  it('does not overwrite existing files', async () => {
    await run('openapi.json', '--operations', 'all');
    writeFileSync(connectorFile(), 'mine');
    const { code, stderr } = await run('openapi.json', '--operations', 'all');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'exists already. Choose another folder with --out, or replace what is there with --force.',
    );
    expect(readFileSync(connectorFile(), 'utf8')).toBe('mine');
  });

  it('replaces the files of an earlier import with --force, and keeps other files', async () => {
    await run('openapi.json', '--operations', 'all');
    writeFileSync(join(folder, 'work/catalog/book_shop/mine.yaml'), 'connector: book_shop\n');
    const moved = { ...DOCUMENT, paths: { '/shelves': DOCUMENT.paths['/books'] } };
    writeFileSync(join(folder, 'work/openapi.json'), JSON.stringify(moved));
    expect((await run('openapi.json', '--operations', 'all', '--force')).code).toBe(0);
    expect(readdirSync(join(folder, 'work/catalog/book_shop')).sort()).toEqual([
      'connector.yaml',
      'mine.yaml',
      'shelves.yaml',
    ]);
  });

  it('reports every problem at once, and writes nothing', async () => {
    const { code, stderr } = await run('openapi.json', '--operations', 'listBook', '--name', 'crm');
    expect([code, stderr]).toEqual([
      1,
      `gatehouse: The document cannot be imported:
  --name: is needed: there is a connector crm already. Give another name.
  --operations: listBook names no operation of the document. Did you mean listBooks?
`,
    ]);
    expect(existsSync(join(folder, 'work/catalog'))).toBe(false);
  });

  it('prints errors as JSON with a field for each', async () => {
    const { code, stderr } = await run('openapi.json', '--operations', 'x', '--json');
    expect(code).toBe(1);
    expect(JSON.stringify(JSON.parse(stderr))).toContain('"field":"--operations"');
  });

  it.each([
    ['no operations', ['openapi.json'], 2, "required option '--operations <names>' not specified"],
    ['an empty list of operations', ['openapi.json', '--operations', ','], 2, 'It must name at least one'],
    ['no document', ['--operations', 'all'], 2, "missing required argument 'file'"],
    [
      'a document that is not there',
      ['nothing.json', '--operations', 'all'],
      1,
      'nothing.json cannot be read (ENOENT).',
    ],
  ])('ends with a message for %s', async (_, argv, code, words) => {
    const result = await run(...argv);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(words)]);
  });

  it('reports a folder that cannot be written', async () => {
    mkdirSync(join(folder, 'work/catalog'));
    writeFileSync(join(folder, 'work/catalog/book_shop'), 'a file');
    const { code, stderr } = await run('openapi.json', '--operations', 'all');
    expect([code, stderr]).toEqual([1, expect.stringContaining('ENOTDIR')]);
  });
});
