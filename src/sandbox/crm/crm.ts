/** One stand-in CRM put together: its workspace, its OAuth, and what tests and the demo may do to it. */
import { Hono } from 'hono';
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';
import { Grants, type OAuthApp, type TokenRules } from '../oauth/grants.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { WORKSPACE } from './model.ts';
import { crmRoutes } from './routes.ts';
import { SCOPES } from './scopes.ts';
import { seedWorkspace } from './seed.ts';
import { Workspace } from './workspace.ts';

/** How the CRM differs from the real one. */
export interface CrmOptions extends Partial<TokenRules> {
  /** Ticked for the app; default: all there are. */
  scopes?: readonly string[];
}

/** The CRM from the outside. */
export interface SandboxCrm {
  /** The one app that is registered; its secret is made anew for each sandbox. */
  app: OAuthApp;
  /** Registers an address the browser may be sent back to. */
  allowRedirect(uri: string): void;
  /** Who may be signed in on the consent page. */
  members: readonly { id: string; name: string; email: string }[];
  /** Ends every access token now; refresh tokens stay good. @returns how many worked until now */
  expireAccessTokens(): number;
  /** As if the person removed the app from the account. @param memberId default: everybody. @returns how many grants ended */
  revokeGrants(memberId?: string): number;
  /** Every code and token there ever was, for searching them where they must not be. */
  everIssued(): string[];
}

/** Starts with refresh tokens off and access tokens that do not expire, as with the real CRM. */
export function startCrm(clock: Clock, options: CrmOptions): { crm: SandboxCrm; routes: Hono } {
  const workspace = new Workspace(clock);
  seedWorkspace(workspace);
  const { refreshTokens = false, accessTokenSeconds = null, scopes = Object.keys(SCOPES) } = options;
  const app: OAuthApp = {
    name: 'Gatehouse demo',
    clientId: 'gatehouse-demo',
    clientSecret: `crm-secret-${newSecret()}`,
    scopes,
  };
  const grants = new Grants({ refreshTokens, accessTokenSeconds }, clock);
  const redirectUris = new Set<string>();
  const members = workspace.members
    .filter(({ access_level }) => access_level !== 'suspended')
    .map(({ id, first_name, last_name, email_address }) => ({
      id: id.workspace_member_id,
      name: `${first_name} ${last_name}`,
      email: email_address,
    }));
  const permissions = scopes.map((scope) => SCOPES[scope] ?? scope);
  const routes = new Hono();
  routes.route(
    '/',
    oauthRoutes({
      app,
      grants,
      redirectUris,
      question: { workspaceName: WORKSPACE.name, members, permissions },
    }),
  );
  routes.route('/', crmRoutes({ app, grants, workspace }));
  return {
    routes,
    crm: {
      app,
      members,
      allowRedirect: (uri) => redirectUris.add(uri),
      expireAccessTokens: () => grants.expireAccessTokens(),
      revokeGrants: (memberId) =>
        grants.revokeGrants((grant) => memberId === undefined || grant.memberId === memberId),
      everIssued: () => grants.everIssued(),
    },
  };
}
