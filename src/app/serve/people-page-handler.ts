/** The pages of people: signing in and out, signing up, invitations, organizations, sessions, confirming. */
import type { NodeHandler } from '../../http/listener/request-context.ts';
import { OAuthRecords } from '../../authorization-server/library/oauth-records.ts';
import { ClientNames } from '../../authorization-server/library/client-names.ts';
import { OwnSessions } from '../../people/own-sessions.ts';
import { buildSignIn } from '../../people/sign-in/build-sign-in.ts';
import type { PeopleDependencies } from '../../pages/sign-in/people-dependencies.ts';
import { PeopleForms } from '../../pages/sign-in/people-form.ts';
import { peopleRoutes } from '../../pages/people/people-routes.ts';
import { BrowserSession } from '../../pages/sign-in/sign-in-session.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import { virtualServerNamed } from '../../store/policy/mcp-server-store.ts';
import { connectorsOf, servedTools } from '../../dashboard/pages/servers/served-tools.ts';
import type { Identity } from './build-identity.ts';
import type { Services } from '../services/services.ts';
import { spentForms } from './pages/spent-forms.ts';
import { servePages } from './page-handler.ts';

/** Builds the services of these pages. */
async function peopleDependencies(services: Services, identity: Identity): Promise<PeopleDependencies> {
  const { db, clock, log, vault, environments, outbound, catalog, verification, rates } = services;
  const { accounts, disconnection, executions, links } = services;
  const { sessions, mailer, authorizationServer } = identity;
  const { organizations, organizationProviders, invitationLinks, members, operatorLinks } =
    await identity.people();
  const base = { db, clock, log, vault, environments };
  const signIn = buildSignIn({
    ...base,
    sessions,
    mailer,
    sender: outbound,
    publicSender: outbound.publicOnly,
  });
  const names = new ClientNames({ db, clock, artifacts: new OAuthRecords({ database: db, vault, clock }) });
  const { consents } = authorizationServer;
  const lifetimeMs = services.settings.lifetimes.sessionMs;
  return {
    accounts,
    clientNames: names,
    disconnection,
    executions,
    links,
    clock,
    environments,
    log,
    forms: new PeopleForms(vault.derive('people-form')),
    spentForms: spentForms(services),
    ...signIn,
    operatorLinks,
    signIn: new BrowserSession(signIn.people),
    providers: organizationProviders,
    organizations,
    invitations: invitationLinks,
    sessions,
    members,
    ownSessions: new OwnSessions({ db, clock, sessions, names, consents, lifetimeMs }),
    verification,
    consents,
    catalog,
    connectedApps: async (environmentId, userId) => {
      const names = await new AccountStore(db.read).connectorsOf(environmentId, userId);
      const { connectors } = catalog.in(environmentId);
      return names.map((name) => connectors.get(name)?.title ?? name).toSorted();
    },
    serverTools: async (environmentId, serverName) => {
      const server = await virtualServerNamed(db.read, environmentId, serverName);
      if (server === undefined) return 0;
      const connectors = await connectorsOf(services, environmentId);
      return servedTools(catalog.in(environmentId), connectors, server).length;
    },
    rates,
  };
}

/** @param labelOf label of a path in logs and metrics; `undefined` for a path that may appear unchanged */
export async function peoplePageHandler(
  services: Services,
  identity: Identity,
  labelOf: (path: string) => string | undefined,
): Promise<NodeHandler> {
  const dependencies = await peopleDependencies(services, identity);
  return servePages(peopleRoutes(dependencies), labelOf, services.log);
}
