/** Where a call goes: the connector's host with its placeholders filled, or the connection's own base URL. */
import type { AuthorizationDetails } from '../accounts/authorization-details.ts';
import type { Connector } from '../catalog/types.ts';
import { invalidField } from '../core/errors.ts';
import type { AccountRow } from '../store/account-store.ts';

/** Host labels, so that a value cannot bring a path, a port or another host whatever the connector's pattern says. */
const LABELS = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/**
 * Base URL of one of the connector's hosts for this account.
 *
 * A placeholder is filled from api_config, else `oauth_token.domain`, else the connection's params, and must
 * match the connector's pattern: nothing an account says can lead a credential to another host.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connected_account.api_config.<placeholder>`
 */
export function baseUrlOf(
  connector: Connector,
  host: number,
  row: AccountRow,
  details: AuthorizationDetails,
): URL {
  const template = connector.hosts[host];
  if (template === undefined) throw new Error(`${connector.name} has no host ${host}`);
  const config = JSON.parse(row.api_config) as Record<string, unknown>;
  const params = JSON.parse(row.connection_params) as Record<string, unknown>;
  let url = template.url;
  for (const [name, pattern] of Object.entries(template.placeholders)) {
    const value =
      config[name] ?? (name === 'domain' ? details.oauth_token?.domain : undefined) ?? params[name];
    if (typeof value !== 'string' || !LABELS.test(value) || !new RegExp(`^(?:${pattern})$`).test(value)) {
      throw invalidField(
        `connected_account.api_config.${name}`,
        `${connector.title} needs ${name} in the account's api_config, in the form ${pattern}.`,
        'pattern',
      );
    }
    url = url.replaceAll(`{${name}}`, value);
  }
  const base = new URL(url);
  const overrides = JSON.parse(row.connection_overrides) as { base_url?: string };
  if (overrides.base_url === undefined) return base;
  return new URL(base.pathname, overrides.base_url);
}
