/** Mistakes in the blocks of an authorization type, each found at load with its line. */
import { describe, expect, it } from 'vitest';
import { problemsOf, toolsetFile } from '../files.ts';

/** A connector whose only entry is `auth`, indented as in a file. */
const connector = (auth: string): Record<string, string> => ({
  'books/connector.yaml': `name: books
title: Book shop
description: Finds books.
hosts:
  - url: https://{shop}.books.example.test
    placeholders:
      shop: '[a-z0-9-]{1,40}'
auth:
${auth
  .trim()
  .split('\n')
  .map((line) => `  ${line}`)
  .join('\n')}
`,
});

const problems = (auth: string): string[] =>
  problemsOf(connector(auth)).map((problem) => problem.replace('books/connector.yaml:', ''));

const M2M = `
- type: OAUTH_M2M
  scopes:
    read: Read books.
  oauth_m2m:
    token_url: https://{shop}.books.example.test/token
    scopes: [read]
`;
const DWD = `
- type: WORKSPACE_DWD
  scopes:
    read: Read books.
  workspace_dwd:
    token_url: https://login.example.test/token
    scopes: [read]
`;
const IDP = `
- type: TRUSTED_IDP
  trusted_idp:
    sts_url: https://sts.{region}.example.test/
    placeholders:
      region: '[a-z0-9-]{1,30}'
    service: books
`;
const SMART = `
- type: SMART_FHIR
  scopes:
    read: Read books.
  smart_fhir:
    scopes: [read]
`;
const BOARD = `
- type: BOARD_OAUTH1
  board_oauth1:
    flow: oauth1
    authorization_url: https://board.example.test/authorize
    request_token_url: https://board.example.test/request
    access_token_url: https://board.example.test/access
`;

describe('check of authorization entries in a connector', () => {
  it.each([M2M, DWD, IDP, SMART, BOARD])('accepts a complete entry of each type (%#)', (auth) => {
    expect(problems(auth)).toEqual([]);
  });

  it.each([
    ['OAUTH', 'where and how consent is asked for'],
    ['OAUTH_M2M', 'where a token for client credentials comes from'],
    ['WORKSPACE_DWD', 'where the assertion of a service account is exchanged'],
    ['TRUSTED_IDP', 'how temporary credentials are obtained'],
    ['SMART_FHIR', 'what the discovered endpoints are asked for'],
    ['BOARD_OAUTH1', 'where and how a token is asked for'],
  ])('requires the block of its type for %s', (type, purpose) => {
    expect(problems(`- type: ${type}`)).toEqual([
      `9 auth.0: ${type} needs ${type.toLowerCase()}: ${purpose}`,
    ]);
  });

  it.each([
    [
      'the block of another type',
      M2M + '  smart_fhir: {}\n',
      ['15 auth.0.smart_fhir: is for SMART_FHIR only: remove it from OAUTH_M2M'],
    ],
    [
      'a scope that it does not describe',
      M2M.replace('[read]', '[write]'),
      ['14 auth.0.oauth_m2m.scopes.0: names write, which is not in the scopes of the entry'],
    ],
    [
      'a placeholder that nobody describes',
      M2M.replace('{shop}', '{store}'),
      ['13 auth.0.oauth_m2m.token_url: has the placeholder {store}, which placeholders does not describe'],
    ],
    [
      'a token parameter that is ours',
      M2M + '    token_parameters:\n      scope: all\n',
      ['16 auth.0.oauth_m2m.token_parameters.scope: is set by Gatehouse: remove it'],
    ],
    [
      'the parameter aud of a consent',
      SMART + '    authorize_parameters:\n      aud: https://books.example.test\n',
      ['15 auth.0.smart_fhir.authorize_parameters.aud: is set by Gatehouse: remove it'],
    ],
    [
      'the key in a consent to a board',
      BOARD + '    authorize_parameters:\n      expiration: never\n      key: abc\n',
      ['17 auth.0.board_oauth1.authorize_parameters.key: is set by Gatehouse: remove it'],
    ],
    [
      'an origin of endpoints that is none',
      SMART + '    endpoint_origins: [https://login.example.test/path]\n',
      ['14 auth.0.smart_fhir.endpoint_origins.0: must be an origin such as https://login.example.com'],
    ],
    [
      'an unknown key in a block',
      DWD + '    audience: x\n',
      ['15 auth.0.workspace_dwd.audience: is not a key that exists here'],
    ],
    [
      'a field that its type does not have',
      DWD + '  fields:\n    - name: email\n      label: Email\n',
      ['16 auth.0.fields.0: WORKSPACE_DWD has the fields subject only'],
    ],
    [
      'fields of a consent',
      SMART + '  fields:\n    - name: email\n      label: Email\n',
      ['14 auth.0.fields: SMART_FHIR has no fields'],
    ],
    [
      'a region that cannot be known',
      IDP.replace('.{region}', '').replace(/ {4}placeholders:\n.*\n/, ''),
      ['10 auth.0.trusted_idp: needs region, or the placeholder {region} in sts_url'],
    ],
    [
      'a lifetime that AWS does not give',
      IDP + '    duration_seconds: 600\n',
      ['15 auth.0.trusted_idp.duration_seconds: must be at least 900'],
    ],
    [
      'the flow oauth1 without its addresses',
      BOARD.replace(/ {4}request_token_url.*\n/, ''),
      ['10 auth.0.board_oauth1: the flow oauth1 needs request_token_url'],
    ],
    [
      'addresses of the other flow',
      BOARD.replace('flow: oauth1', 'flow: token'),
      [
        '13 auth.0.board_oauth1.request_token_url: is for the flow oauth1 only: remove it',
        '14 auth.0.board_oauth1.access_token_url: is for the flow oauth1 only: remove it',
      ],
    ],
    [
      'attach although it has a fixed place',
      M2M + '  attach:\n    in: header\n    name: x\n    field: client_id\n',
      [
        '15 auth.0.attach: OAUTH_M2M has a fixed place: remove attach',
        '18 auth.0.attach.field: names client_id, which is not a field',
      ],
    ],
  ])('refuses an entry with %s', (_, auth, expected) => {
    expect(problems(auth)).toEqual(expected);
  });
});

