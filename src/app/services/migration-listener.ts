/** Answers of a server whose database is being migrated: it is alive, and not ready. */
import { ServiceError } from '../../core/errors.ts';
import type { Listener } from '../../http/listener/listener.ts';
import type { NodeRoute } from '../../http/listener/request-context.ts';
import { resolveBaseUrl, type Settings } from '../../settings/settings.ts';

/** `/healthz` of a process that serves nothing else, or only links. */
export function healthRoute(installationId: string | undefined, serves?: 'links'): NodeRoute {
  return {
    name: '/healthz',
    matches: (path) => path === '/healthz',
    handle: (_request, response, { isLocalPeer }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      const pid = isLocalPeer ? process.pid : undefined;
      response.end(JSON.stringify({ status: 'ok', installation_id: installationId, pid, serves }));
    },
  };
}

function notReady(name: string, matches: NodeRoute['matches']): NodeRoute {
  return {
    name,
    matches,
    handle: () => {
      throw new ServiceError(
        'UNAVAILABLE',
        'The database is being brought up to date. Try again in a while.',
        { retryAfterSeconds: 5 },
      );
    },
  };
}

/** Answers on the port of the server until it serves. @throws Error of node if the port cannot be had */
export async function answerWhileMigrating(
  listener: Listener,
  settings: Settings,
  installationId: string | undefined,
): Promise<void> {
  const { port } = await listener.listen();
  listener.serve({
    environments: settings.environments.map((environment) => ({
      ...environment,
      id: '',
      baseUrl: resolveBaseUrl(settings, environment, port),
      userVerifyUrl: environment.userVerifyUrl,
    })),
    routes: [
      healthRoute(installationId),
      notReady('/readyz', (path) => path === '/readyz'),
      notReady('migrating', () => true),
    ],
  });
}
