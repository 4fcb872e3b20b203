/** Assembles the stand-in calendar: its OAuth and the events of each person. */
import { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import { listedScopes, OAuthProvider, type StandIn } from '../oauth/provider.ts';
import { OAuthRefusal } from '../oauth/refusal.ts';
import { oauthRoutes } from '../oauth/routes.ts';
import { MEMBERS, ORGANIZATION } from './model.ts';
import { mailRoutes } from './routes.ts';

const PERMISSIONS: Readonly<Record<string, string>> = {
  'Calendars.Read': 'Read your calendars',
  'Calendars.ReadWrite': 'Have full access to your calendars',
  'Mail.Read': 'Read your mail',
  'Mail.ReadWrite': 'Read and write your mail',
  'Mail.Send': 'Send mail as you',
  'MailboxSettings.Read': 'Read your mailbox settings',
  'MailboxSettings.ReadWrite': 'Read and write to your mailbox settings',
  'Mail.Read.Shared': 'Read mail you can access',
  'Mail.ReadWrite.Shared': 'Read and write mail you can access',
  'Mail.Send.Shared': 'Send mail on behalf of others',
  'Calendars.Read.Shared': 'Read calendars you can access',
  'Calendars.ReadWrite.Shared': 'Read and write to your and shared calendars',
  'People.Read': 'Read your relevant people list',
  'Contacts.Read': 'Read your contacts',
  'Contacts.ReadWrite': 'Have full access to your contacts',
  'User.Read': 'Sign you in and read your profile',
  offline_access: 'Maintain access to data you have given it access to',
};

const ACCESS_TOKEN_SECONDS = 3600;

/**
 * Starts with access tokens of one hour; each renewal returns another refresh token, as with the real
 * provider.
 */
export function startMail(clock: Clock): StandIn {
  const scopes = Object.keys(PERMISSIONS);
  const provider = new OAuthProvider(
    {
      name: 'mail',
      thing: 'calendar',
      place: { kind: 'organization', name: ORGANIZATION },
      paths: { authorize: '/common/oauth2/v2.0/authorize', token: '/common/oauth2/v2.0/token' },
      scopes,
      permissions: PERMISSIONS,
      members: MEMBERS,
      readConsent: (query) => {
        const wanted = listedScopes(query, scopes);
        if (wanted === undefined || wanted.length === 0)
          throw new OAuthRefusal(
            'invalid_scope',
            'AADSTS70011: The provided value for the input parameter scope is not valid.',
          );
        return { scopes: wanted, isOffline: wanted.includes('offline_access') };
      },
      addToTokens: (grant) => ({
        scope: grant.scopes.filter((scope) => scope !== 'offline_access').join(' '),
        ext_expires_in: ACCESS_TOKEN_SECONDS,
      }),
      renderRefusal: ({ error, message }) => ({
        error,
        error_description: `AADSTS${CODES[error]}: ${message}`,
        error_codes: [CODES[error]],
        timestamp: new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' ') + 'Z',
      }),
    },
    { refreshTokens: true, accessTokenSeconds: ACCESS_TOKEN_SECONDS, rotation: 'renewed' },
    clock,
  );
  const routes = new Hono();
  routes.route('/', oauthRoutes(provider));
  routes.route('/', mailRoutes(provider, clock));
  return { provider, routes };
}

/** Error numbers of the platform. */
const CODES: Readonly<Record<OAuthRefusal['error'], number>> = {
  invalid_request: 900144,
  invalid_client: 7000215,
  invalid_grant: 700082,
  invalid_scope: 70011,
  unsupported_grant_type: 70003,
};
