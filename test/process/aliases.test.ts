/** Old names of a tool and a parameter, over every face of the real program: they work, and the new one is said. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, type RpcAnswer } from '../mcp/fixtures.ts';
import { textOf, toolResultOf, toolsOf } from '../mcp/messages.ts';
import { run, serve, type Served } from '../mcp/real-processes.ts';
import { makeShelfProject, shelfTool, type ShelfProject } from '../mcp/shelf-project.ts';

const TOOL_IS = 'The tool shelf_search is now called shelf_find: use the new name.';
const PARAMETER_IS = 'The parameter words is now called query: use the new name.';

let project: ShelfProject;
let served: Served;
let discovering: Served;

beforeAll(async () => {
  project = await makeShelfProject();
  const text = shelfTool('shelf', 'shelf_find', 'Find')
    .replace('    title:', '    aliases: [shelf_search]\n    title:')
    .replace('        to: body.query', '        aliases: [words]\n        to: body.query');
  project.replaceFile('shelf/find.yaml', text);
  served = await serve(project, ['--tools', 'shelf_search']);
  discovering = await serve(project, ['--discovery']);
});

afterAll(async () => {
  await Promise.all([served.stop(), discovering.stop()]);
  await project.close();
});

const authorized = ({ token }: Served): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'gatehouse-user-id': 'ada',
});

async function ask(
  method: string,
  params: Record<string, unknown> = {},
  { server = served, query = '' } = {},
): Promise<RpcAnswer['body']> {
  return (await modern(`${server.mcpUrl}${query}`, method, params, { headers: authorized(server) })).body;
}

const callWith = async (params: Record<string, unknown>): Promise<string[]> =>
  toolResultOf(await ask('tools/call', params)).content.map(({ text }) => text);

describe('renamed tools over MCP', () => {
  it('accept the old name in a selection, and list the current one only', async () => {
    const [listed, ...others] = toolsOf(await ask('tools/list'));
    expect([listed!.name, others]).toEqual(['shelf_find', []]);
    expect(Object.keys(listed!.inputSchema.properties)).toEqual(['query']);
    const narrowed = await ask('tools/list', {}, { query: '?tools=shelf_search' });
    expect(toolsOf(narrowed).map(({ name }) => name)).toEqual(['shelf_find']);
  });

  it('answer a call under the old name, and tell the caller both current names', async () => {
    const [first, second] = await callWith({ name: 'shelf_search', arguments: { words: 'cats' } });
    expect(first).toContain('asked cats');
    expect(second).toBe(`${TOOL_IS} ${PARAMETER_IS}`);
  });

  it('give no note to a call under the current names', async () => {
    expect(await callWith({ name: 'shelf_find', arguments: { query: 'cats' } })).toHaveLength(1);
  });

  it('refuse both names of one parameter', async () => {
    const [text] = await callWith({ name: 'shelf_find', arguments: { query: 'a', words: 'b' } });
    expect(text).toContain('words is now called query, which is given too. Give query only.');
  });

  it('accept the old name in describe_tool and call_tool', async () => {
    const server = discovering;
    const asked = { name: 'describe_tool', arguments: { name: 'shelf_search' } };
    const described = await ask('tools/call', asked, { server });
    expect(JSON.parse(textOf(described))).toMatchObject({ name: 'shelf_find' });
    expect(textOf(described, 1)).toBe(TOOL_IS);
    const call = { name: 'call_tool', arguments: { name: 'shelf_search', arguments: { query: 'dogs' } } };
    const called = await ask('tools/call', call, { server });
    expect(textOf(called)).toContain('asked dogs');
    expect(textOf(called, 1)).toBe(TOOL_IS);
  });
});

describe('renamed tools over REST', () => {
  const send = async (path: string, body?: object): Promise<Response> =>
    fetch(`${served.baseUrl}/api/v1/${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
    });

  it('answer a call as before, with the current names in a header, and record the current name', async () => {
    await callWith({ name: 'shelf_find', arguments: { query: 'makes the account' } });
    const answer = await send('execute_tool', {
      tool_name: 'shelf_search',
      tool_input: { words: 'fish' },
      user_id: 'ada',
    });
    expect(answer.headers.get('gatehouse-renamed')).toBe(
      'tool;from="shelf_search";to="shelf_find", parameter;from="words";to="query"',
    );
    const body = (await answer.json()) as { execution_id: string };
    expect(body).toEqual({ data: expect.anything(), execution_id: expect.stringMatching(/^exe_/) });
    const records = await (await send('executions?tool_name=shelf_find')).text();
    expect(records).toContain(`"${body.execution_id}"`);
  });

  it('send no such header for a call by the current names', async () => {
    await callWith({ name: 'shelf_find', arguments: { query: 'makes the account' } });
    const body = { tool_name: 'shelf_find', tool_input: { query: 'fish' }, user_id: 'ada' };
    const answer = await send('execute_tool', body);
    expect([answer.status, answer.headers.get('gatehouse-renamed')]).toEqual([200, null]);
  });

  it('treat the same idempotency key under either name as one call', async () => {
    await callWith({ name: 'shelf_find', arguments: { query: 'makes the account' } });
    const call = { user_id: 'ada', idempotency_key: 'one-call' };
    const before = project.requests();
    await send('execute_tool', { ...call, tool_name: 'shelf_search', tool_input: { words: 'newts' } });
    const again = await send('execute_tool', {
      ...call,
      tool_name: 'shelf_find',
      tool_input: { query: 'newts' },
    });
    expect([again.headers.get('idempotency-replayed'), project.requests()]).toEqual(['true', before + 1]);
  });

  it('find the tool by its old name', async () => {
    const answer = await send('tools/shelf_search');
    expect(answer.headers.get('gatehouse-renamed')).toBe('tool;from="shelf_search";to="shelf_find"');
    expect(await answer.json()).toMatchObject({ tool: { name: 'shelf_find' } });
  });
});

describe('renamed tools on the command line', () => {
  const call = (input: string): string[] => [
    'tools',
    'call',
    'shelf_search',
    '--input',
    input,
    '--user',
    'ada',
  ];

  it('print the answer on stdout and both current names on stderr', async () => {
    const { stdout, stderr, code } = await run(project, call('{"words": "owls"}'));
    expect(code).toBe(0);
    expect(stderr.replace('Calling shelf_search …\n', '')).toBe(
      'The tool shelf_search is now called shelf_find.\nThe parameter words is now called query.\n',
    );
    expect(JSON.stringify(JSON.parse(stdout))).toContain('asked owls');
  });

  it('mention the current name in the note of a dry run', async () => {
    const { stdout } = await run(project, [...call('{}'), '--dry-run']);
    expect(JSON.parse(stdout)).toMatchObject({ note: `${TOOL_IS} Nothing was sent.` });
  });

  it('show the tool by its old name', async () => {
    const { stdout, stderr } = await run(project, ['tools', 'show', 'shelf_search', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'shelf_find' });
    expect(stderr).toBe('The tool shelf_search is now called shelf_find.\n');
  });
});
