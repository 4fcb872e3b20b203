/** Where things of an organization's provider are: its callback with us, and its secret in the database. Pure. */
import type { SealedPlace } from '../../vault/vault.ts';

/** What is registered with the provider. */
export function redirectUri(baseUrl: string, organizationId: string): string {
  return `${baseUrl}/sso/v1/oidc/${organizationId}/callback`;
}

/** @param id of the provider, `idp_…` */
export function secretPlace(id: string): SealedPlace {
  return { table: 'organization_providers', row: id, column: 'client_secret_sealed' };
}
