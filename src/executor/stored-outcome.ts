/** How a call ended, as text to be kept and given again. Pure. */
import { ServiceError, type ErrorCode } from '../core/errors.ts';

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
    };

/** @param end a failure as its caller was told it */
export function writeOutcome(end: Outcome | ServiceError): string {
  if (!(end instanceof ServiceError)) {
    const { data, executionId } = end;
    return JSON.stringify({ data, executionId } satisfies Stored);
  }
  const { code, message, details, status, retryAfterSeconds = null } = end;
  return JSON.stringify({ error: { code, message, details, status, retryAfterSeconds } } satisfies Stored);
}

/** @throws ServiceError the failure that was kept */
export function readOutcome(text: string): Outcome {
  const stored = JSON.parse(text) as Stored;
  if (!('error' in stored)) return stored;
  const { code, message, details, status, retryAfterSeconds } = stored.error;
  throw new ServiceError(code, message, {
    details,
    status,
    retryAfterSeconds: retryAfterSeconds ?? undefined,
    isReplay: true,
  });
}

/** A write that may have been sent by a process that then died. */
export function unknownOutcome(): ServiceError {
  return new ServiceError(
    'TOOL_ERROR',
    'This call was interrupted after it may have been sent. Whether the change was made is not known: look before making it under a new key.',
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
