/** Words and parameters that the types connected by consent share. Pure. */
import type { ConnectionFacts } from './facts.ts';

/** Parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3) that only Gatehouse sets. */
export const AUTHORIZATION_PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
];

/** Says how the operator sets up a connection with a registered app and its secret. */
export function registerApp({ title, create }: { title: string; create: string }): string {
  return `The operator runs ${create}, which shows the redirect URI to register with ${title}, and then adds the client id and secret of that app; or declares the connection in gatehouse.yaml.`;
}

/** The warning about a connection without the id of a registered app. */
export function noClientWarning(title: string): string {
  return `It has no client_id, so no account can be connected. Register an app with ${title}, give it the redirect URI of this connection, and set client_id and client_secret.`;
}

/** Warnings about a connection that lacks the id or the secret of a registered app. */
export function clientWarnings(title: string, { hasClientId, hasSecret }: ConnectionFacts): string[] {
  if (!hasClientId) return [noClientWarning(title)];
  if (hasSecret) return [];
  return [
    `It has no client_secret. ${title} then accepts no consent unless the app is registered there as a public client. Set client_secret.`,
  ];
}
