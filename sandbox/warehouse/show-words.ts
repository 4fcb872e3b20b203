/** The words of SHOW and DESCRIBE, read one by one: patterns, names, scopes. */
import { likePattern } from './functions.ts';
import { syntaxError, type SqlFailure } from './refusal.ts';
import { isName, isWord, placeOf, readName, type Token } from './scanner.ts';
import type { Session } from './session.ts';

/** True if a name matches a pattern. */
export type NameTest = (name: string) => boolean;

/** Scope of a search; the whole account if empty. */
export interface Scope {
  database?: string;
  schema?: string;
  table?: string;
}

/** The words of a SHOW after the first, read one by one. */
export class ShowWords {
  readonly #tokens: readonly Token[];
  readonly #source: string;
  #next = 1;
  /** The last skipped word. */
  last = '';

  constructor(tokens: readonly Token[], source: string) {
    this.#tokens = tokens;
    this.#source = source;
  }

  /** Skips the words if all of them come next. */
  skip(...words: readonly string[]): boolean {
    if (!words.every((word, i) => isWord(this.#tokens[this.#next + i], word))) return false;
    this.#next += words.length;
    this.last = words.at(-1) ?? '';
    return true;
  }

  peek(): string {
    return this.#tokens[this.#next]?.text ?? '<EOF>';
  }

  /** @throws SqlFailure if no name comes next */
  name(): string[] {
    const { parts, next } = readName(this.#tokens, this.#next);
    if (parts.length === 0) throw this.#unexpected();
    this.#next = next;
    return parts;
  }

  /** The kind of an object: one or more words before a name. */
  kind(): string {
    const words: string[] = [];
    while (this.#tokens[this.#next]?.kind === 'word' && isName(this.#tokens[this.#next + 1])) {
      words.push(this.peek());
      this.#next += 1;
    }
    if (words.length === 0) throw this.#unexpected();
    return words.join(' ');
  }

  /** `LIKE 'pattern'`, case-insensitive. */
  like(): NameTest {
    if (!this.skip('LIKE')) return () => true;
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'string') throw this.#unexpected();
    this.#next += 1;
    const pattern = likePattern(token.text, '', 'i');
    return (name) => pattern.test(name);
  }

  /** `LIMIT n`; all without it. */
  limit(): number {
    if (!this.skip('LIMIT')) return Infinity;
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'number') throw this.#unexpected();
    this.#next += 1;
    return Number(token.text);
  }

  /**
   * `IN ACCOUNT | DATABASE x | SCHEMA x | TABLE x`, or without the kind. @throws SqlFailure for a scope that
   * does not exist
   */
  scope(session: Session): Scope {
    if (!this.skip('IN')) return { database: session.database };
    if (this.skip('ACCOUNT')) return {};
    if (this.skip('TABLE')) {
      const { database, schema, name } = session.table(this.name());
      return { database, schema, table: name };
    }
    const isSchema = this.skip('SCHEMA');
    if (!isSchema) this.skip('DATABASE');
    const parts = this.name();
    if (isSchema || parts.length > 1) {
      const [database, schema] = session.schemaNamed(parts);
      return { database, schema };
    }
    const [database = ''] = parts;
    session.requireDatabase(database);
    return { database };
  }

  /** @throws SqlFailure if words are left */
  end(): void {
    if (this.#next < this.#tokens.length) throw this.#unexpected();
  }

  #unexpected(): SqlFailure {
    const token = this.#tokens[this.#next];
    const offset = token?.offset ?? this.#source.length;
    return syntaxError(placeOf(this.#source, offset), token?.text ?? '<EOF>');
  }
}
