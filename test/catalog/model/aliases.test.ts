/** Old names of tools and parameters: where they lead, what is said about them, and what a file may not do with them. */
import { describe, expect, it } from 'vitest';
import {
  renamedIn,
  renamedSentences,
  toolNamed,
  withCurrentNames,
} from '../../../src/catalog/model/aliases.ts';
import { checkInput, inputViolations } from '../../../src/catalog/call/input.ts';
import { loadCatalog, readCatalog } from '../../../src/catalog/load/load.ts';
import { buildRequest } from '../../../src/catalog/call/request.ts';
import { publish } from '../../../src/mcp/published-tools.ts';
import { BOOKS_CONNECTOR, catalogFolder, problemsOf, toolOf, toolsetFile } from '../files.ts';

const BODY = `
aliases: [books_search, books_look_up]
parameters:
  title: { type: string, aliases: [name, words], max_length: 5, to: query.title, description: Words of the title. }
  size: { type: integer, minimum: 1, default: 3, to: query.size, description: A number. }
constraints:
  - { when: title, require: [size] }
request:
  method: GET
  path: /books
`;

const tool = toolOf(BODY);

const found = (input: object) =>
  inputViolations(tool, input).map(({ field, constraint, description }) => [field, constraint, description]);

describe('old names of a tool (aliases)', () => {
  const tools = new Map([[tool.name, tool]]);

  it.each([
    ['books_find', 'books_find'],
    ['books_search', 'books_find'],
    ['books_look_up', 'books_find'],
    ['books_other', undefined],
    ['constructor', undefined],
  ])('resolve to the current tool: %s', (name, expected) => {
    expect(toolNamed(tools, name)?.name).toBe(expected);
  });

  it('tell the caller the current name of the tool', () => {
    const renamed = renamedIn(tool, 'books_search', {});
    expect(renamed).toEqual([{ kind: 'tool', from: 'books_search', to: 'books_find' }]);
    expect(renamedSentences(renamed)).toBe(
      'The tool books_search is now called books_find: use the new name.',
    );
    expect(renamedSentences(renamedIn(tool, 'books_find', {}))).toBe('');
  });
});

describe('old names of a parameter (aliases)', () => {
  it('give their value to the current parameter', () => {
    expect(checkInput(tool, { name: 'Dune', size: 2 })).toEqual({ title: 'Dune', size: 2 });
    expect(buildRequest(tool, checkInput(tool, { words: 'Dune', size: 2 })).query).toEqual([
      ['title', 'Dune'],
      ['size', '2'],
    ]);
  });

  it('tell the caller the current name of the parameter', () => {
    const renamed = renamedIn(tool, 'books_find', { size: 2, name: 'Dune' });
    expect(renamedSentences(renamed)).toBe('The parameter name is now called title: use the new name.');
  });

  it('apply to rules, limits and types, whose violations use the given name', () => {
    expect(found({ name: 'Dune' })).toEqual([['size', 'require', 'When title is given, size is required.']]);
    expect(found({ name: 'A longer title', size: 1 })).toEqual([
      ['title', 'max_length', 'Must have at most 5 characters. It was given as name, its old name.'],
    ]);
  });

  it.each([
    [
      { title: 'a', name: 'b', size: 1 },
      [['name', 'exclusive', 'name is now called title, which is given too. Give title only.']],
    ],
    [
      { words: 'a', name: 'b', size: 1 },
      [['name', 'exclusive', 'name is now called title, which is given too. Give title only.']],
    ],
    [{ title: undefined, name: 'b', size: 1 }, []],
    [{ title: 'a', name: undefined, size: 1 }, []],
  ])('refuse two names of the same parameter: %j', (input, violations) => {
    expect(found(input)).toEqual(violations);
  });

  it('leave the object of the caller unchanged', () => {
    const input = { name: 'Dune', size: 1 };
    withCurrentNames(tool, input);
    expect(input).toEqual({ name: 'Dune', size: 1 });
    const current = { title: 'Dune' };
    expect(withCurrentNames(tool, current)).toBe(current);
  });

  it.each([null, 'text', 7, ['name']])('find no old name in input that is no object: %j', (input) => {
    expect(withCurrentNames(tool, input)).toBe(input);
    expect(found(input as object)).toEqual([['', 'type', 'The tool input must be a JSON object.']]);
  });
});

