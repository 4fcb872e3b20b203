/** Why a callback connects nothing, for the pages that say so in words. */

/**
 * In the order in which they are found (docs/contract.md#callback).
 *
 * - `state`: unknown, missing, repeated, or of a flow already used
 * - `expired`: the way to the provider and back took too long
 * - `connection`: came back on the path of another connection
 * - `browser`: came back in another browser than it set out from
 * - `malformed`: not exactly one of code and error, or a parameter twice
 * - `issuer`: says it comes from another provider
 * - `denied`: the person or the provider's administrator said no
 * - `provider_error`: the provider ended the consent with another error
 * - `code_refused`: the provider refuses the code
 * - `client_refused`: the provider refuses the connection's client id or secret; the operator has to act
 * - `unreachable`: the token request got no answer, or a temporary error
 * - `bad_answer`: the answer to the token request cannot be used
 * - `start_failed`: before the consent, the provider gives no way to its page; `start_refused`: to this connection
 */
export type CallbackProblemKind =
  | 'state'
  | 'expired'
  | 'connection'
  | 'browser'
  | 'malformed'
  | 'issuer'
  | 'denied'
  | 'provider_error'
  | 'code_refused'
  | 'client_refused'
  | 'unreachable'
  | 'bad_answer'
  | 'start_failed'
  | 'start_refused';

/** A callback that connects nothing. Carries no state, code or token. */
export class CallbackProblem extends Error {
  override readonly name = 'CallbackProblem';
  readonly kind: CallbackProblemKind;
  /** Known once the flow is. */
  readonly connectorTitle: string | undefined;
  /** The provider's own words, capped; data to be escaped and marked as the provider's. */
  readonly providerText: string | undefined;

  constructor(
    kind: CallbackProblemKind,
    options: { connectorTitle?: string; providerText?: string | undefined; cause?: unknown } = {},
  ) {
    super(`OAuth callback: ${kind}`, { cause: options.cause });
    this.kind = kind;
    this.connectorTitle = options.connectorTitle;
    this.providerText = options.providerText;
  }
}
