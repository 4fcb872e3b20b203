/** What a provider does not do as asked, over every face of the real program: the call is made, and the answer says so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern } from '../mcp/fixtures.ts';
import { toolResultOf } from '../mcp/messages.ts';
import { makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';

const KEYWORD = 'Exa has no keyword search any more, so the search was made with type auto.';
const AUTOPROMPT = 'Exa rewrites no queries on request any more, so use_autoprompt had no effect.';
const BOTH = { query: 'tides', type: 'keyword', use_autoprompt: true };

let project: Project;
let served: Served;

beforeAll(async () => {
  project = await makeProject();
  served = await serve(project);
  await served.connect('ada', 'key-of-ada');
});

afterAll(async () => {
  await served.stop();
  await project.close();
});

describe('warnings of a tool call over MCP', () => {
  const callWith = async (input: object): Promise<string[]> => {
    const headers = { authorization: `Bearer ${served.token}`, 'gatehouse-user-id': 'ada' };
    const params = { name: 'websearch_search', arguments: input };
    const { body } = await modern(served.mcpUrl, 'tools/call', params, { headers });
    return toolResultOf(body).content.map(({ text }) => text);
  };

  it('come after the result, in words of Gatehouse', async () => {
    const [first, ...others] = await callWith(BOTH);
    expect(first).toContain('ada asked tides');
    expect(others).toEqual([`${KEYWORD} ${AUTOPROMPT}`]);
  });

  it.each([[{ query: 'tides' }], [{ query: 'tides', type: 'auto', use_autoprompt: false }]])(
    'stay away where everything is done as asked: %j',
    async (input) => {
      expect(await callWith(input)).toHaveLength(1);
    },
  );
});

describe('warnings of a tool call over REST', () => {
  const execute = async (tool_input: object, more: object = {}): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${served.baseUrl}/api/v1/execute_tool`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tool_name: 'websearch_search', tool_input, user_id: 'ada', ...more }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };

  it('stand next to the data, which stays the answer of the provider', async () => {
    expect(await execute({ query: 'tides', type: 'keyword' })).toEqual({
      data: { results: [expect.objectContaining({ title: 'ada asked tides' })] },
      execution_id: expect.stringMatching(/^exe_/) as unknown,
      warnings: [KEYWORD],
    });
    expect((await execute(BOTH))['warnings']).toEqual([KEYWORD, AUTOPROMPT]);
  });

  it('leave the member out where everything is done as asked', async () => {
    expect(Object.keys(await execute({ query: 'tides' }))).toEqual(['data', 'execution_id']);
  });

  it('come with a replayed outcome and in the note of a dry run too', async () => {
    const key = { idempotency_key: 'one-search' };
    const first = await execute(BOTH, key);
    expect(await execute(BOTH, key)).toEqual(first);
    expect(first['warnings']).toEqual([KEYWORD, AUTOPROMPT]);
    expect(await execute(BOTH, { dry_run: true })).toMatchObject({
      note: `${KEYWORD} ${AUTOPROMPT} Nothing was sent.`,
    });
  });
});

describe('warnings of a tool call on the command line', () => {
  it('go to stderr, and into the answer with --json', async () => {
    const call = ['tools', 'call', 'websearch_search', '--user', 'ada', '--input', JSON.stringify(BOTH)];
    const { stdout, stderr } = await run(project, call);
    expect(stderr).toContain(`${KEYWORD}\n${AUTOPROMPT}\n`);
    expect(JSON.stringify(JSON.parse(stdout))).toContain('ada asked tides');
    const whole = await run(project, [...call, '--json']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ warnings: [KEYWORD, AUTOPROMPT] });
  });
});
