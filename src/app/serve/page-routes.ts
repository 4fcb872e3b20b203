/** The pages as routes of the listener, loaded with the first request of a page. */
import type { NodeRoute } from '../../http/listener/request-context.ts';
import type { Identity } from './build-identity.ts';
import type { Services } from '../services/services.ts';
import { loadOnce } from '../../core/load-once.ts';

/** Label of the page that ends a successful flow. */
export const DONE_ROUTE = '/connect/done';

type Labels = readonly (readonly [pattern: RegExp, label: string])[];

/** The owner's last step when connecting an account, in verification mode `signed_in`. */
const CONFIRM_PATH = '/connect/confirm';

/** Paths of links and callbacks, and their labels in logs and metrics: never with the token or the query. */
const CONNECT_ROUTES: Labels = [
  [/^\/brand\/[^/]+$/, '/brand/:file'],
  [/^\/connect\/done$/, DONE_ROUTE],
  [/^\/connect\/again$/, '/connect/again'],
  [/^\/connect\/[^/]+\/go$/, '/connect/:token/go'],
  [/^\/connect\//, '/connect/:token'],
  [/^\/sso\/v1\/oauth\/[^/]+\/callback$/, '/sso/v1/oauth/:id/callback'],
  [/^\/sso\/v1\/clients\/[^/]+$/, '/sso/v1/clients/:file'],
];

/** Paths where people sign in. */
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
  [/^\/operator\/[^/]+$/, '/operator/:token'],
  [/^\/sign-up$/, '/sign-up'],
  [/^\/sign-up\/code$/, '/sign-up/code'],
  [/^\/organizations$/, '/organizations'],
  [/^\/accounts$/, '/accounts'],
  [/^\/accounts\/disconnect$/, '/accounts/disconnect'],
  [/^\/accounts\/connect$/, '/accounts/connect'],
  [/^\/sessions$/, '/sessions'],
  [/^\/sessions\/end-others$/, '/sessions/end-others'],
  [/^\/members$/, '/members'],
  [/^\/invitations\/[^/]+$/, '/invitations/:token'],
  [/^\/invitations\/[^/]+\/code$/, '/invitations/:token/code'],
  [/^\/oauth\/interaction\/[^/]+$/, '/oauth/interaction/:id'],
];

/** Whether a path belongs to connecting an account: link, consent, callback, signed-in confirmation. */
export function isConnectPath(path: string): boolean {
  return labelIn(CONNECT_ROUTES, path) !== undefined;
}

/** Whether people sign in or confirm a connection at a path. */
export function isSignInPath(path: string): boolean {
  return labelIn(SIGN_IN_ROUTES, path) !== undefined;
}

/** Whether a path is a page of people: sign-in, sign-up, invitations, organizations, sessions. */
export function isPeoplePath(path: string): boolean {
  return labelIn(PEOPLE_ROUTES, path) !== undefined;
}

/** The label of a path in logs and metrics. */
function labelOf(path: string): string | undefined {
  return labelIn(PEOPLE_ROUTES, path) ?? labelIn(CONNECT_ROUTES, path);
}

function labelIn(routes: Labels, path: string): string | undefined {
  return routes.find(([pattern]) => pattern.test(path))?.[1];
}

/**
 * @param matches the paths that are pages in this process
 * @param identity the process's own, if it has one; otherwise built with the first page of people
 */
export function pagesRoute(
  services: Services,
  matches: (path: string) => boolean,
  identity?: Identity,
): NodeRoute {
  const signedIn = loadOnce(
    async () => identity ?? (await import('./build-identity.ts')).buildIdentity(services),
  );
  const pages = loadOnce(async () =>
    (await import('./page-handler.ts')).pageHandler(
      services,
      async (environmentId, cookie) => (await signedIn()).sessions.findByCookie(environmentId, cookie),
      labelOf,
    ),
  );
  const people = loadOnce(async () =>
    (await import('./people-page-handler.ts')).peoplePageHandler(services, await signedIn(), labelOf),
  );
  return {
    name: 'pages',
    matches,
    handle: async (request, response, context) => {
      const [path = ''] = (request.url ?? '').split('?');
      const handler = isPeoplePath(path) ? people : pages;
      await (
        await handler()
      )(request, response, context);
    },
  };
}
