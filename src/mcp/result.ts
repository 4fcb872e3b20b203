/**
 * The result of a tool call for a model: the provider's JSON first, in its compact form if the tool has one, and
 * help for the model second (docs/contract.md#results).
 *
 * `structuredContent` is set only for a tool with an output schema, because several clients then drop the text.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Tool } from '../catalog/model/types.ts';
import { isObject } from '../core/json.ts';
import type { ResultView } from './results/result-parameters.ts';
import { answersWithRecords, NOTICE_MEMBER } from '../catalog/model/result-rules.ts';
import { renamedSentences } from '../catalog/model/aliases.ts';
import type { ExecuteResult, UsedAccount } from '../executor/executor.ts';
import {
  cutPathOf,
  isListCut,
  isPending,
  nextPage,
  pageBehindCut,
  restOfPage,
  type AnsweredCall,
} from './results/paging.ts';
import { compacted } from './results/compaction.ts';
import { at, type CompactResult, type Table } from './results/members.ts';
import { pagesSentence, restOfPages, type JoinedPages } from './results/joined-pages.ts';
import { isUntrusted, notice, untrusted } from './result-blocks.ts';
import { shorten, type Cut } from './results/shorten.ts';

/** `_meta` key of the account that a call used: `{id, identifier, connector}`. */
export const ACCOUNT_META_KEY = 'gatehouse/account';

/** Its value, in the words of the API. */
export function accountMeta({ id, identifier, connection }: UsedAccount): Record<string, string> {
  return { id, identifier, connector: connection };
}

/** `_meta` key of the execution id, by which the operator finds the call again. */
export const EXECUTION_META_KEY = 'gatehouse/execution_id';

/** Keys of a provider that may appear in a sentence of ours, because a model cannot read them as instructions. */
const PLAIN_PATH = /^[\w@$.[\]-]{1,200}$/;

/** Most places named in one notice, so that the notice for an answer with many cuts is not longer than the answer. */
const NAMED_CUTS = 10;

/** Text for records that no parameter can return. */
const NARROWER = 'For the rest make the request narrower: fewer records, fewer fields or a filter.';

/** Notice for an answer without a compact form. */
const WHOLE = 'The answer has another form than usual, so it is given whole.';

/** Notice for a change to which the app's answer is empty. */
const DONE = "Done. The app's answer is empty.";

/**
 * Renders an answer in the form that the caller wants.
 *
 * If it has more than `maxBytes` (UTF-8), lists are cut at a record boundary: the first block stays valid JSON, and
 * the second says what is missing and how to get it. If the answer has further pages, it says how to get the next
 * one. Before that come the current names for old ones that the call used, and everything that was not done as
 * asked.
 *
 * @param pages all pages of the answer, if the caller wanted them
 */
export function renderResult(
  { tool, input, findTool }: Omit<AnsweredCall, 'data'>,
  result: ExecuteResult,
  maxBytes: number,
  view: ResultView = {},
  pages?: JoinedPages,
): CallToolResult {
  const data = pages?.data ?? result.data ?? null;
  const compact = tool.result && compacted(tool.result, data, { ...view, input });
  const shown = compact === undefined || view.isFull === true ? data : compact.value;
  const { text, value, cuts: found } = shorten(shown, maxBytes);
  const cuts = found.map((cut) =>
    shown !== data && isRows(tool, cut) ? { ...cut, path: cutPathOf(tool.result?.list) ?? cut.path } : cut,
  );
  const { failed = [] } = pages ?? {};
  const content = [untrusted(text), ...failed.filter(isUntrusted)];
  const call = { tool, input, data, findTool, nextLink: result.nextLink };
  const omittedRows = view.isFull === true ? 0 : (compact?.omittedRows ?? 0);
  const further = omittedRows > 0 ? restOfRows(call, omittedRows, pages) : restOfAnswer(call, pages);
  const help = cuts.length > 0 ? cutNotice(call, cuts, maxBytes, view.offset, pages) : further;
  const second = [
    tool.effect !== 'read' && isEmpty(data) ? DONE : '',
    renamedSentences(result.renamed ?? []),
    ...(result.warnings ?? []),
    ...(tool.result === undefined || view.isFull === true ? [] : compactNotices(compact, call)),
    ...(pages === undefined ? [] : [pagesSentence(pages)]),
    ...failed
      .filter((block) => !isUntrusted(block))
      .slice(0, 1)
      .map((block) => block.text),
    help,
  ]
    .filter(Boolean)
    .join(' ');
  if (second !== '') content.push(notice(second));
  const copy = view.isFull === true && compact !== undefined ? shorten(compact.value, maxBytes).value : value;
  return {
    content,
    ...(answersWithRecords(tool) && {
      structuredContent: structured(copy, compact !== undefined, second),
    }),
    _meta: { [ACCOUNT_META_KEY]: accountMeta(result.account), [EXECUTION_META_KEY]: result.executionId },
  };
}