it('publishes no old name of a tool or parameter', () => {
  expect(JSON.stringify(publish(tool))).not.toMatch(/books_search|books_look_up|aliases/);
  expect(Object.keys(tool.inputSchema['properties'] as object)).toEqual(['title', 'size']);
});

describe('catalog check of old names', () => {
  /** Problems as `line message`; line 10 is the first of `body`. */
  const problems = (body: string): string[] =>
    problemsOf({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': toolsetFile(`${body}\nrequest:\n  method: POST\n  path: /books`),
    }).map((text) => text.replace('books/t.yaml:', '').replace('books_find: ', ''));

  it.each([
    ['aliases:\n  - books_old\n  - other_find', ['12 aliases.1: must start with books_']],
    ['aliases:\n  - Books', ['11 aliases.0: must be lower-case words joined by _']],
    ['aliases: []', ['10 aliases: must have at least 1 entry']],
    ['aliases:\n  - books_find', ['11 aliases.0: books_find is already declared in books/t.yaml:3']],
    [
      'aliases:\n  - books_old\n  - books_old',
      ['12 aliases.1: books_old is already declared in books/t.yaml:11'],
    ],
  ])('refuses an old name of a tool: %s', (body, expected) => {
    expect(problems(body).map((text) => text.replace(/in \S*books\/t/, 'in books/t'))).toEqual(expected);
  });

  const twoParameters = (aliases: string, more = ''): string => `parameters:
  a:
    type: string
    to: query.a
    description: A value.
    aliases: ${aliases}
  b: { type: string, to: query.b, description: A value.${more} }`;

  it.each([
    [twoParameters('[old]'), []],
    [twoParameters('[b]'), ['15 parameters.a.aliases.0: b is the name of a parameter']],
    [twoParameters('[a]'), ['15 parameters.a.aliases.0: a is the name of a parameter']],
    [twoParameters('[account]'), ['15 parameters.a.aliases.0: account is a reserved name']],
    [twoParameters('[toString]'), ['15 parameters.a.aliases.0: toString is a reserved name']],
    [
      twoParameters('[old]', ' aliases: [old]').replace('value. aliases', 'value., aliases'),
      [
        '15 parameters.a.aliases.0: old is declared twice',
        '16 parameters.b.aliases.0: old is declared twice',
      ],
    ],
  ])('refuses an old name of a parameter that is already taken', (body, expected) => {
    expect(problems(body)).toEqual(expected);
  });

  it('refuses an old name that another tool has as a current or old name, in either order', () => {
    const request = '\nrequest:\n  method: GET\n  path: /books';
    const dir = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/a.yaml': toolsetFile(`aliases: [books_b, books_old]${request}`, 'books_a'),
      'books/b.yaml': toolsetFile(`response: {}${request}`, 'books_b'),
      'books/c.yaml': toolsetFile(`aliases: [books_old, books_a]${request}`, 'books_c'),
    });
    expect(readCatalog([dir]).problems.map(({ message }) => message.replaceAll(`${dir}/`, ''))).toEqual([
      'name: the tool books_b is already declared in books/a.yaml:10',
      'books_c: aliases.0: books_old is already declared in books/a.yaml:10',
      'books_c: aliases.1: books_a is already declared in books/a.yaml:3',
    ]);
  });

  it('refuses a name that the shipped catalog has as an old name', () => {
    const request = '\nrequest:\n  method: GET\n  path: /books';
    const first = catalogFolder({
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/a.yaml': toolsetFile(`aliases: [books_old]${request}`, 'books_a'),
    });
    const second = catalogFolder({ 'more/b.yaml': toolsetFile(`response: {}${request}`, 'books_old') });
    const { problems: problemsFound } = readCatalog([second], { base: loadCatalog([first]) });
    expect(problemsFound.map(({ message }) => message)).toEqual([
      'name: the tool books_old is already declared in the catalog that comes with the program',
    ]);
  });
});
