/** Questions to the person at the terminal. Without one, answers are the lines of stdin, or the defaults. */
import { createInterface } from 'node:readline';
import { CommandFailed, UsageError } from './failure.ts';
import { printJson } from './output.ts';
import { say, type Terminal } from './terminal.ts';

/** A question and what holds without an answer. */
export interface Question {
  message: string;
  /** Used when nothing is typed, and without a terminal. */
  fallback: string;
  /** Returns what is wrong with an answer, as a sentence. */
  problem?: (answer: string) => string | undefined;
}

/** Asks on a terminal; elsewhere returns the fallback. */
export async function ask(terminal: Terminal, { message, fallback, problem }: Question): Promise<string> {
  if (!terminal.isInteractive) return fallback;
  const { text } = await import('@clack/prompts');
  return answered(
    await text({
      ...streams(terminal),
      message,
      placeholder: fallback,
      defaultValue: fallback,
      validate: (value) => problem?.(value || fallback),
    }),
  );
}

/** Asks yes or no on a terminal. @throws UsageError elsewhere: what cannot be undone needs a word */
export async function confirmed(terminal: Terminal, message: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new UsageError(`${message} There is no terminal to answer on: give --yes.`);
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ ...streams(terminal), message, initialValue: false });
  return !isCancel(answer) && answer;
}

/**
 * Deletes what somebody on the terminal agrees to delete, or what `--yes` is given for, and says so.
 *
 * @param what.question `Delete the user ada@example.test?`
 * @param what.name as the answer calls it
 * @throws CommandFailed when he does not agree; UsageError where nobody can be asked
 */
export async function deleteConfirmed(
  terminal: Terminal,
  { yes, json }: { yes?: true; json?: boolean },
  { question, name, remove }: { question: string; name: string; remove: () => Promise<void> },
): Promise<void> {
  if (yes !== true && !(await confirmed(terminal, question))) throw new CommandFailed('Nothing was deleted.');
  await remove();
  if (json === true) printJson(terminal, {});
  else say(terminal, `Deleted ${name}.`);
}

/** One thing to type in; `secret` is not shown. */
export interface Field {
  label: string;
  hint?: string | undefined;
  secret: boolean;
  required: boolean;
}

/**
 * Asks for every field on a terminal; elsewhere takes one line of stdin for each, in order.
 *
 * @returns '' for an optional field that was left empty
 * @throws UsageError when stdin has no line for a field that is required
 */
export async function askFields(terminal: Terminal, fields: readonly Field[]): Promise<string[]> {
  return terminal.isInteractive ? promptFields(terminal, fields) : readFields(terminal, fields);
}

async function promptFields(terminal: Terminal, fields: readonly Field[]): Promise<string[]> {
  const { password, text } = await import('@clack/prompts');
  const answers: string[] = [];
  for (const { label, hint, secret, required } of fields) {
    const options = {
      ...streams(terminal),
      message: hint === undefined ? label : `${label} (${hint})`,
      validate: (value: string | undefined) =>
        required && (value ?? '').trim() === '' ? 'This is needed.' : undefined,
    };
    // One question after the other.
    answers.push(answered(secret ? await password(options) : await text(options)).trim());
  }
  return answers;
}

async function readFields(terminal: Terminal, fields: readonly Field[]): Promise<string[]> {
  const lines = createInterface({ input: terminal.input, crlfDelay: Infinity });
  const answers: string[] = [];
  for await (const line of lines) {
    answers.push(line.trim());
    if (answers.length === fields.length) break;
  }
  lines.close();
  const missing = fields.filter(({ required }, index) => required && (answers[index] ?? '') === '');
  if (missing.length > 0) {
    const order = fields.map(({ label }) => label).join(', ');
    throw new UsageError(
      `${missing.map(({ label }) => label).join(' and ')} is missing. Without a terminal, give one line on stdin for each of: ${order}.`,
    );
  }
  return fields.map((_, index) => answers[index] ?? '');
}

function streams({ input, messages }: Terminal): { input: Terminal['input']; output: Terminal['messages'] } {
  return { input, output: messages };
}

function answered(answer: string | symbol | undefined): string {
  if (typeof answer === 'symbol') throw new CommandFailed('Cancelled.');
  return answer ?? '';
}
