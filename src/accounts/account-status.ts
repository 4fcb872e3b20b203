/**
 * The states of a connected account and all transitions between them (docs/contract.md#states).
 *
 * One table: a transition that is not in it is a bug and throws.
 */
import type { AccountStatus } from '../core/stored-words.ts';

/** Events that can change the status of an account. */
export type StatusTrigger =
  /** Consent or form completed; its credentials wait for verification. */
  | 'submitted'
  /** The same if no verification is required. */
  | 'connected'
  /** Verified with the right identifier. */
  | 'verified'
  /** The verification expired or had too many attempts: back to the status before. */
  | 'verification_ended'
  /** Update with usable credentials. */
  | 'credentials_updated'
  /** The provider refuses a credential for good. */
  | 'credential_refused'
  /** A credential that cannot be renewed has reached its expiry. */
  | 'credential_expired'
  | 'disconnected';

const KEEP = 'keep';
const BEFORE = 'before';
type Target = AccountStatus | typeof KEEP | typeof BEFORE;

const TRANSITIONS: Readonly<Record<StatusTrigger, Partial<Record<AccountStatus, Target>>>> = {
  submitted: {
    PENDING_AUTH: 'PENDING_VERIFICATION',
    EXPIRED: 'PENDING_VERIFICATION',
    DISCONNECTED: 'PENDING_VERIFICATION',
    PENDING_VERIFICATION: KEEP,
    ACTIVE: KEEP,
  },
  connected: {
    PENDING_AUTH: 'ACTIVE',
    EXPIRED: 'ACTIVE',
    DISCONNECTED: 'ACTIVE',
    PENDING_VERIFICATION: 'ACTIVE',
    ACTIVE: KEEP,
  },
  verified: { PENDING_VERIFICATION: 'ACTIVE', ACTIVE: KEEP },
  verification_ended: { PENDING_VERIFICATION: BEFORE, ACTIVE: KEEP },
  credentials_updated: {
    PENDING_AUTH: 'ACTIVE',
    EXPIRED: 'ACTIVE',
    DISCONNECTED: 'ACTIVE',
    PENDING_VERIFICATION: 'ACTIVE',
    ACTIVE: KEEP,
  },
  credential_refused: { ACTIVE: 'EXPIRED' },
  credential_expired: { ACTIVE: 'EXPIRED' },
  disconnected: {
    ACTIVE: 'DISCONNECTED',
    EXPIRED: 'DISCONNECTED',
    PENDING_AUTH: 'DISCONNECTED',
    PENDING_VERIFICATION: 'DISCONNECTED',
    DISCONNECTED: KEEP,
  },
};

/** Other facts that decide a transition. */
export interface StatusContext {
  /** The status to return to from the open auth request; `undefined` if no request is open. */
  statusBefore?: AccountStatus | undefined;
}

/**
 * The status after `trigger`.
 *
 * The end of the live credential of an account with waiting ones leads to PENDING_VERIFICATION: the new ones may
 * still be verified.
 *
 * @throws Error for a transition that does not exist
 */
export function nextStatus(
  from: AccountStatus,
  trigger: StatusTrigger,
  context: StatusContext = {},
): AccountStatus {
  const target = TRANSITIONS[trigger][from];
  if (target === undefined) throw new Error(`an account that is ${from} cannot be ${trigger}`);
  const isEnd = trigger === 'credential_refused' || trigger === 'credential_expired';
  if (isEnd && context.statusBefore !== undefined) return 'PENDING_VERIFICATION';
  if (target === KEEP) return from;
  if (target === BEFORE) return context.statusBefore ?? 'PENDING_AUTH';
  return target;
}
