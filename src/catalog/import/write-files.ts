/** Catalog files as text: what was imported, and at the head of each file what it does not say. Pure. */
import { stringify } from 'yaml';
import type { JsonObject } from '../model/types.ts';
import { noteText, oneLine, type OperationReport } from './report.ts';

/** How every written file begins; a later import may replace such a file. */
export const FIRST_WORDS = '# Written by gatehouse catalog import';

/** Where it came from, in one line. */
export function originLine(source: string, title: string, today: string): string {
  return oneLine(`${FIRST_WORDS} from ${source} (${title}) on ${today}.`);
}

/**
 * @param origin first line of the file
 * @param remarks sentences about the connector as a whole
 * @param reports of the operations of this file, or of those that were left out
 */
export function fileText(
  origin: string,
  remarks: readonly string[],
  reports: readonly OperationReport[],
  content: JsonObject,
): string {
  const lines = [
    origin,
    ...remarks.map((remark) => `# - ${oneLine(remark)}`),
    ...reports
      .filter(({ notes }) => notes.length > 0)
      .flatMap(reportLines)
      .map((line) => `# ${line}`),
  ];
  const yaml = stringify(content, {
    lineWidth: 110,
    aliasDuplicateObjects: false,
    singleQuote: true,
    version: '1.2',
  });
  return `${lines.join('\n')}\n${yaml
    .replaceAll(/(?<=\n)(?= {2}- name: )/g, '\n')
    .replace('tools:\n\n', 'tools:\n')
    .replaceAll(/^( {6}checked: )([\d-]+)$/gm, "$1'$2'")}`;
}

/** What is not expressed of one operation, for people. */
export function reportLines({ id, method, path, tool, notes }: OperationReport): string[] {
  const route = `${method} ${path}`;
  const head = tool ?? (id === route ? 'left out' : `${id} left out`);
  return [oneLine(`${head} (${route}):`), ...notes.map((note) => `  - ${noteText(note)}`)];
}
