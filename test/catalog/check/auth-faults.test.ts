/** Mistakes in the blocks of an authorization type, each found at load with its line. */
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../files.ts';

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
