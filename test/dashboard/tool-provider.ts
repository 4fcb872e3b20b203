/** An invented app with a few tools, on a server of this machine, for pages that try tools. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A request that the app got. */
export interface SeenRequest {
  method: string;
  path: string;
  key: string;
  body: unknown;
}

/** What the app answers next; the list of books without one. */
export interface AppAnswer {
  status: number;
  body: unknown;
}

export type ToolProvider = Awaited<ReturnType<typeof startToolProvider>>;

/** Starts it. Its connector is `library`; `env` are the settings with which a site has it. */
export async function startToolProvider() {
  const seen: SeenRequest[] = [];
  const answers: AppAnswer[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      seen.push({
        method: request.method ?? '',
        path: request.url ?? '',
        key: String(request.headers['x-api-key']),
        body: text === '' ? undefined : JSON.parse(text),
      });
      const { status, body } = answers.shift() ?? { status: 200, body: BOOKS };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-library-'));
  mkdirSync(join(folder, 'library'));
  writeFileSync(join(folder, 'library', 'connector.yaml'), connectorFile(`http://${host}`));
  writeFileSync(join(folder, 'library', 'books.yaml'), TOOLS);
  return {
    seen,
    answers,
    env: { GATEHOUSE_CATALOG_DIRS: folder, GATEHOUSE_ALLOW_PRIVATE_HOSTS: host },
    close: (): void => {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The usual answer. */
const BOOKS = {
  entries: [
    { title: 'Harbour <b>Almanac</b>', year: 1911, tags: ['sea'] },
    { title: 'Fernway', year: 1987, tags: [] },
  ],
};

function connectorFile(origin: string): string {
  return `name: library
title: Library
description: A library of the tests.
hosts: [{url: '${origin}'}]
auth:
  - type: API_KEY
    fields: [{name: api_key, label: Key, input: password}]
    attach: {in: header, name: x-api-key, field: api_key}
errors: {message: [error.message], code: [error.code]}
`;
}

const source = "source: {url: 'https://docs.example', checked: '2026-11-20'}";

const TOOLS = `connector: library
tools:
  - name: library_list_books
    title: List books
    description: Lists the books of a shelf, newest first.
    effect: read
    ${source}
    parameters:
      shelf: {type: string, required: true, min_length: 1, to: query.shelf, description: Name of the shelf.}
      limit: {type: integer, minimum: 1, maximum: 100, default: 20, to: query.limit, description: Most books.}
      order: {type: string, enum: [title, year], to: query.order, description: Their order.}
      lent: {type: boolean, to: query.lent, description: Only those that are lent.}
      words: {type: array, items: {type: string}, to: query.words, description: Words of the title.}
      author: {type: string, to: query.author, description: Who wrote it.}
      language: {type: string, to: query.language, description: In which language.}
    request: {method: GET, path: /books}
  - name: library_add_book
    title: Add a book
    description: Adds a book to a shelf.
    effect: create
    ${source}
    parameters:
      title: {type: string, required: true, min_length: 1, to: body.title, description: Its title.}
      facts: {type: object, to: body.facts, description: Further facts.}
      authors:
        type: array
        to: body.authors
        description: Who wrote it.
        items:
          type: object
          properties: {name: {type: string, required: true, min_length: 1}, born: {type: integer}}
    request: {method: POST, path: /books}
  - name: library_delete_book
    title: Delete a book
    description: Deletes a book for good.
    effect: delete
    ${source}
    parameters:
      id: {type: string, required: true, min_length: 1, to: path.id, description: Its id.}
    request: {method: DELETE, path: '/books/{id}'}
`;
