/** Imports for tests: small documents around one operation, the descriptions of real providers, and the tools that come of them. */
import { readFileSync, rmSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  importOpenApi,
  type ImportRequest,
  type ImportResult,
} from '../../../src/catalog/import/import-openapi.ts';
import { noteText, ImportError } from '../../../src/catalog/import/report.ts';
import { checkCatalog } from '../../../src/catalog/load/lint.ts';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import type { Connector, JsonObject, Tool } from '../../../src/catalog/model/types.ts';
import { writeFolder } from '../files.ts';

/** A description of one operation, `POST /books` unless the change says otherwise. */
export function bookShop(change: JsonObject = {}, operation: JsonObject = {}): JsonObject {
  return {
    openapi: '3.0.3',
    info: { title: 'Book shop', version: '1' },
    servers: [{ url: 'https://books.example.test/v1' }],
    paths: {
      '/books': { post: { operationId: 'addBook', summary: 'Add a book to the shelf', ...operation } },
    },
    ...change,
  };
}

/** An operation with a JSON body of this schema. */
export const withBody = (schema: unknown): JsonObject => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});

export function imported(document: unknown, change: Partial<ImportRequest> = {}): ImportResult {
  return importOpenApi({
    text: typeof document === 'string' ? document : JSON.stringify(document),
    source: 'openapi.json',
    operations: ['all'],
    today: '2026-11-20',
    taken: { connectors: new Set(), tools: new Set() },
    ...change,
  });
}

/** What came of it as a start would load it, after `catalog check` found nothing. */
export function loaded(result: ImportResult): { connector: Connector; tools: Tool[] } {
  const files = [...result.files].map(([name, text]) => [`${result.connector}/${name}`, text]);
  const dir = writeFolder(Object.fromEntries(files) as Record<string, string>);
  try {
    const { problems } = checkCatalog([dir], { handlers: new Set() });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    const catalog = loadCatalog([dir], { handlers: new Set() });
    return { connector: catalog.connectors.get(result.connector)!, tools: [...catalog.tools.values()] };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The only tool of a document. */
export function onlyTool(document: unknown): Tool {
  const { tools } = loaded(imported(document));
  if (tools.length !== 1) throw new Error(`${tools.length} tools`);
  return tools[0]!;
}

/** Notes of all operations, one per line. */
export function notesOf({ operations }: ImportResult): string[] {
  return operations.flatMap(({ notes }) => notes.map(noteText));
}

/** What is wrong with a document, as `place: message`. */
export function problemsOf(document: unknown, change: Partial<ImportRequest> = {}): string[] {
  try {
    imported(document, change);
    return [];
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return error.problems.map(({ place, message }) => `${place}: ${message}`);
  }
}

/** A provider's description with its prose and security, without the shapes of answers. */
export function providerDocument(name: 'crm' | 'video'): string {
  return gunzipSync(readFileSync(new URL(`descriptions/${name}.json.gz`, import.meta.url))).toString();
}
