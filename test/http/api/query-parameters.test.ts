import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../src/http/api/query-parameters.ts';

const shape = {
  name: z.string().optional(),
  names: z.array(z.string()).optional(),
  all: z.array(z.string()),
};

describe('query parameters of the REST API', () => {
  it('reads single values and lists', () => {
    expect(readQuery('name=a%20b+c%2B&names=x&names=y&all=z&other=', shape)).toEqual({
      values: { name: 'a b c+', names: ['x', 'y'], all: ['z'], other: '' },
      violations: [],
    });
  });

  it('keeps what follows a second equals sign', () => {
    expect(readQuery('name=a=b', shape).values).toEqual({ name: 'a=b' });
  });

  it('accepts an empty query and empty pairs', () => {
    expect(readQuery('', shape)).toEqual({ values: {}, violations: [] });
    expect(readQuery('&&name=a&', shape).values).toEqual({ name: 'a' });
  });

  it.each([
    ['a value that is given twice', 'name=a&name=a', 'name', 'repeated'],
    ['an unknown name that is given twice', 'x=a&x=b', 'x', 'repeated'],
    ['a cut percent-encoding', 'name=%2', 'name', 'encoding'],
    ['bytes that are not UTF-8', 'name=%ff', 'name', 'encoding'],
    ['half of a surrogate pair', 'name=%ED%A0%80', 'name', 'encoding'],
    ['NUL', 'name=a%00', 'name', 'characters'],
    ['a broken name', '%zz=a', '%zz', 'encoding'],
    ['__proto__', '__proto__=a', '__proto__', 'name'],
  ])('refuses a query with %s', (_name, search, field, constraint) => {
    expect(readQuery(search, shape).violations).toEqual([expect.objectContaining({ field, constraint })]);
  });

  it('keeps names of members that every object has as plain names', () => {
    expect(readQuery('constructor=a&toString=b', shape)).toEqual({
      values: { constructor: 'a', toString: 'b' },
      violations: [],
    });
  });
});
