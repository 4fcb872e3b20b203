/** Why somebody is not signed in, for the pages that say so in words. */

/**
 * - `state`: the answer of a provider continues nothing that was started here, or was taken already
 * - `expired`: the way to the provider and back took too long
 * - `place`: the answer came back for another organization than the one it was asked for
 * - `browser`: another browser set out
 * - `no_provider`: the organization has no provider, or another one by now
 * - `denied`: the provider says no
 * - `unreachable`: the provider does not answer
 * - `answer`: the provider's answer is not what it must be: signature, issuer, audience, nonce, form
 * - `email`: the provider names no e-mail address, or one that is not this organization's to vouch for
 */
export type SignInProblemKind =
  'state' | 'expired' | 'place' | 'browser' | 'no_provider' | 'denied' | 'unreachable' | 'answer' | 'email';

/** Nobody is signed in. Carries nothing of the provider's answer. */
export class SignInProblem extends Error {
  override readonly name = 'SignInProblem';
  readonly kind: SignInProblemKind;

  constructor(kind: SignInProblemKind, cause?: unknown) {
    super(`sign-in: ${kind}`, { cause });
    this.kind = kind;
  }
}
