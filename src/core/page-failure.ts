/** Why a page cannot do what a person asks, for the pages that explain it in words. */

/** Why a connect link cannot be used. */
type LinkFailureKind = 'unknown' | 'expired' | 'used' | 'csrf';

/**
 * Why a callback connects nothing, in the order in which it is found (docs/contract.md#callback).
 *
 * - `state`: unknown, missing, repeated, or of a flow already used
 * - `expired`: the way to the provider and back took too long
 * - `connection`: came back on the path of another connection
 * - `browser`: came back in another browser than the one that started the flow
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
type CallbackFailureKind =
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

/** Why a posted form of people's pages is not accepted. */
type FormFailureKind = 'foreign' | 'csrf' | 'other_content' | 'too_large';

/**
 * Why nobody is signed in.
 *
 * - `state`: the answer of a provider continues nothing that was started here, or was accepted already
 * - `expired`: the way to the provider and back took too long
 * - `place`: the answer came back for another organization than the one it was asked for
 * - `browser`: another browser started the sign-in
 * - `no_provider`: the organization has no provider, or another one by now
 * - `denied`: the provider says no
 * - `unreachable`: the provider does not answer
 * - `answer`: the provider's answer is not what it must be: signature, issuer, audience, nonce, form
 * - `email`: the provider names no e-mail address, or one that this organization may not vouch for
 */
type SignInFailureKind =
  'state' | 'expired' | 'place' | 'browser' | 'no_provider' | 'denied' | 'unreachable' | 'answer' | 'email';

interface Kinds {
  link: LinkFailureKind;
  callback: CallbackFailureKind;
  form: FormFailureKind;
  sign_in: SignInFailureKind;
}

/** What a page is about. */
export type PageSubject = keyof Kinds;

/** The kinds of failures of pages about one subject. */
export type PageFailureKind<Subject extends PageSubject> = Kinds[Subject];

const NAMES: Readonly<Record<PageSubject, string>> = {
  link: 'connect link',
  callback: 'OAuth callback',
  form: 'form',
  sign_in: 'sign-in',
};

/** A page did not do what the person asked. Carries no token, state, code or answer of a provider. */
export class PageFailure<Subject extends PageSubject = PageSubject> extends Error {
  override readonly name = 'PageFailure';
  readonly subject: Subject;
  readonly kind: PageFailureKind<Subject>;
  /** Set for callbacks once their flow is known. */
  readonly connectorTitle: string | undefined;
  /** The provider's own words, capped. They are data: to be escaped and marked as the provider's. */
  readonly providerText: string | undefined;

  constructor(
    subject: Subject,
    kind: PageFailureKind<Subject>,
    options: {
      connectorTitle?: string | undefined;
      providerText?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(`${NAMES[subject]}: ${kind}`, { cause: options.cause });
    this.subject = subject;
    this.kind = kind;
    this.connectorTitle = options.connectorTitle;
    this.providerText = options.providerText;
  }
}

/** Whether an error is a failure of a page about this subject. */
export function isPageFailure<Subject extends PageSubject>(
  error: unknown,
  subject: Subject,
): error is PageFailure<Subject> {
  return error instanceof PageFailure && error.subject === subject;
}
