/** Every authorization type and its scheme: a type without one does not compile. */
import { BLOCK_OF } from '../../catalog/model/auth-rules.ts';
import type { AuthorizationType, ConnectorAuth } from '../../catalog/model/types.ts';
import { apiKey } from './api-key.ts';
import { basic } from './basic.ts';
import { bearer } from './bearer.ts';
import { boardOauth1 } from './board-oauth1.ts';
import { noAuth } from './no-auth.ts';
import { oauthM2m } from './oauth-m2m.ts';
import { oauth } from './oauth.ts';
import type { Renewal } from './renewal.ts';
import type { Scheme } from './scheme.ts';
import { smartFhir } from './smart-fhir.ts';
import { trustedIdp } from './trusted-idp.ts';
import { workspaceDwd } from './workspace-dwd.ts';

const SCHEMES: Readonly<Record<AuthorizationType, Scheme>> = {
  OAUTH: oauth,
  API_KEY: apiKey,
  BASIC_AUTH: basic,
  BEARER_TOKEN: bearer,
  CUSTOM: apiKey,
  BASIC: basic,
  OAUTH_M2M: oauthM2m,
  BOARD_OAUTH1: boardOauth1,
  WORKSPACE_DWD: workspaceDwd,
  TRUSTED_IDP: trustedIdp,
  SMART_FHIR: smartFhir,
  NO_AUTH: noAuth,
};

/** How accounts of one type are connected, renewed and attached. */
export function schemeOf(type: AuthorizationType): Scheme {
  return SCHEMES[type];
}

/** How accounts of this entry are renewed; undefined: they are not, or the entry does not say where. */
export function renewalOf(auth: ConnectorAuth): Renewal | undefined {
  const block = BLOCK_OF[auth.type];
  return block !== undefined && auth[block] === undefined ? undefined : SCHEMES[auth.type].renewal;
}

/** Whether accounts of this entry are connected at the provider, from where the browser comes back. */
export function isByConsent(auth: ConnectorAuth): boolean {
  const kind = SCHEMES[auth.type].connect(auth);
  return kind === 'consent' || kind === 'fragment';
}
