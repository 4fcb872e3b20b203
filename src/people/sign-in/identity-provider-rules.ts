/** Rules for an organization's OpenID provider, and its view for callers. Pure. */
import { toTimestamp } from '../../core/clock.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { endpointProblems, type IsReachable } from '../../signed-sender/endpoint-rules.ts';
import { normalizeEmail } from '../../core/email-address.ts';
import type { SealedPlace } from '../../vault/vault.ts';
import type { IdentityProvider } from '../../store/tables/people-tables.ts';

/** Most domains of one provider, and longest texts, in UTF-16 units. */
export const MAX_DOMAINS = 50;
export const MAX_CLIENT_ID_LENGTH = 300;
export const MAX_CLIENT_SECRET_LENGTH = 2_000;

/** Members of a request about a provider. */
export interface IdentityProviderInput {
  issuer: string;
  client_id: string;
  /** null for a public client. If absent, the stored secret stays as long as issuer and client stay. */
  client_secret?: string | null | undefined;
  /** E-mail domains that can only sign in here. If absent, the stored ones stay as long as issuer and client stay. */
  domains?: readonly string[] | undefined;
  /** Believe an address without `email_verified`. Only the operator sets it. Absent as for `domains`. */
  assume_email_verified?: boolean | undefined;
  /** Give operators who sign in here their rights. Only the operator sets it. Absent as for `domains`. */
  allow_operator_rights?: boolean | undefined;
}

/** A provider as the API shows it, without its secret. */
export interface IdentityProviderView {
  /** `idp_…` */
  id: string;
  organization_id: string;
  issuer: string;
  client_id: string;
  has_client_secret: boolean;
  domains: string[];
  assume_email_verified: boolean;
  allow_operator_rights: boolean;
  /** To be registered with the provider. */
  redirect_uri: string;
  created_at: string;
  updated_at: string;
}

/** Checks of the addresses that a provider may have. */
export interface ProviderReach {
  /** For providers that the operator entered. */
  isReachable: IsReachable;
  /** For all others. */
  isPublic: IsReachable;
}

/** All violations of the input. @param isOperators whether the operator enters it, or entered it before */
export function providerViolations(
  input: IdentityProviderInput,
  { isReachable, isPublic }: ProviderReach,
  isOperators: boolean,
): FieldViolation[] {
  const { issuer, client_id: clientId, client_secret: secret, domains = [] } = input;
  const out: FieldViolation[] = [];
  const issuerProblems = endpointProblems(issuer, isOperators ? isReachable : () => true);
  if (!isOperators && issuerProblems.length === 0 && !isPublic(new URL(issuer)))
    issuerProblems.push(
      'Must be a public https URL. Only the operator can enter a provider at another address: ask the operator of this Gatehouse.',
    );
  if (issuer.includes('?')) issuerProblems.push('An issuer has no query.');
  for (const description of issuerProblems) out.push({ field: 'issuer', description, constraint: 'address' });
  out.push(...textViolations('client_id', clientId, MAX_CLIENT_ID_LENGTH));
  if (typeof secret === 'string')
    out.push(...textViolations('client_secret', secret, MAX_CLIENT_SECRET_LENGTH));
  if (domains.length > MAX_DOMAINS)
    out.push({ field: 'domains', description: `At most ${MAX_DOMAINS} domains.`, constraint: 'max_items' });
  for (const [index, domain] of domains.entries()) {
    if (normalizeDomain(domain) !== undefined) continue;
    out.push({
      field: `domains.${index}`,
      description: 'Must be the part of e-mail addresses behind the @, such as example.test.',
      constraint: 'format',
    });
  }
  return out;
}

/** A domain in the form of normalized addresses; `undefined` if it is invalid there or has no dot. */
export function normalizeDomain(domain: string): string | undefined {
  return domain.includes('@') || !domain.includes('.') ? undefined : domainOf(`x@${domain}`);
}

/** The domain of an address in normal form; `undefined` for an invalid address. */
export function domainOf(email: string): string | undefined {
  return normalizeEmail(email)?.split('@')[1];
}

/** @param baseUrl of the environment, to which the provider redirects back */
export function toProviderView(row: IdentityProvider, baseUrl: string): IdentityProviderView {
  return {
    id: row.id,
    organization_id: row.organization_id,
    issuer: row.issuer,
    client_id: row.client_id,
    has_client_secret: row.client_secret_sealed !== null,
    domains: [...row.domains],
    assume_email_verified: row.assume_email_verified,
    allow_operator_rights: row.allow_operator_rights,
    redirect_uri: redirectUri(baseUrl, row.organization_id),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function textViolations(field: string, value: string, max: number): FieldViolation[] {
  if (value.length > 0 && value.length <= max && /^[\u0020-\u007e]+$/.test(value)) return [];
  return [{ field, description: `Must have 1 to ${max} printable ASCII characters.`, constraint: 'format' }];
}

/** Our callback: the redirect URI registered with the provider. */
export function redirectUri(baseUrl: string, organizationId: string): string {
  return `${baseUrl}/sso/v1/oidc/${organizationId}/callback`;
}

/** The place that the secret of a provider is sealed for. @param id of the provider, `idp_…` */
export function identityProviderSecretPlace(id: string): SealedPlace {
  return { table: 'organization_providers', row: id, column: 'client_secret_sealed' };
}
