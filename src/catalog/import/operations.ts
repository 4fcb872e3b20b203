/** Lists the operations of a description and chooses the wanted ones. Pure. */
import { isObject } from '../../core/json.ts';
import { nearest } from '../../core/text.ts';
import type { JsonObject } from '../model/types.ts';
import { METHODS, type Method, type OpenApiDocument, type Operation, type Server } from './document.ts';
import type { References } from './references.ts';
import type { ImportProblem } from './report.ts';

/** One operation, with the parts that its path declares for all operations. */
export interface ListedOperation {
  /** operationId, or method and path. */
  id: string;
  method: Method;
  path: string;
  operation: Operation;
  /**
   * Parameters of the operation before those of the path; a later one with the same name and place is left
   * out.
   */
  parameters: JsonObject[];
  servers: readonly Server[];
}

/** Every operation in the order of the document. References of path items and parameters are followed. */
export function listOperations(document: OpenApiDocument, references: References): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, written]) => {
    const item =
      typeof written['$ref'] === 'string' ? { ...written, ...references.resolve(written) } : written;
    return METHODS.flatMap((method) => {
      const found: unknown = item[method];
      if (!isObject(found)) return [];
      const operation = found as Operation;
      const servers = operation.servers ?? item['servers'] ?? document.servers ?? [];
      const own = operation.parameters ?? [];
      const shared: unknown[] = Array.isArray(item['parameters']) ? item['parameters'] : [];
      const parameters = [...own, ...shared].flatMap((parameter) => {
        const found = references.resolve(parameter);
        return found === undefined ? [] : [found];
      });
      return [
        {
          id: operation.operationId ?? `${method.toUpperCase()} ${path}`,
          method,
          path,
          operation,
          parameters: distinct(parameters),
          servers,
        },
      ];
    });
  });
}

/**
 * @param patterns operationIds or `METHOD /path`, `*` for any text; `all`
 * @returns chosen operations, and a problem for each pattern that matches none
 */
export function chooseOperations(
  all: readonly ListedOperation[],
  patterns: readonly string[],
): { chosen: ListedOperation[]; problems: ImportProblem[] } {
  const tests = patterns.map((pattern) => ({ pattern, matches: matcher(pattern) }));
  const problems = tests
    .filter(({ matches }) => !all.some(matches))
    .map(({ pattern }) => {
      const close = nearest(
        pattern,
        all.map(({ id }) => id),
      );
      const hint =
        close === undefined
          ? 'Give operationIds, "GET /path", or a pattern with *.'
          : `Did you mean ${close}?`;
      return { place: '--operations', message: `${pattern} names no operation of the document. ${hint}` };
    });
  return { chosen: all.filter((operation) => tests.some(({ matches }) => matches(operation))), problems };
}

function matcher(pattern: string): (operation: ListedOperation) => boolean {
  if (pattern === 'all') return () => true;
  const parts = pattern.split('*');
  return ({ id, method, path }) => fits(parts, id) || fits(parts, `${method.toUpperCase()} ${path}`);
}

/**
 * Whether the text contains the parts in order, the first at its beginning and the last at its end. Linear
 * for any pattern.
 */
function fits(parts: readonly string[], text: string): boolean {
  const [first = '', ...others] = parts;
  if (others.length === 0) return text === first;
  const last = others.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of others.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

function distinct(parameters: readonly JsonObject[]): JsonObject[] {
  const seen = new Set<string>();
  return parameters.filter(({ name, in: place }) => {
    const key = `${String(place)} ${String(name)}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}
