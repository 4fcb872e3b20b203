/**
 * WORKSPACE_DWD: a service account of the connection acts for a user of its workspace, the `subject` of the account.
 * It signs an assertion, which the provider exchanges for an access token; there is no refresh token and no consent.
 *
 * @see RFC 7523 section 2.1
 */
import { SignJWT } from 'jose';
import { openClientSecret } from '../../connections/connection-columns.ts';
import { readPrivateKey, readServiceAccount, type ServiceAccount } from '../../connections/secret-params.ts';
import type { AuthOf, CredentialField } from '../../catalog/model/types.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { providerScopes } from '../oauth/scope-names.ts';
import { TokenFailure, type TokenFailureKind, type TokenReply } from '../oauth/token-endpoint.ts';
import { chosenScopes, mintedCredential, mintedToken, mintingUrl } from './minted-token.ts';
import type { Renewal, RenewalNames } from './renewal.ts';
import { bearerAuthorization, type Scheme } from './scheme.ts';

/** Longest lifetime that the exchange allows; the provider decides about the token's own. */
const ASSERTION_SECONDS = 3_600;

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const SUBJECT: CredentialField = {
  name: 'subject',
  label: 'Email address of the user',
  input: 'text',
  hint: 'The user of the workspace for whom tools are called.',
  required: true,
};

type Auth = AuthOf<'WORKSPACE_DWD'>;

const renewal: Renewal<Auth> = {
  by: 'mint',
  credentialOf: mintedToken,
  isPossible: ({ workspace_dwd }) => (workspace_dwd?.subject ?? '') !== '',
  async prepare({ account, details, connection, connector, auth }, { vault, clock, tokens }) {
    const rules = auth.workspace_dwd;
    const tokenUrl = mintingUrl(connection, connector, rules, account);
    const file = await openClientSecret(vault, connection);
    const service = file === undefined ? undefined : readServiceAccount(file);
    if (service === undefined) throw incomplete(connection, 'params.service_account_json');
    const scopes = chosenScopes(connection, rules);
    const subject = details.workspace_dwd?.subject ?? '';
    const client = {
      tokenUrl,
      revocationUrl: undefined,
      issuer: new URL(tokenUrl).origin,
      clientId: service.clientEmail,
      clientSecret: undefined,
      authentication: 'none' as const,
      scopeSeparator: ' ' as const,
      scopeNames: rules.scope_names,
    };
    return async (options) => {
      const scope = providerScopes(scopes, rules.scope_names).join(' ');
      const signed = await assertion(service, { subject, scope, audience: tokenUrl }, clock.now());
      const grant = { type: GRANT_TYPE, parameters: { assertion: signed }, secrets: [signed] };
      const reply = await keyRefusalIsOurs(async () => tokens.mint(client, grant, options));
      return mintedCredential(reply, scopes);
    };
  },
  explain,
};

export const workspaceDwd: Scheme<Auth> = {
  connect: () => 'form',
  fields: ({ auth }) => [auth.fields.find(({ name }) => name === SUBJECT.name) ?? SUBJECT],
  detailsOf: ({ subject }) => (subject === undefined ? {} : { workspace_dwd: { subject } }),
  requireComplete({ connection, connector, auth }) {
    mintingUrl(connection, connector, auth.workspace_dwd, undefined);
    if (connection.clientSecretSealed === null) throw incomplete(connection, 'params.service_account_json');
  },
  renewal,
  attach: ({ details }) => bearerAuthorization(mintedToken(details) ?? ''),
};

async function assertion(
  { clientEmail, privateKey, keyId }: ServiceAccount,
  { subject, scope, audience }: { subject: string; scope: string; audience: string },
  now: number,
): Promise<string> {
  const key = readPrivateKey(privateKey);
  if (key === undefined)
    throw new TokenFailure('client_refused', 'The key of the service account cannot sign.');
  const issuedAt = Math.floor(now / 1_000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(clientEmail)
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .sign(key);
}

/**
 * `invalid_grant` can mean that the user is unknown or suspended, and also that signature, time or service account of
 * the assertion is wrong. The user cannot fix the latter.
 */
async function keyRefusalIsOurs(work: () => Promise<TokenReply>): Promise<TokenReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.kind !== 'invalid_grant') throw error;
    const isOurs = /\b(jwt|signature|account not found)\b/i.test(error.providerDescription ?? '');
    throw isOurs ? error.as('client_refused') : error;
  }
}

function explain(
  reason: TokenFailureKind,
  failure: TokenFailure | undefined,
  { title, connection }: RenewalNames,
): string | undefined {
  if (reason !== 'client_refused') return undefined;
  if (failure === undefined)
    return `${title} does not accept the service account of the connection ${connection} for this user. An administrator of the workspace has to authorize its client id for the scopes of the connection (domain-wide delegation), or the operator has to correct params.service_account_json.`;
  if (failure.providerError !== 'unauthorized_client')
    return `${title} does not accept the service account of the connection ${connection}. The operator has to correct params.service_account_json of the connection.`;
  return `${title} does not let the service account of the connection ${connection} act for this user with these scopes. An administrator of the workspace has to authorize the client id of the service account for the scopes of the connection (domain-wide delegation).`;
}
