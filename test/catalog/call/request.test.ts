/** Placing values into provider requests. */
import { describe, expect, it } from 'vitest';
import { checkInput, inputViolations } from '../../../src/catalog/call/input.ts';
import { buildRequest, pathSegment, withAccountValues } from '../../../src/catalog/call/request.ts';
import { toolOf } from '../files.ts';

const build = (body: string, input: object) => {
  const tool = toolOf(body);
  return buildRequest(tool, checkInput(tool, input));
};

const PATH = `
parameters:
  id: { type: string, required: true, description: A value. }
  part: { type: string, required: true, to: path.section, description: A value. }
request:
  method: GET
  path: /books/{id}/{section}/{id}`;

it('asks for text where the tool declares a text answer', () => {
  const body = 'request:\n  method: GET\n  path: /report';
  expect(build(body, {})).not.toHaveProperty('answer');
  expect(build(`${body}\nresponse:\n  as: text`, {})).toMatchObject({ path: '/report', answer: 'text' });
});

describe('path values of a request', () => {
  it('percent-encode each value as one segment, in every slot of the name', () => {
    expect(build(PATH, { id: "a/b?c#d e%2f'é$&", part: '{id}' })).toEqual({
      method: 'GET',
      host: 0,
      path: "/books/a%2Fb%3Fc%23d%20e%252f'%C3%A9%24%26/%7Bid%7D/a%2Fb%3Fc%23d%20e%252f'%C3%A9%24%26",
      query: [],
      headers: {},
    });
  });

  it.each(['', '.', '..', 'a/..', '../a', 'a\\..\\b', './a', '..;x', 'a/./b', 'a\u0001', '\u007f', '\u0085'])(
    'refuse %j and name the parameter (path traversal)',
    (id) => {
      const tool = toolOf(PATH);
      expect(inputViolations(tool, { id, part: 'x' })).toMatchObject([{ field: 'id', constraint: 'path' }]);
      expect(() => buildRequest(tool, { id, part: 'x' })).toThrow(/id: Must/);
      expect(() => pathSegment(id, 'id')).toThrow(/id: Must/);
    },
  );

  it.each(['...', 'a..b', '..a', 'a.', '.hidden', 'a;b', '-'])('accept the dots and signs of %j', (id) => {
    expect(build(PATH, { id, part: 'x' }).path).toBe(
      `/books/${encodeURIComponent(id)}/x/${encodeURIComponent(id)}`,
    );
    expect(pathSegment(id, 'id')).toBe(encodeURIComponent(id));
  });

  it('report all invalid path values at once', () => {
    expect(() => buildRequest(toolOf(PATH), { id: '.', part: '..' })).toThrow(/id: Must.*part: Must/);
  });

  it('refuse a missing value rather than send an empty segment', () => {
    expect(() => buildRequest(toolOf(PATH), { id: 'a' })).toThrow('section: Is required.');
  });

  it('accept numbers and booleans', () => {
    const body = `
parameters:
  n: { type: integer, required: true, description: A value. }
request:
  method: GET
  path: /books/{n}`;
    expect(build(body, { n: 0 }).path).toBe('/books/0');
  });
});

describe('query values of a request', () => {
  it('become text, with one pair per list entry, in the order of the file', () => {
    const body = `
parameters:
  q: { type: string, to: 'query.$filter', description: A value. }
  n: { type: integer, to: query.n, description: A value. }
  s: { type: boolean, to: query.s, description: A value. }
  l: { type: array, items: { type: string }, to: query.l, description: A value. }
request:
  method: GET
  path: /books
  fixed:
    query.part: snippet`;
    expect(build(body, { l: ['x', 'y'], n: 0, s: false, q: 'a b&c=d' }).query).toEqual([
      ['part', 'snippet'],
      ['$filter', 'a b&c=d'],
      ['n', '0'],
      ['s', 'false'],
      ['l', 'x'],
      ['l', 'y'],
    ]);
    expect(build(body, { l: [] }).query).toEqual([['part', 'snippet']]);
  });
});

describe('header values of a request', () => {
  const body = `
parameters:
  tag: { type: string, to: header.X-Tag, description: A value. }
request:
  method: GET
  path: /books
  fixed:
    header.X-Version: '2'`;

  it('stand next to the fixed headers', () => {
    expect(build(body, { tag: 'a b' }).headers).toEqual({ 'X-Version': '2', 'X-Tag': 'a b' });
  });

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\u0000', '日本'])(
    'refuse the header value %j (header injection)',
    (tag) => {
      expect(inputViolations(toolOf(body), { tag }).map(({ field }) => field)).toContain('tag');
      expect(() => buildRequest(toolOf(body), { tag })).toThrow('tag: Must be text of one line');
    },
  );
});

