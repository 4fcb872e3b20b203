/** How a command ends: exit code 0 done, 1 failed, 2 wrong usage, and one readable message on stderr. */
import { SettingsError } from '../../settings/settings.ts';
import { errorBody, ServiceError } from '../../core/errors.ts';
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

/** The message; for an account that is not connected also the link, for a refusal by a provider also its words. */
function explained({ message, details }: ServiceError): string {
  const { authorization_link: link, tool_error: refusal } = details;
  const lines = [`gatehouse: ${message}`];
  const words = providerWords(refusal);
  if (words !== undefined) lines.push(`The provider says: ${words}`);
  if (typeof link === 'string') lines.push(link);
  return lines.join('\n');
}

/** In quotes, so that nobody takes them for ours, and without control characters, which a terminal would obey. */
function providerWords(refusal: unknown): string | undefined {
  if (typeof refusal !== 'object' || refusal === null || !('message' in refusal)) return undefined;
  const { message } = refusal;
  return typeof message === 'string'
    ? JSON.stringify(message).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, ' ')
    : undefined;
}
