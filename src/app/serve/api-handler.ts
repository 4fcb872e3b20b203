/** The REST API over an installation's services. */
import { createApi } from '../../http/routes/api.ts';
import { honoHandler } from '../../http/listener/hono-handler.ts';
import type { NodeHandler } from '../../http/listener/request-context.ts';
import { AuditLog } from '../../api-credentials/audit-log.ts';
import { programVersion } from '../../core/program-version.ts';
import { installationReport } from './doctor/installation-report.ts';
import type { ServedParts } from './served-parts.ts';
import type { VirtualServers } from './virtual-servers.ts';

/** @returns the handler for every path that no other route takes */
export async function apiHandler(
  { services, identity, metrics, ready }: ServedParts,
  virtualServers: VirtualServers,
): Promise<NodeHandler> {
  const { db, pageTokens, log, settings } = services;
  const api = createApi({
    ...services,
    credentials: identity.credentials,
    auditLog: new AuditLog({ db, pageTokens }),
    installation: installationReport(services),
    ...(await identity.people()),
    apiSessions: identity.apiSessions,
    ...virtualServers,
    tokens: identity.verifier,
    installationId: services.id,
    version: programVersion(),
    ready,
    metrics,
    maxBodyBytes: settings.inbound.maxBodyBytes,
    ...(settings.servesDocs && {
      referencePage: async (document, acceptLanguage, environment) =>
        (await import('../../pages/reference/reference-page.ts')).referencePage(
          document,
          acceptLanguage,
          environment,
        ),
    }),
    lostPage: async (acceptLanguage, environment) =>
      (await import('../../pages/frame/lost-page.ts')).lostPage(acceptLanguage, environment),
  });
  return honoHandler((request, bindings) => api.fetch(request, bindings), log);
}
