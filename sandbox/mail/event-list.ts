/** One page of records of a mailbox, such as events: `$filter`, `$orderby`, `$skip`, `$top`, `$select`, `$count`. Pure. */
import { readFilter } from './odata-filter.ts';
import { propertyOf, unknownProperty } from './odata-path.ts';
import { badRequest } from './refusal.ts';
import type { Rendered } from './rendering.ts';

const DEFAULT_TOP = 10;
const MAX_TOP = 1000;

const OPTIONS = ['$filter', '$orderby', '$skip', '$top', '$select', '$count'];

/** Body of an answer. */
export type EventPage = Readonly<Record<string, unknown>>;

/**
 * @param events in the order that they have without `$orderby`
 * @param url of the request, from which the link to the next page is made
 * @param collection name of the collection, as the answer has it
 * @throws MailRefusal 400
 */
export function pageOf(events: readonly Rendered[], url: URL, collection = 'events'): EventPage {
  const query = url.searchParams;
  requireKnown(query, OPTIONS);
  const filter = query.get('$filter');
  const wanted = filter === null ? [...events] : events.filter(readFilter(filter));
  const sorted = wanted.toSorted(readOrder(query.get('$orderby')));
  const skip = wholeNumber(query, '$skip', 0) ?? 0;
  const top = wholeNumber(query, '$top', 1) ?? DEFAULT_TOP;
  if (top > MAX_TOP)
    throw badRequest(
      `Invalid request: the limit of '${MAX_TOP}' for Top query has been exceeded. The value from the incoming request is '${top}'.`,
      'ErrorInvalidRequest',
    );
  const select = readSelect(query.get('$select'));
  return {
    '@odata.context': `${url.origin}/v1.0/$metadata#users('me')/${collection}`,
    ...(query.get('$count') === 'true' && { '@odata.count': sorted.length }),
    ...(skip + top < sorted.length && { '@odata.nextLink': nextLink(url, skip + top) }),
    value: sorted.slice(skip, skip + top).map(select),
  };
}

/**
 * Keeps the requested members and always the id. @throws MailRefusal 400 for a name that events do not have
 */
export function readSelect(text: string | null): (event: Rendered) => Rendered {
  if (text === null) return (event) => event;
  const names = text.split(',').map((name) => name.trim());
  return (event) => {
    const unknown = names.find((name) => !Object.hasOwn(event, name));
    if (unknown !== undefined) throw unknownProperty(unknown);
    const kept = ['@odata.etag', 'id', ...names];
    return Object.fromEntries(Object.entries(event).filter(([name]) => kept.includes(name)));
  };
}

/** @throws MailRefusal 400 for an option that calendars do not support */
export function requireKnown(query: URLSearchParams, options: readonly string[]): void {
  for (const name of query.keys())
    if (name.startsWith('$') && !options.includes(name))
      throw badRequest(`The query specified in the URI is not valid. ${name} is not supported here.`);
}

function readOrder(text: string | null): (one: Rendered, other: Rendered) => number {
  if (text === null) return () => 0;
  const keys = text.split(',').map((part) => {
    const [, path = '', direction = 'asc'] = /^\s*([\w/]+)(?:\s+(asc|desc))?\s*$/.exec(part) ?? [];
    if (path === '') throw badRequest(`Invalid orderby clause: syntax error in '${part.slice(0, 100)}'.`);
    return { path: path.split('/'), sign: direction === 'desc' ? -1 : 1 };
  });
  return (one, other) => {
    for (const { path, sign } of keys) {
      const [left, right] = [propertyOf(one, path), propertyOf(other, path)].map(String);
      if (left !== right) return (left ?? '') < (right ?? '') ? -sign : sign;
    }
    return 0;
  };
}

function wholeNumber(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw badRequest(`The value '${text}' of ${name} is not valid.`);
  return Number(text);
}

function nextLink(url: URL, skip: number): string {
  const next = new URL(url);
  next.searchParams.set('$skip', String(skip));
  return next.href;
}
