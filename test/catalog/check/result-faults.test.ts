/** Mistakes in the key result, and how the rules of connector, file and tool join. */
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import { BOOKS_CONNECTOR, catalogFolder, problemsOf, toolOf, toolsetFile } from '../files.ts';

const TOOL = `
parameters:
  book_id:
    type: string
    to: query.book
    description: Id of a book.
  limit:
    type: integer
    to: query.limit
    description: Books per page.
  offset:
    type: integer
    to: query.offset
    description: Books to skip.
paging:
  list: data
  size: limit
  offset:
    parameter: offset
request:
  method: GET
  path: /books
`;

/** Problems as `line message`; line 31 is the first of `body`. */
function problems(body: string): string[] {
  const files = {
    'books/connector.yaml': BOOKS_CONNECTOR,
    'books/t.yaml': toolsetFile(`${TOOL.trim()}\n${body}`),
  };
  return problemsOf(files).map((text) => text.replace('books/t.yaml:', '').replace('books_find: ', ''));
}

function resultOf(connector: string, file: string, tool: string) {
  const dir = catalogFolder({
    'books/connector.yaml': `${BOOKS_CONNECTOR}${connector}`,
    'books/t.yaml': toolsetFile(`${TOOL.trim()}\n${tool}`).replace('tools:\n', `${file}tools:\n`),
  });
  return loadCatalog([dir]).tools.get('books_find')?.result;
}

describe('check of result declarations', () => {
  it('accepts an answer that is itself the list', () => {
    expect(problems('result:\n  list: .\n  keep: [title]')).toEqual([]);
  });

  it.each([
    [
      'with a list and a record',
      'list: a\n  record: b',
      '33 result.record: contradicts list: an answer has one record, or a list of them',
    ],
    ['with a key and no map', 'key: a', '32 result.key: has no effect unless as is map'],
    ['as a map without a key', 'as: map', '32 result.as: needs key: the member that names an entry'],
    [
      'as values of two members',
      'as: values\n  keep: [a, b]',
      '32 result.as: needs keep with exactly one path',
    ],
    [
      'with names that no object parameter gives',
      'keep: [a]\n  keep_given: limit',
      '33 result.keep_given: must be the name of a parameter of type object',
    ],
    ['as a table without columns', 'as: table', '32 result.as: needs keep: the columns'],
    [
      'with two members of one name',
      'keep: [a.id, b.id]',
      '32 result.keep.1: is the second called id: write a table of names',
    ],
    [
      'with a member that it drops',
      'ids: [a.id]\n  drop: [a.id]',
      '32 result.ids: keeps a.id, which drop leaves out',
    ],
    [
      'without an id that a tool takes',
      'drop: [bookId]',
      '32 result.drop: leaves out bookId, which the tool itself takes: name it in ids',
    ],
    ['with a path that is none', 'keep: [a b]', '32 result.keep.0: must be a dotted path without blanks'],
    ['with a key that does not exist', 'kept: [a]', '32 result.kept: is not a key that exists here'],
    [
      'with a text to go on in beside an offset',
      'text: body',
      '32 result.text: adds a parameter offset, and the tool has one of that name',
    ],
    [
      'with decoders and no type',
      'rows:\n    columns: a\n    decode: {x: number}',
      '32 result.rows: needs type together with decode',
    ],
  ])('refuses a result %s', (_, rules, expected) => {
    expect(problems(`result:\n  ${rules}`)).toEqual([expected]);
  });

  it('refuses mistakes in the rules of a connector and of a file', () => {
    const files = {
      'books/connector.yaml': `${BOOKS_CONNECTOR}result: {list: a, record: b}\n`,
      'books/t.yaml': toolsetFile(TOOL).replace('tools:\n', 'result: {key: a}\ntools:\n'),
    };
    expect(problemsOf(files)).toEqual([
      'books/connector.yaml:24 result.record: contradicts list: an answer has one record, or a list of them',
      'books/t.yaml:2 result.key: has no effect unless as is map',
    ]);
  });

  it.each([
    [
      'keep: [title]',
      '',
      'books/t.yaml:15 books_find: result.keep: leaves out the id that books_get takes from this tool: name it in ids',
    ],
    [
      'keep: [title]\n  as: values',
      'result: {ids: [book_id]}\n',
      'books/t.yaml:17 books_find: result.as: leaves out the ids: values are the only kept member of each record',
    ],
    ['keep: [title, bookId]', '', undefined],
    ['keep: [title]', 'result: {ids: [book_id]}\n', undefined],
  ])('refuses rules without the id that another tool takes from it: %s %s', (rules, file, expected) => {
    const other = toolsetFile(
      'parameters:\n  book_id:\n    type: string\n    from: books_find\n    to: query.book\n    description: Id of a book.\nrequest:\n  method: GET\n  path: /book',
      'books_get',
    );
    const own = `request:\n  method: GET\n  path: /books\nresult:\n  list: data\n  ${rules}`;
    const files = {
      'books/connector.yaml': BOOKS_CONNECTOR,
      'books/o.yaml': other,
      'books/t.yaml': toolsetFile(own).replace('tools:\n', `${file}tools:\n`),
    };
    expect(problemsOf(files)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('lets the rules of a tool win over those of its file and connector, key by key', () => {
    expect(
      resultOf(
        'result: {drop: [a], record: r, flags: [f]}\n',
        'result: {drop: [b]}\n',
        'result:\n  ids: {book_id: id}',
      ),
    ).toEqual({
      drop: ['b'],
      flags: ['f'],
      ids: { book_id: 'id' },
      list: 'data',
    });
  });

  it('lets a tool keep its answers whole', () => {
    expect(resultOf('result: {drop: [a]}\n', '', 'result: whole')).toBeUndefined();
  });

  it('keeps answers whole where nothing is said', () => {
    expect(toolOf(TOOL).result).toBeUndefined();
  });
});
