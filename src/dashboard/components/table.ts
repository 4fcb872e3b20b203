/** Tables with headings, and keyset paging below them. The first column has the link. */
import { html } from 'hono/html';
import type { PageLinks } from '../../core/newest-first.ts';
import type { Html, Text } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';
import { count } from './format.ts';

/** One column. */
export interface Column<Row> {
  label: string;
  cell: (row: Row) => Text;
  /** Numbers are aligned to the right. */
  isNumber?: boolean;
  /** Hidden on small screens: `phone` below 544 px, `tablet` below 896 px. */
  leftOutOn?: 'phone' | 'tablet';
  /** The order in which the list always comes, by this column. */
  order?: 'descending';
  /** The heading sorts by this value, in a table with `sorting`. `name` stands in the address. */
  sort?: { name: string; value: (row: Row) => string | number };
}

/**
 * The address of a list that is shown as a whole. `sort` in it names a column, with `-` before it for descending
 * order.
 */
interface Sorting {
  path: string;
  query: URLSearchParams;
}

/**
 * The rows of a list. Show `empty` of card.ts instead of a table without rows.
 *
 * @param sorting sorts these rows only, so it is for lists that are not paged
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  sorting?: Sorting,
): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => heading(column, sorting))}
        </tr>
      </thead>
      <tbody>
        ${sorted(columns, rows, sorting).map(
          (row) =>
            html`<tr>
              ${columns.map((column) => html`<td class="${classOf(column)}">${column.cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function heading<Row>(column: Column<Row>, sorting: Sorting | undefined): Html {
  const { label, sort } = column;
  if (sort === undefined || sorting === undefined)
    return html`<th scope="col" class="${classOf(column)}" ${ariaSort(column.order)}>${label}</th>`;
  const order = orderBy(sort.name, sorting);
  const next = order === 'ascending' ? `-${sort.name}` : sort.name;
  return html`<th scope="col" class="${classOf(column)}" ${ariaSort(order)}>
    <a href="${withQuery(sorting.path, sorting.query, { sort: next })}">${label}</a>
  </th>`;
}

type Order = 'ascending' | 'descending' | undefined;

function ariaSort(order: Order): Text {
  return order === undefined ? '' : html`aria-sort="${order}"`;
}

function orderBy(name: string, { query }: Sorting): Order {
  const asked = query.get('sort');
  if (asked === name) return 'ascending';
  return asked === `-${name}` ? 'descending' : undefined;
}

function sorted<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  sorting: Sorting | undefined,
): readonly Row[] {
  if (sorting === undefined) return rows;
  for (const { sort } of columns) {
    const order = sort && orderBy(sort.name, sorting);
    if (sort === undefined || order === undefined) continue;
    const sign = order === 'ascending' ? 1 : -1;
    return rows.toSorted((a, b) => sign * compare(sort.value(a), sort.value(b)));
  }
  return rows;
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en');
}

/** The first cell of a row: an icon, a linked name, and a detail below. */
export function nameCell({
  drawing,
  href,
  name,
  detail,
}: {
  drawing?: Text;
  href?: string;
  name: Text;
  detail?: Text;
}): Html {
  return html`<span class="cell"
    >${drawing ?? ''}<span
      ><b>${href === undefined ? name : html`<a href="${href}">${name}</a>`}</b>${
        detail === undefined ? '' : html`<small>${detail}</small>`
      }</span
    ></span
  >`;
}

/** The number of rows, and links to the previous and next page. `query` filters the list, without its page token. */
export function paging(path: string, query: URLSearchParams, links: PageLinks): Html {
  return html`<span>${words.total(count(links.total_size), links.total_size_is_at_least === true)}</span>
    <nav class="pager" aria-label="${words.paging}">
      ${pageLink(path, query, links.prev_page_token, words.previous)}
      ${pageLink(path, query, links.next_page_token, words.next)}
    </nav>`;
}

function pageLink(path: string, query: URLSearchParams, token: string, label: string): Text {
  if (token === '') return '';
  return html`<a class="btn small" href="${withQuery(path, query, { page_token: token })}">${label}</a>`;
}

/** An address with changed parameters; '' removes one. A page token is removed by every change. */
export function withQuery(
  path: string,
  query: URLSearchParams,
  change: Readonly<Record<string, string>>,
): string {
  const changed = new URLSearchParams(query);
  changed.delete('page_token');
  for (const [name, value] of Object.entries(change)) {
    if (value === '') changed.delete(name);
    else changed.set(name, value);
  }
  const text = changed.toString();
  return text === '' ? path : `${path}?${text}`;
}

function classOf({ isNumber, leftOutOn }: Pick<Column<never>, 'isNumber' | 'leftOutOn'>): string {
  const width = { phone: 'narrow-off', tablet: 'wide' };
  return [isNumber === true ? 'r' : '', leftOutOn === undefined ? '' : width[leftOutOn]]
    .filter(Boolean)
    .join(' ');
}
