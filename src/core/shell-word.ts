/** Writing a command that somebody copies into a shell. */

/** As a POSIX shell and zsh take it for one word. */
export function shellWord(text: string): string {
  return /^[\w@.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
