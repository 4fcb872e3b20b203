/** The REST API over an installation's services. */
import { createApi } from '../../http/routes/api.ts';
import { ExecutionList } from '../../executor/execution-list.ts';
import { honoHandler } from '../../http/listener/hono-handler.ts';
import type { NodeHandler } from '../../http/listener/request-context.ts';
import { AuditLog } from '../../api-credentials/audit-log.ts';
import { ExecutionStore } from '../../store/records/execution-store.ts';
import type { ServedParts } from './served-parts.ts';
import { buildMcpServers } from './build-virtual-servers.ts';
import { buildPeople } from './build-people.ts';

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
    lostPage: async () => (await import('../../pages/frame/lost-page.ts')).lostPage(),
  });
  return honoHandler((request, bindings) => api.fetch(request, bindings), log);
}
