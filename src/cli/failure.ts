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
  const text = asJson ? JSON.stringify(errorBody(asServiceError(error))) : sentences(error);
  if (!(error instanceof Error) || error.message !== '') say(terminal, text);
  return isWrongUsage(error) ? 2 : 1;
}

function isWrongUsage(error: unknown): boolean {
  if (error instanceof SettingsError) return error.problems.every((problem) => problem.source === 'flag');
  return error instanceof UsageError;
}

function sentences(error: unknown): string {
  if (!(error instanceof Error)) return 'gatehouse: failed for an unknown reason.';
  if (error instanceof ServiceError) return explained(error);
  if (DEFECTS.includes(error.name)) return `gatehouse: this is a defect: ${error.stack ?? error.message}`;
  return `gatehouse: ${error.message}`;
}

/** Any failure in the form in which the REST API reports its own. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof SettingsError) {
    const violations = error.problems.map(({ key, message }) => ({ field: key, description: message }));
    return new ServiceError('INVALID_ARGUMENT', error.message, { details: { field_violations: violations } });
  }
  const message = error instanceof Error ? error.message : 'Failed for an unknown reason.';
  return new ServiceError(error instanceof UsageError ? 'INVALID_ARGUMENT' : 'UNAVAILABLE', message);
}

/** The message; for an account that is not connected also the link. */
function explained({ message, details }: ServiceError): string {
  const { authorization_link: link } = details;
  return `gatehouse: ${message}${typeof link === 'string' ? `\n${link}` : ''}`;
}
