/**
 * What a hostile value does to the statements of the warehouse tools: nothing. The statement is read the way Snowflake
 * reads it, by a scanner that shares nothing with the code, and compared with that of a harmless value.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { callTool, shippedCatalog } from './tool-request.ts';

const SEED = 20_261_120;

interface Token {
  kind: 'literal' | 'name' | 'word' | 'number' | 'sign' | 'comment' | 'broken';
  /** A literal or name as Snowflake understands it. */
  value: string;
}

/** Snowflake's lexical rules, character by character. */
function scan(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const until = (end: string): string => {
    const stop = text.indexOf(end, at);
    const value = stop < 0 ? text.slice(at) : text.slice(at, stop);
    at = stop < 0 ? text.length : stop + end.length;
    return value;
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) at += 1;
    else if (char === "'" || char === '"') {
      let value = '';
      let isClosed = false;
      for (at += 1; at < text.length && !isClosed;) {
        const next = text[at] ?? '';
        if (next === char && text[at + 1] === char) {
          value += char;
          at += 2;
        } else if (next === char) {
          isClosed = true;
          at += 1;
        } else if (next === '\\' && char === "'") {
          value += text[at + 1] ?? '';
          at += 2;
        } else {
          value += next;
          at += 1;
        }
      }
      tokens.push({ kind: isClosed ? (char === "'" ? 'literal' : 'name') : 'broken', value });
    } else if (text.startsWith('--', at) || text.startsWith('//', at))
      tokens.push({ kind: 'comment', value: until('\n') });
    else if (text.startsWith('/*', at)) tokens.push({ kind: 'comment', value: until('*/') });
    else if (text.startsWith('$$', at)) {
      at += 2;
      tokens.push({ kind: 'literal', value: until('$$') });
    } else {
      const [word = char] = /^[A-Za-z_][\w$]*|^\d+/.exec(text.slice(at)) ?? [];
      at += word.length;
      tokens.push({
        kind: /^\d/.test(word) ? 'number' : /^\w/.test(word) ? 'word' : 'sign',
        value: word,
      });
    }
  }
  return tokens;
}

/** Kinds of all tokens, and the text of those that are not values. */
const shapeOf = (statement: string): string[] =>
  scan(statement).map(({ kind, value }) =>
    kind === 'literal' || kind === 'name' ? kind : `${kind} ${value}`,
  );

const HOSTILE = [
  "x' OR '1'='1",
  "x'; DROP TABLE users; --",
  "\\'; DROP TABLE users; --",
  "\\\\'; DROP TABLE users; --",
  '\\',
  'a\\',
  "''",
  "'",
  '"; DROP TABLE users; --',
  '"x" UNION SELECT * FROM "secrets"',
  '"',
  '""""',
  'a"b',
  '"a"b"',
  'x".INFORMATION_SCHEMA.TABLES; DROP TABLE "y',
  'd; DROP TABLE t',
  'd -- comment',
  'd /* comment */',
  'd // comment',
  '$$; DROP TABLE t; $$',
  'IDENTIFIER($1)',
  '?',
  ':1',
  '%s',
  '${x}',
  '{{x}}',
  '&var',
  "E'\\x27'",
  '\u2019; DROP TABLE t',
  '\uff07; DROP',
  'line\nbreak\r\n; DROP',
  '\u2028; DROP',
  '@stage',
  '%%__',
  'ümlaut',
];

type Place = [
  tool: string,
  harmless: Record<string, unknown>,
  parameter: string,
  kind: 'name' | 'literal' | 'bound',
];

