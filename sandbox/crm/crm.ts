/** Assembles one stand-in CRM: its workspace, its OAuth, and operations for tests and the demo. */
import { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import type { TokenRules } from '../oauth/grants.ts';
import { OAuthProvider, type StandIn } from '../oauth/provider.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { WORKSPACE } from './model.ts';
import { crmRoutes } from './routes.ts';
import { SCOPES } from './scopes.ts';
import { seedWorkspace } from './seed.ts';
import { Workspace } from './workspace.ts';

/** Differences from the real CRM. */
export interface CrmOptions extends Partial<TokenRules> {
  /** Permissions ticked for the app; default: all. */
  scopes?: readonly string[];
}

/** Starts with refresh tokens off and access tokens that do not expire, as with the real CRM. */
export function startCrm(clock: Clock, options: CrmOptions): StandIn {
  const workspace = new Workspace(clock);
  seedWorkspace(workspace);
  const { refreshTokens = false, accessTokenSeconds = null, rotation = 'once' } = options;
  const { scopes = Object.keys(SCOPES) } = options;
  const provider = new OAuthProvider(
    {
      name: 'crm',
      thing: 'CRM',
      place: { kind: 'workspace', name: WORKSPACE.name },
      paths: { authorize: '/authorize', token: '/oauth/token', revoke: '/revoke' },
      scopes,
      permissions: SCOPES,
      members: workspace.members
        .filter(({ access_level }) => access_level !== 'suspended')
        .map(({ id, first_name, last_name, email_address }) => ({
          id: id.workspace_member_id,
          name: `${first_name} ${last_name}`,
          email: email_address,
        })),
      // The permissions ticked for the app are granted, whatever is requested, together with a refresh token.
      readConsent: () => ({ scopes, isOffline: true }),
    },
    { refreshTokens, accessTokenSeconds, rotation },
    clock,
  );
  const routes = new Hono();
  routes.route('/', oauthRoutes(provider));
  routes.route('/', crmRoutes({ app: provider.app, grants: provider.grants, workspace }));
  return { provider, routes };
}
