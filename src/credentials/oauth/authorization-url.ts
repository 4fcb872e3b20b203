/** The address of a provider's consent page for one flow (RFC 6749 section 4.1.1, RFC 7636 section 4.3). Pure. */
import { createHash } from 'node:crypto';
import type { OAuthRules } from '../../catalog/model/types.ts';
import { providerScopes } from './scope-names.ts';

/** The values that differ from flow to flow. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  state: string;
  scopes: readonly string[];
  /** PKCE code verifier; `undefined` if the request has no code challenge. */
  verifier: string | undefined;
}

/** The connector's rules for the parameters. */
export type AuthorizationRules = Pick<
  OAuthRules,
  'authorize_parameters' | 'scope_parameter' | 'scope_separator' | 'scope_names'
>;

/** Parameters of the flow win over those of the connector and those in the address. */
export function authorizationUrl(
  address: string,
  rules: AuthorizationRules,
  request: AuthorizationRequest,
): string {
  const { clientId, redirectUri, state, scopes, verifier } = request;
  const url = new URL(address);
  const parameters: Record<string, string> = {
    ...rules.authorize_parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    ...(rules.scope_parameter &&
      scopes.length > 0 && {
        scope: providerScopes(scopes, rules.scope_names).join(rules.scope_separator),
      }),
    ...(verifier !== undefined && {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  // Every provider understands a space as %20, but not as +.
  url.search = url.searchParams.toString().replaceAll('+', '%20');
  return url.href;
}
