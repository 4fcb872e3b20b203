/**
 * Functions of the provider that SQLite lacks or implements differently. A null argument gives null. Pure.
 */

type Value = string | number | bigint | Buffer | null;

/** A function by name and number of arguments. */
export interface SqlFunction {
  name: string;
  arity: number;
  call: (...values: Value[]) => Value;
}

const DAY_MS = 86_400_000;

const UNITS: Readonly<Record<string, number>> = {
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: DAY_MS,
  WEEK: 7 * DAY_MS,
};

/** Functions that depend on neither the caller nor the time. */
export const FUNCTIONS: readonly SqlFunction[] = [
  // The operators LIKE, ILIKE and REGEXP take the pattern first.
  strict('LIKE', 2, (pattern, text) => Number(likePattern(String(pattern), '', '').test(String(text)))),
  strict('LIKE', 3, (pattern, text, escape) =>
    Number(likePattern(String(pattern), String(escape), '').test(String(text))),
  ),
  strict('MATCH', 2, (pattern, text) => Number(likePattern(String(pattern), '', 'i').test(String(text)))),
  strict('MATCH', 3, (pattern, text, escape) =>
    Number(likePattern(String(pattern), String(escape), 'i').test(String(text))),
  ),
  strict('SF_LEFT', 2, (text, count) => String(text).slice(0, Math.max(0, Number(count)))),
  strict('SF_RIGHT', 2, (text, count) => (Number(count) <= 0 ? '' : String(text).slice(-Number(count)))),
  strict('CONTAINS', 2, (text, part) => Number(String(text).includes(String(part)))),
  strict('STARTSWITH', 2, (text, part) => Number(String(text).startsWith(String(part)))),
  strict('ENDSWITH', 2, (text, part) => Number(String(text).endsWith(String(part)))),
  strict(
    'SPLIT_PART',
    3,
    (text, separator, part) =>
      String(text)
        .split(String(separator))
        .at(Number(part) - 1) ?? '',
  ),
  strict('INITCAP', 1, (text) =>
    String(text)
      .toLowerCase()
      .replaceAll(/\b\w/g, (letter) => letter.toUpperCase()),
  ),
  strict('SYSTEM$WAIT', 1, (seconds) => `waited ${String(seconds)} seconds`),
  strict('SYSTEM$WAIT', 2, (count, unit) => `waited ${String(count)} ${String(unit).toLowerCase()}`),
  { name: 'NVL', arity: 2, call: (value, other) => value ?? other ?? null },
  { name: 'ZEROIFNULL', arity: 1, call: (value) => value ?? 0 },
  { name: 'IFF', arity: 3, call: (test, yes, no) => (isTrue(test) ? yes : no) ?? null },
  strict('DIV0', 2, (over, under) => (Number(under) === 0 ? 0 : Number(over) / Number(under))),
  strict('TO_NUMBER', 1, (value) => toNumber(value)),
  strict('TO_DOUBLE', 1, (value) => toNumber(value)),
  strict('TO_VARCHAR', 1, (value) => String(value)),
  strict('TO_CHAR', 1, (value) => String(value)),
  strict('TO_BOOLEAN', 1, (value) => Number(/^(true|t|yes|y|on|1)$/i.test(String(value)))),
  strict('PARSE_JSON', 1, (value) => JSON.stringify(JSON.parse(String(value)))),
  strict('TO_DATE', 1, (value) => new Date(timeOf(value)).toISOString().slice(0, 10)),
  strict('TO_TIMESTAMP_LTZ', 1, (value) => timestamp(instantOf(value))),
  strict('TO_TIMESTAMP', 1, (value) => timestamp(timeOf(value))),
  strict('YEAR', 1, (value) => new Date(timeOf(value)).getUTCFullYear()),
  strict('QUARTER', 1, (value) => Math.floor(new Date(timeOf(value)).getUTCMonth() / 3) + 1),
  strict('MONTH', 1, (value) => new Date(timeOf(value)).getUTCMonth() + 1),
  strict('DAY', 1, (value) => new Date(timeOf(value)).getUTCDate()),
  strict('DAYOFWEEK', 1, (value) => new Date(timeOf(value)).getUTCDay()),
  strict('HOUR', 1, (value) => new Date(timeOf(value)).getUTCHours()),
  strict('DATEADD', 3, (unit, count, value) =>
    likeTime(value, added(String(unit), Number(count), timeOf(value))),
  ),
  strict(
    'DATEDIFF',
    3,
    (unit, from, to) => steps(String(unit), timeOf(to)) - steps(String(unit), timeOf(from)),
  ),
  strict('DATE_TRUNC', 2, (unit, value) => likeTime(value, truncated(String(unit), timeOf(value)))),
];

