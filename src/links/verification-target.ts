/** Chooses the verification of a link and the destination of the browser afterwards (docs/contract.md#verification-modes). */
import { isWithinAllowed, webUrlProblem } from '../connections/web-url.ts';
import type { Caller, Owner } from '../core/caller.ts';
import type { Environment, VerificationMode } from '../core/environment.ts';
import { invalidArgument, invalidField, violation, type FieldViolation } from '../core/errors.ts';
import type { Link } from '../store/accounts/link.ts';

export interface VerificationTarget {
  verification: VerificationMode;
  /** Set in mode `app`. */
  userVerifyUrl: string | null;
}

/** Id of a user who can sign in here. */
const USER_ID = /^usr_[0-9a-z]{1,60}$/;

/**
 * A link made by a signed-in user is confirmed by signing in: the user's own token could confirm anyone who
 * opened it. Any other link has mode `app` if it or the environment has a URL, otherwise the environment's mode.
 *
 * @param owner of the account
 * @throws ServiceError INVALID_ARGUMENT on `user_verify_url`: malformed, outside the allow-list, missing in mode
 *   `app` or given by a user; on `user_id` if nobody could sign in as the owner
 */
export function verificationTarget(
  environment: Environment,
  requested: string | undefined,
  { caller, owner }: { caller: Caller; owner: Owner },
): VerificationTarget {
  const isOwn = isOwnOf(caller, owner);
  if (requested !== undefined) {
    const wrong = urlViolation(environment, requested, isOwn);
    if (wrong !== undefined) throw invalidArgument([wrong]);
    return { verification: 'app', userVerifyUrl: requested };
  }
  if (isOwn) return { verification: 'signed_in', userVerifyUrl: null };
  if (environment.userVerifyUrl !== undefined) {
    return { verification: 'app', userVerifyUrl: environment.userVerifyUrl };
  }
  if (environment.userVerification === 'app') {
    throw invalidField(
      'user_verify_url',
      'Connected users are verified by your app: give user_verify_url, or set user_verify_url in the settings.',
      'required',
    );
  }
  if (environment.userVerification === 'signed_in') {
    if (USER_ID.test(owner.userId)) return { verification: 'signed_in', userVerifyUrl: null };
    throw invalidField(
      'user_id',
      'Connected users sign in here to confirm: the account must belong to a user of this Gatehouse (usr_…). For any other account, give user_verify_url.',
      'signed_in',
    );
  }
  return { verification: 'none', userVerifyUrl: null };
}

/** @param isOwn a signed-in user asks for themselves or their organization */
export function urlViolation(
  environment: Environment,
  requested: string,
  isOwn: boolean,
): FieldViolation | undefined {
  const field = 'user_verify_url';
  if (isOwn) {
    const description =
      'You are signed in, so you confirm the connection on a page of Gatehouse yourself: leave this out.';
    return violation(field, description, 'forbidden');
  }
  const problem = webUrlProblem(requested);
  if (problem !== undefined) return violation(field, problem, 'format');
  if (isWithinAllowed(requested, environment.userVerifyUrls)) return undefined;
  return violation(field, 'This URL is not within user_verify_urls of the settings.', 'allow_list');
}

/** Whether a signed-in user asks for themselves or their organization. */
function isOwnOf(caller: Caller, { userId, organizationId }: Owner): boolean {
  if (caller.kind !== 'person') return false;
  const { person } = caller;
  return userId === '' ? organizationId === person.organizationId : userId === person.userId;
}

/**
 * Origin, in addition to that of the page, that the browser goes to after a completed form or consent; null if none.
 *
 * @param baseUrl public origin
 */
export function afterwardsOrigin(
  link: Pick<Link, 'verification' | 'userVerifyUrl'>,
  baseUrl: string,
): string | null {
  if (link.verification === 'signed_in') return new URL(baseUrl).origin;
  return link.userVerifyUrl === null ? null : new URL(link.userVerifyUrl).origin;
}

/** Address the browser goes to in mode `signed_in`. @param baseUrl public origin */
export function confirmUrl(baseUrl: string, authRequestId: string): string {
  return `${baseUrl}/connect/confirm?${new URLSearchParams({ auth_request_id: authRequestId }).toString()}`;
}

/**
 * The URL of mode `app` with `auth_request_id` and `state` added. Its own query stays as written; parameters
 * of these two names are replaced.
 */
export function withAuthRequest(userVerifyUrl: string, authRequestId: string, state: string | null): string {
  const url = new URL(userVerifyUrl);
  const added = { auth_request_id: authRequestId, ...(state !== null && { state }) };
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !Object.keys(added).some((name) => new URLSearchParams(part).has(name)));
  url.search = [...kept, new URLSearchParams(added).toString()].join('&');
  return url.href;
}
