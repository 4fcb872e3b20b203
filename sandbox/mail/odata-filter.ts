/**
 * `$filter`: the part of OData that calendars support. Comparisons, contains, startswith, endswith, any of a
 * list, and, or, not, parentheses. Pure.
 *
 * @see https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part2-url-conventions.html section 5.1.1
 */
import { propertyOf } from './odata-path.ts';
import { badRequest, type MailRefusal } from './refusal.ts';
import type { Rendered } from './rendering.ts';

/** True if the event matches. */
export type Filter = (event: Rendered) => boolean;

/** A value of an event, or a literal; `scope` holds the list entry that `any` currently tests. */
type Operand = (event: Rendered, scope: Scope) => unknown;
type Condition = (event: Rendered, scope: Scope) => boolean;
type Scope = Readonly<Record<string, unknown>>;

const TOKEN =
  /\s*('(?:[^']|'')*'|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?|-?\d+(?:\.\d+)?|[A-Za-z_][\w/]*|[(),:])/y;

const MAX_DEPTH = 50;

/** @throws MailRefusal 400 for text that is not a filter, or one that calendars do not support */
export function readFilter(text: string): Filter {
  const parser = new FilterParser(text);
  const condition = parser.read();
  return (event) => condition(event, {});
}

class FilterParser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  read(): Condition {
    const condition = this.#or();
    if (this.#next < this.#tokens.length) throw this.#wrong(`'${this.#tokens[this.#next]}' is not expected`);
    return condition;
  }

  #or(): Condition {
    const first = this.#and();
    if (!this.#takes('or')) return first;
    const second = this.#or();
    return (event, scope) => first(event, scope) || second(event, scope);
  }

  #and(): Condition {
    const first = this.#not();
    if (!this.#takes('and')) return first;
    const second = this.#and();
    return (event, scope) => first(event, scope) && second(event, scope);
  }

  #not(): Condition {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#wrong('it is nested too deeply');
    const condition = this.#notOrTerm();
    this.#depth -= 1;
    return condition;
  }

  #notOrTerm(): Condition {
    if (this.#takes('not')) {
      const inner = this.#not();
      return (event, scope) => !inner(event, scope);
    }
    if (this.#takes('(')) {
      const inner = this.#or();
      this.#expect(')');
      return inner;
    }
    return this.#term();
  }

  #term(): Condition {
    const word = this.#tokens[this.#next] ?? '';
    if (this.#tokens[this.#next + 1] === '(') {
      if (word.endsWith('/any')) return this.#any(word.slice(0, -4));
      if (Object.hasOwn(TEXT_TESTS, word)) return this.#textTest(word as keyof typeof TEXT_TESTS);
      throw this.#wrong(`the function '${word}' is not supported`);
    }
    const left = this.#operand();
    const operator = this.#take();
    if (!Object.hasOwn(COMPARISONS, operator)) {
      if (operator !== '') throw this.#wrong(`'${operator}' is no comparison`);
      return (event, scope) => left(event, scope) === true;
    }
    const compare = COMPARISONS[operator as keyof typeof COMPARISONS];
    const right = this.#operand();
    return (event, scope) => compare(order(left(event, scope), right(event, scope)));
  }

  #textTest(name: keyof typeof TEXT_TESTS): Condition {
    this.#take();
    this.#expect('(');
    const left = this.#operand();
    this.#expect(',');
    const right = this.#operand();
    this.#expect(')');
    return (event, scope) =>
      TEXT_TESTS[name](textOf(left(event, scope)).toLowerCase(), textOf(right(event, scope)).toLowerCase());
  }

  #any(path: string): Condition {
    const list = pathOperand(path);
    this.#take();
    this.#expect('(');
    const variable = this.#take();
    this.#expect(':');
    const inner = this.#or();
    this.#expect(')');
    return (event, scope) => {
      const entries = list(event, scope);
      if (!Array.isArray(entries)) throw this.#wrong(`'${path}' is no list`);
      return entries.some((entry) => inner(event, { ...scope, [variable]: entry }));
    };
  }

  #operand(): Operand {
    const token = this.#take();
    if (token.startsWith("'")) return () => token.slice(1, -1).replaceAll("''", "'");
    if (token === 'true' || token === 'false') return () => token === 'true';
    if (token === 'null') return () => null;
    if (/^-?\d+(\.\d+)?$/.test(token)) return () => Number(token);
    if (/^\d/.test(token)) return () => token;
    if (!/^[A-Za-z_]/.test(token)) throw this.#wrong('it ends too early');
    return pathOperand(token);
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false;
    this.#next += 1;
    return true;
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? '';
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw this.#wrong(`'${token}' is missing`);
  }

  #wrong(why: string): MailRefusal {
    return badRequest(`Invalid filter clause: ${why} in '${this.#text.slice(0, 200)}'.`);
  }
}

/** Tests of the result of `order`; `undefined` is equal to nothing. */
const COMPARISONS = {
  eq: (sign: number | undefined) => sign === 0,
  ne: (sign: number | undefined) => sign !== 0,
  gt: (sign: number | undefined) => sign !== undefined && sign > 0,
  ge: (sign: number | undefined) => sign !== undefined && sign >= 0,
  lt: (sign: number | undefined) => sign !== undefined && sign < 0,
  le: (sign: number | undefined) => sign !== undefined && sign <= 0,
} as const;

/** Case is ignored, as in mailboxes. */
const TEXT_TESTS = {
  contains: (text: string, part: string) => text.includes(part),
  startswith: (text: string, part: string) => text.startsWith(part),
  endswith: (text: string, part: string) => text.endsWith(part),
} as const;

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Compares times as times, without an offset as UTC. @throws MailRefusal 400 for values of two kinds */
function order(left: unknown, right: unknown): number | undefined {
  if (left === null || right === null) return left === right ? 0 : undefined;
  if (typeof left === 'string' && typeof right === 'string') {
    if (TIME.test(left) && TIME.test(right)) return instant(left) - instant(right);
    const [one, other] = [left.toLowerCase(), right.toLowerCase()];
    return one < other ? -1 : Number(one > other);
  }
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  throw badRequest('Invalid filter clause: a binary operator with incompatible types was detected.');
}

function instant(text: string): number {
  const hasZone = text.length === 10 || /(Z|[+-]\d\d:\d\d)$/.test(text);
  return Date.parse(hasZone ? text : `${text}Z`);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badRequest('Invalid filter clause: text is searched in text only.');
}

function pathOperand(path: string): Operand {
  const [first = '', ...rest] = path.split('/');
  return (event, scope) =>
    Object.hasOwn(scope, first) ? propertyOf(scope[first], rest) : propertyOf(event, [first, ...rest]);
}

/** @throws MailRefusal 400 */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined)
      throw badRequest(`Invalid filter clause: syntax error at position ${from} in '${text.slice(0, 200)}'.`);
    tokens.push(token);
  }
  return tokens;
}
