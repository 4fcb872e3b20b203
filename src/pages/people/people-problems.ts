/** Pages for failures of signing in, signing up or accepting: what happened, and what to do. */
import { ServiceError } from '../../core/errors.ts';
import { isPageFailure, type PageFailureKind } from '../../core/page-failure.ts';
import { messagePage } from '../frame/message-pages.ts';
import type { Html } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';

type Status = 400 | 403 | 404 | 410 | 413 | 415 | 429 | 502;

const FORM_STATUS: Readonly<Record<PageFailureKind<'form'>, Status>> = {
  foreign: 403,
  csrf: 403,
  other_content: 415,
  too_large: 413,
};

const SIGN_IN_STATUS: Readonly<Record<PageFailureKind<'sign_in'>, Status>> = {
  state: 400,
  expired: 410,
  place: 400,
  browser: 403,
  no_provider: 404,
  denied: 403,
  unreachable: 502,
  answer: 502,
  email: 403,
  unverified: 403,
  stale: 403,
  identity: 403,
};

const REFUSAL_STATUS: Readonly<Record<keyof Words['people']['refusals'], Status>> = {
  POLICY_DENIED: 403,
  PERMISSION_DENIED: 403,
  RESOURCE_NOT_FOUND: 404,
  UNAUTHENTICATED: 403,
  INVALID_ARGUMENT: 400,
};

/** Status and page for known failures; `undefined` for every other error. */
export function peopleProblem(view: View, error: unknown): { status: Status; page: Html } | undefined {
  const words = view.words.people;
  if (isPageFailure(error, 'form'))
    return { status: FORM_STATUS[error.kind], page: messagePage(view, words.formFailures[error.kind]) };
  if (isPageFailure(error, 'sign_in'))
    return { status: SIGN_IN_STATUS[error.kind], page: messagePage(view, words.signInFailures[error.kind]) };
  if (!(error instanceof ServiceError)) return undefined;
  const { code, message: what, retryAfterSeconds = 60 } = error;
  if (code === 'RATE_LIMITED') {
    const { title, next } = words.tooOften;
    const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60));
    return { status: 429, page: messagePage(view, { title, what, next: next(minutes) }) };
  }
  if (!isRefusal(code)) return undefined;
  return { status: REFUSAL_STATUS[code], page: messagePage(view, { what, ...words.refusals[code] }) };
}

function isRefusal(code: string): code is keyof Words['people']['refusals'] {
  return Object.hasOwn(REFUSAL_STATUS, code);
}
