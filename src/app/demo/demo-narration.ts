/** Narrates the demo: numbered steps in plain words, wrapped for a terminal, without colors. */

const WIDTH = 98;

/** Writes a story line by line. */
export class Narration {
  readonly #write: (line: string) => void;
  #steps = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Begins the next step. */
  step(title: string): void {
    this.#steps += 1;
    this.#write('');
    this.#write(`${this.#steps}. ${title}`);
  }

  /** A paragraph that tells what happens. */
  say(text: string): void {
    for (const line of wrapped(text, WIDTH - 3)) this.#write(`   ${line}`);
  }

  /** A quote from the agent or a page. */
  quote(text: string): void {
    for (const line of wrapped(text, WIDTH - 5)) this.#write(`   | ${line}`);
  }

  /** An unwrapped line, for text that users copy. */
  literal(line: string): void {
    this.#write(line === '' ? '' : `   ${line}`);
  }

  /** A line without indentation, after an empty one. */
  heading(line: string): void {
    this.#write('');
    this.#write(line);
  }
}

/** Lines of at most `width` characters; a longer word, such as a link, gets a line of its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
