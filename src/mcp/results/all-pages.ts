/**
 * `all_pages`: reads the pages of a list one after the other and joins their records (docs/contract.md#all-pages).
 *
 * Every page is a call of its own for the executor: it counts in the limits, respects a provider's pause and has its own
 * record. What has been read is never lost: a page that fails ends the reading, and the result says why.
 */
import type { TextContent } from '@modelcontextprotocol/server';
import { isParameterGiven } from '../../catalog/call/mended-input.ts';
import type { Tool } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { ExecuteResult } from '../../executor/executor.ts';
import { at, replaced } from './members.ts';
import { MAX_RECORDS, partOf, type EndReason, type JoinedPages } from './joined-pages.ts';
import { nextCall, recordsOf, type AnsweredCall } from './paging.ts';

/** Maximum answers of the provider that are read for one call. */
const MAX_REQUESTS = 20;

/** The page size with which both limits are reached together. */
const PAGE_SIZE = MAX_RECORDS / MAX_REQUESTS;

/** What reading needs from the call. */
export interface PageReader {
  /** Makes the call of one page, which has to be over at the deadline (Unix milliseconds). */
  read: (page: Pick<AnsweredCall, 'tool' | 'input'>, deadline: number | undefined) => Promise<ExecuteResult>;
  /** The texts of a call that failed. */
  failedTexts: (failure: unknown) => readonly TextContent[];
  /** Aborts when the caller leaves. */
  signal: AbortSignal;
  clock: Clock;
}

/**
 * The input of the first page: with larger pages where the caller names no size and the usual ones are small, because
 * one call makes few requests.
 */
export function withLargePages(tool: Tool, input: AnsweredCall['input']): AnsweredCall['input'] {
  const { size, offset, number } = tool.paging ?? {};
  if (size === undefined || isParameterGiven(tool, size, input)) return input;
  // The number of a page means another place with pages of another size.
  if (number !== undefined && isParameterGiven(tool, number.parameter, input)) return input;
  const {
    maximum,
    default: usual = (offset ?? number)?.default_size ?? 0,
    default_unless: other,
  } = tool.parameters[size] ?? {};
  const isUnwanted = other !== undefined && isParameterGiven(tool, other, input);
  if (maximum === undefined || isUnwanted || Number(usual) >= PAGE_SIZE) return input;
  return { ...input, [size]: Math.min(maximum, PAGE_SIZE) };
}

/**
 * Reads the pages behind the first one. A failure ends the reading, unless the caller has left.
 *
 * @returns `undefined` if the answer has no list: its result comes later, or it has another form
 * @throws what the call of a page throws after the caller has left
 */
export async function joinedPages(
  { read, failedTexts, signal, clock }: PageReader,
  first: AnsweredCall,
  { deadline, answers = 1 }: ExecuteResult,
): Promise<JoinedPages | undefined> {
  const list = listIn(first);
  if (list === undefined) return undefined;
  const pages = {
    data: first.data,
    parts: [partOf(first, 0)],
    records: [...recordsOf(first)],
    requests: answers,
  };
  let next = nextCall(first);
  let end: Pick<JoinedPages, 'reason' | 'failed'> = {};
  while (next !== undefined && next !== 'outOfReach') {
    const reason = reasonToStop(next.isCertain || next.tool.paging?.number?.of === undefined);
    if (reason !== undefined || next.tool.effect !== 'read') {
      end = { ...(reason !== undefined && { reason }) };
      break;
    }
    let page: ExecuteResult;
    try {
      page = await read(next, deadline);
    } catch (failure) {
      if (signal.aborted) throw failure;
      end = { reason: 'failed', failed: failedTexts(failure) };
      break;
    }
    const { tool, input, changes } = next;
    const answered = { ...first, tool, input, data: page.data, nextLink: page.nextLink };
    pages.parts.push(partOf(answered, pages.records.length, changes));
    pages.records.push(...recordsOf(answered));
    pages.requests += page.answers ?? 1;
    // Only the first answer of a result in counted pages says how many there are. Of others the last one says what follows.
    const isCounted = tool.paging?.number?.of !== undefined;
    if (!isCounted && listIn(answered) !== undefined) pages.data = answered.data;
    next = nextCall(isCounted ? { ...answered, data: first.data } : answered);
  }
  const { data, parts, requests } = pages;
  const records = pages.records.slice(0, MAX_RECORDS);
  const isCut = records.length < pages.records.length;
  if (isCut) end = { reason: 'records' };
  const rest = next !== undefined && { next };
  return {
    data: replaced(data, list, records),
    parts,
    count: records.length,
    isCut,
    requests,
    ...rest,
    ...end,
  };

  function reasonToStop(isKnown: boolean): EndReason | undefined {
    if (!isKnown) return 'unknown';
    if (pages.records.length >= MAX_RECORDS) return 'records';
    if (pages.requests >= MAX_REQUESTS) return 'requests';
    return deadline !== undefined && clock.now() >= deadline ? 'deadline' : undefined;
  }
}

/** The path of the list of records, if the answer has it. */
function listIn({ tool, data }: Pick<AnsweredCall, 'tool' | 'data'>): string | undefined {
  const list = tool.paging?.list;
  return list !== undefined && Array.isArray(at(data, list)) ? list : undefined;
}
