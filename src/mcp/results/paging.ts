/**
 * Says how a result continues: with the next page, or with the tool that returns a result once it is ready.
 * Uses the catalog's rules and the answer itself. Pure.
 *
 * A provider's cursor appears in a sentence of ours only if it looks like a cursor: otherwise only its place
 * is named.
 */
import { inputViolations } from '../../catalog/call/input.ts';
import type { Tool } from '../../catalog/model/types.ts';
import { memberOf } from '../../core/json.ts';
import { lowerFirst } from '../../core/text.ts';
import type { Cut } from './shorten.ts';

/** Arguments of the next call. */
type Arguments = Readonly<Record<string, unknown>>;

/** A call of a tool, and its complete answer. */
export interface AnsweredCall {
  tool: Tool;
  input: Arguments;
  data: unknown;
  /** Another tool by its name; `undefined` if this client does not have it. */
  findTool: (name: string) => Tool | undefined;
  /** As in the result of the call. */
  nextLink?: string | null | undefined;
}

/** Text that cannot be read as instructions: tokens, ids, numbers. */
const PLAIN_VALUE = /^[\w+/=.:~%-]{1,1000}$/;

/** A link in a header may leave its origin out, which does not matter for its query. */
const RELATIVE_TO = 'https://relative.invalid';

/** Text if the next page cannot be requested because a rule or a limit of the tool forbids it. */
export const OUT_OF_REACH = 'There is more, but this tool cannot ask for it. Make the request narrower.';

/** Says how a complete answer continues; `undefined` if it does not. */
export function nextPage(call: AnsweredCall): string | undefined {
  return pendingResult(call) ?? pageAfter(call, 'For the next page');
}

/**
 * Says how to get the records that were cut from an answer, because the next page would start after them.
 * Returns `undefined` if no parameter can do that.
 */
export function restOfPage(call: AnsweredCall, cuts: readonly Cut[]): string | undefined {
  const { tool, input } = call;
  const { paging } = tool;
  const cut = cuts.find(({ path, unit }) => path === cutPathOf(paging?.list) && unit === 'records');
  if (paging === undefined || cut === undefined || cut.kept === 0) return undefined;
  const smaller = paging.size === undefined ? {} : { [paging.size]: cut.kept };
  if (paging.offset !== undefined) {
    const next = { [paging.offset.parameter]: startOf(call) + cut.kept };
    const fitting = [{ ...next, ...smaller }, next].find((changes) => isGood(tool, { ...input, ...changes }));
    return fitting && `For the rest ${again(tool, fitting)}.`;
  }
  if (paging.number !== undefined) return restOfNumbered(call, cut.kept);
  if (paging.cursor === undefined || paging.size === undefined || !isGood(tool, { ...input, ...smaller }))
    return undefined;
  return `For the rest ${again(tool, smaller)}, then go on from there by ${paging.cursor.parameter}.`;
}

/** Smaller pages, of which one begins with the first record that was cut or shortly before it. */
function restOfNumbered({ tool, input }: AnsweredCall, kept: number): string | undefined {
  const { size, number } = tool.paging ?? {};
  const start = startOfPage({ tool, input });
  if (size === undefined || number === undefined || number.of !== undefined || start === undefined)
    return undefined;
  let fitting = kept;
  while (start % fitting !== 0) fitting--;
  const page = number.first + start / fitting + 1;
  const changes = { [number.parameter]: page, [size]: fitting };
  if (fitting * 2 < kept || !isGood(tool, { ...input, ...changes })) return undefined;
  return `For the rest ${again(tool, changes)}.`;
}

/** Same as `nextPage`, for an answer with cut records that no parameter can return. */
export function pageBehindCut(call: AnsweredCall): string | undefined {
  return pageAfter(call, 'The next page begins behind what was left out: for it');
}

/** Whether a list of records was cut, or lost together with the value around it. */
export function isListCut({ paging }: Tool, cuts: readonly Cut[]): boolean {
  return cuts.some(
    ({ path, unit }) =>
      paging !== undefined &&
      ((unit === 'records' && path === cutPathOf(paging.list)) ||
        (unit === 'members' && (path === '' || paging.list === path || paging.list.startsWith(`${path}.`)))),
  );
}

/** The path of a cut in the list of records; '' if the answer itself is the list. */
export function cutPathOf(list: string | undefined): string | undefined {
  return list === '.' ? '' : list;
}

/** Whether an answer only says that the result comes later; `null` is not a result either. */
export function isPending({ pending }: Tool, data: unknown): boolean {
  return pending !== undefined && (valueAt(data, pending.until) ?? null) === null;
}

function pendingResult({ tool, data, findTool }: AnsweredCall): string | undefined {
  const { pending } = tool;
  if (pending === undefined || !isPending(tool, data)) return undefined;
  const taken = takenArguments(data, pending.arguments);
  const target = findTool(pending.tool);
  if (taken === undefined || target === undefined || !isGood(target, taken)) return undefined;
  return `The result is not there yet. Call ${pending.tool} with ${shown(taken)} a little later.`;
}

