/** `gatehouse upstreams` against a real installation and MCP servers on loopback. */
import { join } from 'node:path';
import { UpstreamOperators } from '../../../src/upstream/operators/upstream-operators.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { app } from '../../../src/cli/terminal/app.ts';
import { startMcpProvider, type McpProvider } from '../../support/mcp-provider.ts';
import { noteTool, startNotesServer, type NotesServer } from '../../upstream/notes-server.ts';
import { emptyFolder, fakeAdmin, gatehouse, type CommandResult } from '../cli-support.ts';

let folder: string;
let notes: NotesServer;
let provider: McpProvider;

beforeAll(async () => {
  folder = emptyFolder();
  notes = await startNotesServer('modern');
  notes.tools['*'] = [noteTool('search-notes'), noteTool('addNote', { annotations: {} })];
  provider = await startMcpProvider();
});
afterAll(async () => {
  await notes.close();
  await provider.close();
});

async function run(argv: string[], stdin = ''): Promise<CommandResult> {
  const origins = [notes.origin, provider.server.origin, provider.authorizer.origin];
  const env = {
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_PORT: '4300',
    GATEHOUSE_ALLOW_PRIVATE_HOSTS: origins.map((origin) => new URL(origin).host).join(','),
  };
  return gatehouse(argv, { app, folder, stdin, terminal: { env } });
}

const upstreams = async (...argv: string[]): Promise<CommandResult> => run(['upstreams', ...argv]);

