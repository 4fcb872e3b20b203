/**
 * Follows `$ref` inside one document. Nothing outside it is ever read: an external reference is a problem.
 * Pure.
 */
import { isObject, memberOf } from '../../core/json.ts';
import type { JsonObject } from '../model/types.ts';
import type { OpenApiDocument } from './document.ts';
import type { ImportProblem } from './report.ts';

/** Longer than any sensible chain of references to references. */
const MAX_HOPS = 50;

/** The references of one document, and those that lead nowhere. */
export class References {
  readonly #document: OpenApiDocument;
  readonly #problems = new Map<string, ImportProblem>();
  readonly #found = new Map<string, unknown>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** References that cannot be followed, each once. */
  get problems(): readonly ImportProblem[] {
    return [...this.#problems.values()];
  }

  /**
   * The target of a pointer such as `#/components/schemas/Book`, one step. For a missing target returns `undefined` and
   * reports a problem.
   */
  target(ref: string): unknown {
    const known = this.#found.get(ref);
    if (known !== undefined) return known;
    if (!ref.startsWith('#'))
      return this.#problem(
        ref,
        'leads to another file or address, and nothing but this document is read. Bundle the document into one file first, for example with redocly bundle.',
      );
    let at: unknown = this.#document;
    for (const part of pointerParts(ref)) {
      if (Array.isArray(at) && /^\d+$/.test(part)) at = at[Number(part)];
      else at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
    }
    if (at === undefined) return this.#problem(ref, 'leads to nothing in this document.');
    this.#found.set(ref, at);
    return at;
  }

  /** Follows an object that may be a reference to its end: parameters, bodies, responses. */
  resolve(value: unknown): JsonObject | undefined {
    let at = value;
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      if (!isObject(at)) return undefined;
      if (typeof at['$ref'] !== 'string') return at;
      at = this.target(at['$ref']);
    }
    return this.#problem(String(memberOf(value, '$ref')), 'leads back to itself.');
  }

  #problem(ref: string, message: string): undefined {
    this.#problems.set(ref, { place: `$ref ${ref}`, message });
  }
}

function pointerParts(ref: string): string[] {
  return ref
    .slice(1)
    .split('/')
    .slice(1)
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
