/**
 * The consent of SMART_FHIR: discovery, an authorization request with PKCE and `aud`, and the exchange of its code.
 *
 * @see HL7 SMART App Launch 2.2, standalone launch
 */
import { openClientSecret } from '../../connections/connection-columns.ts';
import { readPrivateKey } from '../../connections/secret-params.ts';
import { asWritten } from '../../connections/oauth-endpoints.ts';
import type { AuthOf, BlockRules } from '../../catalog/model/types.ts';
import { newSecret } from '../../core/ids.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Vault } from '../../vault/vault.ts';
import { authorizationUrl } from '../oauth/authorization-url.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { discoverSmart, type SmartEndpoints } from '../oauth/smart-discovery.ts';
import type { OAuthClient } from '../oauth/token-endpoint.ts';
import { ConnectionChangedFailure, type ConsentStep } from './consent-step.ts';
import { textParam } from './minted-token.ts';
import { receivedTokens } from './oauth-consent.ts';
import type { SchemeServices } from './renewal.ts';

/** Longest discovery before a consent, in milliseconds: a user waits in front of an empty page. */
const DISCOVERY_MS = 15_000;

/** Members of a token reply that are launch context. */
const CONTEXT = [
  'patient',
  'encounter',
  'fhirContext',
  'need_patient_banner',
  'intent',
  'smart_style_url',
  'tenant',
] as const;

/** The address of the FHIR server in the form for `aud` and discovery. */
export function fhirBaseOf(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

/**
 * Asks the FHIR server for its endpoints. A connection's overrides take precedence; if it has both, the server is not
 * asked.
 *
 * With overrides, only their origins are allowed; other addresses of the connector are not called.
 *
 * @throws TokenFailure
 */
export async function smartEndpoints(
  connection: Pick<Connection, 'overrides'>,
  rules: BlockRules<'SMART_FHIR'>,
  fhirBase: string,
  { http, clock }: Pick<SchemeServices, 'http' | 'clock'>,
  timeoutMs = DISCOVERY_MS,
): Promise<SmartEndpoints> {
  const own = connection.overrides;
  const { authorization_url: authorizationUrl, token_url: tokenUrl } = own;
  if (authorizationUrl !== undefined && tokenUrl !== undefined)
    return { authorizationUrl, tokenUrl, issuer: own.issuer ?? new URL(authorizationUrl).origin };
  const declared = Object.keys(own).length === 0 ? rules.endpoint_origins : undefined;
  const origins = declared ?? [new URL(fhirBase).origin];
  const said = await discoverSmart(fhirBase, origins, { http, now: clock.now(), timeoutMs });
  return {
    authorizationUrl: authorizationUrl ?? said.authorizationUrl,
    tokenUrl: tokenUrl ?? said.tokenUrl,
    issuer: own.issuer ?? said.issuer,
  };
}

/**
 * The connection as a client of the discovered token endpoint. Without a secret it is a public client.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connector` if the connection lacks something
 */
export async function smartClientOf(
  vault: Vault,
  connection: Connection,
  rules: BlockRules<'SMART_FHIR'>,
): Promise<Omit<OAuthClient, 'tokenUrl' | 'issuer'>> {
  if (connection.clientId === null) throw incomplete(connection, 'client_id');
  const clientSecret = await openClientSecret(vault, connection);
  const isSigning = rules.client_authentication === 'private_key_jwt';
  if (isSigning && (clientSecret === undefined || readPrivateKey(clientSecret) === undefined))
    throw incomplete(connection, 'params.private_key');
  return {
    revocationUrl: undefined,
    clientId: connection.clientId,
    clientSecret,
    authentication: rules.client_authentication,
    keyId: textParam(connection, 'private_key_id'),
    // RS384 is what servers have to support (section "Client Authentication: Asymmetric").
    rsaAlgorithm: 'RS384',
    scopeSeparator: ' ',
    replyContext: CONTEXT,
  };
}

export const smartConsent: ConsentStep<AuthOf<'SMART_FHIR'>> = {
  answer: () => 'code',

  outline({ connection, connector, auth, fill, baseUrl }) {
    const rules = auth.smart_fhir;
    const own = connection.overrides;
    const isOwn = Object.keys(own).length > 0;
    const declared = isOwn ? own.authorization_url : rules.endpoint_origins?.[0];
    // The page that asks for the host cannot fill it in yet.
    const base = fill === asWritten ? (own.base_url ?? connector.hosts[0]?.url) : undefined;
    return {
      address: declared ?? base ?? baseUrl().href,
      defaultScopes: rules.scopes,
      rules: { scope_parameter: true },
    };
  },

  async begin(subject, { state, redirectUri, scopes }, services) {
    const { connection, auth } = subject;
    const rules = auth.smart_fhir;
    if (connection.clientId === null) throw incomplete(connection, 'client_id');
    const fhirBase = fhirBaseOf(subject.baseUrl());
    const endpoints = await smartEndpoints(connection, rules, fhirBase, services);
    const verifier = newSecret();
    const parameters = { ...rules.authorize_parameters, aud: fhirBase };
    const asked = { authorize_parameters: parameters, scope_parameter: true, scope_separator: ' ' } as const;
    const request = { clientId: connection.clientId, redirectUri, state, scopes, verifier };
    return {
      redirectTo: authorizationUrl(endpoints.authorizationUrl, asked, request),
      secret: verifier,
      tokenUrl: endpoints.tokenUrl,
      issuer: endpoints.issuer,
    };
  },

  async finish({ connection, auth, baseUrl }, back, { vault, tokens }) {
    const rules = auth.smart_fhir;
    // The endpoints discovered at the start still hold; only overrides may have changed meanwhile.
    const own = connection.overrides;
    if (own.token_url !== undefined && own.token_url !== back.tokenUrl) throw new ConnectionChangedFailure();
    const isOwn = Object.keys(own).length > 0;
    const origins = (isOwn ? undefined : rules.endpoint_origins) ?? [baseUrl().origin];
    if (own.token_url === undefined && !origins.includes(new URL(back.tokenUrl).origin))
      throw new ConnectionChangedFailure();
    const { tokenUrl, issuer, redirectUri, secret: verifier } = back;
    const client = { ...(await smartClientOf(vault, connection, rules)), tokenUrl, issuer };
    const code = back.query.get('code') ?? '';
    const reply = await tokens.exchange(client, { code, redirectUri, verifier });
    const came = receivedTokens(reply, back.scopes);
    const { context } = reply;
    return context === undefined
      ? came
      : { ...came, details: { ...came.details, internal: { launch: { ...context } } } };
  },
};
