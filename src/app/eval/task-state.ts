/** Checks the result of a task: reads the providers over REST and lists the differences from the wanted state. */
import type { EvalStage } from './eval-stage.ts';
import type { EvalTask } from './eval-task.ts';
import { contains, filled, valueToKeep } from './eval-values.ts';

/**
 * Reads the state after a task.
 *
 * @param now Unix milliseconds
 * @returns a sentence for each difference from the wanted state; empty if the task is solved
 */
export async function stateFaults({ end }: EvalTask, stage: EvalStage, now: number): Promise<string[]> {
  const kept = new Map<string, unknown>();
  const faults: string[] = [];
  for (const { tool, input, keep, has, lacks } of end) {
    let answer: unknown;
    const wantedInput = filled(input, kept, now);
    try {
      answer = await stage.read(tool, wantedInput);
    } catch (error) {
      // For example a row that a model deleted. Later reads may need this answer.
      return [...faults, `${tool} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
    }
    for (const [name, wanted] of Object.entries(keep)) {
      const value = valueToKeep(answer, filled(wanted, kept, now));
      if (value === undefined) return [...faults, `${tool} does not answer with ${name}`];
      kept.set(name, value);
    }
    const [wanted, unwanted] = [filled(has, kept, now), filled(lacks, kept, now)];
    if (has !== undefined && !contains(answer, wanted))
      faults.push(`${tool} does not answer with ${JSON.stringify(wanted)}`);
    if (lacks !== undefined && contains(answer, unwanted))
      faults.push(`${tool} still answers with ${JSON.stringify(unwanted)}`);
  }
  return faults;
}

/** A sentence for each text that an answer to the person lacks. Case and separators of thousands do not count. */
export function answerFaults({ answer }: EvalTask, given: string, now: number): string[] {
  const plain = (text: string): string =>
    text.toLowerCase().replaceAll(/(?<=\d)[,\u202f\u00a0' ](?=\d{3})/g, '');
  return answer
    .map((text) => filled(text, new Map(), now))
    .filter((text) => !plain(given).includes(plain(text)))
    .map((text) => `the answer does not say ${JSON.stringify(text)}`);
}
