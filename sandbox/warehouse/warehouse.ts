/** Assembles the stand-in data warehouse: its OAuth, its tables and its SQL API. */
import { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import { OAuthProvider, type StandIn } from '../oauth/provider.ts';
import { OAuthRefusal } from '../oauth/refusal.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { ACCOUNT, MEMBERS } from './account.ts';
import { warehouseRoutes } from './routes.ts';

/** Roles that OAuth never grants. */
const BLOCKED_ROLES = ['ACCOUNTADMIN', 'SECURITYADMIN', 'ORGADMIN'];

const ROLE_SCOPE = 'session:role:';

const ACCESS_TOKEN_SECONDS = 600;

/**
 * Starts with access tokens of ten minutes and refresh tokens that stay the same, as with the real provider.
 */
export function startWarehouse(clock: Clock): StandIn {
  const provider = new OAuthProvider(
    {
      name: 'warehouse',
      thing: 'data warehouse',
      place: { kind: 'account', name: ACCOUNT },
      paths: { authorize: '/oauth/authorize', token: '/oauth/token-request' },
      scopes: ['refresh_token', `${ROLE_SCOPE}ANALYST`],
      permissions: {
        refresh_token: 'Keep the access without asking again',
        [`${ROLE_SCOPE}ANALYST`]: 'Use the role ANALYST',
      },
      members: MEMBERS,
      readConsent: (query) => {
        const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
        const roles = scopes.filter((scope) => scope.startsWith(ROLE_SCOPE));
        const isKnown = scopes.every((scope) => scope === 'refresh_token' || roles.includes(scope));
        const isAllowed = !roles.some((scope) => BLOCKED_ROLES.includes(scope.slice(ROLE_SCOPE.length)));
        if (!isKnown || roles.length > 1 || !isAllowed)
          throw new OAuthRefusal('invalid_scope', 'The requested scope is invalid.');
        return { scopes, isOffline: scopes.includes('refresh_token') };
      },
      addToTokens: ({ scopes }, { name }) => ({
        username: name.split(' ')[0]?.toUpperCase(),
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      }),
      renderRefusal: ({ error, message }) => ({ data: null, message, code: null, success: false, error }),
    },
    { refreshTokens: true, accessTokenSeconds: ACCESS_TOKEN_SECONDS, rotation: 'kept' },
    clock,
  );
  const routes = new Hono();
  routes.route('/', oauthRoutes(provider));
  routes.route('/', warehouseRoutes(provider, clock));
  return { provider, routes };
}
