import { describe, expect, it } from 'vitest';
import { selectionOfQuery, selectTools, type Selection } from '../../src/mcp/selection.ts';
import { ToolPublisher } from '../../src/mcp/published-tools.ts';
import { CATALOG, EVERYTHING, TOOLS } from './fixtures.ts';

const names = (selection: Partial<Selection>): string[] =>
  selectTools(TOOLS, { ...EVERYTHING, ...selection }).tools.map((tool) => tool.name);

const violationsOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as { details: { field_violations: { field: string }[] } }).details.field_violations.map(
      (v) => v.field,
    );
  }
  return 'none';
};

describe('selection of published tools', () => {
  it.each([
    ['of nothing takes every tool', {}, TOOLS.map((tool) => tool.name)],
    ['takes a connector', { connectors: ['web'] }, ['web_search']],
    ['takes one toolset', { toolsets: ['crm.people'] }, ['crm_list_people']],
    ['takes all toolsets of a connector by its name', { toolsets: ['mail'] }, ['mail_list_messages']],
    ['takes single tools', { tools: ['crm_list_tasks'] }, ['crm_list_tasks']],
    [
      'adds its lists up, in catalog order',
      { tools: ['web_search'], toolsets: ['crm.people'], connectors: ['mail'] },
      ['crm_list_people', 'mail_list_messages', 'web_search'],
    ],
    [
      'drops writing tools when read-only, named or not',
      { tools: ['crm_create_task', 'crm_list_tasks'], readOnly: true },
      ['crm_list_tasks'],
    ],
    ['treats empty lists as absent', { connectors: [], tools: [] }, TOOLS.map((tool) => tool.name)],
  ])('selects tools by the rule: a selection %s', (_, selection, expected) => {
    expect(names(selection)).toEqual(expected);
  });

  it('refuses every unknown name at once and says which there are', () => {
    const work = () => names({ connectors: ['crn'], toolsets: ['crm.tsks', 'mail'], tools: ['nope'] });
    expect(violationsOf(work)).toEqual(['connectors', 'toolsets', 'tools']);
    expect(work).toThrow(
      'connectors: There is no connector "crn". There are: crm, mail, web. ' +
        'toolsets: There is no toolset "crm.tsks". There are: crm, crm.tasks, crm.people, mail, mail.messages, web, web.search.',
    );
  });
});

describe('selection of tools in the query of /mcp', () => {
  const read = (query: string, base = { readOnly: false, discovery: false }): Selection =>
    selectionOfQuery(new URLSearchParams(query), base);

  it('reads connectors, toolsets and tools, read-only and discovery', () => {
    expect(read('toolsets=crm.tasks,mail&tools=a,b&connectors=web&read_only=1&discovery=true')).toEqual({
      connectors: ['web'],
      toolsets: ['crm.tasks', 'mail'],
      tools: ['a', 'b'],
      readOnly: true,
      discovery: true,
    });
  });

  it('takes a parameter given twice as one list', () => {
    expect(read('tools=a&tools=b').tools).toEqual(['a', 'b']);
  });

  it('cannot undo a read-only server', () => {
    expect(read('read_only=0', { readOnly: true, discovery: false }).readOnly).toBe(true);
  });

  it('can switch discovery off', () => {
    expect(read('discovery=0', { readOnly: false, discovery: true }).discovery).toBe(false);
  });

  it.each([
    ['an unknown parameter', 'readonly=1', ['readonly']],
    ['an empty list', 'toolsets=', ['toolsets']],
    ['an empty name', 'tools=a,,b', ['tools']],
    ['a read_only that says neither yes nor no', 'read_only=', ['read_only']],
    ['a contradiction', 'read_only=1&read_only=0', ['read_only']],
    ['several mistakes at once', 'x=1&connectors=&discovery=maybe', ['x', 'connectors', 'discovery']],
  ])('refuses a query with %s', (_, query, fields) => {
    expect(violationsOf(() => read(query))).toEqual(fields);
  });
});

describe('published tools of a process', () => {
  const listed = (selection: Partial<Selection>, query: string, inUse: string[] = []): string[] =>
    new ToolPublisher(CATALOG, { ...EVERYTHING, ...selection })
      .forQuery(query)
      .listed(new Set(inUse))
      .map((tool) => tool.name);

  it('lists the connectors in use when nothing is named', () => {
    expect(listed({}, '', ['web'])).toEqual(['web_search']);
  });

  it('lists everything when no connector is in use', () => {
    expect(listed({}, '')).toHaveLength(6);
  });

  it('lists everything that is left when read-only leaves nothing of the connectors in use', () => {
    expect(listed({ readOnly: true }, '', ['gone'])).toHaveLength(4);
  });

  it('lists what is named, in use or not', () => {
    expect(listed({ connectors: ['mail'] }, '', ['web'])).toEqual(['mail_list_messages']);
  });

  it('keeps to the settings when a URL names something else', () => {
    expect(() => listed({ connectors: ['mail'] }, 'connectors=crm')).toThrow('There is no connector "crm".');
  });

  it('narrows the settings by the URL', () => {
    expect(listed({ connectors: ['crm'] }, 'toolsets=crm.tasks&read_only=1')).toEqual(['crm_list_tasks']);
  });

  it('drops a writing tool that a URL names on a read-only server without an error', () => {
    expect(listed({ readOnly: true }, 'tools=crm_create_task,crm_list_tasks')).toEqual(['crm_list_tasks']);
  });

  it('lists the connectors in use under a URL that only says read-only', () => {
    expect(listed({}, 'read_only=1', ['crm'])).toEqual(['crm_list_people', 'crm_list_tasks']);
  });

  it('gives out the same frozen list again', () => {
    const publisher = new ToolPublisher(CATALOG, EVERYTHING);
    const first = publisher.forQuery('connectors=crm').published(new Set());
    expect(publisher.forQuery('connectors=crm').published(new Set())).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(Object.isFrozen(first[0])).toBe(true);
  });

  it('finds tools that the list leaves out because their connector is not in use', () => {
    const publishedTools = new ToolPublisher(CATALOG, EVERYTHING).base;
    expect(publishedTools.listed(new Set(['web'])).map((tool) => tool.name)).not.toContain('crm_list_tasks');
    expect(publishedTools.find('crm_list_tasks')?.name).toBe('crm_list_tasks');
  });

  it('finds no tool that a selection excludes', () => {
    const publishedTools = new ToolPublisher(CATALOG, { ...EVERYTHING, connectors: ['web'], readOnly: true })
      .base;
    expect(publishedTools.find('crm_list_tasks')).toBeUndefined();
    expect(publishedTools.find('crm_create_task')).toBeUndefined();
  });

  it('remembers a bounded number of URLs', () => {
    const publisher = new ToolPublisher(CATALOG, EVERYTHING);
    const first = publisher.forQuery('read_only=1');
    for (let i = 0; i < 300; i++)
      publisher.forQuery(
        `read_only=1&tools=${Array(i + 1)
          .fill('web_search')
          .join(',')}`,
      );
    expect(publisher.forQuery('read_only=1')).not.toBe(first);
  });
});
