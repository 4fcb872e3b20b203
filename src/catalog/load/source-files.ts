/** Reads the YAML of catalog files, with the line of every value. Knows nothing of connectors and tools. */
import { parseStrictYaml, type StrictYaml, type YamlPath } from '../../core/yaml/strict-yaml.ts';
import type { SourceTexts } from './source-texts.ts';

/** One file whose YAML could be read. */
export interface SourceFile {
  file: string;
  yaml: StrictYaml;
}

type Report = (file: string, line: number, message: string) => void;

/** The files as YAML. Reports what cannot be read. */
export function openSources({ files, unreadable }: SourceTexts, report: Report): SourceFile[] {
  for (const { file, message } of unreadable) report(file, 1, message);
  return files.flatMap(({ file, text }) => {
    try {
      const yaml = parseStrictYaml(text);
      for (const { line, path, message } of yaml.problems) report(file, line, placed(path, message));
      return yaml.tree === undefined ? [] : [{ file, yaml }];
    } catch {
      // Nested more deeply than the parser can follow.
      report(file, 1, 'cannot be read (unknown error)');
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