/** Every parameter of text that a tool makes SQL of: a call with a harmless value in it, and what kind of token it becomes. */
const PLACES: Place[] = [
  ['warehouse_get_tables', { database: 'd', schema: 's', table_name_like: 't' }, 'database', 'name'],
  ['warehouse_get_tables', { database: 'd', schema: 's', table_name_like: 't' }, 'schema', 'bound'],
  ['warehouse_get_tables', { database: 'd', schema: 's', table_name_like: 't' }, 'table_name_like', 'bound'],
  ['warehouse_get_schemata', { database: 'd', schema_like: 's' }, 'database', 'name'],
  ['warehouse_get_schemata', { database: 'd', schema_like: 's' }, 'schema_like', 'bound'],
  ['warehouse_get_columns', { database: 'd' }, 'database', 'name'],
  ['warehouse_get_columns', { database: 'd', schema: 's' }, 'schema', 'bound'],
  ['warehouse_get_columns', { database: 'd', table: 't' }, 'table', 'bound'],
  ['warehouse_get_columns', { database: 'd', column_name_like: 'c' }, 'column_name_like', 'bound'],
  ['warehouse_get_table_constraints', { database: 'd' }, 'database', 'name'],
  ['warehouse_get_table_constraints', { database: 'd', schema: 's' }, 'schema', 'bound'],
  ['warehouse_get_table_constraints', { database: 'd', table: 't' }, 'table', 'bound'],
  ['warehouse_get_referential_constraints', { database: 'd', table: 't' }, 'database', 'name'],
  ['warehouse_get_referential_constraints', { database: 'd', schema: 's' }, 'schema', 'bound'],
  ['warehouse_get_referential_constraints', { database: 'd', table: 't' }, 'table', 'bound'],
  [
    'warehouse_show_databases_schemas',
    { object_type: 'databases', like_pattern: 'x' },
    'like_pattern',
    'literal',
  ],
  [
    'warehouse_show_databases_schemas',
    { object_type: 'schemas', like_pattern: 'x' },
    'like_pattern',
    'literal',
  ],
  [
    'warehouse_show_databases_schemas',
    { object_type: 'schemas', database_name: 'd' },
    'database_name',
    'name',
  ],
  ['warehouse_show_warehouses', { like_pattern: 'x' }, 'like_pattern', 'literal'],
  ['warehouse_show_grants', { grant_view: 'to_role', role_name: 'r' }, 'role_name', 'name'],
  ['warehouse_show_grants', { grant_view: 'of_role', role_name: 'r' }, 'role_name', 'name'],
  ['warehouse_show_grants', { grant_view: 'to_user', user_name: 'u' }, 'user_name', 'name'],
  [
    'warehouse_show_grants',
    { grant_view: 'on_object', object_type: 'TABLE', object_name: 't' },
    'object_name',
    'name',
  ],
  [
    'warehouse_show_imported_exported_keys',
    { key_direction: 'imported', table_name: 't' },
    'table_name',
    'name',
  ],
  [
    'warehouse_show_imported_exported_keys',
    { key_direction: 'exported', table_name: 't', schema_name: 's', database_name: 'd' },
    'schema_name',
    'name',
  ],
  [
    'warehouse_show_imported_exported_keys',
    { key_direction: 'exported', table_name: 't', schema_name: 's', database_name: 'd' },
    'database_name',
    'name',
  ],
  ['warehouse_show_primary_keys', { table_name: 't' }, 'table_name', 'name'],
  ['warehouse_show_primary_keys', { database_name: 'd', schema_name: 's' }, 'schema_name', 'name'],
  ['warehouse_show_primary_keys', { database_name: 'd' }, 'database_name', 'name'],
  ...['database_name', 'schema_name', 'table_name'].flatMap((parameter) =>
    ['warehouse_describe_table', 'warehouse_sample_rows'].map((name): Place => [
      name,
      { database_name: 'd', schema_name: 's', table_name: 't' },
      parameter,
      'name',
    ]),
  ),
  ['warehouse_show_tables', { database_name: 'd', schema_name: 's' }, 'database_name', 'name'],
  ['warehouse_show_tables', { database_name: 'd', schema_name: 's' }, 'schema_name', 'name'],
  ['warehouse_show_tables', { like_pattern: 'x' }, 'like_pattern', 'literal'],
  ['warehouse_list_semantic_views', { like_pattern: 'x' }, 'like_pattern', 'literal'],
  [
    'warehouse_describe_semantic_view',
    { database_name: 'd', schema_name: 's', view_name: 'v' },
    'view_name',
    'name',
  ],
  ['warehouse_list_queries', { database_name: 'd' }, 'database_name', 'name'],
  ['warehouse_list_queries', { database_name: 'd', status: 'all', user: 'u' }, 'user', 'bound'],
  [
    'warehouse_list_queries',
    { database_name: 'd', status: 'all', warehouse_name: 'w' },
    'warehouse_name',
    'bound',
  ],
  // Words out of a list: a hostile one is refused, or a word of the list.
  [
    'warehouse_get_table_constraints',
    { database: 'd', constraint_type: 'UNIQUE' },
    'constraint_type',
    'bound',
  ],
  [
    'warehouse_show_grants',
    { grant_view: 'on_object', object_type: 'TABLE', object_name: 't' },
    'object_type',
    'name',
  ],
];

interface Sent {
  statement: string;
  bindings?: Record<string, { type: string; value: string }>;
}

/** The statement of a call; undefined: the input was refused and nothing was sent. */
async function sentBy(name: string, input: object): Promise<Sent | undefined> {
  try {
    const { requests } = await callTool(name, input);
    expect(requests).toHaveLength(1);
    return requests[0]?.body as Sent;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

/** What Snowflake makes of a name that stands in a request: the same name, or the stored form of a plain one. */
const meansName = (given: string, name: string): boolean => {
  const unquoted = /^"((?:[^"]|"")+)"$/.exec(given)?.[1]?.replaceAll('""', '"');
  return name === given || name === (unquoted ?? given.toUpperCase());
};

