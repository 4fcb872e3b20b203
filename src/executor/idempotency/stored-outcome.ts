/** Writes and reads the outcome of a call as text, to store and replay it. Pure. */
import { ServiceError, type ErrorCode } from '../../core/errors.ts';
import { memberOf } from '../../core/json.ts';

/** The answer of a call that succeeded. */
export interface Outcome {
  data: unknown;
  executionId: string;
}

type Stored =
  | { data: unknown; executionId: string }
  | {
      error: {
        code: ErrorCode;
        message: string;
        details: Record<string, unknown>;
        status: number;
        retryAfterSeconds: number | null;
      };
    }
  | { notKept: { executionId: string | null; failedWith: number | null } };

/** Largest stored outcome, in bytes of its text: 1 MB once sealed, which makes four bytes of three. */
const MAX_BYTES = 750_000;

/**
 * The text of an outcome. Of one that is too large, only the fact stays that the call was made.
 *
 * @param end a failure is in the form that the caller received
 */
export function writeOutcome(end: Outcome | ServiceError): string {
  const text = writeWhole(end);
  return Buffer.byteLength(text) <= MAX_BYTES
    ? text
    : JSON.stringify({ notKept: remainder(end) } satisfies Stored);
}

function writeWhole(end: Outcome | ServiceError): string {
  if (!(end instanceof ServiceError)) {
    const { data, executionId } = end;
    return JSON.stringify({ data, executionId } satisfies Stored);
  }
  const { code, message, details, status, retryAfterSeconds = null } = end;
  return JSON.stringify({ error: { code, message, details, status, retryAfterSeconds } } satisfies Stored);
}

function remainder(end: Outcome | ServiceError): { executionId: string | null; failedWith: number | null } {
  if (!(end instanceof ServiceError)) return { executionId: end.executionId, failedWith: null };
  const id = memberOf(end.details['tool_error'], 'execution_id');
  return { executionId: typeof id === 'string' ? id : null, failedWith: end.status };
}

/** @throws ServiceError the stored failure; IDEMPOTENCY_CONFLICT if the outcome was too large to store */
export function readOutcome(text: string): Outcome {
  const stored = JSON.parse(text) as Stored;
  if ('notKept' in stored) throw outcomeNotKept(stored.notKept);
  if (!('error' in stored)) return stored;
  const { code, message, details, status, retryAfterSeconds } = stored.error;
  throw new ServiceError(code, message, {
    details,
    status,
    retryAfterSeconds: retryAfterSeconds ?? undefined,
    isReplay: true,
  });
}

/** The call was made and is not repeated, but its answer was not stored. */
function outcomeNotKept(about: { executionId: string | null; failedWith: number | null }): ServiceError {
  const { executionId, failedWith } = about;
  const end = failedWith === null ? 'was made and answered' : `was made and failed (${failedWith})`;
  return new ServiceError(
    'IDEMPOTENCY_CONFLICT',
    `The call with this idempotency_key ${end}, but its answer is too large to be replayed: at most 1 MB is stored. Nothing was sent again. Read what you need with another call, or repeat this one with a new key.`,
    { isReplay: true, details: { reason: 'ANSWER_NOT_KEPT', execution_id: executionId } },
  );
}

/** A write that may have been sent by a process that died afterwards. */
export function unknownOutcome(): ServiceError {
  return new ServiceError(
    'TOOL_ERROR',
    'This call was interrupted, and the provider may have received it. Check whether the change was made before calling again with a new key.',
    {
      status: 504,
      isReplay: true,
      details: {
        tool_error: {
          code: 'OUTCOME_UNKNOWN',
          message: null,
          provider_status: null,
          provider_body: null,
          retry_after: null,
          required_scopes: null,
          execution_id: null,
        },
      },
    },
  );
}