const FORUM = `
- type: OAUTH
  oauth:
    authorization_url: https://login.example.test/authorize
    token_url: https://login.example.test/token
  attach:
    in: header
    name: x-token
`;
const KEYS = `
- type: API_KEY
  fields:
    - name: api_key
      label: API key
    - name: email
      label: Email
  attach:
    - in: header
      name: x-key
      field: api_key
    - in: query
      name: email
      field: email
      secret: false
`;
const HALF = `
- type: BASIC
  fields:
    - name: username
      label: Key
  fixed:
    password: X
`;

describe('check of the places of a credential', () => {
  it.each([FORUM, KEYS, HALF, HALF.replace('X', "''")])('accepts a complete entry (%#)', (auth) => {
    expect(problems(auth)).toEqual([]);
  });

  it.each([
    [
      'a field of an access token',
      `${FORUM}    field: token\n`,
      ['16 auth.0.attach.field: has no effect: OAUTH sends its access token. Remove it'],
    ],
    [
      'a place without a field',
      KEYS.replace('      field: email\n', ''),
      ['19 auth.0.attach.1.field: is required'],
    ],
    [
      'a field that does not exist',
      KEYS.replace('field: email', 'field: mail'),
      ['21 auth.0.attach.1.field: names mail, which is not a field'],
    ],
    [
      'a place twice',
      KEYS.replace('in: query', 'in: header').replace('name: email\n      field', 'name: X-Key\n      field'),
      ['20 auth.0.attach.1.name: X-Key carries another value already'],
    ],
    [
      'a header that decides which host is meant',
      KEYS.replace('x-key', 'Host'),
      ['17 auth.0.attach.0.name: Host is set by Gatehouse'],
    ],
    [
      'nothing secret',
      KEYS.replace('field: api_key', 'field: api_key\n      secret: false'),
      ['15 auth.0.attach: carries no secret: remove secret from the place that does'],
    ],
    [
      'no place',
      KEYS.replace(/attach:[^]*/, 'attach: []\n'),
      ['15 auth.0.attach: must have at least 1 entry'],
    ],
    [
      'several lines in a second place',
      KEYS.replace('label: Email', 'label: Email\n      input: multiline'),
      [
        '15 auth.0.fields.1.input: several lines cannot be sent as a credential: multiline is for further fields of CUSTOM',
      ],
    ],
    [
      'a half of what has no halves',
      `${KEYS}  fixed:\n    password: X\n`,
      ['23 auth.0.fixed: is for BASIC_AUTH and BASIC: remove it from API_KEY'],
    ],
    [
      'a fixed half that people are asked for',
      HALF.replace('password: X', 'username: X'),
      [
        '9 auth.0: BASIC needs a field named password',
        '14 auth.0.fixed.username: is a field too: the form asks for it',
      ],
    ],
    [
      'two fixed halves',
      HALF.replace('password: X', 'password: X\n    username: a:b').replace('name: username', 'name: other'),
      [
        '13 auth.0.fixed: must have either username or password',
        '15 auth.0.fixed.username: must not have a colon',
      ],
    ],
  ])('refuses an entry with %s', (_, auth, expected) => {
    expect(problems(auth)).toEqual(expected);
  });

  it('keeps fixed headers, requests that try a credential, and tools from its places', () => {
    const check = '  check:\n    path: /me\n    query: {EMAIL: x}\n    headers: {X-KEY: x}\n';
    const files = connector(KEYS + check);
    const text = `${files['books/connector.yaml']}headers:\n  X-Key: x\nproxy_headers: [X-KEY]\n`;
    expect(problemsOf({ 'books/connector.yaml': text })).toEqual([
      'books/connector.yaml:25 auth.0.check.query.EMAIL: EMAIL carries the credential',
      'books/connector.yaml:26 auth.0.check.headers.X-KEY: X-KEY carries the credential',
      'books/connector.yaml:28 headers.X-Key: carries the credential',
      'books/connector.yaml:29 proxy_headers.0: X-KEY carries the credential',
    ]);
    const tools = toolsetFile(`
parameters:
  mail:
    type: string
    to: query.Email
    description: An address.
request:
  method: GET
  path: /books
  fixed:
    header.X-Key: mine`);
    expect(problemsOf({ ...connector(KEYS), 'books/all.yaml': tools })).toEqual([
      'books/all.yaml:13 books_find: parameters.mail.to: is where books sends the credential',
      'books/all.yaml:19 books_find: request.fixed.header.X-Key: is where books sends the credential',
    ]);
  });
});

