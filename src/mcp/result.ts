/**
 * The result of a tool call as a model gets it: the provider's JSON first, help for the model second
 * (contract section 11).
 *
 * No `structuredContent`: several clients drop the text beside it.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Tool } from '../catalog/types.ts';
import type { ExecuteResult } from '../executor/executor.ts';
import { shorten, type Cut } from './shorten.ts';

/** `_meta` key of the account a call used: `{id, identifier, connector}`. */
export const ACCOUNT_META_KEY = 'gatehouse/account';

/** `_meta` key of the execution id, by which the operator finds the call again. */
const EXECUTION_META_KEY = 'gatehouse/execution_id';

/** Parameters that page, by the names connectors use for them. */
const OFFSET_PARAMETERS = ['offset', 'skip'];
const CURSOR_PARAMETERS = ['cursor', 'page_token'];
const SIZE_PARAMETERS = ['limit', 'page_size', 'max_results', 'num_results', 'count', 'top'];

/**
 * Renders an answer.
 *
 * Over `maxBytes` (UTF-8) lists are cut at a record boundary: the first block stays valid JSON, the second
 * says what is missing and how to get it.
 *
 * @param input as the tool was called, to work out where the next page starts
 */
export function renderResult(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  result: ExecuteResult,
  maxBytes: number,
): CallToolResult {
  const { text, cuts } = shorten(result.data ?? null, maxBytes);
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (cuts.length > 0) content.push({ type: 'text', text: cutNotice(tool, input, cuts, maxBytes) });
  return {
    content,
    _meta: { [ACCOUNT_META_KEY]: result.account, [EXECUTION_META_KEY]: result.executionId },
  };
}

function cutNotice(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  cuts: readonly Cut[],
  maxBytes: number,
): string {
  const parts = cuts.map(({ path, kept, total, unit }) => {
    const where = path === '' ? 'The answer' : `\`${path}\``;
    return `${where} shows the first ${kept} of ${total} ${unit}.`;
  });
  return [`Shortened to ${maxBytes} bytes.`, ...parts, howToGoOn(tool, input, cuts)].join(' ');
}

/** The next call, as exactly as the tool's parameters allow. */
function howToGoOn(tool: Tool, input: Readonly<Record<string, unknown>>, cuts: readonly Cut[]): string {
  const size = SIZE_PARAMETERS.find((name) => Object.hasOwn(tool.parameters, name));
  const offset = OFFSET_PARAMETERS.find((name) => Object.hasOwn(tool.parameters, name));
  const cursor = CURSOR_PARAMETERS.find((name) => Object.hasOwn(tool.parameters, name));
  const records = cuts.find((cut) => cut.unit === 'records');
  if (records !== undefined && records.kept > 0) {
    const smaller = size === undefined ? '' : `${size}=${records.kept}`;
    if (offset !== undefined) {
      const next = `${offset}=${startOf(input[offset]) + records.kept}`;
      return `For the rest call again with ${[next, smaller].filter(Boolean).join(' and ')}.`;
    }
    if (cursor !== undefined && size !== undefined) {
      return `For the rest call again with ${smaller}, then follow ${cursor} from page to page.`;
    }
    if (size !== undefined) return `For whole records call again with ${smaller} or with a narrower request.`;
  }
  return 'For the rest make the request narrower: fewer records, fewer fields or a filter.';
}

function startOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
