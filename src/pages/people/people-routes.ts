/** All pages for users: signing in and out, signing up, invitations, organizations, members, sessions, confirming a connection, allowing an app. */
import { Hono } from 'hono';
import { accountRoutes } from '../accounts/account-routes.ts';
import { connectAnotherRoutes } from '../accounts/connect-another.ts';
import { confirmRoutes } from './confirm-routes.ts';
import { consentRoutes } from '../consent/consent-routes.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { memberRoutes } from './member-pages.ts';
import { organizationRoutes } from './organization-routes.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { peopleProblem } from './people-problems.ts';
import { messagePage } from '../frame/message-pages.ts';
import { sendPage, viewOf, type PageVariables } from '../frame/page-response.ts';
import { renderError } from '../connect/routes.ts';
import { sessionRoutes } from './session-pages.ts';
import { operatorLinkRoutes } from '../sign-in/operator-link-routes.ts';
import { signInRoutes } from '../sign-in/sign-in-routes.ts';
import { signOutRoutes } from '../sign-in/sign-out-routes.ts';
import { signUpRoutes } from '../sign-in/sign-up-routes.ts';
import { isPageFailure } from '../../core/page-failure.ts';

/** Kinds that the operator has to look into: the user cannot fix them. */
const OPERATOR_KINDS: ReadonlySet<string> = new Set([
  'place',
  'unreachable',
  'answer',
  'email',
  'unverified',
  'identity',
]);

/** Errors are never sent as JSON or text: each becomes a page in plain language, and an unexpected one is logged. */
export function peopleRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();
  for (const add of [
    signInRoutes,
    signUpRoutes,
    invitationRoutes,
    organizationRoutes,
    memberRoutes,
    accountRoutes,
    connectAnotherRoutes,
    sessionRoutes,
    signOutRoutes,
    operatorLinkRoutes,
    confirmRoutes,
    consentRoutes,
  ])
    routes.route('/', add(deps));
  routes.all('*', (c) => {
    const view = viewOf(c);
    return sendPage(c, messagePage(view, view.words.frame.lost), { status: 404 });
  });
  routes.onError((error, c) => {
    if (isPageFailure(error, 'sign_in') && OPERATOR_KINDS.has(error.kind)) {
      const environment_id = c.get('environment').id;
      deps.log.warn('sign_in_failed', { environment_id, error_code: error.kind, err: error });
    }
    const known = peopleProblem(viewOf(c), error);
    if (known === undefined) return renderError(c, error, deps.log);
    if ('retryAfterSeconds' in error && typeof error.retryAfterSeconds === 'number')
      c.header('retry-after', String(error.retryAfterSeconds));
    return sendPage(c, known.page, { status: known.status });
  });
  return routes;
}
