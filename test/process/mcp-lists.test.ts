/** Tool lists of the real program: the same bytes every time, and what flags and URLs make of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacy, modern } from '../mcp/fixtures.ts';
import { resultOf, textOf, toolsOf } from '../mcp/messages.ts';
import { makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { ROUNDS } from '../support/rounds.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

/** Those that a client which names no toolsets sees. */
const WEBSEARCH_TOOLS = [...shippedCatalog.tools.values()]
  .filter(({ connector, unlisted }) => connector === 'websearch' && unlisted !== true)
  .map(({ name }) => name);

let project: Project;
let served: Served;

beforeAll(async () => {
  project = await makeProject();
  served = await serve(project);
});

afterAll(async () => {
  await served.stop();
  await project.close();
});

const authorized = () => ({ authorization: `Bearer ${served.token}` });

async function listOverHttp(query = ''): Promise<string> {
  const { body } = await modern(`${served.mcpUrl}${query}`, 'tools/list', {}, { headers: authorized() });
  return JSON.stringify(toolsOf(body));
}

/** `tools/list` of a stdio process, raw. */
async function listOverStdio(flags: readonly string[] = []): Promise<string> {
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { id: 2, method: 'tools/list' },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { stdout } = await run(project, ['mcp', ...flags], input);
  const answer = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { id: number; result: { tools: unknown } })
    .find((message) => message.id === 2);
  return JSON.stringify(answer!.result.tools);
}

const namesIn = (list: string): string[] => (JSON.parse(list) as { name: string }[]).map((tool) => tool.name);

describe('MCP tool list of a process', () => {
  it(`stays byte-identical ${ROUNDS.toolLists} times, after a restart, in both eras and over both transports`, async () => {
    const first = await listOverHttp();
    expect(namesIn(first)).toEqual(WEBSEARCH_TOOLS);
    for (let i = 0; i < ROUNDS.toolLists; i++) expect(await listOverHttp()).toBe(first);
    const older = await legacy(served.mcpUrl, 'tools/list', {}, authorized());
    expect(JSON.stringify(toolsOf(older.body))).toBe(first);
    expect(await listOverStdio()).toBe(first);
    await served.stop();
    served = await serve(project);
    expect(await listOverHttp()).toBe(first);
  });

  it('contains the same selection by URL and by flags', async () => {
    const expected = ['websearch_find_similar', 'websearch_search'];
    const narrowed = await listOverHttp(
      '?tools=websearch_search,websearch_find_similar,websearch_websets&read_only=1',
    );
    expect(namesIn(narrowed)).toEqual(expected);
    const flags = ['--tools', 'websearch_search,websearch_find_similar,websearch_websets', '--read-only'];
    expect(await listOverStdio(flags)).toBe(narrowed);
  });

  it('contains the tools that find the others, and those for accounts, with --discovery', async () => {
    expect(namesIn(await listOverStdio(['--discovery']))).toEqual([
      'search_tools',
      'describe_tool',
      'call_read_tool',
      'call_tool',
      'gatehouse_accounts',
      'gatehouse_connect',
    ]);
  });

  it('stops the start with every unknown name', async () => {
    const { code, stderr, stdout } = await run(project, ['mcp', '--connectors', 'crn', '--tools', 'nope']);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'There is no connector "crn". There are: crm, mail, video, warehouse, websearch.',
    );
    expect(stderr).toContain('There is no tool "nope".');
  });

  it('answers 400 for an unknown name in the URL', async () => {
    const answer = await modern(
      `${served.mcpUrl}?toolsets=nope`,
      'tools/list',
      {},
      { headers: authorized() },
    );
    expect(answer.status).toBe(400);
    expect(answer.body.details?.[0]).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
      field_violations: [{ field: 'toolsets' }],
    });
  });

  it('names the accounts of a user with several, and is marked private', async () => {
    await served.connect('ada', 'key-of-one', 'ada@one.example');
    await served.connect('ada', 'key-of-two', 'ada@two.example');
    const as = (user: string) =>
      modern(served.mcpUrl, 'tools/list', {}, { headers: { ...authorized(), 'gatehouse-user-id': user } });
    const { body } = await as('ada');
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    const tools = toolsOf(body);
    expect(tools.length).toBeGreaterThan(0);
    for (const tool of tools) {
      expect(new Set(tool.inputSchema.properties.account?.enum)).toEqual(
        new Set(['ada@one.example', 'ada@two.example']),
      );
    }
    expect(JSON.stringify(toolsOf((await as('grace')).body))).toBe(await listOverHttp());
  });
});

describe('account argument of an MCP call', () => {
  const call = (args: Record<string, unknown>) =>
    modern(
      served.mcpUrl,
      'tools/call',
      { name: 'websearch_search', arguments: { query: 'cats', ...args } },
      { headers: { ...authorized(), 'gatehouse-user-id': 'alan' } },
    );

  it('selects the account, and is required for several accounts', async () => {
    await served.connect('alan', 'key-of-one', 'alan@one.example');
    await served.connect('alan', 'key-of-two', 'alan@two.example');
    const answer = await call({ account: 'alan@two.example' });
    expect(textOf(answer.body)).toContain('two asked cats');
    expect(resultOf(answer.body)._meta?.['gatehouse/account']).toMatchObject({
      identifier: 'alan@two.example',
      connector: 'websearch',
    });
    expect(resultOf(answer.body)._meta?.['gatehouse/execution_id']).toMatch(/^exe_/);
    const undecided = await call({});
    expect(resultOf(undecided.body).isError).toBe(true);
    expect(textOf(undecided.body)).toContain('alan@one.example, alan@two.example');
    const foreign = await call({ account: 'ada@one.example' });
    expect(resultOf(foreign.body).isError).toBe(true);
    expect(textOf(foreign.body)).not.toContain('asked');
  });
});
