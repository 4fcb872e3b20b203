/** Assembles the stand-in YouTube: its OAuth, its library and its quota. */
import { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import type { Grant } from '../oauth/grants.ts';
import { listedScopes, OAuthProvider, type StandIn } from '../oauth/provider.ts';
import { OAuthRefusal } from '../oauth/refusal.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { Library } from './library.ts';
import { Quota, type QuotaLimits } from './quota.ts';
import { youtubeRoutes } from './routes.ts';
import { MEMBERS, seedLibrary } from './seed.ts';

const SCOPE = 'https://www.googleapis.com/auth/';

const PERMISSIONS: Readonly<Record<string, string>> = {
  [`${SCOPE}youtube.readonly`]: 'View your YouTube account',
  [`${SCOPE}youtube`]: 'Manage your YouTube account',
  [`${SCOPE}youtube.force-ssl`]:
    'See, edit and permanently delete your YouTube videos, ratings, comments and captions',
  [`${SCOPE}yt-analytics.readonly`]: 'View YouTube Analytics reports for your YouTube content',
};

const ACCESS_TOKEN_SECONDS = 3600;

/** In the sandbox, the CRM uses `/revoke`. */
const REVOKE = '/o/oauth2/revoke';

/** Differences from the real provider. */
export interface VideoOptions {
  /** A smaller quota, to reach its end. */
  quota?: Partial<QuotaLimits>;
}

/**
 * Starts with access tokens of one hour; a refresh token comes with `access_type=offline` and stays the same.
 */
export function startVideo(clock: Clock, options: VideoOptions = {}): StandIn {
  const library = new Library(clock);
  seedLibrary(library);
  const scopes = Object.keys(PERMISSIONS);
  const provider = new OAuthProvider(
    {
      name: 'video',
      thing: 'YouTube',
      place: { kind: 'account', name: 'Northlight Supply' },
      paths: { authorize: '/o/oauth2/v2/auth', token: '/token', revoke: REVOKE },
      scopes,
      permissions: PERMISSIONS,
      members: MEMBERS.map(({ id, name, email }) => ({ id, name, email })),
      readConsent: (query) => {
        const wanted = listedScopes(query, scopes);
        if (wanted === undefined || wanted.length === 0)
          throw new OAuthRefusal('invalid_scope', 'Some requested scopes were invalid.');
        return { scopes: wanted, isOffline: query.get('access_type') === 'offline' };
      },
      addToTokens: (grant) => ({ scope: scopesOf(provider, grant).join(' ') }),
    },
    { refreshTokens: true, accessTokenSeconds: ACCESS_TOKEN_SECONDS, rotation: 'kept' },
    clock,
  );
  const routes = new Hono();
  routes.route('/', revocationRoutes(provider));
  routes.route('/', oauthRoutes(provider));
  routes.route(
    '/',
    youtubeRoutes({
      library,
      quota: new Quota(options.quota ?? {}, clock),
      grantOf: (authorization) => {
        const grant = provider.grantOf(authorization);
        return grant && { memberId: grant.memberId, scopes: scopesOf(provider, grant) };
      },
    }),
  );
  return { provider, routes };
}

/** Anyone who has a token may revoke it, which ends every grant of its person for the app. */
function revocationRoutes(provider: OAuthProvider): Hono {
  const { grants } = provider;
  const routes = new Hono();
  routes.post(REVOKE, async (c) => {
    const token = new URLSearchParams(await c.req.text()).get('token') ?? '';
    const before = grants.live();
    const owner = grants.find(token)?.grant;
    grants.revoke(token);
    const ended = owner ?? before.find(({ isRevoked }) => isRevoked);
    if (ended === undefined)
      return c.json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400);
    provider.revokeGrants(ended.memberId);
    return c.json({});
  });
  return routes;
}

/** Includes earlier grants of the person for the app (`include_granted_scopes`). */
function scopesOf({ grants }: OAuthProvider, grant: Grant): string[] {
  const earlier = grants
    .live()
    .filter(({ memberId, number }) => memberId === grant.memberId && number <= grant.number);
  return [...new Set(earlier.flatMap(({ scopes }) => scopes))];
}
