/**
 * The parameters that choose how much of a result a model gets: `detail`, `fields`, `max_rows`, `offset`. They exist over
 * MCP only, beside those of a tool, and have no text of their own: the instructions explain them once.
 */
import { answersWithRecords } from '../catalog/model/result-rules.ts';
import type { PublishedSchema, Tool } from '../catalog/model/types.ts';
import { violation, type FieldViolation } from '../core/errors.ts';
import type { CompactOptions } from './results/compaction.ts';

/** How a caller wants a result. */
export interface ResultView extends CompactOptions {
  /** The provider's JSON, without the rules of the tool. */
  isFull?: boolean;
}

/** A tool's arguments as sent by the client. */
type Arguments = Readonly<Record<string, unknown>>;

/** Rows that a caller gets without naming a number. */
const DEFAULT_ROWS = 100;

const SCHEMAS = {
  detail: { type: 'string', enum: ['full'] },
  fields: { type: 'array', items: { type: 'string' } },
  max_rows: { type: 'integer' },
  offset: { type: 'integer' },
} satisfies Record<string, PublishedSchema>;

type ResultParameter = keyof typeof SCHEMAS;

/**
 * The parameters that are published with a tool. `detail` and `fields` are not: nearly every tool has them, so the
 * instructions name them once, as they do `account`.
 */
export function listedResultParameters(
  tool: Tool,
): Readonly<Partial<Record<ResultParameter, PublishedSchema>>> {
  const { detail: _, fields: __, ...listed } = resultParameters(tool);
  return listed;
}

/** The parameters that a tool gets. A parameter of its own comes first. */
function resultParameters(tool: Tool): Readonly<Partial<Record<ResultParameter, PublishedSchema>>> {
  const { result } = tool;
  if (result === undefined || !answersWithRecords(tool)) return {};
  const names: ResultParameter[] = [
    'detail',
    ...(result.list === undefined ? [] : (['fields'] as const)),
    ...(result.rows === undefined ? [] : (['max_rows'] as const)),
    ...(result.text === undefined ? [] : (['offset'] as const)),
  ];
  return Object.fromEntries(
    names.filter((name) => !Object.hasOwn(tool.parameters, name)).map((name) => [name, SCHEMAS[name]]),
  );
}

/** Takes these parameters out of the arguments. Violations name what has another form. */
export function splitView(
  tool: Tool,
  args: Arguments,
): { input: Arguments; view: ResultView; violations: FieldViolation[] } {
  const own = resultParameters(tool);
  const input = Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(own, name)));
  const given = (name: ResultParameter) =>
    Object.hasOwn(own, name) && args[name] !== null && args[name] !== '' ? args[name] : undefined;
  const violations: FieldViolation[] = [];
  const [detail, fields] = [given('detail'), namesIn(given('fields'))];
  if (detail !== undefined && detail !== 'full')
    violations.push(violation('detail', 'Must be "full", or left out.', 'enum'));
  if (fields === null) violations.push(violation('fields', 'Must be a list of names.', 'type'));
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
    maxRows: counts[0] ?? DEFAULT_ROWS,
    offset: counts[1] ?? 0,
  };
  return { input, view, violations };
}

/** Names in a list, or in a text with commas; `null` for anything else. */
function namesIn(value: unknown): readonly string[] | null | undefined {
  if (value === undefined) return undefined;
  const names = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return null;
  const full = names.map((name: string) => name.trim()).filter((name) => name !== '');
  return full.length === 0 ? undefined : full;
}
