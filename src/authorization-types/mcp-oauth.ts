/** MCP_OAUTH: the authorization of the MCP specification, as a client of somebody else's MCP server. */
import type * as z from 'zod';
import { ownParameterFaults } from './block-faults.ts';
import { parameters, scopeSeparator, webUrl } from './block-shapes.ts';
import { AUTHORIZATION_PARAMETERS, registerApp } from './consent-facts.ts';
import { bringsToken, OAUTH_TOKEN } from './credentials.ts';
import type { AuthorizationTypeFacts, Zod } from './facts.ts';

declare module './credentials.ts' {
  interface InternalDetails {
    /** The authorization server that issued the tokens. They are sent to no other, even if the connection changes. */
    grant?: McpGrant;
  }
}

/** The client that a consent to a remote MCP server was given to, and the server that issued the tokens. */
export interface McpGrant {
  /** As the authorization server's metadata spells it. */
  issuer: string;
  token_url: string;
  revocation_url?: string;
  /** The way the client was obtained: entered by the operator, by a metadata document, or by registration. */
  way: 'static' | 'document' | 'dynamic';
  client_id: string;
  /** Authentication of the client at the token endpoint. */
  authentication: 'basic' | 'post';
  /** Its row in upstream_clients; absent for a client of the connection. */
  client?: string;
  /** The `resource` of every token request (RFC 8707), byte for byte; absent where the server names none. */
  resource?: string;
}

const text = (z: Zod, meaning: string) =>
  z
    .string()
    .regex(/^[!-~]{1,2048}$/, { error: 'must be 1 to 2048 printable characters without blanks' })
    .describe(meaning);

const block = (z: Zod) =>
  z.strictObject({
    registration: z
      .enum(['auto', 'static', 'document', 'dynamic'])
      .default('auto')
      .describe(
        'How Gatehouse becomes a client. auto: the client of the connection, else its metadata document, else dynamic registration.',
      ),
    scopes: z
      .array(text(z, 'A scope.'))
      .max(100)
      .default([])
      .describe('Asked for where a connection chooses none. Left out: those that the server names.'),
    offline_scope: z
      .string()
      .regex(/^[!-~]{0,200}$/, { error: 'must be a scope, or empty' })
      .optional()
      .describe(
        "Scope without which no refresh token comes; '' for none. Left out: offline_access where the authorization server lists it.",
      ),
    scope_separator: scopeSeparator(z, ' '),
    resource: text(
      z,
      'The resource of every token request, instead of the one that the server names.',
    ).optional(),
    issuer: webUrl(z, 'The issuer that the metadata has to have, if it differs from its address.').optional(),
    authorization_server: webUrl(
      z,
      'The authorization server; the server has to name it, or to have no metadata.',
    ).optional(),
    authorization_servers: z
      .enum(['pinned', 'follow'])
      .default('pinned')
      .describe(
        'pinned: another authorization server waits for an operator. follow: it is taken; for servers of your own.',
      ),
    discovery: z
      .enum(['metadata', 'legacy'])
      .default('metadata')
      .describe('legacy: a server of 2025-03-26, whose own origin is its authorization server.'),
    authorize_parameters: parameters(z, 'Sent with every authorization request.'),
    revocation: z
      .enum(['none', 'token', 'grant'])
      .default('token')
      .describe(
        'What revoking a token ends: this token alone, or the whole grant of the person to the client.',
      ),
  });

/** The facts of MCP_OAUTH. */
export const mcpOauth = {
  block,
  isBlockOptional: true,
  isBlockLast: true,
  provider: 'mcp',
  purpose: 'how authorization at the MCP server is found and used',
  faults: (rules) =>
    ownParameterFaults('authorize_parameters', rules.authorize_parameters, [
      ...AUTHORIZATION_PARAMETERS,
      'resource',
    ]),
  fields: [],
  credentials: OAUTH_TOKEN,
  missing: ({ details }) => (bringsToken(details) ? [] : ['oauth_token.access_token']),
  needsNoOperator: ({ registration }) => registration !== 'static',
  setUp: registerApp,
  warnings: ({ rules, title, connection }) =>
    rules.registration === 'static' && !connection.hasClientId
      ? [
          `It has no client_id, so no account can be connected. Register a client with ${title}, give it the redirect URI of this connection, and set client_id and client_secret.`,
        ]
      : [],
  isByConsent: true,
} satisfies AuthorizationTypeFacts<z.output<ReturnType<typeof block>>>;
