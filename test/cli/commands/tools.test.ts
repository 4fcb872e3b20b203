import { inEveryEnvironment } from '../../support/test-catalog.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/cli/terminal/app.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { emptyFolder, fakeAdmin, gatehouse } from '../cli-support.ts';

const search = {
  name: 'websearch_search',
  title: 'Search',
  description: 'Searches the web.',
  effect: 'read',
  connector: 'websearch',
  toolset: 'search',
  scopes: [],
  inputSchema: { type: 'object' },
};
const remove = {
  ...search,
  name: 'crm_delete_note',
  title: 'Delete a note',
  description: 'Deletes.',
  effect: 'delete',
  connector: 'crm',
  toolset: 'notes',
};

const loadCatalog = (async () => ({
  connectors: new Map([
    ['crm', {}],
    ['websearch', {}],
  ]),
  tools: new Map([remove, search].map((tool) => [tool.name, tool])),
})) as unknown as App['loadCatalog'];

describe('gatehouse tools list', () => {
  it('prints the tools as a table', async () => {
    const { stdout } = await gatehouse(['tools', 'list'], { app: { loadCatalog } });
    expect(stdout).toBe(
      'NAME              EFFECT  TOOLSET  TITLE\ncrm_delete_note   delete  notes    Delete a note\nwebsearch_search  read    search   Search\n',
    );
  });

  it.each([
    [['--connector', 'crm'], ['crm_delete_note']],
    [['--toolset', 'websearch.search'], ['websearch_search']],
    [['--toolset', 'search'], ['websearch_search']],
    [['--query', 'WEB searches'], ['websearch_search']],
    [['--query', 'web notes'], []],
  ])('narrows the list by the flags %j', async (flags, names) => {
    const { stdout } = await gatehouse(['tools', 'list', '--json', ...flags], { app: { loadCatalog } });
    expect((JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(
      names,
    );
  });
});

describe('gatehouse tools with an unknown name', () => {
  it.each([
    [['list', '--connector', 'nope'], 'There is no connector nope. There are: crm, websearch.'],
    [['list', '--toolset', 'nope'], 'There is no toolset nope. There are: crm.notes, websearch.search.'],
    [
      ['list', '--toolset', 'notes', '--connector', 'websearch'],
      'There is no toolset notes of websearch. There are: websearch.search.',
    ],
    [['show', 'websearch_serch'], 'There is no tool websearch_serch. Did you mean websearch_search?'],
    [['call', 'something_else'], 'There is no tool something_else. "gatehouse tools list" shows all.'],
  ])('refuses the unknown name as wrong usage: %j', async (words, message) => {
    const { openAdmin } = fakeAdmin({
      catalog: inEveryEnvironment({
        connectors: new Map(),
        tools: new Map([['a_b', search]]) as never,
      }) as never,
    });
    const { code, stderr } = await gatehouse(['tools', ...words], { app: { loadCatalog, openAdmin } });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('gatehouse tools show', () => {
  it('prints the tool exactly as REST shows it', async () => {
    const { stdout } = await gatehouse(['tools', 'show', 'websearch_search', '--json'], {
      app: { loadCatalog },
    });
    const { inputSchema, ...rest } = search;
    expect(JSON.parse(stdout)).toEqual({ ...rest, input_schema: inputSchema });
  });
});

describe('gatehouse tools call', () => {
  function recording() {
    const calls: unknown[] = [];
    const { openAdmin } = fakeAdmin({
      catalog: inEveryEnvironment({
        connectors: new Map(),
        tools: new Map([['a_b', search]]) as never,
      }) as never,
      executor: {
        execute: async (call: { toolName: string; input: unknown; account: unknown }) => {
          calls.push([call.toolName, call.input, JSON.parse(JSON.stringify(call.account))]);
          return {
            data: { answer: 42 },
            executionId: 'exe_1',
            account: { id: 'ca_1', identifier: 'me', connection: 'websearch' },
          };
        },
      },
    });
    return { calls, app: { openAdmin } };
  }

  it.each([
    [[], { userId: 'local' }],
    [['--user', 'alice'], { userId: 'alice' }],
    [['--organization', 'acme', '--identifier', 'sales'], { organizationId: 'acme', identifier: 'sales' }],
    [['--account', 'ca_9'], { id: 'ca_9' }],
  ])('with %j calls for the account %o', async (flags, account) => {
    const { calls, app } = recording();
    const { code, stdout } = await gatehouse(['tools', 'call', 'a_b', ...flags], { app });
    expect([code, JSON.parse(stdout)]).toEqual([0, { answer: 42 }]);
    expect(calls).toEqual([['a_b', {}, account]]);
  });

  it('prints the provider request with --dry-run and calls nothing', async () => {
    const request = { method: 'GET', url: 'https://api.example/x', headers: { key: '[secret]' }, body: null };
    const asked: unknown[] = [];
    const { openAdmin } = fakeAdmin({
      catalog: inEveryEnvironment({
        connectors: new Map(),
        tools: new Map([['a_b', search]]) as never,
      }) as never,
      executor: {
        dryRun: async (call: { toolName: string; input: unknown }) => {
          asked.push([call.toolName, call.input]);
          return { request, note: 'Nothing was sent.' };
        },
      },
    });
    const { code, stdout } = await gatehouse(['tools', 'call', 'a_b', '--dry-run', '--input', '{"q":1}'], {
      app: { openAdmin },
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, { dry_run: true, request, note: 'Nothing was sent.' }]);
    expect(asked).toEqual([['a_b', { q: 1 }]]);
  });

  it('reads the input from the command line, a file or stdin', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'work/in.json'), '{"from":"file"}');
    const { calls, app } = recording();
    await gatehouse(['tools', 'call', 'a_b', '--input', '{"from":"argv"}'], { app });
    await gatehouse(['tools', 'call', 'a_b', '--input', '@in.json'], { app, folder });
    await gatehouse(['tools', 'call', 'a_b', '--input', '-'], { app, stdin: '{"from":"stdin"}' });
    expect(calls.map((call) => (call as unknown[])[1])).toEqual([
      { from: 'argv' },
      { from: 'file' },
      { from: 'stdin' },
    ]);
  });

  it.each([
    [[], 'There is no such connected account. From this terminal: gatehouse connect websearch --user local'],
    [
      ['--organization', 'Acme & Co', '--identifier', 'sales', '--connector', 'my-search'],
      "From this terminal: gatehouse connect my-search --organization 'Acme & Co' --identifier sales",
    ],
    [['--account', 'ca_9'], '"gatehouse accounts list" shows all.'],
  ])('with %j and no such account explains how to connect one', async (flags, advice) => {
    const { openAdmin } = fakeAdmin({
      catalog: inEveryEnvironment({
        connectors: new Map(),
        tools: new Map([[search.name, search]]) as never,
      }) as never,
      executor: {
        execute: async () => {
          throw new ServiceError('RESOURCE_NOT_FOUND', 'There is no such connected account.');
        },
      },
    });
    const argv = ['tools', 'call', 'websearch_search', ...flags];
    const { code, stderr } = await gatehouse(argv, { app: { openAdmin } });
    expect([code, stderr]).toEqual([1, expect.stringContaining(advice)]);
  });

  it('prints execution and account with --json', async () => {
    const { stdout } = await gatehouse(['tools', 'call', 'a_b', '--json'], recording());
    expect(JSON.parse(stdout)).toEqual({
      data: { answer: 42 },
      execution_id: 'exe_1',
      account: { id: 'ca_1', identifier: 'me', connector: 'websearch' },
    });
  });
});
