/** OAuth flows as the program sees them, made from rows of the table `oauth_flows`. */
import type { ReadForm } from '../tables/column-types.ts';
import type { OAuthFlowTable } from '../tables/tables.ts';

/** A redirect of a browser to a provider's consent page and back. It fixes what the callback may do. */
export interface OAuthFlow {
  /** `flw_…` */
  id: string;
  environmentId: string;
  accountId: string;
  linkId: string;
  connectionId: string;
  /** Hash of the cookie value of the browser that starts the flow. */
  browserHash: string;
  /** PKCE code verifier, or its replacement; null if the provider takes none. */
  verifierSealed: string | null;
  tokenUrl: string;
  issuer: string;
  /** Whether the callback has to carry `iss`. */
  isIssuerRequired: boolean;
  redirectUri: string;
  /** Scopes asked for. */
  scopes: readonly string[];
  /** Values that the user entered before the redirect; merged into the account's api_config with the credentials. */
  apiConfig: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  expiresAt: number;
  /** When a callback claimed it, in Unix milliseconds; null if none has. */
  consumedAt: number | null;
}

/** The flow of a row. */
export function oauthFlowOf(row: ReadForm<OAuthFlowTable>): OAuthFlow {
  return {
    id: row.id,
    environmentId: row.environment_id,
    accountId: row.account_id,
    linkId: row.link_id,
    connectionId: row.connection_id,
    browserHash: row.browser_hash,
    verifierSealed: row.verifier_sealed,
    tokenUrl: row.token_url,
    issuer: row.issuer,
    isIssuerRequired: row.issuer_required,
    redirectUri: row.redirect_uri,
    scopes: row.scopes,
    apiConfig: row.api_config,
    expiresAt: row.expires_at,
    consumedAt: row.consumed_at,
  };
}
