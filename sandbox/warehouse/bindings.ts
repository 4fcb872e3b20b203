/** Reads the values for the `?` of a statement from the texts in the request. Pure. */
import { z } from 'zod';
import { SqlFailure } from './refusal.ts';
import { isSymbol, placeOf, type Token } from './scanner.ts';
import type { StoredValue } from './types.ts';

const value = z.string().nullable();

/** `bindings` of a request. */
export const bindingsShape = z.record(
  z.string(),
  z.strictObject({
    type: z.enum([
      'FIXED',
      'REAL',
      'TEXT',
      'BINARY',
      'BOOLEAN',
      'DATE',
      'TIME',
      'TIMESTAMP_TZ',
      'TIMESTAMP_LTZ',
      'TIMESTAMP_NTZ',
    ]),
    value: z.union([value, z.array(value)]),
  }),
);

/** By position, from `"1"`. */
export type Bindings = z.infer<typeof bindingsShape>;

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * @param source the text as sent, for positions in messages
 * @returns the values of each run: one run, or as many as the lists are long
 * @throws SqlFailure for a `?` without a value, and for a value that does not fit its type
 */
export function boundRuns(tokens: readonly Token[], bindings: Bindings, source: string): StoredValue[][] {
  const marks = tokens.filter((token) => isSymbol(token, '?'));
  const columns = marks.map((mark, i) => {
    const binding = bindings[String(i + 1)];
    if (binding !== undefined) return binding;
    throw new SqlFailure(
      '002049',
      '42601',
      `SQL compilation error: error ${placeOf(source, mark.offset)}\nBind variable ? not set.`,
    );
  });
  const lengths = columns.flatMap((column) => (Array.isArray(column.value) ? [column.value.length] : []));
  const [runs = 1] = lengths;
  if (lengths.length > 0 && (lengths.length < columns.length || lengths.some((length) => length !== runs)))
    throw new SqlFailure(
      '002047',
      '42601',
      'SQL compilation error:\nAll lists of bind variables have to be of one length.',
    );
  return Array.from({ length: runs }, (_, run) =>
    columns.map((column) =>
      storedValue(column.type, Array.isArray(column.value) ? (column.value[run] ?? null) : column.value),
    ),
  );
}

/** Years with four digits. */
function isInTime(milliseconds: number): boolean {
  return milliseconds >= FIRST_MS && milliseconds <= LAST_MS;
}

function storedValue(type: Bindings[string]['type'], text: string | null): StoredValue {
  if (text === null) return null;
  const wrong = (): SqlFailure =>
    new SqlFailure('100038', '22018', `${type} value '${text}' is not recognized`);
  switch (type) {
    case 'FIXED':
      if (/^-?\d+$/.test(text)) return BigInt(text);
      if (/^-?\d+\.\d+$/.test(text)) return Number(text);
      throw wrong();
    case 'REAL':
      if (text.trim() === '' || Number.isNaN(Number(text))) throw wrong();
      return Number(text);
    case 'BOOLEAN':
      if (!/^(true|false|1|0)$/i.test(text)) throw wrong();
      return /^(true|1)$/i.test(text) ? 1n : 0n;
    case 'DATE':
      // Milliseconds since the epoch.
      if (!/^-?\d+$/.test(text) || !isInTime(Number(text))) throw wrong();
      return new Date(Math.floor(Number(text) / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
    case 'TIMESTAMP_LTZ':
    case 'TIMESTAMP_NTZ':
    case 'TIMESTAMP_TZ': {
      // Nanoseconds since the epoch; with a zone its offset follows.
      const [nanoseconds = ''] = text.split(' ');
      if (!/^-?\d+$/.test(nanoseconds) || !isInTime(Number(nanoseconds) / 1_000_000)) throw wrong();
      const time = new Date(Number(BigInt(nanoseconds) / 1_000_000n));
      return time.toISOString().slice(0, 23).replace('T', ' ');
    }
    case 'BINARY':
      if (!/^([0-9a-f]{2})*$/i.test(text)) throw wrong();
      return Buffer.from(text, 'hex');
    default:
      return text;
  }
}
