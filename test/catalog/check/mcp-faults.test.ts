/** What a connector.yaml may say about a remote MCP server. */
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import { catalogFolder, problemsOf } from '../files.ts';

const TRACKER = `name: tracker
title: Tracker
description: Issues of a team.
mcp:
  url: https://mcp.tracker.example/mcp/
auth:
  - type: NO_AUTH
`;

const problems = (text: string, tools = ''): string[] =>
  problemsOf({ 'tracker/connector.yaml': text, ...(tools !== '' && { 'tracker/issues.yaml': tools }) }).map(
    (line) => line.replace('tracker/', ''),
  );

describe('check of a connector for a remote MCP server', () => {
  it('fills in everything but the address, which is its only host', () => {
    expect(
      loadCatalog([catalogFolder({ 'tracker/connector.yaml': TRACKER })]).connectors.get('tracker'),
    ).toEqual({
      name: 'tracker',
      title: 'Tracker',
      description: 'Issues of a team.',
      hosts: [{ url: 'https://mcp.tracker.example/mcp/', placeholders: {} }],
      mcp: {
        url: 'https://mcp.tracker.example/mcp/',
        placeholders: {},
        pin: 'full',
        transport: 'http',
        era: 'auto',
        timeoutMs: 120_000,
        idleTimeoutMs: 30_000,
        output_schemas: 'on',
        elicitation_hosts: [],
        max_tools: 1_000,
      },
      auth: [{ type: 'NO_AUTH', fields: [] }],
      errors: { message: [], code: [], reconnect: [401], conflicts: [] },
      limits: {},
      needsNoOperator: true,
    });
  });

  it('accepts a selection of tools with words of its own for some', () => {
    const tools = `tools:
  include: ['*issue*']
  exclude: [delete_*]
  override:
    create_issue: {name: tracker_new_issue, title: Create an issue, effect: create, toolset: issues}
    search: {description: Finds issues., effect: read, output_schemas: off}
limits:
  calls: {per_minute: 60}
`;
    expect(problems(TRACKER + tools)).toEqual([]);
  });

  it('reports every mistake at once, each with its line', () => {
    const wrong = `name: tracker
title: Tracker
description: Issues of a team.
mcp:
  url: https://{team}.tracker.example/mcp?key=1
  placeholders:
    site: '[a-z]+'
hosts:
  - url: https://api.tracker.example
proxy_headers: [Tracker-Version]
result: {drop: [a]}
limits:
  search: {per_minute: 60}
auth:
  - type: OAUTH
    oauth: {authorization_url: https://tracker.example/a, token_url: https://tracker.example/t}
  - type: BEARER_TOKEN
    fields: [{name: token, label: Token}]
    check: {path: /me}
tools:
  override:
    a: {name: other_a}
    b: {name: tracker_b}
    c: {name: tracker_b}
`;
    expect(problems(wrong)).toEqual([
      'connector.yaml:5 mcp.url: must be https://host (or http://host inside your own network), perhaps with a path, without query and user name',
      'connector.yaml:5 mcp.url: has the placeholder {team}, which placeholders does not describe',
      'connector.yaml:7 mcp.placeholders.site: is not in the url',
      'connector.yaml:8 hosts: has no effect with mcp: remove it',
      'connector.yaml:10 proxy_headers: has no effect with mcp: remove it',
      'connector.yaml:11 result: has no effect with mcp: remove it',
      'connector.yaml:13 limits.search: is not counted: the tools of an MCP server have the group calls only',
      'connector.yaml:15 auth.0.type: OAUTH is not for MCP servers',
      'connector.yaml:19 auth.1.check: has no effect with mcp: remove it',
      'connector.yaml:22 tools.override.a.name: must start with tracker_',
      'connector.yaml:24 tools.override.c.name: tracker_b is the name of two tools',
    ]);
  });

  it('wants an issuer that several servers could claim to have its authorization server', () => {
    const own = `name: tracker
title: Tracker
description: Issues of a team.
mcp: {url: 'https://{team}.tracker.example/mcp', placeholders: {team: '[a-z]+'}}
auth:
  - type: MCP_OAUTH
    mcp_oauth:
      issuer: https://id.tracker.example
`;
    expect(problems(own)).toEqual([
      'connector.yaml:8 auth.0.mcp_oauth.issuer: needs authorization_server beside it, because the url has placeholders',
    ]);
    expect(problems(`${own}      authorization_server: https://id.tracker.example\n`)).toEqual([]);
  });

  it('takes no tools from a file of their own', () => {
    const tools = `connector: tracker
tools:
  - name: tracker_find
    title: Find issues
    description: Finds issues by their words.
    effect: read
    source: {url: https://tracker.example/docs, checked: '2026-11-20'}
    request: {method: GET, path: /issues}
`;
    expect(problems(TRACKER, tools)).toEqual([
      'issues.yaml:3 tracker_find: name: is a tool of tracker, whose tools its MCP server lists: remove it',
    ]);
  });

  it('asks an API for its hosts, and refuses a selection of tools there', () => {
    const [, , , , , ...auth] = TRACKER.split('\n');
    const api = ['name: tracker', 'title: Tracker', 'description: Issues of a team.', 'tools: {}', ...auth];
    expect(problems(api.join('\n'))).toEqual([
      'connector.yaml:1 hosts: must name at least one host, or mcp the address of an MCP server',
      'connector.yaml:4 tools: is for MCP servers only: tools of an API are in files of their own',
    ]);
  });
});
