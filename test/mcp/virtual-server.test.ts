/** What a virtual server publishes and through which connections its calls go, at the MCP face. */
import { describe, expect, it } from 'vitest';
import { ToolPublisher, type PublishedTools } from '../../src/mcp/published-tools.ts';
import type { ServerSelection } from '../../src/catalog/model/server-selection.ts';
import { callTool } from '../../src/mcp/tool-call.ts';
import { CATALOG, EVERYTHING, FakeExecutor, makeParts, makeSession } from './fixtures.ts';

const server = (change: Partial<ServerSelection> = {}): ServerSelection => ({
  connections: ['crm-of-sales', 'mail'],
  connectors: ['crm', 'mail'],
  toolsets: [],
  tools: [],
  readOnly: false,
  ...change,
});

const NOTHING_USED = new Set<string>();
const names = (publishedTools: PublishedTools) =>
  publishedTools.published(NOTHING_USED).map(({ name }) => name);
const published = (change: Partial<ServerSelection>, query = '', settings = EVERYTHING) =>
  names(new ToolPublisher(CATALOG, settings).forServer(server(change), query));

const CRM = ['crm_create_task', 'crm_delete_task', 'crm_list_people', 'crm_list_tasks'];

describe('published tools of a virtual MCP server', () => {
  it('publishes the tools of its connections’ connectors, and of those the named ones', () => {
    expect(published({})).toEqual([...CRM, 'mail_list_messages']);
    expect(published({ toolsets: ['crm.people'], tools: ['crm_delete_task'] })).toEqual([
      'crm_delete_task',
      'crm_list_people',
    ]);
    expect(published({ toolsets: ['mail'] })).toEqual(['mail_list_messages']);
  });

  it('publishes nothing of a connector whose connection is gone', () => {
    expect(published({ connectors: ['crm'], tools: ['mail_list_messages', 'crm_list_tasks'] })).toEqual([
      'crm_list_tasks',
    ]);
    expect(published({ connectors: [] })).toEqual([]);
  });

  it('publishes nothing for names that the catalog has no more', () => {
    expect(published({ tools: ['crm_gone'] })).toEqual([]);
    expect(published({ toolsets: ['crm.gone'], tools: ['crm_list_tasks'] })).toEqual(['crm_list_tasks']);
  });

  it('publishes reading tools only, where the server or the settings say so', () => {
    const reading = ['crm_list_people', 'crm_list_tasks', 'mail_list_messages'];
    expect(published({ readOnly: true })).toEqual(reading);
    expect(published({ readOnly: true }, 'read_only=0&tools=crm_list_people,crm_list_tasks')).toEqual(
      reading.slice(0, 2),
    );
    expect(published({}, '', { ...EVERYTHING, readOnly: true })).toEqual(reading);
    const publishedTools = new ToolPublisher(CATALOG, EVERYTHING).forServer(server({ readOnly: true }), '');
    expect(publishedTools.find('crm_delete_task')).toBeUndefined();
  });

  it('publishes no more than the settings do', () => {
    expect(published({}, '', { ...EVERYTHING, connectors: ['mail', 'web'] })).toEqual(['mail_list_messages']);
  });

  it('narrows the list by the query and never widens it', () => {
    expect(published({}, 'toolsets=crm.tasks&read_only=1')).toEqual(['crm_list_tasks']);
    expect(() => published({}, 'tools=web_search')).toThrow('There is no tool "web_search"');
    expect(() => published({ tools: ['crm_list_tasks'] }, 'connectors=mail')).toThrow(
      'There is no connector',
    );
    expect(() => published({}, 'readonly=1')).toThrow('takes the parameters');
  });

  it('gives the same list, byte for byte, every time', () => {
    const publisher = new ToolPublisher(CATALOG, EVERYTHING);
    const first = publisher.forServer(server(), '');
    expect(publisher.forServer(server(), '')).toBe(first);
    expect(first.published(new Set(['crm']))).toEqual(first.published(NOTHING_USED));
    const anew = new ToolPublisher(CATALOG, EVERYTHING).forServer(server(), '');
    expect(JSON.stringify(anew.published(NOTHING_USED))).toBe(JSON.stringify(first.published(NOTHING_USED)));
  });

  it('passes its connections to every call', async () => {
    const executor = new FakeExecutor();
    const publishedTools = new ToolPublisher(CATALOG, EVERYTHING).forServer(server(), '');
    const session = { ...makeSession(), publishedTools, connections: server().connections };
    const call = { parts: makeParts(executor), session, ctx: { mcpReq: {} } } as never;
    await callTool(call, { name: 'crm_list_tasks', arguments: { account: 'ada' } });
    expect(executor.calls[0]?.account).toEqual({ account: 'ada', connections: ['crm-of-sales', 'mail'] });
  });
});