function strict(name: string, arity: number, call: SqlFunction['call']): SqlFunction {
  return { name, arity, call: (...values) => (values.includes(null) ? null : call(...values)) };
}

/** `%` matches any text, `_` any character. */
export function likePattern(pattern: string, escape: string, flags: string): RegExp {
  let source = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === escape && escape !== '') source += escaped(pattern.charAt(++i));
    else if (character === '%') source += '[^]*';
    else source += character === '_' ? '[^]' : escaped(character);
  }
  return new RegExp(`^${source}$`, flags);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isTrue(value: Value | undefined): boolean {
  return value !== null && value !== undefined && Number(value) !== 0;
}

/** @throws Error worded like the provider's */
function toNumber(value: Value | undefined): number {
  const number = Number(value);
  if (Number.isNaN(number)) throw new Error(`Numeric value '${String(value)}' is not recognized`);
  return number;
}

/** Unix milliseconds. @throws Error worded like the provider's */
function timeOf(value: Value | undefined): number {
  const text = String(value);
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time)) throw new Error(`Date '${text}' is not recognized`);
  return time;
}

/** Of a time that may have an offset. @throws Error worded like the provider's */
function instantOf(value: Value | undefined): number {
  const time = Date.parse(String(value));
  return /[+-]\d\d:\d\d$/.test(String(value)) && !Number.isNaN(time) ? time : timeOf(value);
}

function timestamp(time: number): string {
  return new Date(time).toISOString().slice(0, 23).replace('T', ' ');
}

/** A date stays a date if nothing is lost. */
function likeTime(value: Value | undefined, time: number): string {
  return String(value).length === 10 && time % DAY_MS === 0
    ? new Date(time).toISOString().slice(0, 10)
    : timestamp(time);
}

function unitOf(unit: string): string {
  return unit.toUpperCase().replace(/S$/, '');
}

function added(unit: string, count: number, time: number): number {
  const ms = UNITS[unitOf(unit)];
  if (ms !== undefined) return time + count * ms;
  const months = monthsIn(unit);
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

/** Number of unit boundaries before a time: days, months and so on since the epoch. */
function steps(unit: string, time: number): number {
  const name = unitOf(unit);
  const ms = UNITS[name];
  const date = new Date(time);
  // Weeks begin on Monday; the epoch was a Thursday.
  if (name === 'WEEK') return Math.floor((time + 3 * DAY_MS) / (7 * DAY_MS));
  if (ms !== undefined) return Math.floor(time / ms);
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / monthsIn(unit));
}

function truncated(unit: string, time: number): number {
  const name = unitOf(unit);
  const ms = UNITS[name];
  if (name === 'WEEK') return steps(unit, time) * 7 * DAY_MS - 3 * DAY_MS;
  if (ms !== undefined) return Math.floor(time / ms) * ms;
  const month = steps(unit, time) * monthsIn(unit);
  return Date.UTC(Math.floor(month / 12), month % 12);
}

/** @throws Error worded like the provider's */
function monthsIn(unit: string): number {
  const months = { MONTH: 1, QUARTER: 3, YEAR: 12 }[unitOf(unit)];
  if (months === undefined) throw new Error(`'${unit}' is not a valid date/time component`);
  return months;
}