const KEY = `
- type: API_KEY
  fields:
    - name: api_key
      label: API key
  attach:
    in: query
    name: key
    field: api_key
  check:
    path: /me
`;

describe('check of auth[].check', () => {
  it('takes a path and needs nothing else', () => {
    expect(problems(KEY)).toEqual([]);
  });

  it.each([
    ['path: /me\n    method: POST', ['19 auth.0.check.method: is not a key that exists here']],
    [
      'path: /users/{user}',
      ['18 auth.0.check.path: must be a path that starts with / and has no blank, ?, #, { and }'],
    ],
    ['path: /v1/../me', ['18 auth.0.check.path: must not have "." or ".." as a part, or start with //']],
    ['path: /me\n    host: 1', ['19 auth.0.check.host: books has 1 hosts, counted from 0']],
    ['path: /me\n    query: {Key: x}', ['19 auth.0.check.query.Key: Key carries the credential']],
    [
      'path: /me\n    headers: {Authorization: x}',
      ['19 auth.0.check.headers.Authorization: sets Authorization, which a tool must not set'],
    ],
    [
      'path: /me\n    refused: [401, 404, 429]',
      [
        '19 auth.0.check.refused.1: 404 never means a refused credential',
        '19 auth.0.check.refused.2: 429 never means a refused credential',
      ],
    ],
    ['path: /me\n    refused: [500]', ['19 auth.0.check.refused.0: must be at most 499']],
    ['path: /me\n    refused: []', ['19 auth.0.check.refused: must have at least 1 entry']],
  ])('refuses the check "%s"', (check, expected) => {
    expect(problems(KEY.replace('path: /me', check))).toEqual(expected);
  });

  it.each([
    [M2M, 'OAUTH_M2M'],
    [DWD, 'WORKSPACE_DWD'],
    [IDP, 'TRUSTED_IDP'],
    [SMART, 'SMART_FHIR'],
    [BOARD, 'BOARD_OAUTH1'],
  ])('refuses a check of a credential that is not sent as entered: %#', (auth, type) => {
    const [problem, ...others] = problems(`${auth.trimEnd()}\n  check:\n    path: /me\n`);
    expect(problem).toMatch(
      `auth.0.check: is for credentials that are sent as entered: remove it from ${type}`,
    );
    expect(others).toEqual([]);
  });
});
