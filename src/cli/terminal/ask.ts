/** Questions to the user at the terminal. Without a terminal, answers are the lines of stdin, or the defaults. */
import { createInterface } from 'node:readline';
import { CommandFailed, UsageError } from './failure.ts';
import type { Output } from './output.ts';
import type { Terminal } from './terminal.ts';

/** A question with a text as its answer. */
export interface TerminalQuestion {
  message: string;
  /** Answer if nothing is typed, and without a terminal. */
  fallback: string;
  /** Describes the mistake in an answer, as a sentence. */
  problem?: (answer: string) => string | undefined;
}

/** Asks on a terminal; elsewhere returns the fallback. */
export async function ask(
  terminal: Terminal,
  { message, fallback, problem }: TerminalQuestion,
): Promise<string> {
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

/** Asks yes or no on a terminal. @throws UsageError elsewhere: what cannot be undone needs a yes */
export async function confirmed(terminal: Terminal, message: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new UsageError(`${message} There is no terminal to answer on: give --yes.`);
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ ...streams(terminal), message, initialValue: false });
  return !isCancel(answer) && answer;
}

/**
 * Deletes a thing after the user has agreed on the terminal or given `--yes`, and reports it.
 *
 * @param thing.question `Delete the user ada@example.test?`
 * @param thing.name as the report calls it
 * @throws CommandFailed if the user does not agree; UsageError if there is no terminal to ask on
 */
export async function deleteConfirmed(
  { terminal, options, out }: { terminal: Terminal; options: { yes: true | undefined }; out: Output },
  { question, name, remove }: { question: string; name: string; remove: () => Promise<void> },
): Promise<void> {
  if (options.yes !== true && !(await confirmed(terminal, question)))
    throw new CommandFailed('Nothing was deleted.');
  await remove();
  if (out.isJson) out.json({});
  else out.say(`Deleted ${name}.`);
}

/** One value to type in; a `secret` is not shown while it is typed. */
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
 * @throws UsageError if stdin has no line for a required field
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
    // One question at a time.
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
