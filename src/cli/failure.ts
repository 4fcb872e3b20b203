/** How a command ends: exit code 0 done, 1 failed, 2 wrong usage, and one readable message on stderr. */
import { SettingsError } from '../core/config/settings.ts';
import { errorBody, ServiceError } from '../core/errors.ts';
import { say, type Terminal } from './terminal.ts';

/** The command line itself is wrong. The message says what it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends a command with exit code 1. Without a message everything has been said already. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Kinds of errors that JavaScript itself throws: a defect, not something the person can mend. */
const DEFECTS: readonly string[] = [
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AssertionError',
];

/**
 * Says what went wrong.
 *
 * @param asJson writes the error body of the REST API instead of a sentence
 * @returns the exit code
 */
export function reportFailure(terminal: Terminal, error: unknown, asJson: boolean): 1 | 2 {
  if (!(error instanceof Error)) return fail(terminal, 'gatehouse: failed for an unknown reason.');
  if (error instanceof UsageError) {
    say(terminal, `gatehouse: ${error.message}`);
    return 2;
  }
  if (error instanceof SettingsError) {
    say(terminal, `gatehouse: ${error.message}`);
    return error.problems.every((problem) => problem.source === 'flag') ? 2 : 1;
  }
  if (error instanceof ServiceError)
    return fail(terminal, asJson ? JSON.stringify(errorBody(error)) : explained(error));
  if (DEFECTS.includes(error.name))
    return fail(terminal, `gatehouse: this is a defect: ${error.stack ?? error.message}`);
  return error.message === '' ? 1 : fail(terminal, `gatehouse: ${error.message}`);
}

/** The message; for an account that is not connected also the link and the way from this terminal. */
function explained({ message, details }: ServiceError): string {
  const { authorization_link: link, connector } = details;
  const connect = typeof connector === 'string' ? `\nFrom this terminal: gatehouse connect ${connector}` : '';
  return `gatehouse: ${message}${typeof link === 'string' ? `\n${link}${connect}` : ''}`;
}

function fail(terminal: Terminal, text: string): 1 {
  say(terminal, text);
  return 1;
}
