/**
 * SMART_FHIR: the consent of SMART App Launch with endpoints discovered from the FHIR base, refresh tokens, and a bearer
 * token. The launch context (`patient` and the like) is stored sealed with the tokens.
 */
import { leftOf } from '../../core/clock.ts';
import { firstBaseUrl, placeholderValues } from '../../connections/placeholders.ts';
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import type { AuthOf } from '../../catalog/model/types.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import { withTokens } from './renewed-credentials.ts';
import type { TokenReply } from '../oauth/token-endpoint.ts';
import { refreshTokenRenewal } from './oauth.ts';
import type { Renewal } from './renewal.ts';
import { bearerAuthorization, type Scheme } from './scheme.ts';
import { fhirBaseOf, smartClientOf, smartConsent, smartEndpoints } from './smart-consent.ts';

/** Share of a renewal's time that may go by before the token request is sent. */
const DISCOVERY_SHARE = 0.4;

/** As with OAUTH, but asks for the endpoints first: they may have moved since the consent. */
const renewal: Renewal<AuthOf<'SMART_FHIR'>> = {
  ...refreshTokenRenewal,
  async prepare({ account, details, connection, connector, auth }, services) {
    const rules = auth.smart_fhir;
    const { refresh_token: refreshToken = '', domain } = details.oauth_token ?? {};
    const fhirBase = fhirBaseOf(firstBaseUrl(connector, connection, placeholderValues(account, domain)));
    const { vault, clock, tokens } = services;
    // Before any request: if the connection lacks something, the operator has to add it, and the server has not failed.
    const client = await smartClientOf(vault, connection, rules);
    return async ({ timeoutMs }) => {
      const startedAt = clock.now();
      const share = Math.ceil(timeoutMs * DISCOVERY_SHARE);
      const endpoints = await smartEndpoints(connection, rules, fhirBase, services, share);
      const leftMs = Math.max(1, leftOf(clock, startedAt, timeoutMs));
      const reply = await tokens.refresh({ ...client, ...endpoints }, refreshToken, { timeoutMs: leftMs });
      return {
        applyTo: (stored) => withContext(withTokens(stored, reply), reply),
        expiresInSeconds: reply.expiresInSeconds,
      };
    };
  },
  explain: (reason, failure, { title, connection }) =>
    reason === 'refused' && failure !== undefined && failure.providerError === undefined
      ? `${failure.message.replace(/ The operator .*$/, '')} The operator has to check the connection ${connection} to ${title}.`
      : undefined,
};

export const smartFhir: Scheme<AuthOf<'SMART_FHIR'>> = {
  connect: () => 'consent',
  consent: smartConsent,
  requireComplete({ connection, auth }) {
    if (connection.clientId === null) throw incomplete(connection, 'client_id');
    const isSigning = auth.smart_fhir.client_authentication === 'private_key_jwt';
    if (isSigning && connection.clientSecretSealed === null)
      throw incomplete(connection, 'params.private_key');
  },
  renewal,
  attach: ({ details }) => bearerAuthorization(details.oauth_token?.access_token ?? ''),
};

/** A refresh keeps the launch context of its consent: members that the reply does not repeat stay. */
function withContext(details: AuthorizationDetails, { context }: TokenReply): AuthorizationDetails {
  if (context === undefined) return details;
  const launch = { ...details.internal?.launch, ...context };
  return { ...details, internal: { ...details.internal, launch } };
}
