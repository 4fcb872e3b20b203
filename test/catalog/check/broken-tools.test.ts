/** A tool with a mistake in its shape: its other mistakes are named too, and none that only follow from it. */
import { describe, expect, it } from 'vitest';
import { BOOKS_CONNECTOR, problemsOf, toolsetFile } from '../files.ts';

/** Problems of one tool entry as `line message`; line 10 is the first of `body`. */
function toolProblems(body: string, change: (file: string) => string = (file) => file): string[] {
  return problemsOf({
    'books/connector.yaml': BOOKS_CONNECTOR,
    'books/t.yaml': change(toolsetFile(body)),
  }).map((text) => text.replace('books/t.yaml:', '').replace('books_find: ', ''));
}

const FOUR_MISTAKES = `
limit: nolimit
parameters:
  account:
    type: string
    to: body.y
    description: A reserved name.
constraints:
  - exactly_one_of: [zz, account]
request:
  method: POST
  path: /books/{slot}`;

const THE_FOUR = [
  '10 limit: names the group nolimit, which the limits of books do not have',
  '12 parameters.account: is a reserved name: account chooses the connected account',
  '17 constraints.0: names the parameter zz, which the tool does not have',
  '20 request.path: has the slot {slot}, which no parameter fills',
];

describe('mistakes in the shape of a tool', () => {
  it.each([
    ['an effect', 'effect: read', 'effect: destroy', '6 effect: must be one of read, create, update, delete'],
    ['a title', 'title: Find books', "title: ''", '4 title: must have at least 3 characters'],
    [
      'an unknown key',
      '    limit:',
      '    colour: red\n    limit:',
      '10 colour: is not a key that exists here',
    ],
  ])('do not hide other mistakes: %s', (_, from, to, expected) => {
    const found = toolProblems(FOUR_MISTAKES, (file) => file.replace(from, to));
    const messages = (lines: string[]) => lines.map((line) => line.replace(/^\d+ /, '')).sort();
    expect(found).toContain(expected);
    expect(messages(found)).toEqual(messages([expected, ...THE_FOUR]));
  });

  it('do not hide mistakes in other parameters, rules and requests', () => {
    const body = `
scopes: [books:read, books:burn]
parameters:
  account:
    type: strong
    description: A value.
    to: body.a
  b:
    type: string
    description: A value.
    to: body.a
constraints:
  - at_most_one_of: [b]
  - together: [b, c]
request:
  method: POTS
  path: /books/{slot}`;
    expect(toolProblems(body)).toEqual([
      '10 scopes.1: names the scope books:burn, which no auth block of books declares',
      '12 parameters.account: is a reserved name: account chooses the connected account',
      '13 parameters.account.type: must be one of string, integer, number, boolean, object, array',
      '19 parameters.b.to: is also where parameter account goes',
      '21 constraints.0.at_most_one_of: must have at least 2 entries',
      '22 constraints.1: names the parameter c, which the tool does not have',
      '24 request.method: must be one of GET, POST, PUT, PATCH, DELETE',
      '25 request.path: has the slot {slot}, which no parameter fills',
    ]);
  });

  const parameter = (keys: string, name = 'a') => `
parameters:
  ${name}:
    description: A value.
${keys
  .split('\n')
  .map((key) => `    ${key}`)
  .join('\n')}`;
  const request = '\nrequest:\n  method: GET\n  path: /books/{a}';

  it.each([
    [
      'a misspelt required',
      parameter('type: string\nrequird: true') + request,
      ['14 parameters.a.requird: is not a key that exists here'],
    ],
    [
      'a misspelt list of items',
      `${parameter('type: array\nitmes: {type: string}\nrequired: true\nto: query.a')}\nrequest:\n  method: GET\n  path: /books`,
      ['14 parameters.a.itmes: is not a key that exists here'],
    ],
    [
      'a misspelt place',
      parameter('type: string\nrequired: true\nfor: path.a', 'b') + request,
      ['15 parameters.b.for: is not a key that exists here'],
    ],
    [
      'a place that is none',
      parameter('type: string\nrequired: true\nto: cookie.a', 'b') + request,
      ['15 parameters.b.to: must be path.x, query.x, header.x, body.a.b or none'],
    ],
    ['a parameter that is text', `parameters:\n  b: text${request}`, ['11 parameters.b: must be an object']],
    [
      'parameters that are a list',
      `parameters: [a]\nconstraints:\n  - together: [a, b]${request}`,
      ['10 parameters: must be an object'],
    ],
    [
      'misspelt parameters',
      `paramters:\n  a: {type: string, required: true, description: A value.}\nconstraints:\n  - when: a\n    forbid: [b]${request}`,
      ['10 paramters: is not a key that exists here'],
    ],
    [
      'misspelt rules',
      `${parameter('type: string')}\nconstraint:\n  - exactly_one_of: [a, b]${request}`,
      ['14 constraint: is not a key that exists here'],
    ],
    [
      'a path that is none',
      `${parameter('type: string\nrequired: true')}\nrequest:\n  method: GET\n  path: books/{a}`,
      ['17 request.path: must be a path that starts with / and has no blank, ? or #'],
    ],
    [
      'a type that pages cannot have',
      `${parameter('type: numeric\nto: query.a')}\npaging:\n  list: items\n  offset: {parameter: a}\nrequest:\n  method: GET\n  path: /books`,
      ['13 parameters.a.type: must be one of string, integer, number, boolean, object, array'],
    ],
    [
      'a handler that is none',
      'handler: 5\nparameters:\n  a: {type: string, description: A value.}',
      ['10 handler: must be text'],
    ],
  ])('cause no further reports that follow from them: %s', (_, body, expected) => {
    expect(toolProblems(body)).toEqual(expected);
  });
});
