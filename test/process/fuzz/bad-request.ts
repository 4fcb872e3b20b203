/** What a bad request is, what it is aimed at, and the dice that make it. */

/** A request as it is on the wire. */
export interface BadRequest {
  /** What is bad, for the report. */
  what: string;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | undefined;
  /** `refused`: must be 4xx. `answered`: anything below 500, because the protocol answers errors with 200. */
  expected: 'refused' | 'answered';
}

/** Values that no answer may quote begin with this. */
export const MARK = 'fuzz-value';

/** What a server must have for the requests to get as far as possible. */
export interface FuzzTarget {
  token: string;
  accountId: string;
  /** Path of an open connect link. */
  linkPath: string;
  /** Where a provider sends the browser back to. */
  callbackPath: string;
  /** State of a way to that provider which has begun, and the cookie of the browser. */
  state: string;
  cookie: string;
  tools: readonly FuzzTool[];
  /** Ids of what exists, by the word that stands for each in paths. */
  ids: Readonly<Record<string, string>>;
  person: FuzzPerson;
}

/** A person's browser, signed in and on the way to a consent. */
export interface FuzzPerson {
  cookies: string;
  csrf: string;
  consentPath: string;
  /** Parameters of a good authorization request. */
  authorize: Readonly<Record<string, string>>;
}

export interface FuzzTool {
  name: string;
  input_schema: {
    properties: Record<string, ParameterSchema>;
    required?: string[];
  };
}

/** The part of a published JSON Schema that says what is out of range. */
export interface ParameterSchema {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: { type?: string };
}

/** A bad request before it gets its token. */
export type Made = Omit<BadRequest, 'expected' | 'body'> & Partial<Pick<BadRequest, 'expected' | 'body'>>;

/** Headers of a JSON body. */
export const JSON_TYPE = { 'content-type': 'application/json' };

/** A JSON body for a route; a text is sent as it is. */
export function send(what: string, { method, path }: { method: string; path: string }, body: unknown): Made {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { what: `${method} ${path}: ${what}`, method, path, headers: JSON_TYPE, body: Buffer.from(text) };
}

/** Whole numbers from 0 and picks, from a seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * limit) | 0;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

/** The beginning of a value, for the report. */
export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 60);
}
