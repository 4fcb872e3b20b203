/** Data on stdout: JSON for programs, tables and lists for people. */
import { print, say, type Terminal } from './terminal.ts';

/** Rows of a list, or the fields of one thing, by name. */
type Fields = Readonly<Record<string, unknown>>;

/** Pretty JSON. */
export function printJson(terminal: Terminal, value: unknown): void {
  print(terminal, JSON.stringify(value, null, 2));
}

/**
 * A list: the whole answer as JSON, or the chosen columns as a table.
 *
 * @param empty said on stderr when there is nothing to show
 */
export function printList(
  terminal: Terminal,
  list: {
    json: boolean;
    answer: unknown;
    rows: readonly Fields[];
    columns: readonly string[];
    empty: string;
  },
): void {
  if (list.json) return printJson(terminal, list.answer);
  if (list.rows.length === 0) return say(terminal, list.empty);
  const cells = [
    list.columns.map((column) => column.toUpperCase()),
    ...list.rows.map((row) => list.columns.map((column) => shown(row[column]))),
  ];
  const widths = list.columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  for (const row of cells)
    print(
      terminal,
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** One thing: as JSON, or a line per field. */
export function printFields(terminal: Terminal, json: boolean, fields: Fields): void {
  if (json) return printJson(terminal, fields);
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields))
    print(terminal, `${name.padEnd(width)}  ${shown(value)}`);
}

/** Data may come from providers and callers: control characters would move the cursor or recolour the terminal. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\p{Cc}/gu, ' ');
}
