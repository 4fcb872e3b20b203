/** What the loader accepts and clients may not: found by the check, with file and line. */
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCatalog, toolProblems } from '../../../src/catalog/load/lint.ts';
import type { JsonObject, Tool } from '../../../src/catalog/model/types.ts';
import { BOOKS_CONNECTOR, catalogFolder, toolOf, toolsetFile } from '../files.ts';

const REQUEST = 'request:\n  method: GET\n  path: /books';

const good = (): Tool =>
  toolOf(`
parameters:
  a: { type: array, items: { type: object, properties: { b: { type: string } } }, to: body.a, description: A value. }
request:
  method: POST
  path: /books`);

const withSchema = (change: (schema: JsonObject) => void): Tool => {
  const tool = structuredClone(good());
  change(tool.inputSchema);
  return tool;
};

const property = (schema: JsonObject) => (schema['properties'] as Record<string, JsonObject>)['a']!;

describe('lint of published tools', () => {
  it('finds nothing in tools that the loader makes', () => {
    expect(toolProblems(good())).toEqual([]);
  });

  it.each<[string, (schema: JsonObject) => void, string]>([
    [
      'a combinator at the root',
      (s) => void (s['oneOf'] = []),
      'the root of the input schema must have exactly type, properties, required, additionalProperties',
    ],
    [
      'a missing root keyword',
      (s) => void delete s['required'],
      'the root of the input schema must have exactly type, properties, required, additionalProperties',
    ],
    ['a combinator below', (s) => void (property(s)['anyOf'] = []), 'input schema.a uses anyOf'],
    [
      'a reference deep below',
      (s) =>
        void (property(s)['items'] = { type: 'object', properties: { b: { type: 'string', $ref: '#' } } }),
      'input schema.a.items.b uses $ref',
    ],
    [
      'a list of types',
      (s) => void (property(s)['type'] = ['array', 'null']),
      'input schema.a does not have one type',
    ],
    [
      'an empty schema',
      (s) => void (property(s)['items'] = {}),
      'input schema.a.items does not have one type',
    ],
    ['a list of anything', (s) => void delete property(s)['items'], 'input schema.a.items is not an object'],
    [
      'a property name with a blank',
      (s) => void (s['properties'] = { 'a b': { type: 'string' } }),
      'the parameter name a b does not match ^[A-Za-z0-9_.-]{1,64}$',
    ],
  ])('reports a tool schema with %s', (_, change, expected) => {
    expect(toolProblems(withSchema(change))).toContain(expected);
  });

  it('reports a tool without a hint of its effect', () => {
    const { readOnlyHint: _, ...annotations } = good().annotations;
    expect(toolProblems({ ...good(), annotations: annotations as Tool['annotations'] })).toEqual([
      'the hint readOnlyHint is missing',
    ]);
  });
});

describe('catalog check', () => {
  it('reports mistakes of files and of published tools, and counts the valid tools', () => {
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/a.yaml': toolsetFile(REQUEST).replace('Finds books by what is given.', 'x'.repeat(1_025)),
      'books/b.yaml': toolsetFile(REQUEST, `books_${'x'.repeat(60)}`),
      'books/c.yaml': toolsetFile('request:\n  method: GET\n  path: books', 'books_c'),
    });
    const { problems, summary } = checkCatalog([dir]);
    expect(problems.map(({ file, line, message }) => `${relative(dir, file)}:${line} ${message}`)).toEqual([
      'books/c.yaml:12 books_c: request.path: must be a path that starts with / and has no blank, ? or #',
      'books/a.yaml:3 books_find: the description with its rules has 1025 characters, more than 1024',
      `books/b.yaml:3 books_${'x'.repeat(60)}: the name has 66 characters, more than 60`,
    ]);
    expect(summary).toEqual([
      { connector: 'books', toolset: 'a', tools: 1, bytes: 1278 },
      { connector: 'books', toolset: 'b', tools: 1, bytes: 338 },
    ]);
  });

  it('finds nothing wrong in the shipped catalog', () => {
    expect(checkCatalog([fileURLToPath(new URL('../../../catalogs', import.meta.url))]).problems).toEqual([]);
  });
});
