/**
 * Reasons why an outbound call got no answer, in words of our own: the HTTP client's error objects hold
 * headers and sockets and never leave this module.
 */

/** Kinds of failures; the sentences say when each happens. */
const REASONS = {
  refused_address: 'The address is private or not allowed for outbound calls.',
  invalid_request: 'The request cannot be written as HTTP.',
  connect: 'No connection could be made.',
  tls: 'The server has no certificate that is trusted here.',
  timeout: 'No complete answer came in time.',
  aborted: 'The call was canceled.',
  reset: 'The connection broke before the answer was complete.',
  bad_response: 'The answer is not valid HTTP.',
  bad_encoding: 'The compressed answer cannot be unpacked.',
  too_large: 'The answer is larger than allowed.',
} as const;

export type OutboundFailureKind = keyof typeof REASONS;

/** A call without an answer. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: OutboundFailureKind;
  /**
   * False only if the other side certainly has not seen the request, so that even a write may be repeated.
   */
  readonly sent: boolean;
  /** Code of the system or the HTTP client (`ECONNREFUSED`), for the log. */
  readonly code: string | undefined;

  constructor(kind: OutboundFailureKind, sent: boolean, code?: string) {
    super(REASONS[kind]);
    this.kind = kind;
    this.sent = sent;
    this.code = code;
  }
}
