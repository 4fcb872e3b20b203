/**
 * Fills the placeholders in a connector's addresses for one account (docs/contract.md#configuration-of-an-account).
 *
 * The values decide where credentials go. So the whole value must match the connector's pattern, and must be host
 * labels whatever the pattern says: no path, no port, no user name and no other host. Pure.
 */
import { typeOf } from '../authorization-types/index.ts';
import { rulesOf, type AddressedRules } from '../authorization-types/blocks.ts';
import type { Connector, ConnectorAuth, PlaceholderSetting } from '../catalog/model/types.ts';
import { wholePattern } from '../catalog/model/linear-pattern.ts';
import { invalidArgument } from '../core/errors.ts';
import type { ConfiguredAccount } from './call-settings.ts';
import type { FillAddress } from './oauth-endpoints.ts';
import type { ConnectionOverrides } from '../store/tables/tables.ts';

/** Labels of a host name; also what a path segment may be. */
const LABELS = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** Longest host name. */
const MAX_LENGTH = 253;

/** Sources of values, in the order of search: the account's configuration, its token, the connection's params. */
export interface PlaceholderValues {
  apiConfig: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, unknown>>;
  /** `oauth_token.domain`; stands for `{domain}`. */
  tokenDomain?: string | undefined;
}

/** The parts of a connector that decide about its placeholders. */
export type PlaceholderRules = Pick<Connector, 'title' | 'settings'>;

/** The values of an account, with or without its opened credentials. */
export function placeholderValues(
  { apiConfig, connection: { params } }: ConfiguredAccount,
  tokenDomain?: string,
): PlaceholderValues {
  return { apiConfig, params, tokenDomain };
}

/**
 * A complete value: as it is if it matches, otherwise with the suffix of the connector if it matches then.
 *
 * @returns `undefined` for a value that must not be used
 */
export function completeValue(
  value: unknown,
  pattern: string,
  setting: PlaceholderSetting | undefined,
): string | undefined {
  if (typeof value !== 'string') return undefined;
  return [value, `${value}${setting?.suffix ?? ''}`].find(
    (text) => text.length <= MAX_LENGTH && LABELS.test(text) && wholePattern(pattern).test(text),
  );
}

/**
 * The placeholders that an account of a connection needs a value for, with their patterns. Addresses that the
 * connection overrides are not called, so their placeholders do not count unless the type needs them elsewhere.
 */
export function neededPlaceholders(
  connector: Pick<Connector, 'hosts' | 'headers'>,
  auth: ConnectorAuth,
  own: ConnectionOverrides,
): Record<string, string> {
  const [host] = connector.hosts;
  const ofHost = Object.entries(host?.placeholders ?? {}).filter(
    ([name]) => own.base_url === undefined || pathOf(host?.url ?? '').includes(`{${name}}`),
  );
  const rules = rulesOf(auth) ?? {};
  const ofBlock = Object.keys(own).length === 0 ? Object.entries(rules.placeholders ?? {}) : [];
  return {
    ...Object.fromEntries([...ofHost, ...ofBlock]),
    ...headerPlaceholders(connector),
    ...typeOf(auth).placeholders?.(rules),
  };
}

/** The placeholders in a connector's headers, with their patterns. What no host describes leads nowhere and needs none. */
export function headerPlaceholders({
  hosts,
  headers = {},
}: Pick<Connector, 'hosts' | 'headers'>): Record<string, string> {
  const described = new Map(hosts.flatMap(({ placeholders }) => Object.entries(placeholders)));
  const used = Object.values(headers).flatMap((text) => [...text.matchAll(/\{([^{}]*)\}/g)]);
  return Object.fromEntries(used.map(([, name = '']) => [name, described.get(name) ?? '[A-Za-z0-9._-]+']));
}

/**
 * The headers that a connector sends with every request, filled for an account.
 *
 * @throws ServiceError INVALID_ARGUMENT as `fillPlaceholders`
 */
export function connectorHeaders(
  connector: Pick<Connector, 'title' | 'settings' | 'hosts' | 'headers'>,
  values: PlaceholderValues,
): Record<string, string> {
  const { headers = {} } = connector;
  const patterns = headerPlaceholders(connector);
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      fillPlaceholders(text, patterns, connector, values),
    ]),
  );
}

/** The path of an address, which may have placeholders; '' for the host alone. */
export function pathOf(address: string): string {
  return address.replace(/^[a-z]+:\/\/[^/]*/, '');
}

/** Fills the addresses of a block of the connector (consent, token endpoint and so on) for one account. */
export function consentFiller(
  { placeholders = {} }: AddressedRules,
  rules: PlaceholderRules,
  values: PlaceholderValues,
): FillAddress {
  return (address) => fillPlaceholders(address, placeholders, rules, values);
}

/** The placeholders of some addresses without a usable value, in the order of declaration. */
export function missingPlaceholders(
  patterns: Readonly<Record<string, string>>,
  rules: PlaceholderRules,
  values: PlaceholderValues,
): string[] {
  return Object.entries(patterns)
    .filter(([name, pattern]) => valueOf(name, pattern, rules, values) === undefined)
    .map(([name]) => name);
}

/**
 * An address with every placeholder filled.
 *
 * @param patterns by placeholder; those that the address does not have are ignored
 * @throws ServiceError INVALID_ARGUMENT on `connected_account.api_config.<placeholder>` for each that is missing or wrong
 */
export function fillPlaceholders(
  address: string,
  patterns: Readonly<Record<string, string>>,
  rules: PlaceholderRules,
  values: PlaceholderValues,
): string {
  const used = Object.fromEntries(Object.entries(patterns).filter(([name]) => address.includes(`{${name}}`)));
  const missing = missingPlaceholders(used, rules, values);
  if (missing.length > 0)
    throw invalidArgument(
      missing.map((name) => ({
        field: `connected_account.api_config.${name}`,
        description: `${rules.title} needs ${name} in the account's api_config, in the form ${used[name]}.`,
        constraint: 'pattern',
      })),
    );
  let filled = address;
  for (const [name, pattern] of Object.entries(used))
    filled = filled.replaceAll(`{${name}}`, valueOf(name, pattern, rules, values) ?? '');
  return filled;
}

/**
 * Base address of a connector's first host for an account. The connection's own origin replaces the host's.
 *
 * @throws ServiceError INVALID_ARGUMENT as `fillPlaceholders`
 */
export function firstBaseUrl(
  connector: Connector,
  { overrides }: { overrides: ConnectionOverrides },
  values: PlaceholderValues,
): URL {
  const [host] = connector.hosts;
  if (host === undefined) throw new Error(`${connector.name} has no host`);
  const fill = (address: string): string => fillPlaceholders(address, host.placeholders, connector, values);
  const { base_url: base } = overrides;
  return base === undefined ? new URL(fill(host.url)) : new URL(fill(pathOf(host.url)), base);
}

/** The first value that is set. An invalid one is not skipped: it was entered on purpose. */
function valueOf(
  name: string,
  pattern: string,
  { settings }: PlaceholderRules,
  { apiConfig, params, tokenDomain }: PlaceholderValues,
): string | undefined {
  const value =
    memberOf(apiConfig, name) ??
    (name === 'domain' && tokenDomain !== '' ? tokenDomain : undefined) ??
    memberOf(params, name);
  return completeValue(value, pattern, settings?.[name]);
}

function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
