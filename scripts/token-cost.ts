/**
 * The cost of tools for a model: tokens of the tool list as MCP publishes it, and the limits of the shipped
 * list.
 *
 * Counted with one public encoding (o200k); other models differ by some percent. Pure.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Tool } from '../src/catalog/model/types.ts';
import { publish } from '../src/mcp/published-tools.ts';

/** Maximum tokens of the whole shipped list. */
export const LIST_TOKENS = 25_000;

/** Maximum tokens of one tool without a recorded reason. */
export const TOOL_TOKENS = 500;

/** Cost of one tool. */
export interface ToolCost {
  name: string;
  connector: string;
  toolset: string;
  /** Size of its JSON in `tools/list`. */
  bytes: number;
  tokens: number;
}

/** The cost of each tool, in the given order. */
export function toolCosts(tools: readonly Tool[]): ToolCost[] {
  return tools.map((tool) => {
    const json = JSON.stringify(publish(tool));
    const { name, connector, toolset } = tool;
    return { name, connector, toolset, bytes: Buffer.byteLength(json), tokens: countTokens(json) };
  });
}

/**
 * Tokens of a whole answer to `tools/list`: slightly more than the sum of the tools, because of the text
 * between them.
 */
export function listTokens(tools: readonly Tool[]): number {
  return countTokens(JSON.stringify({ tools: tools.map(publish) }));
}

/**
 * Exceeded limits, one sentence each.
 *
 * @param total tokens of the whole list
 * @param reasons by name of a tool that may cost more than TOOL_TOKENS
 */
export function costProblems(
  total: number,
  costs: readonly ToolCost[],
  reasons: Readonly<Record<string, string>>,
): string[] {
  const large = costs.filter(({ tokens }) => tokens > TOOL_TOKENS);
  const unneeded = Object.keys(reasons).filter((name) => !large.some((cost) => cost.name === name));
  return [
    ...(total > LIST_TOKENS
      ? [
          `All tools together cost ${total} tokens, more than ${LIST_TOKENS}. Take ${total - LIST_TOKENS} out of descriptions ("npm run catalog" lists the tools by cost), or keep a tool in a folder of your own (catalog_dirs).`,
        ]
      : []),
    ...large
      .filter(({ name }) => !Object.hasOwn(reasons, name))
      .map(
        ({ name, tokens }) =>
          `${name} costs ${tokens} tokens, more than ${TOOL_TOKENS}. Shorten it, or record the reason in scripts/large-tools.ts.`,
      ),
    ...unneeded.map(
      (name) =>
        `scripts/large-tools.ts has a reason for ${name}, which does not cost more than ${TOOL_TOKENS} tokens. Remove the entry.`,
    ),
  ];
}
