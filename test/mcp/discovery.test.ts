import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach, describe, expect, it } from 'vitest';
import { DISCOVERY_TOOLS } from '../../src/mcp/discovery-tools.ts';
import type { DiscoveryMode } from '../../src/mcp/selection.ts';
import {
  CALLER,
  FakeExecutor,
  legacy,
  LINK,
  listen,
  makeParts,
  modern,
  notActive,
  type RpcAnswer,
} from './fixtures.ts';
import { resultOf, textOf, toolsOf } from './messages.ts';

let close: () => Promise<void> = async () => {};
afterEach(() => close());

async function start(
  readOnly = false,
  mode: DiscoveryMode = 'on',
): Promise<{
  executor: FakeExecutor;
  call: (name: string, args: unknown) => Promise<RpcAnswer>;
  url: string;
}> {
  const executor = new FakeExecutor();
  const server = await listen(makeParts(executor), { selection: { readOnly, discovery: mode } });
  close = () => server.close();
  return {
    executor,
    url: server.url,
    call: (name, args) => modern(server.url, 'tools/call', { name, arguments: args }),
  };
}

const text = (answer: RpcAnswer, block = 0): string => textOf(answer.body, block);

describe('tool discovery over MCP', () => {
  it('publishes four tools with honest hints', async () => {
    const { url } = await start();
    const { body } = await modern(url, 'tools/list');
    expect(
      toolsOf(body)
        .slice(0, 4)
        .map((tool) => [tool.name, tool.annotations]),
    ).toEqual([
      [
        'search_tools',
        {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      ],
      [
        'describe_tool',
        {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      ],
      [
        'call_read_tool',
        {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
      ],
      [
        'call_tool',
        {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      ],
    ]);
    expect(resultOf(body).ttlMs).toBe(300_000);
  });

  it.each(['all', 'readOnly'] as const)('costs at most 1,000 tokens of tool list (%s)', (kind) => {
    expect(countTokens(JSON.stringify(DISCOVERY_TOOLS[kind]))).toBeLessThanOrEqual(1_000);
  });

  it('says that call_tool changes nothing when read-only', async () => {
    const { url } = await start(true);
    const tools = toolsOf((await modern(url, 'tools/list')).body);
    expect(tools[2]!.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it('searches, describes and calls a tool', async () => {
    const { call, executor } = await start();
    const found = JSON.parse(
      text(await call('search_tools', { query: 'my open tasks', limit: 1 })),
    ) as unknown;
    expect(found).toEqual({
      tools: [
        {
          name: 'crm_list_tasks',
          signature: '(limit?, offset?)',
          description: 'List open tasks of the app.',
          read_only: true,
        },
      ],
    });
    const described = JSON.parse(text(await call('describe_tool', { names: ['crm_list_tasks'] }))) as {
      tools: { inputSchema: object }[];
    };
    expect(described.tools[0]!.inputSchema).toMatchObject({ type: 'object', properties: { limit: {} } });
    const answer = await call('call_tool', {
      name: 'crm_list_tasks',
      arguments: { limit: 3, account: 'ada' },
    });
    expect(text(answer).split('\n')[1]).toBe('{"input":{"limit":3},"user":"ada"}');
    expect(executor.calls[0]).toMatchObject({
      toolName: 'crm_list_tasks',
      account: { account: 'ada' },
      caller: CALLER,
    });
  });

  it('describes `account` where there are several', async () => {
    const { call, executor } = await start();
    executor.choices.set('crm', ['one', 'two']);
    expect(text(await call('describe_tool', { name: 'crm_list_tasks' }))).toContain('"enum":["one","two"]');
  });

  it('names the existing apps when nothing matches', async () => {
    const { call } = await start();
    const answer = await call('search_tools', { query: 'teleport' });
    expect(text(answer)).toBe('{"tools":[]}');
    expect(text(answer, 1)).toBe('No tool matches. There are tools for: crm, mail, web. Try other words.');
  });

  it('neither finds nor describes nor runs a writing tool when read-only', async () => {
    const { call, executor } = await start(true);
    expect(text(await call('search_tools', { query: 'create task' }))).not.toContain('crm_create_task');
    for (const name of ['describe_tool', 'call_tool']) {
      const answer = await call(name, { name: 'crm_create_task' });
      expect(resultOf(answer.body).isError).toBe(true);
      expect(text(answer)).toContain(
        'There is no such tool, or it changes something and this server is read-only.',
      );
    }
    expect(executor.calls).toEqual([]);
  });

  it.each([
    ['search_tools', { query: ' ' }, ['query']],
    ['search_tools', { query: 'a', limit: 31, more: 1 }, ['more', 'limit']],
    ['describe_tool', { names: ['nope'], more: 1 }, ['more', 'names']],
    ['describe_tool', {}, ['names']],
    ['call_tool', { name: 7, arguments: [] }, ['name', 'arguments']],
  ])('names every wrong argument of %s(%j)', async (name, args, fields) => {
    const { call } = await start();
    const answer = await call(name, args);
    expect(resultOf(answer.body).isError).toBe(true);
    const named = text(answer)
      .split('\n')
      .slice(1)
      .map((line) => /^- (\w+):/.exec(line)?.[1]);
    expect(named).toEqual(fields);
  });

  it('runs a catalog tool called by its own name, which the list leaves out', async () => {
    const { call, executor } = await start();
    expect(resultOf((await call('web_search', { query: 'a' })).body).isError).toBeUndefined();
    expect(executor.calls[0]).toMatchObject({ toolName: 'web_search', input: { query: 'a' } });
    expect((await call('web_serch', { query: 'a' })).body.error?.message).toBe(
      'Unknown tool: web_serch. Did you mean web_search?',
    );
  });

  it('runs with call_read_tool what changes nothing, and nothing else', async () => {
    const { call, executor } = await start();
    await call('call_read_tool', { name: 'crm_list_tasks' });
    const refused = await call('call_read_tool', { name: 'crm_create_task', arguments: { content: 'x' } });
    expect(text(refused)).toContain('crm_create_task changes something. Run it with call_tool.');
    expect(executor.calls.map(({ toolName }) => toolName)).toEqual(['crm_list_tasks']);
  });

  it('takes arguments as text and says so, unless the tool deletes', async () => {
    const { call, executor } = await start();
    const read = await call('call_tool', { name: 'crm_list_tasks', arguments: '{"limit": 3}' });
    expect(resultOf(read.body)._meta?.['gatehouse/coerced']).toEqual(['arguments']);
    const refused = await call('call_tool', { name: 'crm_delete_task', arguments: '{"task_id": "1"}' });
    expect(text(refused)).toContain("- arguments: An object with the tool's arguments.");
    expect(executor.calls.map(({ input }) => input)).toEqual([{ limit: 3 }]);
  });

  it('describes several tools at once, and one by its old parameter', async () => {
    const { call } = await start();
    const both = JSON.parse(
      text(await call('describe_tool', { names: ['web_search', 'crm_list_people'] })),
    ) as { tools: { name: string }[] };
    expect(both.tools.map(({ name }) => name)).toEqual(['web_search', 'crm_list_people']);
    expect(JSON.parse(text(await call('describe_tool', { name: 'web_search' })))).toMatchObject({
      name: 'web_search',
    });
  });

  it('lists the signatures of all tools without a query', async () => {
    const { call } = await start();
    expect(text(await call('search_tools', {})).split('\n')).toContain('crm_list_tasks(limit?, offset?)');
  });

  it('says how many hits are left out', async () => {
    const { call } = await start();
    const answer = await call('search_tools', { query: 'task', limit: 1 });
    expect(text(answer, 1)).toMatch(/^\d+ more match as well; a higher limit shows them\./);
  });

  it.each(['legacy', 'modern'] as const)(
    'stands next to the tools of the core in mode `core` (%s)',
    async (era) => {
      const { url } = await start(false, 'core');
      const list = await (era === 'modern' ? modern : legacy)(url, 'tools/list', {});
      expect(toolsOf(list.body).map(({ name }) => name)).toEqual([
        'crm_list_tasks',
        'search_tools',
        'describe_tool',
        'call_read_tool',
        'call_tool',
        'gatehouse_accounts',
        'gatehouse_connect',
      ]);
    },
  );

  it('asks for the connection of an account that is not connected', async () => {
    const { call, executor } = await start();
    executor.answer = () => {
      throw notActive();
    };
    expect(text(await call('call_tool', { name: 'web_search', arguments: { query: 'a' } }))).toContain(LINK);
  });
});