async function answer(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await upstreams(...argv, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('gatehouse upstreams', () => {
  it('says what a server is and stores nothing until it is confirmed', async () => {
    const looked = await upstreams('probe', notes.url, '--name', 'memos', '--auth', 'header:x-api-key');
    expect([looked.code, looked.stderr]).toEqual([
      0,
      'Looking at the server …\nIt lists 2 tools without a credential, too.\n',
    ]);
    expect(looked.stdout).toMatch(/^state +not_added$/m);
    const unconfirmed = await upstreams('add', notes.url, '--name', 'memos');
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
      2,
      'Looking at the server …\nIt asks for no credential and lists 2 tools. Everybody is the same to it.\ngatehouse: Add memos? There is no terminal to answer on: give --yes.\n',
    ]);
    expect(await answer('list')).toEqual({ upstreams: [] });
  });

  it('adds a server, and shows and publishes what an account brings', async () => {
    const options = ['--name', 'memos', '--auth', 'header:x-api-key', '--connector'];
    const added = await upstreams('add', notes.url, ...options, '{"mcp":{"approval":"manual"}}', '--yes');
    expect(added.code).toBe(0);
    expect(added.stdout).toMatch(/^state +no_list$/m);
    expect(added.stderr).toMatch(
      /Added memos\.\nConnect the first account with this link, until \S+; Gatehouse has to be running:\n\n {2}http:\/\/127\.0\.0\.1:4300\/connect\/\S+\n/,
    );
    expect(added.stderr).toContain(
      '"gatehouse upstreams diff memos", then "gatehouse upstreams approve memos --all"',
    );
    const missing =
      'No account of memos has brought a list of tools yet. Connect one with "gatehouse connect memos".\n';
    expect((await upstreams('diff', 'memos')).stderr).toBe(missing);
    expect(await upstreams('approve', 'memos', '--all')).toMatchObject({
      code: 1,
      stderr: `gatehouse: ${missing}`,
    });
    expect((await run(['connect', 'memos', '--user', 'ada'], 'key-of-ada-0123456789\n')).code).toBe(0);

    const waiting = await upstreams('diff', 'memos');
    expect(waiting.stdout.split('\n').slice(0, 3)).toEqual([
      'memos_add_note, new: addNote, effect delete',
      '  + name: addNote',
      '  + description: Does addNote.',
    ]);
    const list = await upstreams('list');
    expect(list.stdout.split('\n')[1]).toMatch(/^memos .* API_KEY +waiting_for_approval +2 +0 +2$/);

    expect((await upstreams('approve', 'memos')).stderr).toContain('Name the tools, or give --all.');
    expect((await upstreams('approve', 'memos', 'nothing', '--yes')).stderr).toContain(
      'Nothing waits as nothing. Waiting: addNote, search-notes.',
    );
    const one = await upstreams(
      'approve',
      'memos',
      'addNote',
      '--effect',
      'create',
      '--as',
      'memos_write',
      '--yes',
    );
    expect([one.code, one.stderr]).toEqual([0, 'Approved 1 tool. 1 are published.\n']);
    expect((await upstreams('approve', 'memos', '--all', '--yes')).code).toBe(0);
    expect(await answer('show', 'memos')).toMatchObject({ state: 'ready', tools: { approved: 2 } });

    notes.tools['*'] = [
      noteTool('search-notes', { description: 'Does\u202e more.' }),
      noteTool('addNote', { annotations: {} }),
    ];
    const { host, pathname } = new URL(notes.url);
    expect(await answer('probe', `HTTP://${host}${pathname}`)).toMatchObject({ name: 'memos', accounts: 2 });
    expect((await upstreams('diff', 'memos')).stdout).toBe(
      [
        'memos_search_notes, held: search-notes, effect read',
        '  ! hidden in description: Does[U+202E] more.',
        '  - description: Does search notes.',
        '  + description: Does[U+202E] more.',
        '',
      ].join('\n'),
    );
    const called = await run(['tools', 'call', 'memos_write', '--user', 'ada', '--input', '{"text":"milk"}']);
    expect([called.code, called.stdout]).toEqual([0, expect.stringContaining('addNote by')]);
    const refused = await upstreams('remove', 'memos', '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'gatehouse: memos has connected accounts: give --with-accounts to delete them too. "gatehouse accounts list --connector memos" lists them.\n',
    ]);
  });

  it('deletes no account of what then cannot be removed', async () => {
    const folder = emptyFolder();
    const server = (more: object) => ({ name: 'memos', connector: 'memos', accounts: 1, ...more });
    const added = { added_at: '2026-11-01T00:00:00Z' };
    const refusal = async (...servers: object[]): Promise<[number, string]> => {
      const operators: object = Object.create(UpstreamOperators.prototype) as object;
      Object.assign(operators, { get: async () => servers[0], list: async () => servers });
      const { openAdmin } = fakeAdmin({ upstreams: { operators: operators as never } });
      const argv = ['upstreams', 'remove', 'memos', '--with-accounts', '--yes'];
      const { code, stderr } = await gatehouse(argv, { app: { openAdmin }, folder });
      return [code, stderr];
    };
    expect(await refusal(server({ added_at: null }))).toEqual([
      1,
      'gatehouse: A file of the catalog declares memos: remove it there. Nothing was deleted.\n',
    ]);
    expect(await refusal(server(added), server({ ...added, name: 'memos_of_eve' }))).toEqual([
      1,
      'gatehouse: memos_of_eve has accounts at the same server: delete them first. Nothing was deleted.\n',
    ]);
  });

  it('removes a server with its accounts, whatever others are at the same address', async () => {
    const options = ['--auth', 'header:x-api-key', '--yes'];
    for (const name of ['pages', 'papers']) {
      expect((await upstreams('add', notes.url, '--name', name, ...options)).code).toBe(0);
      expect((await run(['connect', name, '--user', 'ada'], 'key-of-ada-0123456789\n')).code).toBe(0);
    }
    expect(await answer('remove', 'pages', '--with-accounts', '--yes')).toEqual({});
    expect(await answer('show', 'papers')).toMatchObject({ accounts: 2 });
    expect(await answer('remove', 'papers', '--with-accounts', '--yes')).toEqual({});
  });

  it('gives a link for the consent of a server, accepts its new authorization server, and registers again', async () => {
    const { upstream, link } = await answer('add', provider.url, '--name', 'tracker', '--yes');
    expect(upstream).toMatchObject({ authorization_type: 'MCP_OAUTH', issuer: provider.authorizer.origin });
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:4300\/connect\//);
    expect((await upstreams('accept', 'tracker')).stderr).toBe(
      'gatehouse: No change of the authorization server of tracker waits.\n',
    );
    expect((await upstreams('reregister', 'tracker')).stderr).toBe(
      'The next consent of tracker registers a new client.\n',
    );
    expect((await upstreams('reregister', 'traker')).stderr).toContain('Did you mean tracker?');
    expect((await upstreams('remove', 'tracker', '--yes')).stderr).toContain('--with-accounts');
    expect(await answer('remove', 'tracker', '--with-accounts', '--yes')).toEqual({});
  });

  it('prints a table of listed servers, and fails if one of them does', async () => {
    const row = { name: 'memos', url: 'https://mcp.memos.example/mcp', listed_on: '2026-08-21' };
    const good = { ...row, outcome: 'as_listed', found: 'oauth', message: null };
    const bad = { ...row, name: 'gone', outcome: 'failed', found: null, message: 'It cannot be reached.' };
    const verified = async (...servers: object[]) => {
      const verify = async (names: unknown) => {
        expect(names).toEqual(['memos']);
        return servers;
      };
      const { openAdmin } = fakeAdmin({ upstreams: { operators: { verify } as never } });
      return gatehouse(['upstreams', 'verify', 'memos'], { app: { openAdmin } });
    };
    expect((await verified(good)).code).toBe(0);
    const failed = await verified(good, bad);
    expect(failed.code).toBe(1);
    expect(failed.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'URL', 'LISTED_ON', 'OUTCOME', 'FOUND', 'MESSAGE'],
      ['memos', row.url, '2026-08-21', 'as_listed', 'oauth', '-'],
      ['gone', row.url, '2026-08-21', 'failed', '-', 'It cannot be reached.'],
      [''],
    ]);
    expect(failed.stderr).toContain('1 of 2 cannot be used as listed.');
  });

  it('names the public server that was probably meant', async () => {
    const { code, stderr } = await upstreams('add', 'notoin', '--yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Did you mean notion?')]);
  });
});
