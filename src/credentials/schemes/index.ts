/** Every authorization type and its scheme: a type without one does not compile. */
import type { AuthorizationType, StaticType } from '../../authorization-types/index.ts';
import type { AuthOf, ConnectorAuth } from '../../catalog/model/types.ts';
import { apiKey } from './api-key.ts';
import { basic } from './basic.ts';
import { bearer } from './bearer.ts';
import { boardOauth1 } from './board-oauth1.ts';
import { mcpOauth } from './mcp-oauth.ts';
import { noAuth } from './no-auth.ts';
import { oauthM2m } from './oauth-m2m.ts';
import { oauth } from './oauth.ts';
import type { Renewal } from './renewal.ts';
import type { Scheme, StaticScheme } from './scheme.ts';
import { smartFhir } from './smart-fhir.ts';
import { trustedIdp } from './trusted-idp.ts';
import { workspaceDwd } from './workspace-dwd.ts';

const STATIC_SCHEMES: { readonly [Type in StaticType]: StaticScheme } = {
  API_KEY: apiKey,
  BASIC_AUTH: basic,
  BEARER_TOKEN: bearer,
  CUSTOM: apiKey,
  BASIC: basic,
};

const SCHEMES: { readonly [Type in AuthorizationType]: Scheme<AuthOf<Type>> } = {
  ...STATIC_SCHEMES,
  OAUTH: oauth,
  OAUTH_M2M: oauthM2m,
  BOARD_OAUTH1: boardOauth1,
  WORKSPACE_DWD: workspaceDwd,
  TRUSTED_IDP: trustedIdp,
  SMART_FHIR: smartFhir,
  NO_AUTH: noAuth,
  MCP_OAUTH: mcpOauth,
};

/** The scheme of a type. */
export function schemeOf(type: AuthorizationType): Scheme {
  return SCHEMES[type];
}

/** The scheme of a type whose credential is sent as it was entered; `undefined` for any other type. */
export function staticSchemeOf(type: AuthorizationType): StaticScheme | undefined {
  return Object.hasOwn(STATIC_SCHEMES, type) ? STATIC_SCHEMES[type as StaticType] : undefined;
}

/** The renewal of accounts of this entry; `undefined` if they cannot be renewed. */
export function renewalOf({ type }: ConnectorAuth): Renewal | undefined {
  return schemeOf(type).renewal;
}
