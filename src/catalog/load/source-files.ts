/**
 * Finds the catalog files of a folder and reads their YAML, with the line of every value. Knows nothing of
 * connectors and tools.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseStrictYaml, type StrictYaml, type YamlPath } from '../../core/strict-yaml.ts';

/** One file whose YAML could be read. */
export interface SourceFile {
  file: string;
  yaml: StrictYaml;
}

type Report = (file: string, line: number, message: string) => void;

/** `examples/<connector>/…`: read only if the folder of examples itself is given. */
const EXAMPLE = /^examples[\\/][^\\/]+[\\/]/;

const FILE_NAME = /^[a-z][a-z0-9_-]{0,39}\.yaml$/;

/** The catalog files in and below the folders, each once, sorted by name. */
export function openSources(dirs: readonly string[], report: Report): SourceFile[] {
  const seen = new Set<string>();
  return dirs
    .flatMap((dir) => filesOf(dir, report))
    .flatMap((file) => {
      try {
        const real = realpathSync(file);
        if (seen.has(real)) return [];
        seen.add(real);
        const yaml = parseStrictYaml(readFileSync(file, 'utf8'));
        for (const { line, path, message } of yaml.problems) report(file, line, placed(path, message));
        return yaml.tree === undefined ? [] : [{ file, yaml }];
      } catch (error) {
        report(file, 1, `cannot be read (${errorCode(error)})`);
        return [];
      }
    });
}

/** Line of a key, or of the part that should contain it. */
export function closestLine(yaml: StrictYaml, path: YamlPath): number {
  for (let length = path.length; length > 0; length--) {
    const line = yaml.lineOf(path.slice(0, length));
    if (line !== undefined) return line;
  }
  return 1;
}

/** A message preceded by its place: `parameters.title.to: goes nowhere`. */
export function placed(path: YamlPath, message: string): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

function filesOf(dir: string, report: Report): string[] {
  let names: string[];
  try {
    names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  } catch (error) {
    report(dir, 1, `cannot be read as a folder of catalog files (${errorCode(error)})`);
    return [];
  }
  const files = names
    .filter((name) => /\.ya?ml$/i.test(name) && !EXAMPLE.test(name))
    .map((name) => join(dir, name));
  if (files.length === 0)
    report(dir, 1, 'holds no catalog files (<connector>/connector.yaml, <connector>/<toolset>.yaml)');
  return files.filter((file) => {
    if (FILE_NAME.test(basename(file))) return true;
    report(
      file,
      1,
      'is not read: name catalog files with lower-case letters, digits, - or _ and the ending .yaml',
    );
    return false;
  });
}

function errorCode(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown error';
}
