/**
 * OAUTH_M2M: an access token for client credentials (RFC 6749 section 4.4), kept until it expires.
 *
 * The client is the account's own (`static_auth.details.client_id` with `client_secret` or `private_key`), or otherwise
 * the connection's. If the provider refuses the account's own client, the account ends: its owner has to enter another.
 * If it refuses the connection's client, the operator has to fix it, whatever the provider calls the refusal.
 */
import { openClientSecret } from '../../connections/connection-columns.ts';
import type { AuthOf, BlockRules, CredentialField } from '../../catalog/model/types.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Vault } from '../../vault/vault.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { providerScopes } from '../oauth/scope-names.ts';
import { TokenFailure, type OAuthClient, type TokenReply } from '../oauth/token-endpoint.ts';
import { chosenScopes, mintedCredential, mintedToken, mintingUrl, textParam } from './minted-token.ts';
import type { Renewal, RenewalRequest } from './renewal.ts';
import { bearerAuthorization, staticField, type Scheme } from './scheme.ts';

const FIELDS: readonly CredentialField[] = [
  { name: 'client_id', label: 'Client id', input: 'text', required: true },
  { name: 'client_secret', label: 'Client secret', input: 'password', required: true },
];

type Auth = AuthOf<'OAUTH_M2M'>;
type MachineRules = BlockRules<'OAUTH_M2M'>;

const renewal: Renewal<Auth> = {
  by: 'mint',
  credentialOf: mintedToken,
  isPossible: () => true,
  async prepare(request, { vault, tokens }) {
    const { details, connection, auth } = request;
    const rules = auth.oauth_m2m;
    const { client, isOwn } = await clientOf(request, rules, vault);
    const scopes = askedScopes(request, rules);
    const audience =
      staticField(details, 'audience') || (textParam(connection, 'audience') ?? rules.audience);
    const parameters = {
      ...rules.token_parameters,
      ...(audience !== undefined && { audience }),
      ...(scopes.length > 0 && {
        scope: providerScopes(scopes, rules.scope_names).join(rules.scope_separator),
      }),
    };
    const grant = { type: 'client_credentials', parameters, secrets: [] };
    return async (options) => {
      const reply = await refusedFor(isOwn, async () => tokens.mint(client, grant, options));
      return mintedCredential(reply, scopes);
    };
  },
  explain: (reason, failure, { title, connection }) =>
    reason === 'refused'
      ? `${title} refuses the token request${failure?.providerError === undefined ? '' : ` (${failure.providerError})`}. The operator has to check the scopes and the audience of the connection ${connection}.`
      : undefined,
};

export const oauthM2m: Scheme<Auth> = {
  connect: () => 'form',

  /** The page has no fields if the connection brings the client. */
  fields: ({ connection, auth }) =>
    bringsClient(connection)
      ? []
      : FIELDS.map((field) => auth.fields.find(({ name }) => name === field.name) ?? field),

  requireComplete({ connection, connector, auth }) {
    const rules = auth.oauth_m2m;
    mintingUrl(connection, connector, rules, undefined);
    if (rules.client_authentication !== 'private_key_jwt') return;
    if (connection.clientId === null) throw incomplete(connection, 'client_id');
    if (connection.clientSecretSealed === null) throw incomplete(connection, 'params.private_key');
  },

  renewal,
  attach: ({ details }) => bearerAuthorization(mintedToken(details) ?? ''),
};

function bringsClient({ clientId, clientSecretSealed }: Connection): boolean {
  return clientId !== null && clientSecretSealed !== null;
}

async function clientOf(
  { details, connection, connector, account }: RenewalRequest,
  rules: MachineRules,
  vault: Vault,
): Promise<{ client: OAuthClient; isOwn: boolean }> {
  const tokenUrl = mintingUrl(connection, connector, rules, account);
  const { client_authentication: authentication } = rules;
  const ownId = staticField(details, 'client_id');
  const ownSecret = staticField(
    details,
    authentication === 'private_key_jwt' ? 'private_key' : 'client_secret',
  );
  const isOwn = ownId !== '' && ownSecret !== '';
  const clientId = isOwn ? ownId : connection.clientId;
  const clientSecret = isOwn ? ownSecret : await openClientSecret(vault, connection);
  if (clientId === null) throw incomplete(connection, 'client_id');
  if (clientSecret === undefined) throw incomplete(connection, 'client_secret');
  const client = {
    tokenUrl,
    revocationUrl: undefined,
    issuer: new URL(tokenUrl).origin,
    clientId,
    clientSecret,
    authentication,
    keyId: isOwn
      ? staticField(details, 'private_key_id') || undefined
      : textParam(connection, 'private_key_id'),
    scopeSeparator: rules.scope_separator,
    scopeNames: rules.scope_names,
  };
  return { client, isOwn };
}

/** The scopes of the account itself (`static_auth.details.scope`), or else of the connection or the connector. */
function askedScopes({ details, connection }: RenewalRequest, rules: MachineRules): readonly string[] {
  const own = staticField(details, 'scope')
    .split(' ')
    .filter((scope) => scope !== '');
  return own.length > 0 ? own : chosenScopes(connection, rules);
}

/** The client is its own grant: a provider that refuses the client or the grant means the client. */
async function refusedFor(isOwn: boolean, work: () => Promise<TokenReply>): Promise<TokenReply> {
  try {
    return await work();
  } catch (error) {
    const isClient =
      error instanceof TokenFailure && (error.kind === 'client_refused' || error.kind === 'invalid_grant');
    throw isClient ? error.as(isOwn ? 'invalid_grant' : 'client_refused') : error;
  }
}
