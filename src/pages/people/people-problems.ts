/** Pages for failures of signing in, signing up or accepting: what happened, and what to do. */
import { html } from 'hono/html';
import { ServiceError } from '../../core/errors.ts';
import { isPageFailure, type PageFailureKind } from '../../core/page-failure.ts';
import type { Html } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';

type Status = 400 | 403 | 404 | 410 | 413 | 415 | 429 | 502;

/** A status and its message. */
interface Message {
  status: Status;
  title: string;
  /** What happened. */
  what: string;
  /** Next step for the user. */
  next: Html | string;
}

const AGAIN = html`<a href="/sign-in">Start again</a>.`;
const TELL = 'If it happens again, tell whoever looks after sign-in in your organization.';

const FORMS: Readonly<Record<PageFailureKind<'form'>, Message>> = {
  foreign: {
    status: 403,
    title: 'This form did not come from here',
    what: 'Another site sent it. Nothing was changed.',
    next: 'Open the page here and fill in the form there.',
  },
  csrf: {
    status: 403,
    title: 'This form is no longer valid',
    what: 'It was opened in another browser or in an earlier session, or this browser does not accept cookies. Nothing was changed.',
    next: 'Open the page again in this browser, with cookies allowed, and fill in the form once more.',
  },
  other_content: {
    status: 415,
    title: 'This is not a form',
    what: 'This address takes application/x-www-form-urlencoded only. Nothing was changed.',
    next: 'Open the page in a browser and fill in the form there.',
  },
  too_large: {
    status: 413,
    title: 'This is too much text',
    what: 'A form here holds a few short texts. Nothing was changed.',
    next: 'Go back and enter less.',
  },
};

const SIGN_INS: Readonly<Record<PageFailureKind<'sign_in'>, Message>> = {
  state: {
    status: 400,
    title: 'This answer is not expected',
    what: 'Each answer of a sign-in is taken once, and this one has been taken already or does not belong to anything that was started here.',
    next: AGAIN,
  },
  expired: {
    status: 410,
    title: 'That took too long',
    what: 'For safety, the way to your organization and back is open for 10 minutes only, and that time is over.',
    next: AGAIN,
  },
  place: {
    status: 400,
    title: 'This answer came back to the wrong place',
    what: 'It was meant for another organization than the one you set out for. Somebody may have tried to mix up the two. You are not signed in.',
    next: html`Do not repeat what you did from another page. ${AGAIN}`,
  },
  browser: {
    status: 403,
    title: 'This did not start in this browser',
    what: 'You came back to another browser than the one that set out, or this browser does not accept cookies. You are not signed in.',
    next: html`If somebody sent you here, close this page. If you started yourself:
      <a href="/sign-in">start again</a> and stay in one browser, with cookies allowed.`,
  },
  no_provider: {
    status: 404,
    title: 'This organization does not sign in this way',
    what: 'It has no OpenID provider with e-mail domains here, or it was changed meanwhile. You are not signed in.',
    next: AGAIN,
  },
  denied: {
    status: 403,
    title: 'Your organization did not sign you in',
    what: 'Its sign-in page answered with a no. You are not signed in.',
    next: html`If you decided so, you can close this page. If not: ${AGAIN} ${TELL}`,
  },
  unreachable: {
    status: 502,
    title: 'Your organization does not answer',
    what: 'Its sign-in could not be reached from here. You are not signed in.',
    next: html`Wait a minute. ${AGAIN} ${TELL}`,
  },
  answer: {
    status: 502,
    title: 'The answer of your organization cannot be used',
    what: 'It is not signed, made or meant as it must be, so it was not believed. You are not signed in.',
    next: html`${AGAIN} ${TELL}`,
  },
  email: {
    status: 403,
    title: 'This address is not one of your organization',
    what: 'Your organization vouches for addresses of its own domains only, and this is none of them. You are not signed in.',
    next: html`<a href="/sign-in">Sign in with a code by e-mail</a> instead. ${TELL}`,
  },
};

/** Status and page for known failures; `undefined` for every other error. */
export function peopleProblem(error: unknown): { status: Status; page: Html } | undefined {
  if (isPageFailure(error, 'form')) return shown(FORMS[error.kind]);
  if (isPageFailure(error, 'sign_in')) return shown(SIGN_INS[error.kind]);
  if (!(error instanceof ServiceError)) return undefined;
  const { code, message, retryAfterSeconds = 60 } = error;
  switch (code) {
    case 'POLICY_DENIED':
      return shown({
        status: 403,
        title: 'This is not allowed',
        what: message,
        next: 'This was decided by a policy of whoever runs this Gatehouse. Ask them if you think it is wrong.',
      });
    case 'PERMISSION_DENIED':
      return shown({
        status: 403,
        title: 'This is not open to you',
        what: message,
        next: 'Nothing was changed. If you think that it should be open to you, ask whoever looks after your organization.',
      });
    case 'RESOURCE_NOT_FOUND':
      return shown({ status: 404, title: 'This is not there any more', what: message, next: AGAIN });
    case 'UNAUTHENTICATED':
      return shown({ status: 403, title: 'You are not signed in any more', what: message, next: AGAIN });
    case 'INVALID_ARGUMENT':
      return shown({
        status: 400,
        title: 'This cannot be taken',
        what: message,
        next: 'Go back and enter it again.',
      });
    case 'RATE_LIMITED':
      return shown({
        status: 429,
        title: 'Not so often',
        what: message,
        next: `Try again in ${minutes(retryAfterSeconds)}. A code that you have been sent already still works.`,
      });
    default:
      return undefined;
  }
}

function shown({ status, ...message }: Message): { status: Status; page: Html } {
  return { status, page: messagePage(message) };
}

function minutes(seconds: number): string {
  const count = Math.max(1, Math.ceil(seconds / 60));
  return count === 1 ? 'a minute' : `${count} minutes`;
}
