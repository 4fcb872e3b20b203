/**
 * Problems of the settings: all of them at once, each with the place to change. Never contains a value: it
 * may be a secret.
 */
import type { Settings, SettingsProblem } from './types.ts';

/** Stops every command before it does anything. The message lists all problems, one per line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** Problems of the file come first, ordered by line. */
  readonly problems: readonly SettingsProblem[];
  /**
   * The settings without the faulty parts, only for finding further problems; never to be used otherwise.
   * Absent if that has been done.
   */
  readonly readable: Settings | undefined;

  constructor(problems: readonly SettingsProblem[], readable?: Settings) {
    const sorted = problems.toSorted(bySourceAndLine);
    super(
      ['The settings are not valid:', ...sorted.map((problem) => `  ${problemLine(problem)}`)].join('\n'),
    );
    this.problems = sorted;
    this.readable = readable;
  }
}

function bySourceAndLine(a: SettingsProblem, b: SettingsProblem): number {
  const order = ['file', 'env', 'flag'];
  return order.indexOf(a.source) - order.indexOf(b.source) || (a.line ?? 0) - (b.line ?? 0);
}

/** One problem as a line for people: `/etc/gatehouse.yaml:12: refresh.margin: …` or `GATEHOUSE_PORT: …`. */
export function problemLine(problem: SettingsProblem): string {
  const place = problem.file === undefined ? '' : `${problem.file}:${problem.line ?? 1}: `;
  return problem.key === '' ? `${place}${problem.message}` : `${place}${problem.key}: ${problem.message}`;
}
