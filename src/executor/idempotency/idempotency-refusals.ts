/** Why a call under an idempotency key is not made (docs/contract.md#idempotency-keys). */
import { ServiceError } from '../../core/errors.ts';

/** Somebody else has the key by now. Seen by the log of executions alone: the call waits for the other one instead. */
export class KeyLost extends ServiceError {
  constructor() {
    super(
      'UNAVAILABLE',
      'Another process makes the call under this idempotency_key by now. This one sent nothing.',
    );
  }
}

/** The key means another call. */
export function otherInput(): ServiceError {
  return new ServiceError(
    'IDEMPOTENCY_CONFLICT',
    'This idempotency_key was used for another call. Use a new key for a new call; repeat a call with the same input.',
  );
}

/** Whoever waits has waited long enough. */
export function stillRunning(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The first call under this idempotency_key is still running. Ask again.',
    { retryAfterSeconds: 5 },
  );
}

/** The credential has used as many keys as are kept for it. */
export function tooManyKeys(limit: number, retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `This credential has used ${limit} idempotency keys in 24 hours, and no more are kept at a time. Repetitions of calls made before are still answered. The next key is free in ${retryAfterSeconds} s; until then make calls without one, or with another credential.`,
    { retryAfterSeconds, details: { limit, retry_after: retryAfterSeconds } },
  );
}
