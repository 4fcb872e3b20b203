/**
 * The error that callers get if a refresh failed for now: the account stays connected, and it says when to retry.
 *
 * The provider's own text is in `tool_error`, as data.
 */
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import { ProviderFailure, RENEWAL_FAILED } from '../../outbound/provider-failure.ts';
import { TokenFailure, type TokenFailureKind } from '../oauth/token-endpoint.ts';
import type { Renewal, RenewalNames } from '../schemes/renewal.ts';

/** Why there is no new token. */
export interface RefreshProblem {
  /** As in TokenFailure; never `invalid_grant`, which ends the account. */
  reason: TokenFailureKind;
  /** Time until the next attempt. */
  retryAfterMs: number;
  /** The failure itself; `undefined` if the attempt was made earlier, perhaps by another process. */
  failure: TokenFailure | undefined;
  /** Our own message if no provider was asked. */
  explanation?: string;
}

/** Names the token's owner for the message. */
export interface RefreshSubject extends RenewalNames {
  /** The type's own message. */
  explain?: Renewal['explain'] | undefined;
  /** `exe_…`; null outside a tool call. */
  executionId: string | null;
}

/** The provider's behavior, to word the message. */
const REASONS: Readonly<Record<TokenFailureKind, string>> = {
  invalid_grant: 'refuses the refresh token',
  client_refused: 'does not accept the client id or client secret of the connection',
  refused: 'refuses the request',
  not_sent: 'cannot be reached',
  temporary: 'cannot answer at the moment',
  unknown: 'gave no usable answer',
};

/** TOOL_ERROR with code TOKEN_REFRESH_FAILED. */
export function refreshFailure(problem: RefreshProblem, subject: RefreshSubject): ProviderFailure {
  const { reason, failure } = problem;
  const { title, connection, executionId } = subject;
  const seconds = Math.max(1, Math.ceil(problem.retryAfterMs / 1_000));
  const own =
    problem.explanation === undefined ? subject.explain?.(reason, failure, { title, connection }) : undefined;
  const why = problem.explanation ?? own ?? `${title} ${REASONS[reason]}.`;
  const advice =
    reason === 'client_refused' && own === undefined
      ? `The account stays connected; the operator has to correct the connection ${connection}.`
      : 'The account stays connected.';
  const message = `The access token could not be renewed: ${why} ${advice} Try again in ${seconds} seconds.`;
  return new ProviderFailure(message, isTimeout(failure) ? 504 : 502, {
    code: RENEWAL_FAILED,
    message: failure?.providerDescription ?? failure?.providerError ?? null,
    provider_status: failure?.status ?? null,
    provider_body: null,
    retry_after: seconds,
    required_scopes: null,
    execution_id: executionId,
  });
}

/** The answer for a caller that leaves during the renewal of its token. */
export function waitCancelled({ title, executionId }: RefreshSubject): ProviderFailure {
  return new ProviderFailure(`The call was canceled while its access token for ${title} was renewed.`, 502, {
    code: 'CANCELLED',
    message: null,
    provider_status: null,
    provider_body: null,
    retry_after: null,
    required_scopes: null,
    execution_id: executionId,
  });
}

/** Reads a stored `failed_reason`. An unknown value, perhaps from another version, counts as `unknown`. */
export function reasonFrom(stored: string | null): TokenFailureKind {
  return stored !== null && Object.hasOwn(REASONS, stored) ? (stored as TokenFailureKind) : 'unknown';
}

function isTimeout(failure: TokenFailure | undefined): boolean {
  return failure?.cause instanceof OutboundFailure && failure.cause.kind === 'timeout';
}
