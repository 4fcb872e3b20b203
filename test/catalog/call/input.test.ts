/** Checking input: every violation at once, each with its field; hostile text, keys and depths. */
import { describe, expect, it } from 'vitest';
import { checkInput, inputViolations, inputWarnings } from '../../../src/catalog/call/input.ts';
import { buildRequest } from '../../../src/catalog/call/request.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { toolOf } from '../files.ts';

const tool = toolOf(`
parameters:
  title: { type: string, required: true, min_length: 2, max_length: 5, to: body.title, description: A value. }
  kind: { type: string, enum: [novel, poem], default: novel, to: body.kind, description: A value. }
  pages: { type: integer, minimum: 1, maximum: 9, default: 3, to: body.pages, description: A value. }
  price: { type: number, minimum: 0.5, to: body.price, description: A value. }
  signed: { type: boolean, to: body.signed, description: A value. }
  isbn: { type: string, pattern: '^[0-9]+$', to: body.isbn, description: A value. }
  id: { type: string, format: uuid, to: body.id, description: A value. }
  day: { type: string, format: date, to: body.day, description: A value. }
  at: { type: string, format: date-time, to: body.at, description: A value. }
  page: { type: string, format: uri, to: body.page, description: A value. }
  mail: { type: string, format: email, to: body.mail, description: A value. }
  tags: { type: array, min_items: 1, max_items: 2, items: { type: string, min_length: 1 }, to: body.tags, description: A value. }
  free: { type: object, to: body.free, description: A value. }
  filled: { type: object, min_properties: 2, to: body.filled, description: A value. }
  note: { type: string, to: body.note, description: A value. }
  code: { type: string, min_length: 1, to: body.code, description: A value. }
  long: { type: string, max_length: 200000, to: body.long, description: A value. }
  parts:
    type: array
    to: body.parts
    description: A value.
    items:
      type: object
      properties:
        name: { type: string, required: true }
        size: { type: integer, minimum: 1 }
        more: { type: object }
        list: { type: array, items: { type: integer } }
  extra: { type: string, encode: json, to: body.extra, description: A value. }
constraints:
  - { when: { kind: poem }, forbid: [pages] }
request:
  method: POST
  path: /books`);

const listed = toolOf(`
parameters:
  names: { type: string, accepts_list: true, max_length: 20, aliases: [who], to: body.names, description: A value. }
  note: { type: string, to: body.note, description: A value. }
request:
  method: POST
  path: /books`);

