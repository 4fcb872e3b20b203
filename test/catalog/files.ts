/** Catalog folders for tests: writes files into a folder that goes away with the test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadCatalog, readCatalog } from '../../src/catalog/load/load.ts';
import type { Tool } from '../../src/catalog/model/types.ts';

/** A folder with these files, by path. */
export function catalogFolder(files: Record<string, string>): string {
  const dir = writeFolder(files);
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** The same, to be removed by the caller. */
export function writeFolder(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-catalog-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

export const BOOKS_CONNECTOR = `name: books
title: Book shop
description: Finds books.
hosts:
  - url: https://books.example.test
  - url: https://{shop}.books.example.test/v2
    placeholders:
      shop: '[a-z0-9-]{1,40}'
auth:
  - type: API_KEY
    fields:
      - name: api_key
        label: API key
    attach:
      in: header
      name: x-api-key
      field: api_key
    scopes:
      books:read: Read books.
      books:write: Change books.
limits:
  search:
    per_minute: 5
`;

/** A toolset file of the connector books with one tool; `body` are lines below the tool's name, indented by four. */
export function toolsetFile(body: string, name = 'books_find', effect = 'read'): string {
  const lines = body.replace(/^\n/, '').trimEnd().split('\n');
  return [
    'connector: books',
    'tools:',
    `  - name: ${name}`,
    '    title: Find books',
    '    description: Finds books by what is given.',
    `    effect: ${effect}`,
    '    source:',
    '      url: https://books.example.test/docs',
    "      checked: '2026-11-20'",
    ...lines.map((line) => (line === '' ? '' : `    ${line}`)),
    '',
  ].join('\n');
}

const loaded = new Map<string, Tool>();

/** The tool that such a file declares; may be called outside a test. */
export function toolOf(body: string, effect = 'read'): Tool {
  const key = `${effect}\n${body}`;
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const dir = writeFolder({
    'books/connector.yaml': BOOKS_CONNECTOR,
    'books/search.yaml': toolsetFile(body, 'books_find', effect),
  });
  try {
    const tool = loadCatalog([dir]).tools.get('books_find');
    if (tool === undefined) throw new Error('the file declares no tool books_find');
    loaded.set(key, tool);
    return tool;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Problems as `file:line message`, files below the folder. */
export function problemsOf(files: Record<string, string>, handlers?: ReadonlySet<string>): string[] {
  const dir = catalogFolder(files);
  const { problems } = readCatalog([dir], handlers === undefined ? {} : { handlers });
  return problems.map(
    ({ file, line, message }) => `${relative(dir, file)}:${line} ${message.replaceAll(dir, '')}`,
  );
}
