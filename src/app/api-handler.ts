/** The REST API over an installation's services. */
import { createApi } from '../http/api.ts';
import { ExecutionList } from '../http/execution-list.ts';
import { honoHandler } from '../http/hono-handler.ts';
import type { NodeHandler } from '../http/request-context.ts';
import { AuditLog } from '../identity/audit-log.ts';
import { ExecutionStore } from '../store/execution-store.ts';
import type { ServedParts } from './http-routes.ts';
import { buildMcpServers } from './mcp-servers.ts';
import { buildPeople } from './people.ts';

/** @returns what answers every path that nothing else answers */
export function apiHandler({ installation, identity, metrics, ready }: ServedParts): NodeHandler {
  const { accounts, db, executor, pageTokens, log, settings } = installation;
  const api = createApi({
    ...installation,
    credentials: identity.credentials,
    auditLog: new AuditLog({ db, pageTokens }),
    ...buildPeople(installation, identity),
    ...buildMcpServers(installation, { sessions: identity.sessions, tokens: identity.personTokens }),
    tokens: identity.verifier,
    executions: new ExecutionList({
      executions: new ExecutionStore(db.read),
      recorded: () => executor.recorded(),
      accounts,
      pageTokens,
    }),
    installationId: installation.id,
    ready,
    metrics,
    maxBodyBytes: settings.inbound.maxBodyBytes,
    lostPage: async () => (await import('../pages/lost-page.ts')).lostPage(),
  });
  return honoHandler((request, bindings) => api.fetch(request, bindings), log);
}