describe('parameter that null empties', () => {
  const cleared = toolOf(
    `
parameters:
  due: { type: string, format: date, nullable: true, to: body.due, description: A value. }
  note: { type: string, to: body.note, description: A value. }
request:
  method: PATCH
  path: /books`,
    'update',
  );

  it('takes null and sends it, and shows clients its type alone', () => {
    const input = checkInput(cleared, { due: null });
    expect(buildRequest(cleared, input).body).toEqual({ due: null });
    expect(cleared.inputSchema.properties?.['due']).toMatchObject({ type: 'string' });
  });

  it.each([
    [{ note: null }, ['note type']],
    [{ due: '' }, ['due format']],
    [{ due: [null] }, ['due type']],
  ])('refuses null elsewhere, and other values: %j', (input, expected) => {
    const violations = inputViolations(cleared, input);
    expect(violations.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual(expected);
  });
});

describe('text parameter that accepts a list', () => {
  it.each([
    [{ names: ['a', 'b,c'] }, { names: '["a","b,c"]' }],
    [{ who: [] }, { names: '[]' }],
    [{ names: 'a, b' }, { names: 'a, b' }],
  ])('reads %j as %j', (input, expected) => {
    expect(checkInput(listed, input)).toEqual(expected);
  });

  it.each([
    [{ names: ['a', 7] }, ['names type']],
    [{ names: [['a']] }, ['names type']],
    [{ names: { 0: 'a' } }, ['names type']],
    [{ names: ['x'.repeat(20)] }, ['names max_length']],
    [{ note: ['a'] }, ['note type']],
    [{ names: ['a'], who: ['b'] }, ['who exclusive']],
  ])('refuses everything but a list of texts: %j %j', (input, expected) => {
    const violations = inputViolations(listed, input);
    expect(violations.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual(expected);
  });

  it('shows clients the type string alone', () => {
    expect(listed.inputSchema.properties?.['names']).toEqual({
      type: 'string',
      description: 'A value.',
      maxLength: 20,
    });
  });
});

/** `field constraint` of each violation of a value with a valid title. */
const found = (input: object) =>
  inputViolations(tool, { title: 'abc', ...input }).map(({ field, constraint }) => `${field} ${constraint}`);

const violation = (input: object) => inputViolations(tool, { title: 'abc', ...input })[0];

it('publishes no maxLength for a text that only must not be empty', () => {
  const { properties } = tool.inputSchema as { properties: Record<string, object> };
  expect(properties['code']).toEqual({ type: 'string', description: 'A value.' });
  expect(violation({ code: '' })?.description).toBe('Must not be empty.');
});

describe('input validation against the parameters of a tool', () => {
  it.each([
    [{ title: 'a' }, ['title min_length']],
    [{ title: 'abcdef' }, ['title max_length']],
    [{ code: '' }, ['code min_length']],
    [{ code: '', pages: 0, note: 7 }, ['pages minimum', 'note type', 'code min_length']],
    [{ title: null }, ['title type']],
    [{ kind: 'saga' }, ['kind enum']],
    [{ kind: 7 }, ['kind type']],
    [{ kind: null }, ['kind type']],
    [{ pages: 0 }, ['pages minimum']],
    [{ pages: 10 }, ['pages maximum']],
    [{ pages: 1.5 }, ['pages type']],
    [{ pages: '3' }, ['pages type']],
    [{ pages: 1e300 }, ['pages maximum']],
    [{ price: 0.4 }, ['price minimum']],
    [{ price: '1' }, ['price type']],
    [{ signed: 'true' }, ['signed type']],
    [{ signed: 1 }, ['signed type']],
    [{ isbn: '12a' }, ['isbn pattern']],
    [{ tags: [] }, ['tags min_items']],
    [{ tags: ['a', '', 3] }, ['tags[1] min_length', 'tags[2] type', 'tags max_items']],
    [{ tags: 'a' }, ['tags type']],
    [{ tags: { 0: 'a' } }, ['tags type']],
    [{ free: [] }, ['free type']],
    [{ free: 'x' }, ['free type']],
    [{ filled: { a: 1 } }, ['filled min_properties']],
    [{ parts: [{}] }, ['parts[0].name required']],
    [
      { parts: [{ name: 'a' }, { name: 1, size: 0, color: 'red', list: [1, 'x'] }] },
      ['parts[1].name type', 'parts[1].size minimum', 'parts[1].list[1] type', 'parts[1].color unknown'],
    ],
    [{ extra: '{' }, ['extra json']],
    [{ extra: '{"a":"\\u0000"}' }, ['extra.a nul']],
    [{ extra: '{"__proto__":1}' }, ['extra.__proto__ key']],
  ])('finds the violations of the input %j', (input, expected) => {
    expect(found(input)).toEqual(expected);
  });

  it.each([
    [{ id: '0f8fad5b-d9cb-469f-a165-70867728950e', day: '2024-02-29', at: '2024-02-29T23:59:59.123+05:30' }],
    [{ page: 'https://example.com/a?b#c', mail: 'a.b+c@example.co.uk' }],
    [{ pages: 9, price: 0.5, signed: false, isbn: '0', tags: ['a', 'b'] }],
    [{ kind: 'poem', free: {}, filled: { a: null, b: [] }, extra: '[{"a":1}]' }],
    [{ free: { constructor: { prototype: 1 }, toString: 2, hasOwnProperty: 3 } }],
    [{ parts: [{ name: '', more: { any: ['thing'] }, list: [] }] }],
    [{ note: '🎉 naïve \n\t', pages: undefined }],
  ])('finds no violation in the input %j', (input) => {
    expect(found(input as object)).toEqual([]);
  });

  it.each([
    ['id', ['', '0f8fad5b', '0f8fad5bd9cb469fa16570867728950e', 'g'.repeat(36)]],
    [
      'day',
      ['2023-02-29', '2024-13-01', '2024-00-10', '24-01-01', '2024-1-1', '2024-01-01T00:00:00Z', 'today'],
    ],
    [
      'at',
      [
        '2024-01-01',
        '2024-01-01T00:00:00',
        '2024-01-01 00:00:00Z',
        '2024-01-01T24:00:00Z',
        '2024-02-30T00:00:00Z',
        '2024-01-01T00:60:00Z',
        '2024-01-01T00:00:00.Z',
        '2024-01-01T00:00:00+25:00',
      ],
    ],
    ['page', ['example.com', '//example.com', 'https://', 'http://a b', 'https://exa\tmple.com', '']],
    ['mail', ['a', 'a@b', '@example.com', 'a b@example.com', 'a@example..com', 'a@b@example.com']],
  ])('refuses a value of another type than %s', (name, values) => {
    for (const value of values)
      expect([value, found({ [name]: value })]).toEqual([value, [`${name} format`]]);
  });

  it('reports all violations of an input at once', () => {
    const input = { kind: 'saga', pages: 0, tags: [1], titel: 'x', note: '\0' };
    expect(inputViolations(tool, input)).toEqual([
      {
        field: 'titel',
        description: 'books_find has no such parameter. Did you mean title?',
        constraint: 'unknown',
      },
      { field: 'note', description: 'Must not contain a NUL character.', constraint: 'nul' },
      { field: 'title', description: 'Is required.', constraint: 'required' },
      { field: 'kind', description: 'Must be one of novel, poem.', constraint: 'enum' },
      { field: 'pages', description: 'Must be at least 1.', constraint: 'minimum' },
      { field: 'tags[0]', description: 'Must be text.', constraint: 'type' },
    ]);
  });

  it.each([[null], [undefined], ['text'], [7], [true], [[]], [[{ title: 'abc' }]]])(
    'refuses the whole input %j',
    (input) => {
      expect(inputViolations(tool, input)).toEqual([
        { field: '', description: 'The tool input must be a JSON object.', constraint: 'type' },
      ]);
    },
  );

  it('names the maximum of the tool where a whole number is larger than any can be', () => {
    expect(inputViolations(tool, { title: 'abc', pages: 9e300 })).toEqual([
      { field: 'pages', description: 'Must be at most 9.', constraint: 'maximum' },
    ]);
  });

  it('names unknown parameters, with the closest known one or the complete list', () => {
    expect(violation({ titles: 1 })?.description).toBe(
      'books_find has no such parameter. Did you mean title?',
    );
    expect(violation({ wxyzwxyz: 1 })?.description).toMatch(
      /^books_find has no such parameter\. Parameters: title, kind, pages, /,
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'account', ''])(
    'treats %j as any unknown parameter',
    (name) => {
      const input = JSON.parse(`{"title": "abc", ${JSON.stringify(name)}: {"polluted": true}}`) as object;
      expect(inputViolations(tool, input).map(({ field, constraint }) => [field, constraint])).toEqual([
        [name, 'unknown'],
      ]);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  it('ignores properties that the input inherits (prototype)', () => {
    const input = Object.create({ title: 'abc', unknown: 1 }) as object;
    expect(inputViolations(tool, input).map(({ field, constraint }) => `${field} ${constraint}`)).toEqual([
      'title required',
    ]);
  });

  it('shortens and cleans the names it repeats', () => {
    const name = `a\0\ud800${'x'.repeat(100_000)}`;
    const [first] = inputViolations(tool, { title: 'abc', [name]: 1 });
    expect(first?.field).toBe(`a?\ufffd${'x'.repeat(61)}…`);
  });

  it('stops after a hundred violations', () => {
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`unknown${i}`, 1]));
    const violations = inputViolations(tool, { title: 'abc', ...input });
    expect(violations.length).toBe(101);
    expect(violations[100]).toEqual({
      field: '',
      description: 'And 4900 more violations.',
      constraint: 'too_many_violations',
    });
  });
});

const pathTool = toolOf(`
parameters:
  id: { type: string, required: true, to: path.id, description: A value. }
  ids: { type: array, items: { type: string }, encode: csv, to: query.ids, description: A value. }
request:
  method: GET
  path: /books/{id}
`);

describe('check for hostile text in tool input', () => {
  it.each([
    [{ note: 'a\0b' }, 'note nul'],
    [{ note: '\ud800' }, 'note encoding'],
    [{ note: 'x\udc00y' }, 'note encoding'],
    [{ note: 'x'.repeat(100_001) }, 'note max_length'],
    [{ free: { a: [{ b: '\0' }] } }, 'free.a[0].b nul'],
    [{ free: { 'a\0': 1 } }, 'free.a? nul'],
    [{ free: { '\ud800': 1 } }, 'free.\ufffd encoding'],
    [{ free: JSON.parse('{"a": {"__proto__": {"x": 1}}}') as object }, 'free.a.__proto__ key'],
    [{ free: { a: 'x'.repeat(100_001) } }, 'free.a max_length'],
    [{ parts: [{ name: '\0' }] }, 'parts[0].name nul'],
    [{ long: 'x'.repeat(200_001) }, 'long max_length'],
  ])('finds hostile text at any depth of the input (%#)', (input, expected) => {
    expect(found(input)).toEqual([expected]);
  });

  it.each([
    ['an object that cannot be made text', { toString: null }],
    ['a list of such objects', [{ toString: 1, valueOf: null }]],
  ] as const)('refuses %s where a path takes text', (_what, value) => {
    const found = (given: object) => inputViolations(pathTool, given).map(({ field }) => field);
    expect(found({ id: value })).toEqual(['id']);
    expect(found({ id: 'a', ids: [value] })).toEqual(['ids[0]']);
  });

  it('skips the pattern for a text that is too long (ReDoS)', () => {
    const slow = toolOf(`
parameters:
  a: { type: string, pattern: '^(x+x+)+y$', to: body.a, description: A value. }
  b: { type: string, pattern: '^(x+x+)+y$', max_length: 10, to: body.b, description: A value. }
request:
  method: POST
  path: /books`);
    const violations = inputViolations(slow, { a: 'x'.repeat(100_001), b: 'x'.repeat(99_999) });
    expect(violations.map(({ field, constraint }) => `${field} ${constraint}`)).toEqual([
      'a max_length',
      'b max_length',
    ]);
  });

  it('takes at most 10,000 characters where a pattern has to be tried', () => {
    const slow = toolOf(`
parameters:
  a: { type: string, pattern: '^(a+)+$', to: body.a, description: A value. }
request:
  method: POST
  path: /books`);
    const words = (a: string): string[] =>
      inputViolations(slow, { a }).map(({ constraint, description }) => `${constraint}: ${description}`);
    expect(words('a'.repeat(10_000))).toEqual([]);
    expect(words(`${'a'.repeat(9_999)}!`)).toEqual(['pattern: Must match the pattern /^(a+)+$/u.']);
    expect(words('a'.repeat(10_001))).toEqual(['max_length: Must have at most 10000 characters.']);
  });

  it('stops the patterns of a call that has too many long texts', () => {
    const slow = toolOf(`
parameters:
  a:
    type: array
    to: body.a
    description: A value.
    items: { type: string, pattern: '^(a|b|ab)*a(a|b){12}$' }
request:
  method: POST
  path: /books`);
    const long = 'ab'.repeat(4_000);
    const many = inputViolations(slow, { a: Array.from({ length: 100 }, () => long) });
    expect(new Set(many.map(({ constraint }) => constraint))).toContain('max_length');
    expect(inputViolations(slow, { a: [`${'ab'.repeat(40)}a`] })).toEqual([]);
  });

  it('measures text by the limit that a parameter declares', () => {
    expect(found({ note: 'x'.repeat(100_000), long: 'x'.repeat(200_000) })).toEqual([]);
  });

  it('reports a text over a declared limit once', () => {
    expect(found({ title: 'x'.repeat(200_000) })).toEqual(['title max_length']);
  });

  it.each([
    [62, []],
    [63, [`free${'.a'.repeat(63)} depth`]],
    [50_000, [`free${'.a'.repeat(63)} depth`]],
  ])('finds hostile text %i levels below a parameter', (levels, expected) => {
    let value: unknown = {};
    for (let i = 0; i < levels; i++) value = { a: value };
    expect(found({ free: value })).toEqual(expected);
  });
});

describe('checked input of a tool call', () => {
  it('fills in the declared defaults', () => {
    expect(checkInput(tool, { title: 'abc' })).toEqual({ title: 'abc', kind: 'novel', pages: 3 });
  });

  it('keeps given values, even false, zero and empty text', () => {
    const input = { title: 'abc', signed: false, free: {}, note: '', kind: 'novel', pages: 1 };
    expect(checkInput(tool, input)).toEqual(input);
  });

  it('fills in no default that a rule forbids', () => {
    expect(checkInput(tool, { title: 'abc', kind: 'poem' })).toEqual({ title: 'abc', kind: 'poem' });
  });

  it('fills in no default next to a parameter that excludes it, and lets the caller give both', () => {
    const listing = toolOf(`
parameters:
  id: { type: string, to: query.id, description: A value. }
  size: { type: integer, default: 5, default_unless: id, to: query.size, description: A value. }
request:
  method: GET
  path: /books`);
    expect(checkInput(listing, {})).toEqual({ size: 5 });
    expect(checkInput(listing, { id: 'x' })).toEqual({ id: 'x' });
    expect(checkInput(listing, { id: 'x', size: 9 })).toEqual({ id: 'x', size: 9 });
  });

  it('checks the rules before it fills in defaults', () => {
    expect(checkInput(tool, { title: 'abc', pages: 2 })).toEqual({ title: 'abc', pages: 2, kind: 'novel' });
  });

  it('gives each call its own copy of a default', () => {
    const listing = toolOf(`
parameters:
  tags: { type: array, items: { type: string }, default: [x], to: body.tags, description: A value. }
request:
  method: POST
  path: /books`);
    (checkInput(listing, {})['tags'] as string[]).push('y');
    expect(checkInput(listing, {})).toEqual({ tags: ['x'] });
  });

  it('does not change the object of the caller', () => {
    const input = Object.freeze({ title: 'abc' });
    checkInput(tool, input);
    expect(input).toEqual({ title: 'abc' });
  });

  it('throws INVALID_ARGUMENT with all violations, also in the message', () => {
    const call = () => checkInput(tool, { pages: 0, x: 1 });
    expect(call).toThrow(ServiceError);
    expect(call).toThrow(
      /^The request is not valid\. x: .* title: Is required\. pages: Must be at least 1\.$/,
    );
    const violation = (field: string, constraint: string): unknown =>
      expect.objectContaining({ field, constraint });
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        status: 400,
        details: {
          field_violations: [
            violation('x', 'unknown'),
            violation('title', 'required'),
            violation('pages', 'minimum'),
          ],
        },
      }),
    );
  });
});

describe('warnings of input', () => {
  it('pass over objects that cannot be text', () => {
    expect(inputWarnings(tool, { free: { toString: 1, valueOf: 1 } })).toEqual([]);
  });
});
