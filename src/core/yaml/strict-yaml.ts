/**
 * YAML as this program accepts it: version 1.2 core, without anchors, aliases, tags or duplicate keys, with
 * the line of every value.
 *
 * Pure: reads no file and no environment; the caller supplies the values of `${NAME}`.
 */
import { createRequire } from 'node:module';
import type { ParsedNode } from 'yaml';
import { lowerFirst } from '../text.ts';
import type { Path } from './yaml-tree.ts';

/** Position of a value in a YAML text. */
export type YamlPath = Path;

/** A problem and its place. */
interface YamlProblem {
  line: number;
  /** Its place; empty for a problem of the text as a whole. */
  path: Path;
  message: string;
}

/** A YAML text as read. */
export interface StrictYaml {
  /**
   * Plain values: objects, lists, strings, numbers, booleans, null. `{}` for an empty text; `undefined` if it
   * cannot be read.
   */
  tree: unknown;
  problems: readonly YamlProblem[];
  /** Line of a key or list entry; `undefined` if there is no such entry. */
  lineOf(path: Path): number | undefined;
}

/** Converts a text value; a problem is reported at the value's place. */
export type ReadText = (written: string, path: Path) => { value: unknown } | { problem: string };

/** Reads one YAML text. Collects all problems and throws none of them. */
export function parseStrictYaml(source: string, readText: ReadText = (value) => ({ value })): StrictYaml {
  // Loaded here, not at the top: most starts have no settings file and save 25 ms.
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = createRequire(import.meta.url)(
    'yaml',
  ) as typeof import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(source, {
    lineCounter,
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const lines = new Map<string, number>();
  const lineAt = (offset: number | undefined): number => lineCounter.linePos(offset ?? 0).line;
  const lineOf = (path: Path): number | undefined => lines.get(JSON.stringify(path));
  const problems: YamlProblem[] = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    path: [],
    message: `not valid YAML: ${lowerFirst(error.message)}`,
  }));
  const report = (path: Path, message: string): undefined =>
    void problems.push({ line: lineOf(path) ?? 1, path, message });
  const tree = document.contents === null ? {} : read(document.contents, []);
  return { tree: document.errors.length === 0 ? tree : undefined, problems, lineOf };

  function read(node: ParsedNode, path: Path): unknown {
    if (isAlias(node) || node.anchor !== undefined)
      return report(path, 'must not use YAML anchors and aliases (& and *): write the value out');
    if (node.tag !== undefined)
      return report(path, 'must not use YAML tags (!): quote text and write other values plainly');
    if (isMap(node)) {
      const members: Record<string, unknown> = {};
      for (const pair of node.items) {
        const key =
          isScalar(pair.key) && pair.key.tag === undefined && pair.key.anchor === undefined
            ? String(pair.key.value)
            : '';
        lines.set(JSON.stringify([...path, key]), lineAt(pair.key.range?.[0]));
        if (key === '' || key === '__proto__')
          report([...path, key], 'is not a plain word, so it cannot be a key');
        else members[key] = pair.value === null ? null : read(pair.value, [...path, key]);
      }
      return members;
    }
    if (isSeq(node))
      return node.items.map((item, index) => {
        lines.set(JSON.stringify([...path, index]), lineAt(item.range?.[0]));
        return read(item, [...path, index]);
      });
    if (!isScalar(node) || typeof node.value !== 'string') return node.value;
    const result = readText(node.value, path);
    return 'value' in result ? result.value : report(path, result.problem);
  }
}
