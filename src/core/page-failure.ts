/** Reasons why a page cannot do what a user asks, for the pages that explain them. */

/** Reasons why a connect link cannot be used. */
type LinkFailureKind = 'unknown' | 'expired' | 'used' | 'declined' | 'csrf';

/**
 * Reasons why a callback connects nothing, in the order of the checks (docs/contract.md#callback).
 *
 * - `state`: unknown, missing, repeated, or of a flow already used
 * - `expired`: the visit to the provider took too long
 * - `connection`: the callback path of another connection
 * - `browser`: another browser than the one that started the flow
 * - `malformed`: not exactly one of code and error, or a repeated parameter
 * - `issuer`: names another provider
 * - `denied`: the user or the provider's administrator refused
 * - `provider_error`: the provider ended the consent with another error
 * - `code_refused`: the provider refuses the code
 * - `client_refused`: the provider refuses the connection's client id or secret; the operator has to act
 * - `unreachable`: the token request got no answer, or a temporary error
 * - `bad_answer`: the answer to the token request cannot be used
 * - `no_metadata`: the provider does not say what its API needs to know of the account, such as its site
 * - `several_accounts`: the consent is for several sites or the like, and nobody said which one is meant
 * - `start_failed`: the provider gives no address of its consent page; `start_refused`: it refuses this connection
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
  | 'no_metadata'
  | 'several_accounts'
  | 'start_failed'
  | 'start_refused';

/** Reasons why a posted form of the sign-in and user pages is not accepted. */
type FormFailureKind = 'foreign' | 'csrf' | 'other_content' | 'too_large';

/**
 * Reasons why a sign-in fails.
 *
 * - `state`: the provider's answer belongs to no flow that was started here, or was used already
 * - `expired`: the visit to the provider took too long
 * - `place`: the answer is for another organization than the one of the flow
 * - `browser`: another browser started the sign-in
 * - `no_provider`: the organization has no provider, or has changed it
 * - `denied`: the provider denies the sign-in
 * - `unreachable`: the provider does not answer
 * - `answer`: the provider's answer is invalid: signature, issuer, audience, nonce, form
 * - `email`: the provider names no e-mail address, or one that this organization may not vouch for
 * - `unverified`: the provider does not say that the address is verified
 * - `stale`: a new proof was asked for, and the provider does not say that the person has just given it
 * - `identity`: the provider names another person by this address than at the first sign-in
 */
type SignInFailureKind =
  | 'state'
  | 'expired'
  | 'place'
  | 'browser'
  | 'no_provider'
  | 'denied'
  | 'unreachable'
  | 'answer'
  | 'email'
  | 'unverified'
  | 'stale'
  | 'identity';

interface Kinds {
  link: LinkFailureKind;
  callback: CallbackFailureKind;
  form: FormFailureKind;
  sign_in: SignInFailureKind;
}

/** Subject of a page. */
export type PageSubject = keyof Kinds;

/** Kinds of failures of the pages about one subject. */
export type PageFailureKind<Subject extends PageSubject> = Kinds[Subject];

const NAMES: Readonly<Record<PageSubject, string>> = {
  link: 'connect link',
  callback: 'OAuth callback',
  form: 'form',
  sign_in: 'sign-in',
};

/** A page did not do what the user asked. Carries no token, state, code or response of a provider. */
export class PageFailure<Subject extends PageSubject = PageSubject> extends Error {
  override readonly name = 'PageFailure';
  readonly subject: Subject;
  readonly kind: PageFailureKind<Subject>;
  /** Set for callbacks once their flow is known. */
  readonly connectorTitle: string | undefined;
  /** The provider's own words, capped. Escape them and mark them as the provider's. */
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

/** Whether an error is a failure of a page about the given subject. */
export function isPageFailure<Subject extends PageSubject>(
  error: unknown,
  subject: Subject,
): error is PageFailure<Subject> {
  return error instanceof PageFailure && error.subject === subject;
}
