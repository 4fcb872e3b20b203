/** For any damage to a description: the import names problems, or writes files that pass every check. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImportError } from '../../../src/catalog/import/report.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { imported, loaded, providerDocument } from './import-support.ts';

const SEED = 20_261_120;

const WHOLE = {
  openapi: '3.1.0',
  info: { title: 'Book shop', version: '1', description: 'Sells books.' },
  servers: [
    {
      url: 'https://{shop}.example.test/{base}',
      variables: { shop: { default: 'a' }, base: { default: 'v1' } },
    },
  ],
  security: [{ key: [] }, { login: ['a', 'b'] }],
  paths: {
    '/books/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      post: {
        operationId: 'addBook',
        tags: ['books'],
        parameters: [
          { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
        },
        responses: { 200: { description: '', content: { 'application/json': { schema: {} } } } },
      },
    },
  },
  components: {
    parameters: {
      Id: { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    },
    schemas: {
      Book: {
        allOf: [
          {
            type: 'object',
            required: ['title'],
            properties: { title: { type: 'string', minLength: 1, pattern: '^a' } },
          },
          {
            properties: {
              sequel: { $ref: '#/components/schemas/Book' },
              size: { oneOf: [{ type: 'integer', enum: [1, 2] }, { type: 'null' }] },
              meta: { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
              list: {
                type: 'array',
                maxItems: 3,
                items: { anyOf: [{ const: 'x' }, { type: 'object', properties: { y: {} } }] },
              },
            },
          },
        ],
        anyOf: [{ required: ['size'] }, { required: ['list'] }],
      },
    },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'x-key' },
      login: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://a.example/x',
            tokenUrl: 'https://a.example/y',
            scopes: { a: 'A' },
          },
          clientCredentials: { tokenUrl: 'https://a.example/y', scopes: { b: 'B' } },
        },
      },
    },
  },
};

/** Paths of every value in the document. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))];
}

function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === key ? changed(item, rest, to) : (item as unknown)));
  if (typeof value !== 'object' || value === null) return to;
  return { ...value, [key]: changed((value as Record<string, unknown>)[key], rest, to) };
}

const damage = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    '',
    '\0\n- x: &a *a {}',
    '\ud800',
    'x'.repeat(5_000),
    -1,
    0.5,
    1e308,
    [],
    {},
    '#/components/schemas/Book',
    { $ref: '#/components/schemas/Book' },
    { $ref: '#/' },
    { $ref: 7 },
    { $ref: '#/paths/~1books~1{id}/post' },
    { allOf: [{ $ref: '#/components/schemas/Book' }, false, null, 3] },
    { oneOf: [true, { type: 'null' }, { type: ['array', 'string'] }] },
    { type: 'array', items: [{ type: 'string' }] },
    { type: 'string', enum: [1, null, 'a', 'a'] },
    { type: 'integer', minimum: 9, maximum: 1 },
    {
      properties: { 'a b': {}, 'x.y': { type: 'string' }, toString: { type: 'string' } },
      required: ['a b', 3],
    },
    'https://{shop}{shop}.example.test:{port}/../x?y#z',
  ),
);

function outcome(document: unknown): 'refused' | 'written' {
  try {
    loaded(imported(document, { name: 'shop' }));
    return 'written';
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const { message } of error.problems) expect(message).toMatch(/[.?]$/);
    return 'refused';
  }
}

describe('import of any OpenAPI description', () => {
  it('writes files that pass the checks from a valid description', () => {
    expect(outcome(WHOLE)).toBe('written');
  });

  it('refuses a damaged description with messages, or writes files that pass the checks', () => {
    const outcomes = new Set<string>();
    const places = pathsIn(WHOLE);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), damage), { minLength: 1, maxLength: 3 }),
        (changes) => {
          const document = changes.reduce<unknown>((result, [path, to]) => changed(result, path, to), WHOLE);
          outcomes.add(outcome(document));
        },
      ),
      { seed: SEED, numRuns: ROUNDS.full ? 600 : 100 },
    );
    expect(outcomes).toEqual(new Set(['refused', 'written']));
  });

  it('refuses a damaged description of a real provider in the same way', () => {
    const document = JSON.parse(providerDocument('crm')) as unknown;
    const places = pathsIn(document);
    fc.assert(
      fc.property(fc.constantFrom(...places), damage, (path, to) => {
        outcome(changed(document, path, to));
      }),
      { seed: SEED, numRuns: ROUNDS.full ? 15 : 3 },
    );
  });
});
