/**
 * The parameters that choose how much of a result a model gets: `detail`, `fields`, `all_pages`, `max_rows`,
 * `offset`. They exist over MCP only, in addition to those of a tool, and have no description: the instructions
 * explain them once.
 */
import { answersWithRecords } from '../../catalog/model/result-rules.ts';
import type { PublishedSchema, Tool } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { CompactOptions } from './compaction.ts';
import { MAX_RECORDS } from './joined-pages.ts';

/** The form in which a caller wants a result. */
export interface ResultView extends CompactOptions {
  /** The provider's JSON, without the rules of the tool. */
  isFull?: boolean;
  /** Whether the records of all pages are wanted, not those of one. */
  isAllPages?: boolean;
}

/** A tool's arguments as sent by the client. */
type Arguments = Readonly<Record<string, unknown>>;

/** Rows that a caller gets without naming a number. */
const DEFAULT_ROWS = 100;

const SCHEMAS = {
  detail: { type: 'string', enum: ['full'] },
  fields: { type: 'array', items: { type: 'string' } },
  all_pages: { type: 'boolean' },
  max_rows: { type: 'integer' },
  offset: { type: 'integer' },
} satisfies Record<string, PublishedSchema>;

type ResultParameter = keyof typeof SCHEMAS;

/**
 * The parameters that are published with a tool. `detail`, `fields` and `all_pages` are not: nearly every tool has
 * them, so the instructions name them once, as they do `account`.
 */
export function listedResultParameters(
  tool: Tool,
): Readonly<Partial<Record<ResultParameter, PublishedSchema>>> {
  const { detail: _, fields: __, all_pages: ___, ...listed } = resultParameters(tool);
  return listed;
}

/** The parameters that a tool gets. If the tool has a parameter of the same name, that one is kept. */
function resultParameters(tool: Tool): Readonly<Partial<Record<ResultParameter, PublishedSchema>>> {
  const result = answersWithRecords(tool) ? tool.result : undefined;
  const names: ResultParameter[] = [
    ...(result === undefined ? [] : (['detail'] as const)),
    ...(result?.list === undefined ? [] : (['fields'] as const)),
    ...(tool.paging === undefined ? [] : (['all_pages'] as const)),
    ...(result?.rows === undefined ? [] : (['max_rows'] as const)),
    ...(result?.text === undefined ? [] : (['offset'] as const)),
  ];
  return Object.fromEntries(
    names.filter((name) => !Object.hasOwn(tool.parameters, name)).map((name) => [name, SCHEMAS[name]]),
  );
}

/** Splits these parameters off the arguments. Violations name those with an invalid value. */
export function splitView(
  tool: Tool,
  args: Arguments,
): { input: Arguments; view: ResultView; violations: FieldViolation[] } {
  const own = resultParameters(tool);
  const input = Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(own, name)));
  const given = (name: ResultParameter) =>
    Object.hasOwn(own, name) && args[name] !== null && args[name] !== '' ? args[name] : undefined;
  const violations: FieldViolation[] = [];
  const [detail, fields, allPages] = [given('detail'), namesIn(given('fields')), flagIn(given('all_pages'))];
  if (detail !== undefined && detail !== 'full')
    violations.push(violation('detail', 'Must be "full", or left out.', 'enum'));
  if (fields === null) violations.push(violation('fields', 'Must be a list of names.', 'type'));
  if (allPages === null) violations.push(violation('all_pages', 'Must be true or false.', 'type'));
  const counts = (['max_rows', 'offset'] as const).map((name) => {
    const value = given(name);
    const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    if (count === undefined || (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0))
      return count;
    violations.push(violation(name, 'Must be a whole number that is not negative.', 'type'));
    return undefined;
  });
  const view = {
    ...(detail === 'full' && { isFull: true }),
    ...(fields !== undefined && fields !== null && { fields }),
    ...(allPages === true && { isAllPages: true }),
    maxRows: counts[0] ?? (allPages === true ? MAX_RECORDS : DEFAULT_ROWS),
    offset: counts[1] ?? 0,
  };
  return { input, view, violations };
}

/** A boolean, or its text form; `null` for anything else. */
function flagIn(value: unknown): boolean | null | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : null;
}

/** Names from a list, or from a text with commas; `null` for anything else. */
function namesIn(value: unknown): readonly string[] | null | undefined {
  if (value === undefined) return undefined;
  const names = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return null;
  const full = names.map((name: string) => name.trim()).filter((name) => name !== '');
  return full.length === 0 ? undefined : full;
}