async function check([name, harmless, parameter, kind]: Place, value: string): Promise<boolean> {
  const before = await sentBy(name, harmless);
  const after = await sentBy(name, { ...harmless, [parameter]: value });
  if (before === undefined) throw new Error('the harmless call was refused');
  if (after === undefined) return false;
  // Dots make further parts of an object's name, and nothing else.
  const shape = (sent: Sent): string[] =>
    parameter === 'object_name'
      ? shapeOf(sent.statement).slice(0, 4).concat('name')
      : shapeOf(sent.statement);
  expect(shape(after)).toEqual(shape(before));
  const tokens = scan(after.statement);
  expect(tokens.some(({ kind: found }) => found === 'broken' || found === 'comment')).toBe(false);
  if (parameter === 'object_name' || parameter === 'object_type' || parameter === 'constraint_type') {
    const rest = tokens.slice(3).filter(({ kind: found, value: sign }) => found !== 'name' && sign !== '.');
    expect(rest.every(({ kind: found }) => found === 'word')).toBe(true);
  } else if (kind === 'literal') {
    expect(tokens.filter(({ kind: found }) => found === 'literal').map((token) => token.value)).toEqual([
      value,
    ]);
  } else if (kind === 'bound') {
    expect(after.statement).toBe(before.statement);
    expect(Object.values(after.bindings ?? {}).some((bound) => meansName(value, bound.value))).toBe(true);
  } else {
    expect(tokens.some(({ kind: found, value: text }) => found === 'name' && meansName(value, text))).toBe(
      true,
    );
  }
  return true;
}

const PIECES = ["'", '"', '\\', ';', '--', '/*', '*/', '$$', '.', '\n', ' ', 'a', 'DROP', '%', '?'];

const ANY_HOSTILE = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }).map((list) => list.join('')),
  fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
);

/** For each way into a statement of `src/connectors/warehouse/sql.ts`, a place that takes it. */
const WAYS: [string, Place][] = [
  ['name', ['warehouse_get_schemata', { database: 'd', schema_like: 's' }, 'database', 'name']],
  ['literal', ['warehouse_show_warehouses', { like_pattern: 'x' }, 'like_pattern', 'literal']],
  ['bound', ['warehouse_get_columns', { database: 'd', schema: 's' }, 'schema', 'bound']],
];

describe('SQL injection through the warehouse tools', () => {
  it.each(PLACES)('%s %j keeps every hostile %s a single value of the statement', async (...place) => {
    await fc.assert(
      fc.asyncProperty(ANY_HOSTILE, async (value) => {
        await check(place, value);
      }),
      // The listed values come first, then 60 others.
      { seed: SEED, examples: HOSTILE.map((value) => [value]), numRuns: HOSTILE.length + 60 },
    );
  });

  describe.each(WAYS)('a value that enters as %s', (_, place) => {
    it.each(HOSTILE)('cannot change the statement with the value %j', async (value) => {
      await check(place, value);
    });
  });

  it('sends most hostile values, because they are good names and patterns', async () => {
    for (const place of PLACES.filter(([, , , kind]) => kind === 'literal'))
      for (const value of HOSTILE) expect(await check(place, value), value).toBe(true);
  });

  it('tries every text parameter except those sent with the statement', () => {
    const covered = new Set(PLACES.map(([name, , parameter]) => `${name}.${parameter}`));
    const missing = [...shippedCatalog.tools.values()]
      .filter(({ toolset, connector }) => connector === 'warehouse' && toolset === 'metadata')
      .flatMap(({ name, parameters }) =>
        Object.entries(parameters)
          .filter(
            ([key, { type, enum: words }]) =>
              type === 'string' && words === undefined && !['role', 'warehouse'].includes(key),
          )
          .map(([key]) => `${name}.${key}`),
      )
      .filter((place) => !covered.has(place));
    expect(missing).toEqual([]);
  });
});

describe('the SQL scanner of these tests', () => {
  it.each([
    ["SHOW TABLES LIKE 'a\\' OR 1=1 --'", 'literal'],
    ["SELECT 'a' ; DROP TABLE x", 'sign ;'],
    ["SELECT 'a\\", 'broken'],
    ['SELECT 1 -- x', 'comment'],
  ])('finds the hostile token in the statement %s', (statement, kind) => {
    expect(shapeOf(statement).some((token) => token.startsWith(kind))).toBe(true);
  });

  it('detects a literal whose backslashes are not escaped', () => {
    const value = "\\' OR 1=1 --";
    const naive = `SHOW WAREHOUSES LIKE '${value.replaceAll("'", "''")}'`;
    expect(shapeOf(naive)).not.toEqual(shapeOf("SHOW WAREHOUSES LIKE 'x'"));
  });
});
