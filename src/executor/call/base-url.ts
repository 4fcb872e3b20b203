/** Where a call goes: the connector's host with its placeholders filled, or the connection's own base URL. */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import { hostOf } from '../../connections/allowed-endpoint.ts';
import { callSettings } from '../../connections/call-settings.ts';
import { fillPlaceholders, pathOf, placeholderValues } from '../../connections/placeholders.ts';
import type { Connector } from '../../catalog/model/types.ts';
import type { AccountRow } from '../../store/accounts/account-store.ts';

/**
 * Base URL of one of the connector's hosts for this account.
 *
 * A placeholder is filled from api_config, else `oauth_token.domain`, else the connection's params, and must
 * match the connector's pattern: nothing an account says can lead a credential to another host. That holds for
 * another base address in api_config (`endpoint`) too; where the connection has an address of its own, it does not count.
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
  const values = placeholderValues(row, details.oauth_token?.domain);
  const fill = (address: string): string =>
    fillPlaceholders(address, template.placeholders, connector, values);
  const overrides = JSON.parse(row.connection_overrides) as { base_url?: string };
  if (overrides.base_url !== undefined) return new URL(fill(pathOf(template.url)), overrides.base_url);
  const { endpoint } = callSettings(row);
  if (endpoint !== undefined && hostOf(connector, endpoint) === host) return new URL(endpoint);
  return new URL(fill(template.url));
}
