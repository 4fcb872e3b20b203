/** Which verification a link gets and where the browser goes afterwards (contract section 6). */
import { isWithinAllowed, webUrlProblem } from '../accounts/web-url.ts';
import type { Environment, Verification } from '../core/environment.ts';
import { invalidField } from '../core/errors.ts';

export interface VerificationTarget {
  verification: Verification;
  /** Set in mode `app`. */
  userVerifyUrl: string | null;
}

/**
 * Mode `app` where the link brings a URL or the environment has one, else the environment's mode.
 *
 * @throws ServiceError INVALID_ARGUMENT on `user_verify_url`: malformed, outside the allow-list, or missing in mode `app`
 */
export function verificationTarget(
  environment: Environment,
  requested: string | undefined,
): VerificationTarget {
  if (requested !== undefined) {
    const problem = webUrlProblem(requested);
    if (problem !== undefined) throw invalidField('user_verify_url', problem, 'format');
    if (!isWithinAllowed(requested, environment.userVerifyUrls)) {
      throw invalidField(
        'user_verify_url',
        'This URL is not within user_verify_urls of the settings.',
        'allow_list',
      );
    }
    return { verification: 'app', userVerifyUrl: requested };
  }
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
    throw invalidField(
      'user_verify_url',
      'Verification by sign-in is not available in this version: give user_verify_url, or set user_verification to app.',
      'required',
    );
  }
  return { verification: 'none', userVerifyUrl: null };
}

/**
 * The URL of mode `app` with `auth_request_id` and `state` added. Its own query stays as it is written;
 * parameters of these two names are replaced.
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