/** A call that gives the next records, if the rules of its tool allow it. */
export interface NextCall {
  tool: Tool;
  input: Arguments;
  /** The arguments that differ from those of the call before. */
  changes: Arguments;
  /** Whether the answer says that there is more; a full page may be the last one. */
  isCertain: boolean;
}

/**
 * The call for the next page; `outOfReach` if there is more and no call gives it, `undefined` if there is no more.
 */
export function nextCall(call: AnsweredCall): NextCall | 'outOfReach' | undefined {
  const { paging } = call.tool;
  if (paging?.offset !== undefined) return afterOffset(call);
  if (paging?.cursor !== undefined) return afterCursor(call);
  return paging?.number === undefined ? undefined : afterNumber(call);
}

function pageAfter(call: AnsweredCall, start: string): string | undefined {
  const next = nextCall(call);
  if (next === undefined) return undefined;
  if (next === 'outOfReach') return OUT_OF_REACH;
  const words = callWords(call.tool, next) ?? again(call.tool, { all_pages: true });
  if (next.isCertain) return `There is more. ${start} ${words}.`;
  return call.tool.paging?.number?.of === undefined
    ? `There may be more. ${start} ${words}.`
    : `Unless this was the last page of the result: ${lowerFirst(start)} ${words}.`;
}

/**
 * A sentence that tells a model how to make a call after one of `tool`. A cursor that could be read as words is not
 * repeated.
 *
 * @returns `undefined` if the cursor is in a header, so that the sentence cannot point to it
 */
export function callWords(
  tool: Tool,
  { tool: target, input, changes }: Pick<NextCall, 'tool' | 'input' | 'changes'>,
): string | undefined {
  const { cursor } = tool.paging ?? {};
  if (target.name !== tool.name) return `call ${target.name} with ${shown(input)}`;
  const value = cursor === undefined ? undefined : changes[cursor.parameter];
  const isPlain =
    value === undefined ||
    typeof value === 'number' ||
    (typeof value === 'string' && PLAIN_VALUE.test(value));
  if (cursor === undefined || isPlain) return again(tool, changes);
  if (cursor.next === undefined) return undefined;
  return `call ${tool.name} again with the same arguments and ${cursor.parameter} as \`${cursor.next}\` has it`;
}

function afterOffset(call: AnsweredCall): NextCall | 'outOfReach' | undefined {
  const { tool, input, data } = call;
  const { offset } = tool.paging ?? {};
  const records = recordsOf(call);
  if (offset === undefined || records.length === 0) return undefined;
  const more = offset.more === undefined ? undefined : valueAt(data, offset.more);
  if (offset.more === undefined ? !isFull(call, records.length) : !saysMore(more)) return undefined;
  const next = linkedStart(more, offset.link_query) ?? startOf(call) + records.length;
  const changes = { [offset.parameter]: next };
  if (isGood(tool, { ...input, ...changes }))
    return { tool, input: { ...input, ...changes }, changes, isCertain: offset.more !== undefined };
  return offset.more === undefined ? undefined : 'outOfReach';
}

function afterCursor({ tool, input, data, nextLink }: AnsweredCall): NextCall | 'outOfReach' | undefined {
  const { cursor } = tool.paging ?? {};
  if (cursor === undefined) return undefined;
  const isInHeader = cursor.next === undefined;
  const next = cursor.next === undefined ? nextLink : valueAt(data, cursor.next);
  if (typeof next !== 'string' || next === '') return undefined;
  // No link is followed, so that the next request goes to the host of the connection too.
  const linked = linkedText(next, cursor.link_query, isInHeader ? RELATIVE_TO : undefined);
  const value = linked ?? (isInHeader ? undefined : next);
  if (value === undefined) return 'outOfReach';
  // Neither of them continues the list.
  if (value === '' || value === input[cursor.parameter]) return undefined;
  const changes = { [cursor.parameter]: value };
  if (!isGood(tool, { ...input, ...changes })) return 'outOfReach';
  return { tool, input: { ...input, ...changes }, changes, isCertain: true };
}

/** The next page of numbered pages. Some of these pages do not say how many there are, so another one is possible. */
function afterNumber(call: AnsweredCall): NextCall | undefined {
  const { tool, input, data, findTool } = call;
  const { number, tool: name = tool.name, arguments: paths } = tool.paging ?? {};
  const target = findTool(name);
  if (number === undefined || target === undefined) return undefined;
  const current = wholeNumber(input[number.parameter]) ?? number.first;
  const follows = number.of === undefined ? doesPageFollow(call) : doesCountedFollow(call, current);
  if (follows === 'no') return undefined;
  const page = { [number.parameter]: current + 1 };
  const taken = paths === undefined ? input : takenArguments(data, paths);
  if (taken === undefined || !isGood(target, { ...taken, ...page })) return undefined;
  const whole = { ...taken, ...page };
  return { tool: target, input: whole, changes: page, isCertain: follows === 'yes' };
}