describe('account values of a request', () => {
  const body = `
parameters:
  sql: { type: string, to: body.Sql, description: A value. }
request:
  method: POST
  path: /books`;
  const from_account = {
    'body.Database': 'database',
    'body.Target.Cluster': 'cluster',
    'body.Target.User': 'db_user',
  } as const;
  const plain = toolOf(body);
  const taking = { ...plain, requests: plain.requests.map((template) => ({ ...template, from_account })) };

  it('stay out of a request until its account is known', () => {
    const request = buildRequest(taking, { sql: 'x' });
    expect(request.body).toEqual({ Sql: 'x' });
    expect(withAccountValues(request, { database: 'd', cluster: 'c', workgroup: 'w' })).toEqual({
      method: 'POST',
      host: 0,
      path: '/books',
      query: [],
      headers: {},
      body: { Sql: 'x', Database: 'd', Target: { Cluster: 'c' } },
    });
    expect(request.body).toEqual({ Sql: 'x' });
  });

  it('form the whole body where the body has nothing else', () => {
    const request = { ...buildRequest(taking, {}), body: undefined };
    expect(withAccountValues(request, { db_user: 'u' }).body).toEqual({ Target: { User: 'u' } });
    expect(withAccountValues(request).body).toEqual({});
  });

  it('change nothing in a request that uses none', () => {
    const request = buildRequest(plain, { sql: 'x' });
    expect(withAccountValues(request, { database: 'd' })).toBe(request);
  });
});

describe('body values of a request', () => {
  it('nest next to fixed members in any order', () => {
    const body = `
parameters:
  deep: { type: string, to: body.a.b.c, description: A value. }
  whole: { type: object, to: body.a, description: A value. }
  flat: { type: array, items: { type: integer }, to: body.list, description: A value. }
request:
  method: POST
  path: /books
  fixed:
    body.a.kind: x
    body.z:
      y: [1]`;
    expect(build(body, { deep: 'D' }).body).toEqual({ a: { kind: 'x', b: { c: 'D' } }, z: { y: [1] } });
    const whole = { b: { d: 1 }, e: 2 };
    expect(build(body, { deep: 'D', whole, flat: [1] }).body).toEqual({
      a: { b: { d: 1, c: 'D' }, e: 2 },
      z: { y: [1] },
      list: [1],
    });
    expect(whole).toEqual({ b: { d: 1 }, e: 2 });
  });

  it('never write to a prototype (prototype pollution)', () => {
    const body = `
parameters:
  whole: { type: object, to: body.a, description: A value. }
  deep: { type: string, to: body.a.toString.b, description: A value. }
request:
  method: POST
  path: /books`;
    expect(build(body, { whole: {}, deep: 'x' }).body).toEqual({ a: { toString: { b: 'x' } } });
    expect(Object.getOwnPropertyDescriptor(Object.prototype, 'toString')?.value).not.toHaveProperty('b');
  });

  it.each(['POST', 'PUT', 'PATCH'])('give a %s an empty object where no value is given', (method) => {
    const body = `
parameters:
  a: { type: string, to: body.a, description: A value. }
request:
  method: ${method}
  path: /books`;
    expect(build(body, {})).toEqual({ method, host: 0, path: '/books', query: [], headers: {}, body: {} });
    expect(build(body, { a: '' }).body).toEqual({ a: '' });
  });

  it('leave a DELETE without a body where no value goes there', () => {
    const body = `
parameters:
  a: { type: string, to: body.a, description: A value. }
request:
  method: DELETE
  path: /books`;
    expect(build(body, {})).not.toHaveProperty('body');
    expect(build(body, { a: '' }).body).toEqual({ a: '' });
    expect(build('request:\n  method: POST\n  path: /books', {})).not.toHaveProperty('body');
  });

  it('share no object with the catalog or with other calls', () => {
    const tool = toolOf(`
parameters:
  on: { type: boolean, map: { 'true': {} }, to: body.a, description: A value. }
  name: { type: string, to: body.a.name, description: A value. }
  tags: { type: array, items: { type: string }, default: [x], to: body.tags, description: A value. }
request:
  method: POST
  path: /books
  fixed:
    body.c: {}`);
    const first = buildRequest(tool, checkInput(tool, { on: true, name: 'n' })).body as {
      a: object;
      c: { x?: number };
      tags: string[];
    };
    first.c.x = 1;
    first.tags.push('y');
    expect(first.a).toEqual({ name: 'n' });
    expect(buildRequest(tool, checkInput(tool, { on: true })).body).toEqual({ a: {}, c: {}, tags: ['x'] });
  });
});

