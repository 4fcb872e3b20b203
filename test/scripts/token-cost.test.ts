/** What the tool list costs a model, and that the check of the catalog notices when it costs too much. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { LARGE_TOOLS } from '../../scripts/large-tools.ts';
import { costProblems, listTokens, toolCosts, type ToolCost } from '../../scripts/token-cost.ts';
import { publish } from '../../src/mcp/published-tools.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

const tools = [...shippedCatalog.tools.values()];

describe('token cost of the shipped tool list', () => {
  it('costs at most 25,000 tokens', () => {
    expect(countTokens(JSON.stringify({ tools: tools.map(publish) }))).toBeLessThanOrEqual(25_000);
  });

  it('keeps its limits, with the recorded reasons and no other', () => {
    expect(costProblems(listTokens(tools), toolCosts(tools), LARGE_TOOLS)).toEqual([]);
  });

  it('counts the JSON of each tool exactly as published', () => {
    const [cost] = toolCosts(tools.filter(({ name }) => name === 'crm_get_task'));
    const json = JSON.stringify(publish(shippedCatalog.tools.get('crm_get_task')!));
    expect(cost).toEqual({
      name: 'crm_get_task',
      connector: 'crm',
      toolset: 'tasks',
      bytes: json.length,
      tokens: countTokens(json),
    });
  });
});

describe('token cost: limits per tool', () => {
  const cost = (name: string, tokens: number): ToolCost => ({
    name,
    connector: 'a',
    toolset: 'b',
    bytes: 1,
    tokens,
  });

  it.each<[string, number, ToolCost[], Record<string, string>, string[]]>([
    ['nothing at the limits', 25_000, [cost('t', 500)], {}, []],
    [
      'a list that is too long',
      25_001,
      [cost('t', 500)],
      {},
      [
        'All tools together cost 25001 tokens, more than 25000. Take 1 out of descriptions ("npm run catalog" lists the tools by cost), or keep a tool in a folder of your own (catalog_dirs).',
      ],
    ],
    [
      'a large tool without a reason',
      500,
      [cost('t', 501)],
      {},
      ['t costs 501 tokens, more than 500. Shorten it, or record the reason in scripts/large-tools.ts.'],
    ],
    ['no large tool with a reason', 500, [cost('t', 501)], { t: 'Because.' }, []],
    [
      'a reason that is not needed any more',
      500,
      [cost('t', 500)],
      { t: 'Because.' },
      [
        'scripts/large-tools.ts has a reason for t, which does not cost more than 500 tokens. Remove the entry.',
      ],
    ],
    [
      'a reason for a tool that is gone',
      500,
      [],
      { t: 'Because.' },
      [
        'scripts/large-tools.ts has a reason for t, which does not cost more than 500 tokens. Remove the entry.',
      ],
    ],
  ])('report the problems of a list with %s', (_, total, costs, reasons, expected) => {
    expect(costProblems(total, costs, reasons)).toEqual(expected);
  });
});
