/** WORKSPACE_DWD: a service account acts for a user of its workspace (RFC 7523 section 2.1). */
import type * as z from 'zod';
import { defaultScopeFaults, scopeNameFaults } from './block-faults.ts';
import { placeholders, scopeNames, scopes, webUrl } from './block-shapes.ts';
import { isFilled } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

declare module './credentials.ts' {
  interface AuthorizationDetails {
    workspace_dwd?: { subject?: string };
  }
}

const block = (z: Zod) =>
  z.strictObject({
    token_url: webUrl(z, 'Where the assertion is exchanged; also its audience.'),
    placeholders: placeholders(z),
    scopes: scopes(z),
    scope_names: scopeNames(z),
  });

/** The facts of WORKSPACE_DWD. */
export const workspaceDwd = {
  block,
  provider: 'api',
  purpose: 'where the assertion of a service account is exchanged',
  addresses: ['token_url'],
  faults: (rules, described) => [
    ...scopeNameFaults(rules.scope_names, described),
    ...defaultScopeFaults(rules.scopes, described),
  ],
  fields: ['subject'],
  credentials: {
    variant: 'workspace_dwd',
    writable: {
      subject: {
        kind: 'text',
        maxLength: 320,
        meaning: 'Email address of the workspace user to impersonate.',
      },
    },
    shown: ['subject'],
    readOnly: ['access_token', 'scopes', 'token_expires_at'],
    obtained: ({ internal: { access_token, scopes: granted }, expiry, isSecretShown }) => ({
      ...(isSecretShown && access_token !== undefined && { access_token }),
      ...(granted !== undefined && { scopes: granted }),
      ...(expiry !== null && { token_expires_at: expiry }),
    }),
    actsAs: 'subject',
  },
  missing: ({ details }) => (isFilled(details.workspace_dwd?.subject) ? [] : ['workspace_dwd.subject']),
  secretParam: () => 'service_account_json',
  setUp: ({ title, create }) =>
    `The operator makes a service account with ${title} and runs ${create} with its key file as service_account_json in --params, or declares the connection in gatehouse.yaml.`,
  warnings: ({ title, connection }) =>
    connection.hasSecret
      ? []
      : [
          `It has no params.service_account_json, so no account can be used. Make a service account with ${title}, let an administrator of the workspace authorize it for the scopes, and set its key file.`,
        ],
  scopeAdvice: 'and an administrator of the workspace authorizes the service account for it.',
} satisfies AuthorizationTypeFacts<z.output<ReturnType<typeof block>>>;
