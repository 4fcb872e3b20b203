/** Pages of `docs/`, for the tests that run their examples and compare them with the code. */
import { readdirSync, readFileSync } from 'node:fs';

const DOCS = new URL('../../docs/', import.meta.url);

/** @param name path below `docs/` */
export function page(name: string): string {
  return readFileSync(new URL(name, DOCS), 'utf8');
}

/** All pages of `docs/adding-a-connector/` in one text, by file name. */
export function connectorPages(): string {
  const names = readdirSync(new URL('adding-a-connector/', DOCS)).sort();
  return names.map((name) => page(`adding-a-connector/${name}`)).join('\n');
}
