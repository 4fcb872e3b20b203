/**
 * Puts the entry of a server into the text of a client's file. All other values and all comments stay, and so do
 * members of the entry that we do not set; only comments inside our own table of a TOML file are lost.
 */
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parseTree,
  type ParseError,
} from 'jsonc-parser';
import { parse as parseToml, stringify as writeToml, TomlError, type TomlTable } from 'smol-toml';
import { isDeepStrictEqual } from 'node:util';
import { SERVER_NAME, type McpClient, type ServerEntry } from './clients.ts';

/** The text cannot be changed safely. The message completes "The file …". */
export class UnmergeableFailure extends Error {
  override readonly name = 'UnmergeableFailure';
}

/** The text to paste into an empty file of this client. */
export function entryText(client: McpClient, entry: ServerEntry): string {
  return mergeEntry('', client, entry);
}

/**
 * The text of a client's file with our entry in it.
 *
 * @param text '' for a file that does not exist
 * @throws UnmergeableFailure if the text is not valid, or if the place of the entry holds no object
 */
export function mergeEntry(text: string, client: McpClient, entry: ServerEntry): string {
  return client.format === 'toml' ? mergeToml(text, client, entry) : mergeJson(text, client, entry);
}

function mergeJson(text: string, { section }: McpClient, entry: ServerEntry): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const given = text.trim() === '' ? `{}${eol}` : text;
  const errors: ParseError[] = [];
  const root = parseTree(given, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || root === undefined)
    throw new UnmergeableFailure(`is not valid JSON (line ${lineAt(given, error?.offset ?? 0)})`);
  if (root.type !== 'object') throw new UnmergeableFailure('holds something other than a JSON object');
  for (const path of [[section], [section, SERVER_NAME]]) {
    const node = findNodeAtLocation(root, path);
    if (node !== undefined && node.type !== 'object')
      throw new UnmergeableFailure(`has something other than an object at ${path.join('.')}`);
  }
  const old = findNodeAtLocation(root, [section, SERVER_NAME]);
  const formattingOptions = { ...indentationOf(given), eol };
  // Member by member, so that comments inside the entry stay too.
  const changes: [path: string[], value: unknown][] =
    old === undefined
      ? [[[section, SERVER_NAME], entry]]
      : Object.entries(entry).map(([name, value]) => [[section, SERVER_NAME, name], value]);
  return changes.reduce((changed, [path, value]) => {
    const node = findNodeAtLocation(parseTree(changed, [], { allowTrailingComma: true }) ?? root, path);
    if (node !== undefined && isDeepStrictEqual(getNodeValue(node), value)) return changed;
    return applyEdits(changed, modify(changed, path, value, { formattingOptions }));
  }, given);
}

/** Takes the indentation of the first indented line, or two spaces. */
function indentationOf(text: string): { insertSpaces: boolean; tabSize: number } {
  const [, indentation = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { insertSpaces: !indentation.startsWith('\t'), tabSize: indentation.length };
}

/**
 * TOML has no editor that keeps comments, so our table is written as text. The result is read again and has to
 * differ from the file in our table only.
 */
function mergeToml(text: string, { section }: McpClient, entry: ServerEntry): string {
  const before = readToml(text);
  const servers = before[section] ?? {};
  if (!isTable(servers)) throw new UnmergeableFailure(`has something other than a table at ${section}`);
  const old = servers[SERVER_NAME] ?? {};
  if (!isTable(old))
    throw new UnmergeableFailure(`has something other than a table at ${section}.${SERVER_NAME}`);
  const table: TomlTable = { ...old, ...entry };
  if (isDeepStrictEqual(old, table)) return text;
  const own = Object.entries(table).filter(([, value]) => !isTable(value));
  const written = `[${section}.${SERVER_NAME}]\n${writeToml(Object.fromEntries(own)).trim()}\n`;
  const [found, start, end] = ownTable(text, section);
  const merged = found
    ? `${text.slice(0, start)}${written}${text.slice(end)}`
    : `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${text === '' ? '' : '\n'}${written}`;
  const expected = { ...before, [section]: { ...servers, [SERVER_NAME]: table } };
  if (!holds(merged, expected))
    throw new UnmergeableFailure(`has ${section} in a form that cannot be changed safely`);
  return merged;
}

/** Whether a text is TOML with this content. Dates compare by their text. */
function holds(text: string, content: TomlTable): boolean {
  try {
    return JSON.stringify(sorted(parseToml(text))) === JSON.stringify(sorted(content));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return false;
  }
}

/** The same with the members of every table in order of name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** The lines of our table: from its header to the next one, without the empty lines before that. */
function ownTable(text: string, section: string): [isThere: boolean, start: number, end: number] {
  const header = new RegExp(
    `^[ \\t]*\\[[ \\t]*${section}[ \\t]*\\.[ \\t]*["']?${SERVER_NAME}["']?[ \\t]*\\].*$`,
    'm',
  );
  const found = header.exec(text);
  if (found === null) return [false, 0, 0];
  const rest = text.slice(found.index + found[0].length);
  const next = /^[ \t]*\[[^\n]*\][ \t]*(#.*)?$/m.exec(rest);
  const body = next === null ? rest : rest.slice(0, next.index);
  const end = found.index + found[0].length + body.trimEnd().length;
  return [true, found.index, text[end] === '\n' ? end + 1 : end];
}

function readToml(text: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UnmergeableFailure(`is not valid TOML (line ${error.line})`);
  }
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
