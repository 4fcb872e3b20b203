/**
 * The result of a tool call as a model gets it: the provider's JSON first, in its compact form if the tool has one, and
 * help for the model second (docs/contract.md#results).
 *
 * `structuredContent` only for a tool with an output schema: several clients then drop the text.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { renamedSentences } from '../catalog/model/aliases.ts';
import type { ExecuteResult, UsedAccount } from '../executor/executor.ts';
import { isListCut, nextPage, pageBehindCut, restOfPage, type AnsweredCall } from './results/paging.ts';
import { compacted } from './results/compaction.ts';
import { isTable, type Table } from './results/members.ts';
import { notice, untrusted } from './result-blocks.ts';
import { shorten, type Cut } from './results/shorten.ts';

/** `_meta` key of the account that a call used: `{id, identifier, connector}`. */
export const ACCOUNT_META_KEY = 'gatehouse/account';

/** Its value, in the words of the API. */
export function accountMeta({ id, identifier, connection }: UsedAccount): Record<string, string> {
  return { id, identifier, connector: connection };
}

/** `_meta` key of the execution id, by which the operator finds the call again. */
const EXECUTION_META_KEY = 'gatehouse/execution_id';

/** Keys of a provider that may appear in a sentence of ours: a model cannot read them as instructions. */
const PLAIN_PATH = /^[\w@$.[\]-]{1,200}$/;

/**
 * Maximum places named in one notice: the notice for an answer with many cuts must not be longer than the
 * answer.
 */
const NAMED_CUTS = 10;

/** Text for records that no parameter can return. */
const NARROWER = 'For the rest make the request narrower: fewer records, fewer fields or a filter.';

/** Said if an answer has no compact form. */
const WHOLE = 'The answer has another form than usual, so it is given whole.';

/**
 * Renders an answer.
 *
 * Over `maxBytes` (UTF-8) lists are cut at a record boundary: the first block stays valid JSON, the second
 * says what is missing and how to get it. If the answer has further pages, it says how to get the next one.
 * Before that it gives the current names for old ones that the call used, and what was not done as asked.
 */
export function renderResult(
  { tool, input, findTool }: Omit<AnsweredCall, 'data'>,
  result: ExecuteResult,
  maxBytes: number,
): CallToolResult {
  const data = result.data ?? null;
  const compact = tool.result && compacted(tool.result, data);
  const { text, value, cuts } = shorten(compact === undefined ? data : compact.value, maxBytes);
  const content = [untrusted(text)];
  const call = { tool, input, data, findTool, hasNextPage: result.hasNextPage };
  const help = cuts.length > 0 ? cutNotice(call, cuts, maxBytes) : nextPage(call);
  const second = [
    renamedSentences(result.renamed ?? []),
    ...(result.warnings ?? []),
    tool.result !== undefined && compact === undefined ? WHOLE : '',
    help,
  ]
    .filter(Boolean)
    .join(' ');
  if (second !== '') content.push(notice(second));
  return {
    content,
    ...(tool.result !== undefined && {
      structuredContent: structured(value, compact !== undefined),
    }),
    _meta: { [ACCOUNT_META_KEY]: accountMeta(result.account), [EXECUTION_META_KEY]: result.executionId },
  };
}

/**
 * The same data as an object that fits the tool's output schema. An answer without a compact form stands in a member
 * of its own, because it may have any form.
 */
function structured(value: unknown, isCompact: boolean): Table {
  if (value === null) return {};
  return isCompact && isTable(value) ? value : { answer: value };
}

function cutNotice(call: AnsweredCall, cuts: readonly Cut[], maxBytes: number): string {
  // Containers are cut after their members, so the last cuts are the largest.
  const named = cuts.slice(-NAMED_CUTS);
  const parts = named.map(
    ({ path, kept, total, unit }) => `${placeName(path)} shows the first ${kept} of ${total} ${unit}.`,
  );
  if (named.length < cuts.length) parts.unshift(`${cuts.length - named.length} smaller parts are cut too.`);
  return [`Shortened to ${maxBytes} bytes.`, ...parts, ...howToGoOn(call, cuts)].join(' ');
}

function placeName(path: string): string {
  if (path === '') return 'The answer';
  return PLAIN_PATH.test(path) ? `\`${path}\`` : 'A part of it';
}

/** The rest of this page comes before the next one. */
function howToGoOn(call: AnsweredCall, cuts: readonly Cut[]): readonly string[] {
  const rest = restOfPage(call, cuts);
  if (rest !== undefined) return [rest];
  const next = isListCut(call.tool, cuts) ? pageBehindCut(call) : nextPage(call);
  return [NARROWER, ...(next === undefined ? [] : [next])];
}
