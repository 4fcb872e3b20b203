/** What the tool list costs a model, and that the check of the catalog notices when it costs too much. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { LARGE_TOOLS } from '../../scripts/large-tools.ts';
import { costProblems, listProblems, toolCosts, type ToolCost } from '../../scripts/token-cost.ts';
import { publish } from '../../src/mcp/published-tools.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

const tools = [...shippedCatalog.tools.values()];

describe('token cost of the shipped tool list', () => {
  it('keeps the ceilings of tools and lists, with the recorded reasons and no other', () => {
    expect([...costProblems(toolCosts(tools), LARGE_TOOLS), ...listProblems(tools)]).toEqual([]);
  });

  it('refuses a connector whose everyday tools cost too much, and no other', () => {
    const long = tools.map((tool) =>
      tool.name === 'mail_get_calendar_event' ? { ...tool, description: 'word '.repeat(1_500) } : tool,
    );
    const found = listProblems(long).filter((problem) => !problem.includes('"nothing selected"'));
    expect(found.map((problem) => problem.replace(/\d+ tokens/, 'N tokens'))).toEqual([
      'The list with "default of mail" has N tokens (given), more than 5000. Shorten descriptions, which "npm run catalog" lists by cost, or take `everyday` from a tool.',
    ]);
  });

  it('counts the JSON of each tool exactly as published', () => {
    const [cost] = toolCosts(tools.filter(({ name }) => name === 'crm_get_task'));
    const whole = publish(shippedCatalog.tools.get('crm_get_task')!);
    const { name, description, inputSchema } = whole;
    expect(cost).toEqual({
      name: 'crm_get_task',
      connector: 'crm',
      toolset: 'tasks',
      given: countTokens(JSON.stringify({ name, description, inputSchema })),
      whole: countTokens(JSON.stringify(whole)),
    });
  });
});

describe('token cost: limits per tool', () => {
  const cost = (name: string, whole: number): ToolCost => ({
    name,
    connector: 'a',
    toolset: 'b',
    given: 1,
    whole,
  });

  it.each<[string, ToolCost[], Record<string, string>, string[]]>([
    ['nothing at the limits', [cost('t', 500)], {}, []],
    [
      'a large tool without a reason',
      [cost('t', 501)],
      {},
      ['t costs 501 tokens, more than 500. Shorten it, or record the reason in scripts/large-tools.ts.'],
    ],
    ['no large tool with a reason', [cost('t', 501)], { t: 'Because.' }, []],
    [
      'a reason that is not needed any more',
      [cost('t', 500)],
      { t: 'Because.' },
      [
        'scripts/large-tools.ts has a reason for t, which does not cost more than 500 tokens. Remove the entry.',
      ],
    ],
    [
      'a reason for a tool that is gone',
      [],
      { t: 'Because.' },
      [
        'scripts/large-tools.ts has a reason for t, which does not cost more than 500 tokens. Remove the entry.',
      ],
    ],
  ])('report the problems of a list with %s', (_, costs, reasons, expected) => {
    expect(costProblems(costs, reasons)).toEqual(expected);
  });
});
