/**
 * The result of a tool call as a model gets it: the provider's JSON first, help for the model second
 * (docs/contract.md#results).
 *
 * No `structuredContent`: several clients then drop the text.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { renamedSentences } from '../catalog/model/aliases.ts';
import type { ExecuteResult, UsedAccount } from '../executor/executor.ts';
import { isListCut, nextPage, pageBehindCut, restOfPage, type AnsweredCall } from './result-paging.ts';
import { notice, untrusted } from './result-blocks.ts';
import { shorten, type Cut } from './shorten.ts';

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
  const { text, cuts } = shorten(data, maxBytes);
  const content = [untrusted(text)];
  const call = { tool, input, data, findTool, hasNextPage: result.hasNextPage };
  const help = cuts.length > 0 ? cutNotice(call, cuts, maxBytes) : nextPage(call);
  const second = [renamedSentences(result.renamed ?? []), ...(result.warnings ?? []), help]
    .filter(Boolean)
    .join(' ');
  if (second !== '') content.push(notice(second));
  return {
    content,
    _meta: { [ACCOUNT_META_KEY]: accountMeta(result.account), [EXECUTION_META_KEY]: result.executionId },
  };
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
