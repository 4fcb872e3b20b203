import { afterEach, describe, expect, it } from 'vitest';
import { rankTools } from '../../src/mcp/tool-search.ts';
import {
  CALLER,
  FakeExecutor,
  LINK,
  listen,
  makeParts,
  modern,
  notActive,
  TOOLS,
  type RpcAnswer,
} from './fixtures.ts';
import { resultOf, textOf, toolsOf } from './messages.ts';

let close: () => Promise<void> = async () => {};
afterEach(() => close());

async function start(readOnly = false): Promise<{
  executor: FakeExecutor;
  call: (name: string, args: unknown) => Promise<RpcAnswer>;
  url: string;
}> {
  const executor = new FakeExecutor();
  const server = await listen(makeParts(executor), { selection: { readOnly, discovery: true } });
  close = () => server.close();
  return {
    executor,
    url: server.url,
    call: (name, args) => modern(server.url, 'tools/call', { name, arguments: args }),
  };
}

const text = (answer: RpcAnswer, block = 0): string => textOf(answer.body, block);

describe('the discovery surface', () => {
  it('publishes three tools with honest hints', async () => {
    const { url } = await start();
    const { body } = await modern(url, 'tools/list');
    expect(toolsOf(body).map((tool) => [tool.name, tool.annotations])).toEqual([
      [
        'search_tools',
        {
          title: 'Search tools',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      ],
      [
        'describe_tool',
        {
          title: 'Describe a tool',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      ],
      [
        'call_tool',
        {
          title: 'Call a tool',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      ],
    ]);
    expect(resultOf(body).ttlMs).toBe(300_000);
  });

  it('says that call_tool changes nothing when read-only', async () => {
    const { url } = await start(true);
    const tools = toolsOf((await modern(url, 'tools/list')).body);
    expect(tools[2]!.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it('searches, describes and calls', async () => {
    const { call, executor } = await start();
    const found = JSON.parse(
      text(await call('search_tools', { query: 'my open tasks', limit: 1 })),
    ) as unknown;
    expect(found).toEqual({
      tools: [
        {
          name: 'crm_list_tasks',
          title: 'List open tasks',
          description: 'List open tasks of the app.',
          read_only: true,
        },
      ],
    });
    const described = JSON.parse(text(await call('describe_tool', { name: 'crm_list_tasks' }))) as {
      inputSchema: object;
    };
    expect(described.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const answer = await call('call_tool', {
      name: 'crm_list_tasks',
      arguments: { limit: 3, account: 'ada' },
    });
    expect(text(answer)).toBe('{"input":{"limit":3},"user":"ada"}');
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

  it('says which apps there are when nothing matches', async () => {
    const { call } = await start();
    const answer = await call('search_tools', { query: 'teleport' });
    expect(text(answer)).toBe('{"tools":[]}');
    expect(text(answer, 1)).toBe('No tool matches. There are tools of: crm, mail, web. Try other words.');
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
    ['search_tools', {}, ['query']],
    ['search_tools', { query: 'a', limit: 31, more: 1 }, ['more', 'limit']],
    ['describe_tool', { name: 'nope', more: 1 }, ['more', 'name']],
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

  it('refuses a catalog tool called by its own name', async () => {
    const { call } = await start();
    expect((await call('web_search', { query: 'a' })).body.error?.code).toBe(-32602);
  });

  it('asks for an account that is not connected', async () => {
    const { call, executor } = await start();
    executor.answer = () => {
      throw notActive();
    };
    expect(text(await call('call_tool', { name: 'web_search', arguments: { query: 'a' } }))).toContain(LINK);
  });
});

describe('searching tools', () => {
  const names = (query: string): string[] => rankTools(TOOLS, query).map((tool) => tool.name);

  it.each([
    ['singular for plural', 'delete tasks', 'crm_delete_task'],
    ['plural for singular', 'search webs', 'web_search'],
    ['words of the title', 'open', 'crm_list_tasks'],
    ['words of a parameter', 'num_results', 'web_search'],
  ])('finds by %s', (_, query, expected) => {
    expect(names(query)[0]).toBe(expected);
  });

  it('leaves out what shares no word', () => {
    expect(names('people')).toEqual(['crm_list_people']);
  });

  it('keeps catalog order among equals', () => {
    expect(names('task')).toEqual(['crm_create_task', 'crm_delete_task', 'crm_list_tasks']);
  });

  it('finds nothing by words that say nothing', () => {
    expect(names('the of and')).toEqual([]);
  });
});
