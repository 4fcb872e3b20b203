/** Shared parts of the stand-in YouTube's answers: pages, parts, etags. */
import { createHash } from 'node:crypto';
import { badParameter } from './refusal.ts';

/** Common members of list answers. */
export interface ListAnswer {
  kind: string;
  etag: string;
  nextPageToken?: string;
  prevPageToken?: string;
  pageInfo?: { totalResults: number; resultsPerPage: number };
  items?: object[];
}

/** One page of a list. @throws VideoRefusal invalidPageToken */
export function listPage<Item>(
  list: { kind: string; items: readonly Item[]; render: (item: Item) => object },
  query: { maxResults: number; pageToken?: string | undefined },
  { onlyForward = false } = {},
): ListAnswer {
  const start = query.pageToken === undefined ? 0 : offsetOf(query.pageToken);
  const end = start + query.maxResults;
  const items = list.items.slice(start, end).map((item) => list.render(item));
  const hasNext = query.maxResults > 0 && end < list.items.length;
  return {
    kind: `youtube#${list.kind}`,
    etag: etagOf(items),
    ...(hasNext && { nextPageToken: pageToken(end) }),
    ...(start > 0 && !onlyForward && { prevPageToken: pageToken(Math.max(0, start - query.maxResults)) }),
    pageInfo: { totalResults: list.items.length, resultsPerPage: query.maxResults },
    items,
  };
}

/** Items requested by id are all on one page. */
export function pageOfFilter(
  filter: string,
  query: { maxResults: number; pageToken?: string | undefined },
  count: number,
): { maxResults: number; pageToken?: string | undefined } {
  return filter === 'id' ? { maxResults: count } : query;
}

/** @param offset of the first item of the page */
export function pageToken(offset: number): string {
  return Buffer.from(`page:${offset}`).toString('base64url');
}

/** @throws VideoRefusal invalidPageToken */
export function offsetOf(token: string): number {
  const offset = /^page:(\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  if (offset === undefined)
    throw badParameter('pageToken', 'The request specifies an invalid page token.', 'invalidPageToken');
  return Number(offset);
}

/** An etag computed from the content. */
export function etagOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 27);
}

/** A resource with the requested parts; parts that it does not have are omitted. */
export function withParts(
  head: { kind: string; id: string },
  parts: readonly string[],
  content: Readonly<Record<string, (() => object | undefined) | undefined>>,
): { id: string } & Record<string, unknown> {
  const wanted = parts.map((part) => [part, content[part]?.()] as const);
  const body = Object.fromEntries(wanted.filter(([, value]) => value !== undefined));
  return { kind: `youtube#${head.kind}`, etag: etagOf([head.id, body]), id: head.id, ...body };
}