/** Whether an answer has a next page. */
type Following = 'yes' | 'no' | 'maybe';

/** Whether there is a next page, for lists of which some answer says how many records there are. */
function doesCountedFollow({ tool, data, nextLink }: AnsweredCall, current: number): Following {
  const { number, tool: name = tool.name } = tool.paging ?? {};
  const pages = valueAt(data, number?.of ?? '');
  const count = Array.isArray(pages) ? pages.length : wholeNumber(pages);
  if (number !== undefined && count !== undefined) return current + 1 - number.first < count ? 'yes' : 'no';
  if (name !== tool.name || nextLink === null) return 'no';
  return nextLink === undefined ? 'maybe' : 'yes';
}

/** Whether there is a next page, for pages that say so themselves or show it by their length. */
function doesPageFollow(call: AnsweredCall): Following {
  const { tool, data, nextLink } = call;
  const { more } = tool.paging?.number ?? {};
  const records = recordsOf(call);
  if (records.length === 0) return 'no';
  if (more !== undefined) return saysMore(valueAt(data, more)) ? 'yes' : 'no';
  if (nextLink !== undefined) return nextLink === null ? 'no' : 'yes';
  return isFull(call, records.length) ? 'maybe' : 'no';
}

/** Whether a value in the place where the answer announces more pages says that there are more. */
function saysMore(more: unknown): boolean {
  return more !== undefined && more !== null && more !== false && more !== '';
}

function isFull({ tool, input }: AnsweredCall, count: number): boolean {
  const wanted = sizeOf({ tool, input });
  const own = defaultSizeOf(tool);
  return wanted === undefined ? own !== undefined && count >= own : count >= wanted || count === own;
}

/** The size that a page has been asked for. */
function sizeOf({ tool, input }: Pick<AnsweredCall, 'tool' | 'input'>): number | undefined {
  const { size } = tool.paging ?? {};
  return size === undefined ? undefined : wholeNumber(input[size] ?? tool.parameters[size]?.default);
}

function defaultSizeOf({ paging }: Tool): number | undefined {
  return (paging?.offset ?? paging?.number)?.default_size;
}

/** Position of the first record of a numbered page; `undefined` if the size of pages is not known. */
function startOfPage({ tool, input }: Pick<AnsweredCall, 'tool' | 'input'>): number | undefined {
  const { number } = tool.paging ?? {};
  if (number === undefined) return undefined;
  const before = (wholeNumber(input[number.parameter]) ?? number.first) - number.first;
  const size = sizeOf({ tool, input }) ?? defaultSizeOf(tool);
  return before === 0 ? 0 : size === undefined ? undefined : before * size;
}

/** The offset at which the page starts, for a tool with an offset. */
export function startOf({ tool, input }: Pick<AnsweredCall, 'tool' | 'input'>): number {
  const { offset } = tool.paging ?? {};
  return offset === undefined ? 0 : (wholeNumber(input[offset.parameter]) ?? offset.first);
}

/** The records of an answer, as its tool's paging rules find them; none if there is no list. */
export function recordsOf({ tool, data }: Pick<AnsweredCall, 'tool' | 'data'>): readonly unknown[] {
  const records = tool.paging === undefined ? undefined : valueAt(data, tool.paging.list);
  return Array.isArray(records) ? records : [];
}

function linkedStart(link: unknown, parameter: string | undefined): number | undefined {
  const text = linkedText(link, parameter);
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** A parameter in the query of a link; `undefined` if it has none, or the text is not a link. */
function linkedText(link: unknown, parameter: string | undefined, base?: string): string | undefined {
  if (parameter === undefined || typeof link !== 'string') return undefined;
  return URL.parse(link, base)?.searchParams.get(parameter) ?? undefined;
}

function takenArguments(data: unknown, paths: Readonly<Record<string, string>>): Arguments | undefined {
  const taken = Object.entries(paths).map(([name, path]) => [name, valueAt(data, path)] as const);
  const isUsable = taken.every(([, value]) => typeof value === 'string' && PLAIN_VALUE.test(value));
  return isUsable ? Object.fromEntries(taken) : undefined;
}

function again(tool: Tool, changes: Arguments): string {
  return `call ${tool.name} again with the same arguments and ${shown(changes)}`;
}

function shown(values: Arguments): string {
  const members = Object.entries(values).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  return `{${members.join(', ')}}`;
}

function isGood(tool: Tool, input: Arguments): boolean {
  return inputViolations(tool, input).length === 0;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The value at a path. A member whose own name has dots takes precedence; `.` is the answer itself. */
function valueAt(data: unknown, path: string): unknown {
  if (path === '.') return data;
  if (typeof data !== 'object' || data === null) return undefined;
  if (Object.hasOwn(data, path)) return memberOf(data, path);
  const dot = path.indexOf('.');
  return dot < 0 ? undefined : valueAt(memberOf(data, path.slice(0, dot)), path.slice(dot + 1));
}
