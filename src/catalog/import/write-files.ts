/**
 * Writes catalog files as text: the imported entries, and a header that lists what they do not express. Pure.
 */
import { stringify } from 'yaml';
import type { JsonObject } from '../model/types.ts';
import { noteText, oneLine, type OperationReport } from './report.ts';

/** First words of every written file; a later import may replace files that have them. */
export const FIRST_WORDS = '# Written by gatehouse catalog import';

/** The origin of an import, on one line. */
export function originLine(source: string, title: string, today: string): string {
  return oneLine(`${FIRST_WORDS} from ${source} (${title}) on ${today}.`);
}

/**
 * @param origin first line of the file
 * @param remarks sentences about the connector as a whole
 * @param reports of the operations of this file, or of those left out
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

/** Lines for people about what is not expressed of one operation. */
export function reportLines({ id, method, path, tool, notes }: OperationReport): string[] {
  const route = `${method} ${path}`;
  const head = tool ?? (id === route ? 'left out' : `${id} left out`);
  return [oneLine(`${head} (${route}):`), ...notes.map((note) => `  - ${noteText(note)}`)];
}
