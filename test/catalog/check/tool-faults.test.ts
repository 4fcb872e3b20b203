/** Mistakes in a tool entry, each with the line of the key that is wrong. */
import { describe, expect, it } from 'vitest';
import { BOOKS_CONNECTOR, problemsOf, toolsetFile } from '../files.ts';

const GOOD_REQUEST = `
request:
  method: GET
  path: /books
`;

/** Problems of one tool entry as `line message`; line 10 is the first of `body`. */
function toolProblems(body: string, handlers?: ReadonlySet<string>): string[] {
  return problemsOf(
    { 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': toolsetFile(body) },
    handlers,
  ).map((text) => text.replace('books/t.yaml:', '').replace('books_find: ', ''));
}

describe('check of catalog files with tools', () => {
  const parameter = (keys: string) => `
parameters:
  a:
    description: A value.
${keys
  .split('\n')
  .map((key) => `    ${key}`)
  .join('\n')}
request:
  method: POST
  path: /books`;

  it.each([
    // shape
    [
      'both request and handler',
      `handler: books/x${GOOD_REQUEST}`,
      ['3 must have a request, or a handler instead of it'],
    ],
    ['neither request nor handler', 'response: {}', ['3 must have a request, or a handler instead of it']],
    ['an unknown key', `colour: red${GOOD_REQUEST}`, ['10 colour: is not a key that exists here']],
    [
      'an unknown key of a parameter',
      parameter('type: string\nto: none\nmin: 3'),
      ['15 parameters.a.min: is not a key that exists here'],
    ],
    [
      'an address that is none',
      parameter('type: string\nto: cookie.a'),
      ['14 parameters.a.to: must be path.x, query.x, header.x, body.a.b or none'],
    ],
    [
      'one request variant only',
      'request:\n  - method: GET\n    path: /books',
      ['10 request: must have at least 2 entries'],
    ],
    [
      'a mistake inside a variant',
      'request:\n  - when: a\n    method: GET\n    path: books\n  - method: GET\n    path: /books',
      ['13 request.0.path: must be a path that starts with / and has no blank, ? or #'],
    ],
    [
      'a rule of two kinds',
      `constraints:\n  - together: [a, b]\n    exactly_one_of: [a, b]${GOOD_REQUEST}`,
      [
        '11 constraints.0: must have exactly one of exactly_one_of, at_most_one_of, at_least_one_of, together, when',
      ],
    ],
    [
      'a rule without consequence',
      `constraints:\n  - when: a${GOOD_REQUEST}`,
      ['11 constraints.0: needs require, forbid or require_value together with when'],
    ],
    [
      'a consequence without when',
      `constraints:\n  - together: [a, b]\n    forbid: [a]${GOOD_REQUEST}`,
      ['11 constraints.0: can have require, forbid and require_value only together with when'],
    ],
    [
      'a condition that computes',
      `constraints:\n  - when: 'a > 3'\n    require: [a]${GOOD_REQUEST}`,
      ['11 constraints.0.when: must be a parameter name: a letter, then letters, digits and _'],
    ],
    // names that refer to nothing
    [
      'a rule about an unknown parameter',
      `constraints:\n  - exactly_one_of: [[a, b], c]${GOOD_REQUEST}`,
      [
        '11 constraints.0: names the parameter a, which the tool does not have',
        '11 constraints.0: names the parameter b, which the tool does not have',
        '11 constraints.0: names the parameter c, which the tool does not have',
      ],
    ],
    [
      'a condition about an unknown parameter',
      `constraints:\n  - when: [a, {b: 1}]\n    require: [c]\n    forbid: [d]\n    require_value:\n      e: x${GOOD_REQUEST}`,
      [
        '11 constraints.0: names the parameter a, which the tool does not have',
        '11 constraints.0: names the parameter b, which the tool does not have',
        '11 constraints.0: names the parameter c, which the tool does not have',
        '11 constraints.0: names the parameter d, which the tool does not have',
        '11 constraints.0: names the parameter e, which the tool does not have',
      ],
    ],
    [
      'send_when about an unknown parameter',
      parameter('type: string\nto: body.a\nsend_when:\n  b: true'),
      ['15 parameters.a.send_when: names the parameter b, which the tool does not have'],
    ],
    [
      'a variant chosen by an unknown parameter',
      'request:\n  - when: a\n    method: GET\n    path: /a\n  - method: GET\n    path: /b',
      ['11 request.0.when: names the parameter a, which the tool does not have'],
    ],
    [
      'a scope nobody declares',
      `scopes: [books:read, [books:burn, books:write]]${GOOD_REQUEST}`,
      ['10 scopes.1: names the scope books:burn, which no auth block of books declares'],
    ],
    [
      'a limit nobody declares',
      `limit: hourly${GOOD_REQUEST}`,
      ['10 limit: names the group hourly, which the limits of books do not have'],
    ],
    [
      'a host that is not there',
      'request:\n  method: GET\n  path: /books\n  host: 2',
      ['13 request.host: books has 2 hosts, counted from 0'],
    ],
    // path slots
    [
      'a slot without parameter',
      'request:\n  method: GET\n  path: /books/{id}',
      ['12 request.path: has the slot {id}, which no parameter fills'],
    ],
    [
      'a slot that may stay empty',
      'parameters:\n  id:\n    type: string\n    description: Id.\nrequest:\n  method: GET\n  path: /books/{id}',
      ['16 request.path: has the slot {id}, but id may be absent: make it required'],
    ],
    [
      'a parameter for a slot that is not there',
      parameter('type: string\nto: path.id'),
      ['14 parameters.a.to: names the slot {id}, which no path has'],
    ],
    [
      'dots in a path',
      'request:\n  method: GET\n  path: /books/../admin',
      ['12 request.path: must not have "." or ".." as a part, or start with //'],
    ],
    [
      'two slashes at the start of a path',
      'request:\n  method: GET\n  path: //evil.test',
      ['12 request.path: must not have "." or ".." as a part, or start with //'],
    ],
    [
      'a brace that is no slot',
      'request:\n  method: GET\n  path: /books/{a b}',
      ['12 request.path: must be a path that starts with / and has no blank, ? or #'],
    ],
    [
      'an unfinished slot',
      'request:\n  method: GET\n  path: /books/{id',
      ['12 request.path: has a { or } that is no {slot}'],
    ],
    // places
    [
      'a parameter that goes nowhere',
      parameter('type: string'),
      ['11 parameters.a: goes nowhere: give it a to, or to: none'],
    ],
    [
      'two values in one place',
      'parameters:\n  a:\n    type: string\n    to: body.x\n    description: A value.\n  b:\n    type: string\n    to: body.x\n    description: A value.\nrequest:\n  method: POST\n  path: /books\n  fixed:\n    body.y: 1',
      ['17 parameters.b.to: is also where parameter a goes'],
    ],
    [
      'a parameter where a fixed value is',
      parameter('type: string\nto: query.v').concat('\n  fixed:\n    query.v: 1'),
      ['14 parameters.a.to: is also where fixed query.v goes'],
    ],
    [
      'a value inside a plain one',
      'parameters:\n  a:\n    type: string\n    to: body.x\n    description: A value.\n  b:\n    type: string\n    to: body.x.y\n    description: A value.\nrequest:\n  method: POST\n  path: /books',
      ['17 parameters.b.to: lies inside body.x, where the parameter a puts a plain value'],
    ],
    [
      'a body in a GET request',
      parameter('type: string\nto: body.a').replace('POST', 'GET'),
      ['14 parameters.a.to: goes to the body of a GET request'],
    ],
    [
      'an object in a query',
      parameter('type: object\nto: query.a'),
      ['14 parameters.a.to: cannot hold an object: only the body can'],
    ],
    [
      'a list in a header',
      parameter('type: array\nitems: {type: string}\nto: header.X-A'),
      ['15 parameters.a.to: cannot hold a list: add encode: csv'],
    ],
    [
      'a header that belongs to the client',
      parameter('type: string\nto: header.Host'),
      ['14 parameters.a.to: sets Host, which a tool must not set'],
    ],
    [
      'a fixed credential',
      parameter('type: string\nto: none').concat('\n  fixed:\n    header.Authorization: Bearer x'),
      ['19 request.fixed.header.Authorization: sets Authorization, which a tool must not set'],
    ],
    [
      'a kind of body that is no JSON',
      parameter('type: string\nto: none').concat('\n  fixed:\n    header.Content-Type: text/xml'),
      ['19 request.fixed.header.Content-Type: sets Content-Type, which a tool must not set'],
    ],
    [
      'values of accounts that its connector has not',
      parameter('type: string\nto: none').concat('\n  from_account:\n    body.Db: database'),
      ['18 request.from_account: takes what only accounts of type TRUSTED_IDP bring'],
    ],
    [
      'a value that no account has',
      parameter('type: string\nto: none').concat('\n  from_account:\n    body.Db: token'),
      ['19 request.from_account.body.Db: must be one of cluster, workgroup, database, db_user'],
    ],
    [
      'a value of the account outside the body',
      parameter('type: string\nto: none').concat('\n  from_account:\n    query.db: database'),
      ['19 request.from_account.query.db: must be body.a.b'],
    ],
    [
      'a prototype in an address',
      parameter('type: string\nto: body.constructor.prototype.x'),
      ['14 parameters.a.to: has a key that is not a plain member'],
    ],
    // parameters
    [
      'the reserved name account',
      'parameters:\n  account:\n    type: string\n    to: none\n    description: A value.' + GOOD_REQUEST,
      ['11 parameters.account: is a reserved name: account chooses the connected account'],
    ],
    [
      'a name every object has',
      'parameters:\n  constructor:\n    type: string\n    to: none\n    description: A value.' + GOOD_REQUEST,
      ['11 parameters.constructor: is a reserved name'],
    ],
    [
      'a lower limit above the upper one',
      parameter('type: integer\nto: none\nminimum: 5\nmaximum: 4'),
      ['15 parameters.a.minimum: minimum 5 is greater than maximum 4'],
    ],
    [
      'lengths that contradict',
      parameter('type: string\nto: none\nmin_length: 5\nmax_length: 4'),
      ['15 parameters.a.min_length: min_length 5 is greater than max_length 4'],
    ],
    [
      'a limit of another type',
      parameter('type: boolean\nto: none\nmaximum: 5\nformat: date'),
      [
        '15 parameters.a.maximum: has no meaning for the type boolean',
        '16 parameters.a.format: has no meaning for the type boolean',
      ],
    ],
    [
      'a limit of another type in items',
      parameter(
        'type: array\nto: none\nitems:\n  type: object\n  properties:\n    x:\n      type: string\n      minimum: 3',
      ),
      ['20 parameters.a.items.properties.x.minimum: has no meaning for the type string'],
    ],
    [
      'members of what is no object, and a limit of another type in a member',
      parameter('type: string\nto: none\nproperties:\n  x:\n    type: string\n    minimum: 3'),
      [
        '15 parameters.a.properties: has no meaning for the type string',
        '18 parameters.a.properties.x.minimum: has no meaning for the type string',
      ],
    ],
    [
      'a list without items',
      parameter('type: array\nto: none'),
      ['11 parameters.a: is a list and needs items: {type: …}'],
    ],
    [
      'a broken pattern',
      parameter("type: string\nto: none\npattern: '('"),
      ['15 parameters.a.pattern: is not a valid regular expression'],
    ],
    [
      'a pattern that looks ahead',
      parameter("type: string\nto: none\npattern: '^(?!x).*$'"),
      ['15 parameters.a.pattern: looks ahead, which cannot be matched in linear time'],
    ],
    [
      'a pattern that refers back, inside a list',
      parameter(`type: array\nto: none\nitems:\n  type: string\n  pattern: '^(a)\\1$'`),
      ['17 parameters.a.items.pattern: refers back to a group, which cannot be matched in linear time'],
    ],
    [
      'an enum that repeats itself',
      parameter('type: string\nto: none\nenum: [x, x]'),
      ['15 parameters.a.enum: lists a value twice'],
    ],
    [
      'a default outside the enum',
      parameter('type: string\nto: none\nenum: [x]\ndefault: y'),
      ['16 parameters.a.default: must be one of x'],
    ],
    [
      'a default of another type',
      parameter('type: integer\nto: none\ndefault: ten'),
      ['15 parameters.a.default: must be a number'],
    ],
    [
      'a default beyond the limit',
      parameter('type: integer\nto: none\nmaximum: 5\ndefault: 6'),
      ['16 parameters.a.default: must be at most 5'],
    ],
    [
      'a default that is no such format',
      parameter('type: string\nto: none\nformat: date\ndefault: today'),
      ['16 parameters.a.default: must be a date such as 2026-11-20'],
    ],
    [
      'a default of a required parameter',
      parameter('type: string\nto: none\nrequired: true\ndefault: x'),
      ['16 parameters.a.default: has no effect on a required parameter'],
    ],
    [
      'a default that has to go beside an unknown parameter',
      parameter('type: string\nto: none\ndefault: x\ndefault_unless: b'),
      ['16 parameters.a.default_unless: names the parameter b, which the tool does not have'],
    ],
    [
      'a default that has to go beside itself',
      parameter('type: string\nto: none\ndefault: x\ndefault_unless: a'),
      ['16 parameters.a.default_unless: names the parameter itself'],
    ],
    [
      'no default that could go',
      parameter('type: string\nto: none\ndefault_unless: a'),
      ['15 parameters.a.default_unless: has no effect without a default'],
    ],
    [
      'a default of a choice',
      parameter('type: string\nto: none\ndefault: x').concat('\nconstraints:\n  - at_least_one_of: [a, a]'),
      [
        '20 constraints.0: names the parameter a, whose default would break the rule: remove the default',
        '20 constraints.0: names the parameter a, whose default would break the rule: remove the default',
      ],
    ],
    [
      'a default that decides a variant',
      'parameters:\n  a:\n    type: string\n    to: none\n    default: x\n    description: A value.\nrequest:\n  - when: a\n    method: GET\n    path: /a\n  - method: GET\n    path: /b',
      ['17 request.0.when: a has a default and is therefore always given'],
    ],
    [
      'a variant that hides the next',
      'request:\n  - method: GET\n    path: /a\n  - method: GET\n    path: /b',
      ['11 request.0: applies always, so that the variants after it are never used: give it a when'],
    ],
    [
      'csv of text',
      parameter('type: string\nto: query.a\nencode: csv'),
      ['15 parameters.a.encode: csv needs the type array'],
    ],
    [
      'json outside the body',
      parameter('type: string\nto: query.a\nencode: json'),
      ['15 parameters.a.encode: json makes a value for the body: give it to: body.…'],
    ],
    [
      'warnings over free text',
      parameter('type: string\nto: query.a\nwarnings:\n  x: Not done.'),
      ['15 parameters.a.warnings: needs a list of possible values: an enum, or the type boolean'],
    ],
    [
      'a warning about an impossible value',
      parameter('type: string\nto: query.a\nenum: [b]\nwarnings:\n  c: Not done.'),
      ['16 parameters.a.warnings: has c, which is not a possible value'],
    ],
    [
      'null for a tool that does not update',
      parameter('type: string\nto: body.a\nnullable: true'),
      ['15 parameters.a.nullable: has no meaning unless the tool updates'],
    ],
    [
      'a local time without a handler',
      parameter('type: string\nto: query.a\nformat: date-time\naccepts_local_time: true'),
      ['16 parameters.a.accepts_local_time: needs format: date-time, and a handler that knows the zone'],
    ],
    [
      'a list for a number',
      parameter('type: integer\nto: query.a\naccepts_list: true'),
      ['15 parameters.a.accepts_list: has no meaning for the type integer'],
    ],
    [
      'a map over free text',
      parameter('type: string\nto: query.a\nmap:\n  x: y'),
      ['15 parameters.a.map: needs a list of possible values: an enum, or the type boolean'],
    ],
    [
      'a map of an impossible value',
      parameter('type: boolean\nto: query.a\nmap:\n  maybe: 1'),
      ['15 parameters.a.map: has maybe, which is not a possible value'],
    ],
    [
      'map and encode together',
      parameter('type: string\nto: body.a\nenum: [x]\nencode: json\nmap:\n  x: y'),
      ['17 parameters.a.map: cannot be used together with encode'],
    ],
    [
      'a deadline above the longest',
      `deadline:\n  headers: 5s\n  total: 56s${GOOD_REQUEST}`,
      ['12 deadline.total: must be at most 55s'],
    ],
    [
      'headers later than the whole',
      `deadline:\n  headers: 50s\n  total: 40s${GOOD_REQUEST}`,
      ['11 deadline.headers: must not be longer than total'],
    ],
    [
      'a duration in words',
      `deadline:\n  headers: soon\n  total: 40s${GOOD_REQUEST}`,
      ['11 deadline.headers: must be a duration such as 500ms or 50s'],
    ],
  ])('refuses a tool with %s', (_, body, expected) => {
    expect(toolProblems(body)).toEqual(expected);
  });

  it('accepts a path slot filled by a parameter that a rule requires', () => {
    const body = `
parameters:
  id: { type: string, description: A value. }
  all: { type: boolean, to: query.all, description: A value. }
constraints:
  - when: { all: false }
    require: [id]
request:
  method: GET
  path: /books/{id}`;
    expect(toolProblems(body)).toEqual([]);
  });

  it('refuses a placed parameter together with a handler', () => {
    const body =
      'parameters:\n  a:\n    type: string\n    to: body.a\n    description: A value.\nhandler: books/x';
    expect(toolProblems(body, new Set(['books/x']))).toEqual([
      '13 parameters.a.to: has no effect: the handler places its parameters itself',
    ]);
  });

  it('refuses a shaped answer together with a handler', () => {
    expect(toolProblems('handler: books/x\nresponse:\n  pick: data')).toEqual([
      '12 response.pick: has no effect: the handler makes the result',
    ]);
  });

  it.each([
    ['response:\n  as: text\n  pick: data', '16 response.pick: has no effect: the result is text'],
    ['response:\n  as: text\n  empty: {}', '16 response.empty: has no effect: the result is text'],
  ])('refuses to shape a text answer: %j', (body, problem) => {
    expect(toolProblems(`${GOOD_REQUEST}\n${body}`)).toEqual([problem]);
  });

  it('refuses a text answer together with a handler', () => {
    expect(toolProblems('handler: books/x\nresponse:\n  as: text')).toEqual([
      '12 response.as: has no effect: the handler makes the result',
    ]);
  });

  it('refuses a tool with the name of another connector', () => {
    const files = {
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': toolsetFile(GOOD_REQUEST, 'films_find'),
    };
    expect(problemsOf(files)).toEqual(['books/t.yaml:3 films_find: name: must start with books_']);
  });

  it('refuses a second definition with the place of the first', () => {
    const files = {
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/a.yaml': toolsetFile(GOOD_REQUEST),
      'books/b.yaml': toolsetFile(GOOD_REQUEST),
    };
    expect(problemsOf(files)).toEqual([
      'books/b.yaml:3 name: the tool books_find is already declared in /books/a.yaml:3',
    ]);
  });

  it('reports every missing key of an incomplete tool', () => {
    const files = {
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/t.yaml': 'connector: books\ntools:\n  - name: books_x\n',
    };
    expect(problemsOf(files)).toEqual([
      ...['title', 'description', 'effect', 'source'].map(
        (key) => `books/t.yaml:3 books_x: ${key}: is required`,
      ),
      'books/t.yaml:3 books_x: must have a request, or a handler instead of it',
    ]);
  });

  it('skips the check against a connector with an invalid file', () => {
    const files = {
      'books/connector.yaml': BOOKS_CONNECTOR.replace('title: Book shop\n', ''),
      'books/t.yaml': toolsetFile(`limit: none\nscopes: [x]${GOOD_REQUEST}`),
    };
    expect(problemsOf(files)).toEqual(['books/connector.yaml:1 title: is required']);
  });
});
