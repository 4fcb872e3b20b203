/**
 * Finds texts that a person should read before approving a definition: hidden characters, instructions to the
 * model, names of other connectors' tools. Pure.
 *
 * A hit proves nothing, and no hit proves nothing either: encodings and translations pass every such check.
 */
import { HIDDEN, plainText, startOfText, visibleText } from './plain-text.ts';
import type { Finding, ListedTool } from '../../store/tables/upstream-tool-tables.ts';

/** Longest text of a definition that is published. */
export const MAX_PUBLISHED_TEXT = 2_000;

/** Longest text that is not a hit by its length alone. */
const MAX_TEXT = 4_000;

const MAX_SHOWN = 100;

/** Most hits that are reported; nobody reads more. */
const MAX_FINDINGS = 100;

const WORDS_TO_MODEL =
  /\b(?:ignore (?:all|any|the|previous|your)|disregard|do not (?:tell|mention|reveal|show)|don't (?:tell|mention|reveal)|never (?:tell|mention|reveal)|(?:always|first|before (?:using|use|you use|any|calling)).{0,30}\bcall\b|system prompt|you must|instead of (?:asking|the user)|without (?:asking|telling))|<\/?(?:important|system|instructions?|secret)\b/i;

const ADDRESS = /\b(?:https?|ftp|javascript|data|file):[^\s)"']+/i;

const ENCODED = /[A-Za-z0-9+/_-]{80,}={0,2}/;

const PATTERNS = [
  ['words_to_model', WORDS_TO_MODEL],
  ['address', ADDRESS],
  ['encoded', ENCODED],
] as const;

/**
 * @param foreignTools names of tools of other connectors
 */
export function textFindings(tool: ListedTool, foreignTools: ReadonlySet<string> = new Set()): Finding[] {
  const findings: Finding[] = [];
  for (const [field, text] of textsOf(tool, '', 0)) {
    if (findings.length >= MAX_FINDINGS) break;
    for (const [kind, found] of hitsIn(text, foreignTools))
      findings.push({ field, kind, shown: startOfText(visibleText(found), MAX_SHOWN) });
  }
  return findings.slice(0, MAX_FINDINGS);
}

/** Address of a JSON Schema dialect, which most servers name. It is not published. */
const DIALECT = /^https?:\/\/json-schema\.org\/[\w./-]{1,40}#?$/;

/**
 * Deepest level that is searched. Deeper values exceed the limits of schemas, so they are refused before anybody
 * approves them.
 */
const MAX_DEPTH = 60;

function* textsOf(value: unknown, field: string, depth: number): Generator<[field: string, text: string]> {
  if (typeof value === 'string' && !DIALECT.test(value)) yield [field, value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${field}[${name}]` : field === '' ? name : `${field}.${name}`;
    if (!Array.isArray(value)) yield [path, name];
    yield* textsOf(member, path, depth + 1);
  }
}

function* hitsIn(text: string, foreignTools: ReadonlySet<string>): Generator<[Finding['kind'], string]> {
  const start = text.slice(0, 20 * MAX_TEXT);
  const hidden = start.search(HIDDEN);
  if (hidden !== -1) yield ['hidden', around(start, hidden)];
  const control = start.search(/[^\P{Cc}\t\n\r]/u);
  if (control !== -1) yield ['control', around(start, control)];
  for (const [kind, pattern] of PATTERNS) {
    const found = pattern.exec(start);
    if (found !== null) yield [kind, around(start, found.index)];
  }
  // Words without `_` match too: a pattern that asks for one fails at every letter of a long word, which takes
  // quadratic time.
  const foreign = start.match(/[a-z][a-z0-9]*(?:_[a-z0-9]+)*/g)?.find((word) => foreignTools.has(word));
  if (foreign !== undefined) yield ['foreign_tool', foreign];
  if (text.length > MAX_TEXT) yield ['long', `${text.length} characters`];
}

function around(text: string, index: number): string {
  return text.slice(Math.max(0, index - 20), index + 80);
}

/** The published form of a text: without invisible characters, and cut to a length. */
export function publishedText(text: string, maxLength = MAX_PUBLISHED_TEXT): string {
  const plain = plainText(text).trim();
  return plain.length <= maxLength ? plain : `${startOfText(plain, maxLength - 1)}…`;
}
