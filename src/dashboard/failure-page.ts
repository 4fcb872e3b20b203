/**
 * The page for every failure: what happened, what did not happen, and where to continue. Never shows a stack or a
 * secret.
 */
import { html } from 'hono/html';
import { ServiceError } from '../core/errors.ts';
import { isPageFailure, type PageFailureKind } from '../core/page-failure.ts';
import type { Log } from '../core/log.ts';
import { messagePage } from '../pages/frame/message-pages.ts';
import { sendPage, viewOf } from '../pages/frame/page-response.ts';
import { StaleSignInFailure } from './access/fresh.ts';
import { RepeatedForm } from './access/posted-forms.ts';
import { link } from './components/card.ts';
import type { DashboardContext } from './frame/dashboard-context.ts';
import type { Text } from './frame/html.ts';
import { showPage, type PageStatus } from './frame/respond.ts';
import { frame as words } from './words/frame.ts';

const FORM_FAILURES: Readonly<
  Record<PageFailureKind<'form'>, { status: PageStatus; problem: 'expired' | 'foreign' | 'tooLarge' }>
> = {
  foreign: { status: 403, problem: 'foreign' },
  csrf: { status: 403, problem: 'expired' },
  other_content: { status: 415, problem: 'expired' },
  too_large: { status: 413, problem: 'tooLarge' },
};

const STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 409, 413, 415, 429, 502, 503]);

/** The page for an error. Unexpected failures are logged, and the page does not name their cause. */
export function failurePage(c: DashboardContext, error: Error, log: Log): Response | Promise<Response> {
  if (error instanceof StaleSignInFailure) return error.answer(c);
  if (error instanceof RepeatedForm) return problemPage(c, words.problems.repeated, 409);
  if (isPageFailure(error, 'form')) {
    const { status, problem: kind } = FORM_FAILURES[error.kind];
    return problemPage(c, words.problems[kind], status);
  }
  if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND')
    return problemPage(c, { ...words.problems.lost, text: error.message }, 404);
  if (error instanceof ServiceError && isShown(error.status)) {
    if (error.retryAfterSeconds !== undefined) c.header('retry-after', String(error.retryAfterSeconds));
    return problemPage(c, { ...words.problems.refused, text: error.message }, error.status);
  }
  log.error('dashboard_failed', { environment_id: c.get('environment').id, err: error });
  return problemPage(c, words.problems.fault, 500);
}

function isShown(status: number): status is PageStatus {
  return STATUSES.has(status);
}

/** A page that says why there is nothing to show, with a link back. */
export function problemPage(
  c: DashboardContext,
  { title, text }: { title: string; text: Text },
  status: PageStatus,
): Response | Promise<Response> {
  // The request failed before the viewer was known, so there is no navigation to show.
  if (c.get('navigation') === undefined) {
    const view = viewOf(c);
    return sendPage(c, messagePage(view, view.words.frame.fault), { status: 500 });
  }
  const content = html`<p class="failure">${text}</p>
    <p>${link('/dashboard', words.problems.back)}</p>`;
  return showPage(c, { title, content }, status);
}
