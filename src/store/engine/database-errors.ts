/**
 * Translates errors of the database: repeat, answer 503, or stop the start.
 *
 * Knows the error codes of SQLite and Postgres. Every other error is a bug and passes unchanged.
 */
import { codeOf, ServiceError } from '../../core/errors.ts';

/**
 * The database cannot be used at start, or holds a value that cannot be read. The message is for the operator
 * and says how to fix it.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** Postgres: serialization failure, deadlock, lock not available. */
const POSTGRES_BUSY = new Set(['40001', '40P01', '55P03']);

/**
 * Postgres error classes: connection exception, insufficient resources, operator intervention, system error;
 * and transactions ended by a timeout.
 */
const POSTGRES_DOWN = /^(08|53|57|58|25P0[34])/;

/** Errors of sockets and files. */
const SYSTEM_DOWN = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EIO',
  'ENOSPC',
  'EDQUOT',
]);

const SQLITE_DOWN = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
const SQLITE_BUSY = /^SQLITE_(BUSY|LOCKED)/;
const SQLITE_DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** True if another transaction was in the way: roll back and repeat the whole transaction. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return SQLITE_BUSY.test(code) || POSTGRES_BUSY.has(code);
}

/** True if Postgres refuses a new connection because it, or the role or the database, has too many. */
export function isOutOfConnections(error: unknown): boolean {
  return codeOf(error) === '53300';
}

/** True if a row with the same unique key already exists. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** True if the file is not an SQLite database, or a damaged one. */
export function isDamaged(error: unknown): boolean {
  return SQLITE_DAMAGED.test(codeOf(error) ?? '');
}

/** True if there is no room for more. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return code === 'SQLITE_FULL' || code === '53100';
}

/**
 * The error for the caller: UNAVAILABLE (503) if the database is busy, full, unreachable or damaged,
 * otherwise the error unchanged. The driver's own error becomes the cause, which only the log shows.
 */
export function toServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error) ?? '';
  if (isBusy(error)) return unavailable('The database is busy. Try again in a moment.', 1, error);
  if (isFull(error)) {
    return unavailable(
      'The disk of the database is full. Nothing was stored; make room and try again.',
      30,
      error,
    );
  }
  if (isDamaged(error)) {
    return unavailable('The database file is damaged. Its operator has to restore a copy.', 60, error);
  }
  if (
    SQLITE_DOWN.test(code) ||
    POSTGRES_DOWN.test(code) ||
    SYSTEM_DOWN.has(code) ||
    isBrokenConnection(error)
  ) {
    return unavailable('The database cannot be used at the moment. Try again in a moment.', 5, error);
  }
  return error;
}

function unavailable(message: string, retryAfterSeconds: number, cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', message, { cause, retryAfterSeconds });
}

/** pg reports lost and failed connections without a code. */
function isBrokenConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed))/.test(
      error.message,
    )
  );
}