/**
 * The same data as an object that fits the tool's output schema, and the notice for clients that read nothing else.
 * An answer without a compact form can have any shape, so it is put into a member of its own. So is an answer with
 * a member of the notice's name, so that no provider can write our notice.
 */
function structured(value: unknown, isCompact: boolean, said: string): Table {
  const isOpen = isCompact && isObject(value) && !Object.hasOwn(value, NOTICE_MEMBER);
  const data = value === null ? {} : isOpen ? value : { answer: value };
  return said === '' ? data : { ...data, [NOTICE_MEMBER]: said };
}

/** Notices about the compact form: what it leaves out beyond its rules, or why the answer is shown whole. */
function compactNotices(compact: CompactResult | undefined, { tool, data }: AnsweredCall): string[] {
  if (compact === undefined) return isPending(tool, data) ? [] : [WHOLE];
  const { unknownFields, omittedRows } = compact;
  const names = unknownFields.filter((name) => PLAIN_PATH.test(name));
  return [
    ...(omittedRows > 0 ? [`${omittedRows} more rows are left out; max_rows shows more.`] : []),
    ...(names.length > 0 ? [`No record has ${names.join(', ')}; detail: "full" shows what there is.`] : []),
  ];
}

function isEmpty(data: unknown): boolean {
  return data === null || (isObject(data) && Object.keys(data).length === 0);
}

/** Whether a cut is a row that stands for a record of the answer. */
function isRows({ result }: Tool, { path }: Cut): boolean {
  if (result?.list === undefined) return false;
  return path === (result.rows === undefined && result.list !== '.' ? `${result.list}.rows` : 'rows');
}

/** The call that continues after an answer that is shown whole. */
function restOfAnswer(call: AnsweredCall, pages: JoinedPages | undefined): string | undefined {
  return pages === undefined ? nextPage(call) : restOfPages(pages, call.tool, pages.count);
}

/** The call that continues at the first row that `max_rows` left out. */
function restOfRows(call: AnsweredCall, omitted: number, pages: JoinedPages | undefined): string | undefined {
  const { list = '' } = call.tool.result ?? {};
  const rows = at(call.data, list);
  if (!Array.isArray(rows)) return undefined;
  const kept = rows.length - omitted;
  if (pages !== undefined) return restOfPages(pages, call.tool, kept);
  const cut = { path: cutPathOf(list) ?? '', kept, total: rows.length, unit: 'records' } as const;
  return restOfPage(call, [cut]) ?? pageBehindCut(call);
}

/** The call that continues a long text that was cut. */
function restOfText({ tool }: AnsweredCall, cuts: readonly Cut[], offset: number): string | undefined {
  const name = tool.result?.text?.replace(/^.*\./, '');
  const cut = cuts.find(({ path, unit }) => unit === 'characters' && path.replace(/^.*\./, '') === name);
  if (name === undefined || cut === undefined || cut.kept === 0) return undefined;
  return `For the rest of the text call ${tool.name} again with the same arguments and {"offset": ${offset + cut.kept}}.`;
}

function cutNotice(
  call: AnsweredCall,
  cuts: readonly Cut[],
  maxBytes: number,
  offset = 0,
  pages?: JoinedPages,
): string {
  // Containers are cut after their members, so the last cuts are the largest.
  const named = cuts.slice(-NAMED_CUTS);
  const parts = named.map(
    ({ path, kept, total, unit }) => `${placeName(path)} shows the first ${kept} of ${total} ${unit}.`,
  );
  if (named.length < cuts.length) parts.unshift(`${cuts.length - named.length} smaller parts are cut too.`);
  const rest = restOfText(call, cuts, offset);
  const further = rest === undefined ? howToGoOn(call, cuts, pages) : [rest];
  return [`Shortened to ${maxBytes} bytes.`, ...parts, ...further].join(' ');
}

function placeName(path: string): string {
  if (path === '') return 'The answer';
  return PLAIN_PATH.test(path) ? `\`${path}\`` : 'A part of it';
}

/** Says how to continue. The rest of this page comes before the next page. */
function howToGoOn(call: AnsweredCall, cuts: readonly Cut[], pages?: JoinedPages): readonly string[] {
  if (pages !== undefined) {
    const list = cutPathOf(call.tool.paging?.list);
    const cut = cuts.find(({ path, unit }) => path === list && unit === 'records');
    return [restOfPages(pages, call.tool, cut?.kept ?? pages.count) ?? NARROWER];
  }
  const rest = restOfPage(call, cuts);
  if (rest !== undefined) return [rest];
  const next = isListCut(call.tool, cuts) ? pageBehindCut(call) : nextPage(call);
  return [NARROWER, ...(next === undefined ? [] : [next])];
}
