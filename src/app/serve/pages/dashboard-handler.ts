/** The dashboard over an installation's services, loaded with the first request for it. */
import { AuditLog } from '../../../api-credentials/audit-log.ts';
import { programVersion } from '../../../core/program-version.ts';
import { Flashes } from '../../../dashboard/access/flash.ts';
import { PostedForms } from '../../../dashboard/access/posted-forms.ts';
import { dashboardRoutes } from '../../../dashboard/dashboard-routes.ts';
import type { DashboardDependencies } from '../../../dashboard/access/dependencies.ts';
import type { NodeHandler } from '../../../http/listener/request-context.ts';
import { PeopleForms } from '../../../pages/sign-in/people-form.ts';
import { BrowserSession } from '../../../pages/sign-in/sign-in-session.ts';
import { SignIn } from '../../../people/sign-in/people-sign-in.ts';
import type { Services } from '../../services/services.ts';
import type { Identity } from '../build-identity.ts';
import { installationReport } from '../doctor/installation-report.ts';
import { servePages } from '../page-handler.ts';
import { spentForms } from './spent-forms.ts';
import { agentAnswers } from './agent-answer.ts';
import { virtualServersOf } from '../virtual-servers.ts';

/** The services for the pages of the dashboard. */
export async function dashboardDependencies(
  services: Services,
  identity: Identity,
): Promise<DashboardDependencies> {
  const { db, clock, vault, pageTokens } = services;
  const { sessions, credentials, apiSessions } = identity;
  const forms = new PeopleForms(vault.derive('people-form'));
  return {
    ...services,
    ...(await identity.people()),
    ...virtualServersOf(services, identity),
    version: programVersion(),
    agentAnswer: agentAnswers(services),
    forms,
    posted: new PostedForms({ forms, spent: spentForms(services) }),
    flashes: new Flashes(vault.derive('dashboard-flash')),
    signedIn: new BrowserSession(new SignIn({ db, clock, sessions })),
    auditLog: new AuditLog({ db, pageTokens }),
    credentials,
    apiSessions,
    installation: installationReport(services),
    sealingKeyId: async () => vault.sealingKeyId(),
  };
}

/** Ids and names in a path are not written to logs and metrics. */
function labelOf(path: string): string {
  return path
    .replaceAll(/\/[a-z]{2,5}_[0-9a-z]{26}(?=\/|$)/g, '/:id')
    .replace(/(\/upstreams\/server\/)[^/]+/, '$1:name')
    .replace(/\/assets\/.*/, '/assets/:file');
}

/** @returns the handler of every path at and below `/dashboard` */
export async function dashboardHandler(services: Services, identity: Identity): Promise<NodeHandler> {
  const routes = dashboardRoutes(await dashboardDependencies(services, identity));
  return servePages(routes, labelOf, services.log);
}
