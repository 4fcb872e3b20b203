/** Turns rows of a database into a form for models: names of columns, cells as values, the number of rows. Pure. */
import type { ResultRules } from '../../catalog/model/types.ts';
import { isList, isObject } from '../../core/json.ts';
import { at, type CompactResult, type Table } from './members.ts';

type RowRules = NonNullable<ResultRules['rows']>;
type Decoder = RowRules['decode'][string];

/** The part of a table that is wanted. */
interface WantedRows {
  /** Names of columns, without regard to case; all if `undefined`. */
  columns?: readonly string[] | undefined;
  maxRows?: number | undefined;
}

const MS_PER_DAY = 86_400_000;

/** Decimal digits that a number always holds exactly. */
const EXACT_DIGITS = 15;

/** Numbers below this hold fewer digits (the smallest normal number of IEEE 754). */
const MIN_EXACT = 2.2250738585072014e-308;

/** Highest magnitude of seconds that a date can have (ECMAScript time values). */
const MAX_SECONDS = 8_640_000_000_000;

/** The table of an answer; `undefined` if rows and columns do not match. */
export function decodedRows(
  rules: RowRules,
  list: string,
  data: unknown,
  { columns: wanted, maxRows = Infinity }: WantedRows,
): CompactResult | undefined {
  const columns = at(data, rules.columns);
  const rows = at(data, list) ?? [];
  if (!isList(columns) || !isList(rows)) return undefined;
  const names = columns.map((column) => at(column, rules.name));
  if (!names.every((name) => typeof name === 'string')) return undefined;
  if (!rows.every((row) => isList(row)) || rows.some(({ length }) => length !== names.length))
    return undefined;
  const isNamed = (name: string, other: string) => name.toLowerCase() === other.toLowerCase();
  const places = wanted?.flatMap((field) => {
    const place = names.findIndex((name) => isNamed(name, field));
    return place < 0 ? [] : [place];
  });
  const shown = places === undefined || places.length === 0 ? names.map((_, i) => i) : places;
  const decoders = columns.map((column) => decoderOf(rules, column));
  const kept = rows.slice(0, maxRows);
  const all = rules.count === undefined ? undefined : at(data, rules.count);
  const more = rules.more !== undefined && at(data, rules.more.if) !== undefined ? rules.more.keep : {};
  return {
    value: {
      columns: shown.map((i) => names[i]),
      rows: kept.map((row) => shown.map((i) => decoded(row[i], decoders[i]))),
      row_count: typeof all === 'number' ? all : rows.length,
      ...Object.fromEntries(
        Object.entries(more)
          .map(([name, path]) => [name, at(data, path)] as const)
          .filter(([, value]) => value !== undefined),
      ),
    } satisfies Table,
    unknownFields: (wanted ?? []).filter((field) => !names.some((name) => isNamed(name, field))),
    omittedRows: rows.length - kept.length,
  };
}

function decoderOf({ type, decode }: RowRules, column: unknown): Decoder | undefined {
  const kind = type === undefined || !isObject(column) ? undefined : at(column, type);
  return typeof kind === 'string' && Object.hasOwn(decode, kind) ? decode[kind] : undefined;
}

/** The value of a cell. A cell that does not match its type is kept as it is. */
function decoded(cell: unknown, decoder: Decoder | undefined): unknown {
  return typeof cell === 'string' && decoder !== undefined ? (READERS[decoder](cell) ?? cell) : cell;
}

const READERS: Readonly<Record<Decoder, (text: string) => unknown>> = {
  number: exactNumber,
  boolean: (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()],
  json: parsedJson,
  epoch_days: (text) =>
    /^-?\d{1,8}$/.test(text) ? dateText(Number(text) * MS_PER_DAY)?.slice(0, -'T00:00:00'.length) : undefined,
  epoch_seconds: (text) => withSuffix(momentText(text), 'Z'),
  local_epoch_seconds: (text) => momentText(text),
  epoch_seconds_offset: offsetMoment,
  seconds_of_day: (text) =>
    /^\d{1,5}(\.\d+)?$/.test(text) && Number(text) < MS_PER_DAY / 1_000
      ? momentText(text)?.slice('1970-01-01T'.length)
      : undefined,
};

/** The number, if it is exactly the one in the text. */
function exactNumber(text: string): number | undefined {
  const parts = /^-?(\d+)(?:\.(\d+))?([eE][+-]?\d{1,3})?$/.exec(text);
  if (parts === null) return undefined;
  const digits = `${parts[1] ?? ''}${(parts[2] ?? '').replace(/0+$/, '')}`.replace(/^0+/, '');
  const value = Number(text);
  const isInteger = parts[2] === undefined && parts[3] === undefined;
  const isExact = digits.length <= EXACT_DIGITS || (isInteger && Number.isSafeInteger(value));
  const isHeld = digits === '' || (Number.isFinite(value) && Math.abs(value) >= MIN_EXACT);
  return isExact && isHeld ? value : undefined;
}

/** `JSON.parse` with the text of each number (ECMAScript 2026), which TypeScript does not know yet. */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/** Parses JSON. Numbers that cannot be held exactly stay text, as in a cell of their own. */
function parsedJson(text: string): unknown {
  try {
    return parseWithSource(text, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined ? (exactNumber(source) ?? source) : value,
    );
  } catch {
    return undefined;
  }
}

/** Seconds since 1970, with up to nine decimals, as `2026-11-24T06:00:00.5`. */
function momentText(text: string, shiftMinutes = 0): string | undefined {
  const parts = /^(-?)(\d{1,13})(?:\.(\d{1,9}))?$/.exec(text);
  if (parts === null) return undefined;
  const fraction = (parts[3] ?? '').replace(/0+$/, '');
  const isBefore = parts[1] === '-';
  // Before 1970 a fraction counts backwards. So the second before it is shown, with the remainder as the fraction.
  const borrows = isBefore && fraction !== '';
  const whole = Number(`${parts[1] ?? ''}${parts[2] ?? ''}`) - (borrows ? 1 : 0) + shiftMinutes * 60;
  const rest = borrows ? complement(fraction) : fraction;
  if (Math.abs(whole) > MAX_SECONDS) return undefined;
  const date = dateText(whole * 1_000);
  return date === undefined || rest === '' ? date : `${date}.${rest}`;
}

/** The difference between a decimal fraction and one. */
function complement(fraction: string): string {
  return String(10 ** fraction.length - Number(fraction)).padStart(fraction.length, '0');
}

/** Seconds, a blank, and the offset in minutes plus 1440: `1763964000.000000000 1500`. */
function offsetMoment(text: string): string | undefined {
  const parts = /^(\S+) (\d{1,4})$/.exec(text);
  if (parts === null) return undefined;
  const minutes = Number(parts[2]) - 1440;
  const moment = momentText(parts[1] ?? '', minutes);
  if (Math.abs(minutes) >= 1440) return undefined;
  const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
  const rest = String(Math.abs(minutes) % 60).padStart(2, '0');
  return withSuffix(moment, `${minutes < 0 ? '-' : '+'}${hours}:${rest}`);
}

/** `2026-11-24T06:00:00`, without zone. */
function dateText(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, -'.000Z'.length);
}

function withSuffix(text: string | undefined, suffix: string): string | undefined {
  return text === undefined ? undefined : text + suffix;
}