describe('encodings of a parameter', () => {
  const body = `
parameters:
  kind: { type: string, enum: [a, b, c, toString], map: { a: one, b: null }, to: body.kind, description: A value. }
  flag: { type: boolean, map: { 'true': 'yes', 'false': 'no' }, to: query.flag, description: A value. }
  ids: { type: array, items: { type: string }, encode: csv, to: query.ids, description: A value. }
  words: { type: string, encode: split_csv, to: body.words, description: A value. }
  json: { type: string, encode: json, to: body.json, description: A value. }
  size: { type: integer, default: 5, to: body.size, send_when: { flag: true }, description: A value. }
  more: { type: string, to: body.more, send_when: ids, description: A value. }
  quiet: { type: string, to: none, description: A value. }
request:
  method: POST
  path: /books`;

  it.each([
    [{ kind: 'a' }, { kind: 'one' }, []],
    [{ kind: 'b' }, { kind: null }, []],
    [{ kind: 'c' }, { kind: 'c' }, []],
    [{ kind: 'toString' }, { kind: 'toString' }, []],
    [{ flag: true }, { size: 5 }, [['flag', 'yes']]],
    [{ flag: false, size: 9 }, {}, [['flag', 'no']]],
    [{ ids: ['x', 'y'] }, {}, [['ids', 'x,y']]],
    [{ ids: [], more: 'm' }, { more: 'm' }, [['ids', '']]],
    [{ more: 'm', quiet: 'q' }, {}, []],
    [{ words: ' a, b ,,c' }, { words: ['a', 'b', 'c'] }, []],
    [{ json: '[{"a":1}]' }, { json: [{ a: 1 }] }, []],
    [{ json: 'null' }, { json: null }, []],
  ])('encode the declared value for input and result %j', (input, expected, query) => {
    const request = build(body, input);
    expect(request.body).toEqual(expected);
    expect(request.query).toEqual(query);
  });

  it('refuse an entry with a comma in csv', () => {
    expect(inputViolations(toolOf(body), { ids: ['a', 'b,c'] })).toEqual([
      { field: 'ids', description: 'No entry may contain a comma.', constraint: 'csv' },
    ]);
  });
});

describe('variants of a request', () => {
  const body = `
parameters:
  object: { type: string, description: A value. }
  list: { type: string, description: A value. }
constraints:
  - exactly_one_of: [object, list]
request:
  - when: object
    method: GET
    path: /objects/{object}
  - when: list
    method: POST
    path: /lists/{list}
    host: 1`;

  it('depend on the given parameters', () => {
    expect(build(body, { object: 'o' })).toMatchObject({ method: 'GET', host: 0, path: '/objects/o' });
    expect(build(body, { list: 'l' })).toMatchObject({ method: 'POST', host: 1, path: '/lists/l' });
  });

  it('refuse input that fits no variant, with the missing parameters', () => {
    expect(() => buildRequest(toolOf(body), {})).toThrow('books_find needs one of: object, list.');
  });
});

describe('request of a tool', () => {
  it('ignores properties that the input inherits (prototype)', () => {
    const tool = toolOf(`
parameters:
  id: { type: string, to: query.id, description: A value. }
request:
  method: GET
  path: /books`);
    expect(buildRequest(tool, Object.create({ id: 'x' }) as Record<string, unknown>).query).toEqual([]);
  });

  it('gives the same request for input with and without defaults', () => {
    const tool = toolOf(`
parameters:
  id: { type: string, to: query.id, description: A value. }
  size: { type: integer, default: 5, to: query.size, description: A value. }
constraints:
  - { when: id, forbid: [size] }
request:
  method: GET
  path: /books`);
    expect(buildRequest(tool, {}).query).toEqual([['size', '5']]);
    expect(buildRequest(tool, checkInput(tool, {})).query).toEqual([['size', '5']]);
    expect(buildRequest(tool, checkInput(tool, { id: 'x' })).query).toEqual([['id', 'x']]);
  });
});
