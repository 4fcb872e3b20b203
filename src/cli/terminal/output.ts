/** Data on stdout: JSON for programs, tables and lists for people. Remarks go to stderr. */
import { print, say, type Terminal } from './terminal.ts';

/** The output of one command: as JSON if `--json` was given, otherwise for people. */
export class Output {
  readonly #terminal: Terminal;
  readonly isJson: boolean;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.isJson = isJson;
  }

  /** Prints a line of data. */
  print(text: string): void {
    print(this.#terminal, text);
  }

  /** Prints a line on stderr for the user of the command. */
  say(text: string): void {
    say(this.#terminal, text);
  }

  /** Prints indented JSON, with or without `--json`. */
  json(value: unknown): void {
    this.print(JSON.stringify(value, null, 2));
  }

  /** Prints one thing: as JSON, or a line for each member. */
  fields(fields: object): void {
    if (this.isJson) return this.json(fields);
    const width = Math.max(...Object.keys(fields).map((name) => name.length));
    for (const [name, value] of Object.entries(fields))
      this.print(`${name.padEnd(width)}  ${cellText(value)}`);
  }

  /**
   * Prints a list: the whole answer as JSON, or the chosen columns as a table.
   *
   * @param list.empty printed on stderr if there are no rows
   */
  list<Row extends object>(list: {
    answer: unknown;
    rows: readonly Row[];
    columns: readonly (keyof Row & string)[];
    empty: string;
  }): void {
    if (this.isJson) return this.json(list.answer);
    if (list.rows.length === 0) return this.say(list.empty);
    const cells = [
      list.columns.map((column) => column.toUpperCase()),
      ...list.rows.map((row) => list.columns.map((column) => cellText(row[column]))),
    ];
    const widths = list.columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
    for (const row of cells)
      this.print(
        row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd(),
      );
  }

  /** Prints how to get the next page of a list, if there is one. JSON contains its token anyway. */
  nextPage({ total_size: total, total_size_is_at_least: isMore, next_page_token: token }: PageLinks): void {
    if (this.isJson || token === '') return;
    this.say(`${isMore ? `More than ${total}` : total} in all. Next page: --page-token ${token}`);
  }
}

interface PageLinks {
  total_size: number;
  total_size_is_at_least?: true;
  next_page_token: string;
}

/** Values come from providers and callers: control characters would move the cursor or recolor the terminal. */
function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\p{Cc}/gu, ' ');
}
