/**
 * The cost of tools for a model: tokens of the tool list as MCP publishes it, and the limits of the shipped
 * list.
 *
 * Counted with one public encoding (o200k); other models differ by some percent. Pure.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { namedTools, toolsWithoutNames } from '../src/catalog/model/tool-selection.ts';
import type { Tool } from '../src/catalog/model/types.ts';
import { publish } from '../src/mcp/published-tools.ts';

/** Tokens of a list: what hosts give a model of it (name, description, input schema), and the whole answer. */
export interface ListTokens {
  given: number;
  whole: number;
}

/** Maximum tokens of one tool of a whole list without a recorded reason. */
export const TOOL_TOKENS = 500;

/**
 * Maximum tokens of lists. There is none for all tools together, so that a new connector does not use up the room
 * of others: each has its own for the toolset `default`. The list without a selection should stay the same, so it
 * has one too.
 */
export const CEILINGS = {
  connector: { given: 5_000, whole: 7_500 },
  unselected: { given: 18_500, whole: 26_000 },
} satisfies Record<string, ListTokens>;

/** Cost of one tool. */
export interface ToolCost extends ListTokens {
  name: string;
  connector: string;
  toolset: string;
}

/** The cost of each tool, in the given order. */
export function toolCosts(tools: readonly Tool[]): ToolCost[] {
  return tools.map((tool) => {
    const { name, connector, toolset } = tool;
    return { name, connector, toolset, ...listTokens([tool]) };
  });
}

/** Tokens of a list with these tools. */
export function listTokens(tools: readonly Tool[]): ListTokens {
  const whole = tools.map(publish);
  const given = whole.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { given: tokensOf(given), whole: tokensOf(whole) };
}

function tokensOf(list: readonly object[]): number {
  return countTokens(list.map((tool) => JSON.stringify(tool)).join(','));
}

/** The selections that people choose, with their tools. */
export function selectionsOf(tools: readonly Tool[]): Map<string, readonly Tool[]> {
  const connectors = Map.groupBy(tools, ({ connector }) => connector);
  const everyday = (word: string) => namedTools(tools, { toolsets: [word] });
  return new Map([
    ['nothing selected', toolsWithoutNames(tools)],
    ...['default', 'core', 'all'].map((word) => [`toolsets: ${word}`, everyday(word)] as const),
    ...[...connectors].flatMap(([name, own]) => [
      [`default of ${name}`, namedTools(own, { toolsets: ['default'] })] as const,
      [name, own] as const,
    ]),
  ]);
}

/** Exceeded ceilings of lists, one sentence each. @param tools the shipped ones */
export function listProblems(tools: readonly Tool[]): string[] {
  const selections = selectionsOf(tools);
  const connectors = [...new Set(tools.map(({ connector }) => connector))];
  const limited = [
    ['nothing selected', CEILINGS.unselected] as const,
    ...connectors.map((name) => [`default of ${name}`, CEILINGS.connector] as const),
  ];
  return limited.flatMap(([selection, ceiling]) => {
    const tokens = listTokens(selections.get(selection) ?? []);
    return (['given', 'whole'] as const).flatMap((figure) =>
      tokens[figure] <= ceiling[figure]
        ? []
        : [
            `The list with "${selection}" has ${tokens[figure]} tokens (${figure}), more than ${ceiling[figure]}. Shorten descriptions, which "npm run catalog" lists by cost, or take \`everyday\` from a tool.`,
          ],
    );
  });
}

/**
 * Tools that cost too much, one sentence each.
 *
 * @param reasons by name of a tool that may cost more than TOOL_TOKENS
 */
export function costProblems(
  costs: readonly ToolCost[],
  reasons: Readonly<Record<string, string>>,
): string[] {
  const large = costs.filter(({ whole }) => whole > TOOL_TOKENS);
  const unneeded = Object.keys(reasons).filter((name) => !large.some((cost) => cost.name === name));
  return [
    ...large
      .filter(({ name }) => !Object.hasOwn(reasons, name))
      .map(
        ({ name, whole }) =>
          `${name} costs ${whole} tokens, more than ${TOOL_TOKENS}. Shorten it, or record the reason in scripts/large-tools.ts.`,
      ),
    ...unneeded.map(
      (name) =>
        `scripts/large-tools.ts has a reason for ${name}, which does not cost more than ${TOOL_TOKENS} tokens. Remove the entry.`,
    ),
  ];
}
