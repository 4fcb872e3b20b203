/** Schemas of another server's tools: limits first, then a closed form. */
import { describe, expect, it } from 'vitest';
import { cleanSchema, publishedSchema } from '../../src/upstream/definitions/clean-schema.ts';

function object(properties: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return { type: 'object', properties, ...more };
}

function nested(depth: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let i = 0; i < depth; i++) schema = object({ a: schema });
  return schema;
}

function members(count: number): Record<string, unknown> {
  return object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, {}])));
}

describe('schema of a tool of another server', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['is nested 2,000 deep', nested(2_000), 'the schema is nested deeper than 20 levels'],
    ['has 501 members', members(501), 'the schema has more than 500 members'],
    ['has very many members', members(100_000), 'the schema has too many members'],
    [
      'is larger than 64 kB',
      object({ a: { description: 'x'.repeat(70_000) } }),
      'the schema is larger than 64 kB',
    ],
    [
      'lists more than 200 values',
      object({ a: { enum: Array.from({ length: 201 }, (_, i) => `v${i}`) } }),
      'the schema has a list of more than 200 values',
    ],
    [
      'refers to an internal address',
      object({ a: { $ref: 'http://169.254.169.254/' } }),
      'a refers to another document, which is never fetched',
    ],
    [
      'refers to nothing',
      object({ a: { $ref: '#/$defs/x' } }),
      'a refers to a place of the schema that does not exist',
    ],
    [
      'refers to a percent sign that encodes nothing',
      object({ a: { $ref: '#/%' } }),
      'a has a reference that is no JSON Pointer',
    ],
    [
      'has a member with a look-alike name',
      object({ '\u0430': {} }),
      'the schema has a member whose name is not of A-Z, a-z, 0-9, _, . and -',
    ],
    ['is no object', { type: 'array' }, 'the schema is of type array'],
  ])('cannot be published where it %s', (_, schema, refused) => {
    expect(cleanSchema(schema)).toEqual({ refused });
  });

  it('stops where references double at each step', () => {
    const $defs: Record<string, unknown> = { d15: { type: 'string' } };
    for (let i = 0; i < 15; i++)
      $defs[`d${i}`] = object({ a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } });
    const { refused } = cleanSchema({ ...object({ a: { $ref: '#/$defs/d0' } }), $defs });
    expect(refused).toMatch(/more than 500 members|too often/);
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    [
      'keeps the closed vocabulary and drops the rest',
      object(
        { a: { type: 'string', minLength: 1, format: 'uri', 'x-secret': 1, $comment: 'c', examples: ['e'] } },
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          required: ['a', 'gone'],
          additionalProperties: false,
        },
      ),
      {
        ...object({ a: { type: 'string', minLength: 1, format: 'uri' } }),
        required: ['a'],
        additionalProperties: false,
      },
    ],
    [
      'says a pattern in words and never runs it',
      object({ a: { type: 'string', pattern: '(a+)+$', description: 'A word.' } }),
      object({ a: { type: 'string', description: 'A word. Pattern: (a+)+$' } }),
    ],
    [
      'says null in words',
      object({ a: { type: ['integer', 'null'] }, b: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      object({
        a: { type: 'integer', description: 'Or null.' },
        b: { type: 'string', description: 'Or null.' },
      }),
    ],
    [
      'inlines references and ends recursion',
      { ...object({ n: { $ref: '#/$defs/n' } }), $defs: { n: object({ next: { $ref: '#/$defs/n' } }) } },
      object({ n: object({ next: { type: 'object' } }) }),
    ],
    [
      'merges what has to hold together',
      object({ a: { allOf: [object({ x: { type: 'string' } }, { required: ['x'] }), object({ y: {} })] } }),
      object({ a: object({ x: { type: 'string' }, y: {} }, { required: ['x'] }) }),
    ],
    [
      'keeps alternatives below the root',
      object({ a: { oneOf: [{ type: 'string' }, { type: 'number' }] } }),
      object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
    ],
    [
      'drops a default of another type',
      object({ a: { type: 'string', default: null } }),
      object({ a: { type: 'string' } }),
    ],
  ])('%s when it is published', (_, schema, expected) => {
    const { root } = cleanSchema(schema);
    expect(root && publishedSchema(root)).toEqual(expected);
  });

  it('describes alternatives at the root in a sentence', () => {
    const schema = {
      type: 'object',
      anyOf: [
        object({ id: { type: 'string' } }, { required: ['id'] }),
        object({ url: {} }, { required: ['url'] }),
      ],
    };
    expect(cleanSchema(schema)).toEqual({
      root: object({ id: { type: 'string' }, url: {} }),
      sentences: ['Give id, or url.'],
    });
  });
});
