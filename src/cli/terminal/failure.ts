/** Reports failures of commands: one readable message on stderr, and exit code 1 (failed) or 2 (wrong usage). */
import { SettingsError } from '../../settings/settings.ts';
import { errorBody, ServiceError } from '../../core/errors.ts';
import { say, type Terminal } from './terminal.ts';

/** A mistake in the command line. The message says how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends a command with exit code 1. An empty message means that the reason has been printed already. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Built-in error types: a bug, not something the user can fix. */
const DEFECTS: readonly string[] = [
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AssertionError',
];

/**
 * Prints the reason of a failure on stderr.
 *
 * @param asJson prints the error body of the REST API instead of a sentence
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

/** Converts any failure to the error that the REST API would report. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof SettingsError) {
    const violations = error.problems.map(({ key, message }) => ({ field: key, description: message }));
    return new ServiceError('INVALID_ARGUMENT', error.message, { details: { field_violations: violations } });
  }
  const message = error instanceof Error ? error.message : 'Failed for an unknown reason.';
  return new ServiceError(error instanceof UsageError ? 'INVALID_ARGUMENT' : 'UNAVAILABLE', message);
}

/**
 * The message, which is an interceptor's own where that refused, with the link if the account is not connected, and
 * with the provider's message if it refused.
 */
function explained({ code, message, details }: ServiceError): string {
  const { authorization_link: link, tool_error: refusal } = details;
  const lines = [`gatehouse: ${code === 'POLICY_DENIED' ? 'An interceptor refused this: ' : ''}${message}`];
  const quoted = providerMessage(refusal);
  if (quoted !== undefined) lines.push(`The provider says: ${quoted}`);
  if (typeof link === 'string') lines.push(link);
  return lines.join('\n');
}

/**
 * The provider's message, in quotes to mark it as the provider's. Control characters are removed, because a terminal
 * would obey them.
 */
function providerMessage(refusal: unknown): string | undefined {
  if (typeof refusal !== 'object' || refusal === null || !('message' in refusal)) return undefined;
  const { message } = refusal;
  return typeof message === 'string'
    ? JSON.stringify(message).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, ' ')
    : undefined;
}
