/** The consent endpoint: sends the browser back as the settings say. */
import type { Grants } from './grants.ts';
import { html, type Reply } from './reply.ts';
import type { ProviderSettings } from './settings.ts';

/** @param issuer what `iss: correct` says */
export function authorize(
  query: URLSearchParams,
  { settings, grants, issuer }: { settings: ProviderSettings; grants: Grants; issuer: string },
): Reply {
  const { authorize: rules } = settings;
  if (rules.forward !== undefined) return forward(query, rules.forward);
  const redirectUri = query.get('redirect_uri');
  if (query.get('client_id') !== settings.clientId) return html(400, 'unknown client_id');
  if (redirectUri === null || !URL.canParse(redirectUri)) return html(400, 'redirect_uri is missing');

  const parameters: (readonly [string, string])[] = outcome(query, redirectUri, settings, grants);
  const state = query.get('state') ?? '';
  if (rules.state === 'echo') parameters.push(['state', state]);
  if (rules.state === 'alter') parameters.push(['state', `${state}x`]);
  if (rules.iss !== 'none') parameters.push(['iss', rules.iss === 'correct' ? issuer : rules.iss]);
  parameters.push(...rules.extra);
  const location = new URL(redirectUri);
  for (const [name, value] of parameters) location.searchParams.append(name, value);
  return { status: 302, headers: { location: location.href }, body: '' };
}

function outcome(
  query: URLSearchParams,
  redirectUri: string,
  settings: ProviderSettings,
  grants: Grants,
): (readonly [string, string])[] {
  const { mode, description, code: kind } = settings.authorize;
  const failed = (error: string, text: string): (readonly [string, string])[] => [
    ['error', error],
    ['error_description', text],
  ];
  if (mode === 'deny') return failed('access_denied', description);
  if (mode === 'error') return failed('server_error', description);
  if (query.get('response_type') !== 'code') return failed('unsupported_response_type', 'only code');
  const challenge = settings.pkce === 'off' ? null : query.get('code_challenge');
  if (settings.pkce === 'required' && challenge === null)
    return failed('invalid_request', 'code_challenge is missing');
  if (challenge !== null && query.get('code_challenge_method') !== 'S256')
    return failed('invalid_request', 'only S256');
  const scope = settings.grantedScope ?? query.get('scope') ?? '';
  const code = grants.newCode({ redirectUri, scope, subject: settings.subject, challenge });
  if (kind === 'drop') return [];
  if (kind === 'garbage') return [['code', 'not-a-code']];
  return kind === 'duplicate'
    ? [
        ['code', code],
        ['code', 'second-code'],
      ]
    : [['code', code]];
}

function forward(query: URLSearchParams, to: NonNullable<ProviderSettings['authorize']['forward']>): Reply {
  const target = new URL(to.authorizeUrl);
  for (const [name, value] of query) target.searchParams.set(name, value);
  target.searchParams.set('client_id', to.clientId);
  if (to.redirectUri !== undefined) target.searchParams.set('redirect_uri', to.redirectUri);
  return { status: 303, headers: { location: target.href }, body: '' };
}
