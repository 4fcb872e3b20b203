import { describe, expect, it } from 'vitest';
import { selectionOfQuery, selectTools, type Selection } from '../../src/mcp/selection.ts';
import { ToolPublisher } from '../../src/mcp/published-tools.ts';
import type { Tool } from '../../src/catalog/model/types.ts';
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

/** A tool that was added later, a tool of the core, and tools without marks. */
const MARKED = TOOLS.flatMap((tool): Tool[] => {
  if (tool.name === 'crm_create_task') return [{ ...tool, everyday: 'default', unlisted: true }];
  if (tool.name === 'crm_list_tasks') return [{ ...tool, everyday: 'core' }];
  return ['crm_list_people', 'web_search'].includes(tool.name) ? [tool] : [];
});

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

  it.each([
    ['of nothing leaves the unlisted out', {}, ['crm_list_people', 'crm_list_tasks', 'web_search']],
    [
      'of `default` takes what is marked, and all of a connector that marks nothing',
      { toolsets: ['default'] },
      ['crm_create_task', 'crm_list_tasks', 'web_search'],
    ],
    ['of `core` and a name adds them up', { toolsets: ['core', 'web'] }, ['crm_list_tasks', 'web_search']],
    [
      'of a toolset takes the unlisted too',
      { toolsets: ['crm.tasks'] },
      ['crm_create_task', 'crm_list_tasks'],
    ],
    [
      'of `all` takes every tool',
      { toolsets: ['all'] },
      ['crm_create_task', 'crm_list_people', 'crm_list_tasks', 'web_search'],
    ],
    [
      'with discovery reaches every tool, whatever its words list',
      { toolsets: ['default'], discovery: 'on' },
      ['crm_create_task', 'crm_list_people', 'crm_list_tasks', 'web_search'],
    ],
    [
      'with discovery reaches no more than it names',
      { tools: ['web_search'], discovery: 'on' },
      ['web_search'],
    ],
  ] as const)('selects marked tools by the rule: a selection %s', (_, selection, expected) => {
    const tools = selectTools(MARKED, { ...EVERYTHING, ...selection }).tools.map(({ name }) => name);
    expect(tools).toEqual(expected);
  });

  it.each([
    ['nothing, and the tools themselves', {}, ['crm_list_people', 'crm_list_tasks', 'web_search'], false],
    ['`on`, and no tool itself', { discovery: 'on' }, [], true],
    ['`core`, and the tools of the core', { discovery: 'core' }, ['crm_list_tasks'], true],
    ['`toolsets: core`, and the tools of the core', { toolsets: ['core'] }, ['crm_list_tasks'], true],
    ['`auto`, and a short list', { discovery: 'auto', tools: ['web_search'] }, ['web_search'], false],
  ] as const)('publishes what finds tools by the rule: %s', (_, selection, direct, discovery) => {
    const selected = selectTools(MARKED, { ...EVERYTHING, ...selection });
    expect(selected.direct.map(({ name }) => name)).toEqual(direct);
    expect(selected.discovery).toBe(discovery);
  });

  it('publishes what finds tools for a list of more than 20,000 tokens in mode `auto`', () => {
    const [first] = TOOLS;
    const long = [{ ...first!, description: 'x'.repeat(80_000) }];
    expect(selectTools(long, { ...EVERYTHING, discovery: 'auto' })).toMatchObject({
      tools: long,
      direct: [],
      discovery: true,
    });
  });

  it('takes the first 25 tools of a connector that marks none into `default`', () => {
    const web = TOOLS.find(({ name }) => name === 'web_search')!;
    const many = Array.from({ length: 30 }, (_, i) => ({ ...web, name: `web_search_${i}` }));
    const { tools } = selectTools(many, { ...EVERYTHING, toolsets: ['default'] });
    expect(tools).toEqual(many.slice(0, 25));
  });

  it('takes no unmarked tool into `default` because the settings leave the marked ones out', () => {
    const publisher = new ToolPublisher(CATALOG, { ...EVERYTHING, toolsets: ['crm.people', 'web'] });
    const { tools } = publisher.forQuery('toolsets=default').selected;
    expect(tools.map(({ name }) => name)).toEqual(['web_search']);
  });

  it('refuses every unknown name at once and says which there are', () => {
    const work = () => names({ connectors: ['crn'], toolsets: ['crm.tsks', 'mail'], tools: ['nope'] });
    expect(violationsOf(work)).toEqual(['connectors', 'toolsets', 'tools']);
    expect(work).toThrow(
      'connectors: There is no connector "crn". There are: crm, mail, web. ' +
        'toolsets: There is no toolset "crm.tsks". There are: default, core, all, crm, crm.tasks, crm.people, mail, mail.messages, web, web.search.',
    );
  });
});

describe('selection of tools in the query of /mcp', () => {
  const read = (query: string, base: Selection = EVERYTHING): Selection =>
    selectionOfQuery(new URLSearchParams(query), base);

  it('reads connectors, toolsets and tools, read-only and discovery', () => {
    expect(read('toolsets=crm.tasks,mail&tools=a,b&connectors=web&read_only=1&discovery=true')).toEqual({
      connectors: ['web'],
      toolsets: ['crm.tasks', 'mail'],
      tools: ['a', 'b'],
      readOnly: true,
      discovery: 'on',
    });
  });

  it('takes a parameter given twice as one list', () => {
    expect(read('tools=a&tools=b').tools).toEqual(['a', 'b']);
  });

  it('cannot undo a read-only server', () => {
    expect(read('read_only=0', { readOnly: true, discovery: 'off' }).readOnly).toBe(true);
  });

  it('can switch discovery off', () => {
    expect(read('discovery=0', { readOnly: false, discovery: 'on' }).discovery).toBe('off');
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

  it('lists what the settings choose by a word, and what a URL names instead', () => {
    const catalog = { ...CATALOG, tools: new Map(MARKED.map((tool) => [tool.name, tool])) };
    const publisher = new ToolPublisher(catalog, { ...EVERYTHING, toolsets: ['core'] });
    const of = (query: string) => [...publisher.forQuery(query).listed(new Set(['crm']))].map((t) => t.name);
    expect(of('')).toEqual(['crm_list_tasks']);
    expect(of('read_only=1')).toEqual(['crm_list_tasks']);
    expect(of('toolsets=default')).toEqual(['crm_create_task', 'crm_list_tasks']);
    expect(of('toolsets=web')).toEqual(['web_search']);
    expect(publisher.base.find('crm_create_task')?.name).toBe('crm_create_task');
    expect(publisher.forQuery('toolsets=web').find('crm_list_tasks')).toBeUndefined();
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
