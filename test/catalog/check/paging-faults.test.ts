/** Mistakes in the keys paging and pending, each with the line of the key that is wrong. */
import { describe, expect, it } from 'vitest';
import { BOOKS_CONNECTOR, problemsOf, toolOf, toolsetFile } from '../files.ts';

const TOOL = `
parameters:
  limit:
    type: integer
    to: query.limit
    description: Books per page.
  mark:
    type: string
    to: query.mark
    description: Where to go on.
request:
  method: GET
  path: /books
`;

const OTHER = `  - name: books_page
    title: Get a page
    description: Returns a page of a result.
    effect: read
    source:
      url: https://books.example.test/docs
      checked: '2026-11-20'
    parameters:
      result:
        type: string
        required: true
        to: query.result
        description: Which result.
      page:
        type: integer
        required: true
        to: query.page
        description: Which page.
    request:
      method: GET
      path: /page
`;

/** Problems as `line message`; line 22 is the first of `body`. */
function problems(body: string): string[] {
  const file = toolsetFile(`${TOOL.trim()}\n${body}`) + OTHER;
  return problemsOf({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': file }).map((text) =>
    text.replace('books/t.yaml:', '').replace('books_find: ', ''),
  );
}

const offset = (more = '') =>
  `paging:\n  list: data\n  size: limit\n  offset:\n    parameter: limit${more && `\n    ${more}`}`;
const number = (more: string) =>
  `paging:\n  list: data\n  number:\n    parameter: page\n    of: pages\n${more}`;

describe('check of paging declarations', () => {
  it.each([
    ['by offset', offset()],
    ['by offset and a link', offset('more: next.link\n    link_query: $skip')],
    ['by cursor', 'paging:\n  list: data\n  cursor:\n    parameter: mark\n    next: "@next.link"'],
    ['by a link in a header', 'paging:\n  list: .\n  cursor: {parameter: mark, link_query: after}'],
    [
      'by number',
      'paging:\n  list: .\n  size: limit\n  number: {parameter: limit, first: 1, default_size: 30}',
    ],
    ['by number and a member', 'paging:\n  list: data\n  number: {parameter: limit, more: has_more}'],
    ['in another tool', number('  tool: books_page\n  arguments:\n    result: id')],
    ['later', 'pending:\n  until: data\n  tool: books_find\n  arguments:\n    mark: id'],
    ['later and in another tool', number('  tool: books_page\n  arguments: {result: id}')],
  ])('accepts paging that is declared %s', (_, body) => {
    expect(problems(body)).toEqual([]);
  });

  it.each([
    ['in no way', 'paging:\n  list: data', ['22 paging: must have exactly one of offset, cursor, number']],
    [
      'in two ways',
      `${offset()}\n  cursor:\n    parameter: mark\n    next: n`,
      ['22 paging: must have exactly one of offset, cursor, number'],
    ],
    [
      'with an unknown parameter',
      offset().replace('parameter: limit', 'parameter: skip'),
      ['26 paging.offset.parameter: names the parameter skip, which the tool does not have'],
    ],
    [
      'with an unknown size',
      offset().replace('size: limit', 'size: top'),
      ['24 paging.size: names the parameter top, which the tool does not have'],
    ],
    [
      'with an offset that is text',
      offset().replace('parameter: limit', 'parameter: mark'),
      ['26 paging.offset.parameter: names the parameter mark, which is no number'],
    ],
    [
      'with a cursor that is a number',
      'paging:\n  list: data\n  cursor:\n    parameter: limit\n    next: n',
      ['25 paging.cursor.parameter: names the parameter limit, which is no text'],
    ],
    [
      'with a path that is none',
      offset('more: a b'),
      ['27 paging.offset.more: must be a dotted path without blanks'],
    ],
    [
      'with link_query alone',
      offset('link_query: s'),
      ['22 paging: can have link_query only together with more'],
    ],
    [
      'with a cursor that stands nowhere',
      'paging:\n  list: data\n  cursor:\n    parameter: mark',
      ['22 paging: needs next, or link_query for the header Link'],
    ],
    [
      'with pages that are counted and say that there are more',
      'paging:\n  list: data\n  number: {parameter: limit, of: pages, more: has_more}',
      ['22 paging: can have more and default_size of numbered pages only without of'],
    ],
    [
      'by number in another tool that nobody counts',
      number('  tool: books_page\n  arguments: {result: id}').replace('    of: pages\n', ''),
      ['22 paging: needs of, where further pages are in another tool'],
    ],
    [
      'with a list of two dots',
      offset().replace('list: data', 'list: ..'),
      ['23 paging.list: must be a dotted path without blanks, or .'],
    ],
    ['with a tool alone', number('  tool: books_page'), ['22 paging: needs tool and arguments together']],
    [
      'by offset in another tool',
      `${offset()}\n  tool: books_page\n  arguments: {result: id, page: p}`,
      ['27 paging.tool: has no effect together with offset: the tool itself goes on'],
    ],
    [
      'with a tool that does not exist',
      number('  tool: books_pages\n  arguments: {result: id}'),
      ['27 paging.tool: names the tool books_pages, which does not exist'],
    ],
    [
      'with an argument that the other tool does not have',
      number('  tool: books_page\n  arguments: {result: id, colour: c}'),
      ['27 paging.tool: gives books_page the argument colour, which it does not have'],
    ],
    [
      'without a required argument of the other tool',
      'pending:\n  until: data\n  tool: books_page\n  arguments: {page: p}',
      ['24 pending.tool: does not give books_page its required argument result'],
    ],
  ])('refuses paging that is declared %s', (_, body, expected) => {
    expect(problems(body)).toEqual(expected);
  });

  it('adds the paging to the loaded tool', () => {
    expect(toolOf(`${TOOL}${offset()}\n`).paging).toEqual({
      list: 'data',
      size: 'limit',
      offset: { parameter: 'limit', first: 0 },
    });
  });

  it('refuses to continue in a tool of another connector', () => {
    const papers = toolsetFile(
      `${TOOL.trim()}\npending:\n  until: data\n  tool: books_find\n  arguments: {mark: id}`,
    )
      .replace('connector: books', 'connector: papers')
      .replace('books_find', 'papers_find');
    expect(
      problemsOf({
        'books/connector.yaml': BOOKS_CONNECTOR,
        'books/t.yaml': toolsetFile(TOOL),
        'papers/connector.yaml': BOOKS_CONNECTOR.replace('name: books', 'name: papers'),
        'papers/t.yaml': papers,
      }),
    ).toEqual([
      'papers/t.yaml:24 papers_find: pending.tool: names the tool books_find, which belongs to another connector',
    ]);
  });
});
