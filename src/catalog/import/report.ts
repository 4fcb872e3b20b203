/**
 * Parts of an import report: why a document cannot be used, and which parts of an operation could not be
 * expressed. Pure.
 */

/** One mistake of a document. */
export interface ImportProblem {
  /** Dotted path in the document, e.g. `paths./books.get`; '' for the document as a whole. */
  place: string;
  message: string;
}

/** The document cannot be imported. The message lists every problem, one per line. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly problems: readonly ImportProblem[];

  constructor(problems: readonly ImportProblem[]) {
    super(['The document cannot be imported:', ...problems.map((p) => `  ${problemText(p)}`)].join('\n'));
    this.problems = problems;
  }
}

/** One fact about the written files that a person should know. */
export interface ImportNote {
  /** The parameters or body members concerned; empty for the whole operation. */
  places: readonly string[];
  message: string;
}

/** Result for one operation. */
export interface OperationReport {
  /** operationId, or method and path of an operation without an id. */
  id: string;
  method: string;
  path: string;
  /** Name of its tool; null if it was left out, and the notes say why. */
  tool: string | null;
  notes: readonly ImportNote[];
}

/** Collects notes of one operation and merges equal sentences about several places into one note. */
export class Notes {
  readonly #places = new Map<string, string[]>();

  /** @param place a parameter such as `query.filter`; '' for the whole operation */
  add(place: string, message: string): void {
    const places = this.#places.get(message) ?? [];
    if (place !== '' && !places.includes(place)) places.push(place);
    this.#places.set(message, places);
  }

  /** Notes, ordered by the first occurrence of each sentence. */
  list(): ImportNote[] {
    return [...this.#places].map(([message, places]) => ({ places, message }));
  }
}

/** A note as one line: `query.filter, query.sort: cannot be sent.` */
export function noteText({ places, message }: ImportNote): string {
  const shown = places.slice(0, MAX_PLACES).join(', ');
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : '';
  return oneLine(places.length === 0 ? message : `${shown}${more}: ${message}`);
}

const MAX_PLACES = 12;

/** A problem as one line. */
export function problemText({ place, message }: ImportProblem): string {
  return oneLine(place === '' ? message : `${place}: ${message}`);
}

/** Text of a document may contain anything: this keeps it on one line, on a terminal and in a comment. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim();
}
