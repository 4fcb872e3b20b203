/** The pages as routes of the listener, loaded with the first request of a page. */
import type { NodeRoute } from '../../http/listener/request-context.ts';
import type { Identity } from './build-identity.ts';
import type { Services } from '../services/services.ts';
import { loadOnce } from '../../core/load-once.ts';

/** Label of the page on which a way that went well ends. */
export const DONE_ROUTE = '/connect/done';

type Labels = readonly (readonly [pattern: RegExp, label: string])[];

/** The owner's last step on the way of connecting an account, in verification mode `signed_in`. */
const CONFIRM_PATH = '/connect/confirm';

/** Addresses of links and callbacks, and what logs and metrics call them: never with the token or the query in it. */
const CONNECT_ROUTES: Labels = [
  [/^\/connect\/done$/, DONE_ROUTE],
  [/^\/connect\/[^/]+\/go$/, '/connect/:token/go'],
  [/^\/connect\//, '/connect/:token'],
  [/^\/sso\/v1\/oauth\/[^/]+\/callback$/, '/sso/v1/oauth/:id/callback'],
];

/** Addresses at which a person signs in. */
const SIGN_IN_ROUTES: Labels = [
  [/^\/sign-in$/, '/sign-in'],
  [/^\/sign-in\/code$/, '/sign-in/code'],
  [/^\/sign-in\/provider$/, '/sign-in/provider'],
  [/^\/sign-out$/, '/sign-out'],
  [/^\/sso\/v1\/oidc\/[^/]+\/callback$/, '/sso/v1/oidc/:id/callback'],
  [/^\/connect\/confirm$/, CONFIRM_PATH],
];

/** The other pages of people. */
const PEOPLE_ROUTES: Labels = [
  ...SIGN_IN_ROUTES,
  [/^\/sign-up$/, '/sign-up'],
  [/^\/sign-up\/code$/, '/sign-up/code'],
  [/^\/organizations$/, '/organizations'],
  [/^\/sessions$/, '/sessions'],
  [/^\/invitations\/[^/]+$/, '/invitations/:token'],
  [/^\/invitations\/[^/]+\/code$/, '/invitations/:token/code'],
  [/^\/oauth\/interaction\/[^/]+$/, '/oauth/interaction/:id'],
];

/** Whether a path belongs to the way of connecting an account: link, consent, callback, confirming it signed in. */
export function isConnectPath(path: string): boolean {
  return labelIn(CONNECT_ROUTES, path) !== undefined;
}

/** Whether a person signs in at a path, or confirms a connection there. */
export function isSignInPath(path: string): boolean {
  return labelIn(SIGN_IN_ROUTES, path) !== undefined;
}

/** Whether a path is a page of people: signing in and up, invitations, organizations, what one is signed in to. */
export function isPeoplePath(path: string): boolean {
  return labelIn(PEOPLE_ROUTES, path) !== undefined;
}

/** What logs and metrics call a path. */
function labelOf(path: string): string | undefined {
  return labelIn(PEOPLE_ROUTES, path) ?? labelIn(CONNECT_ROUTES, path);
}

function labelIn(routes: Labels, path: string): string | undefined {
  return routes.find(([pattern]) => pattern.test(path))?.[1];
}

/**
 * @param matches which paths are pages in this process
 * @param identity of a process that has one; else made with the first page of people
 */
export function pagesRoute(
  installation: Services,
  matches: (path: string) => boolean,
  identity?: Identity,
): NodeRoute {
  const pages = loadOnce(async () => (await import('./page-handler.ts')).pageHandler(installation, labelOf));
  const people = loadOnce(async () => {
    const [{ peoplePageHandler }, { buildIdentity }] = await Promise.all([
      import('./people-page-handler.ts'),
      import('./build-identity.ts'),
    ]);
    return peoplePageHandler(installation, identity ?? buildIdentity(installation), labelOf);
  });
  return {
    name: 'pages',
    matches,
    handle: async (request, response, context) => {
      const [path = ''] = (request.url ?? '').split('?');
      // Nobody is signed in without a cookie, and the dashboard then shows no data.
      const isPersonal =
        path === '/dashboard' && request.headers.cookie?.includes('gatehouse_session') === true;
      const handler = isPersonal || isPeoplePath(path) ? people : pages;
      await (
        await handler()
      )(request, response, context);
    },
  };
}
