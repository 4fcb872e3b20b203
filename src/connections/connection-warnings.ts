/**
 * Warnings about parts of a connection that will not work, in sentences that say what to do. Warnings of one
 * authorization type are among the facts of the type.
 *
 * Warnings prevent nothing: an operator creates the connection first, because the app at the provider is registered
 * with its redirect URI, and completes the connection afterwards. Pure.
 */
import { isByConsent, typeOf } from '../authorization-types/index.ts';
import { addressesIn, rulesOf } from '../authorization-types/blocks.ts';
import { toolsToConnect, type SelectionNames } from '../catalog/model/tool-selection.ts';
import type { Catalog, Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { connectionFacts } from './connection-facts.ts';
import { asWritten, oauthEndpoints } from './oauth-endpoints.ts';
import type { Reachable } from './override-rules.ts';
import { scopeWarnings } from './scope-warnings.ts';
import { isLoopbackHostname } from '../core/hosts.ts';
import type { ConnectionOverrides } from '../store/tables/tables.ts';

/** The parts of a connection that warnings are about. */
export type WarnedConnection = Pick<
  Connection,
  'connector' | 'type' | 'clientId' | 'clientSecretSealed' | 'scopes' | 'params' | 'overrides'
>;

/** The context that warnings depend on. */
export interface WarningContext {
  catalog: Catalog;
  /** Tools that the settings name. */
  selection?: SelectionNames | undefined;
  /** Public origin of its environment; '' if this process does not know it. */
  baseUrl: string;
  isReachable: Reachable;
}

/** One or two sentences for each part that will not work; empty if all is well. */
export function connectionWarnings(connection: WarnedConnection, context: WarningContext): string[] {
  const { catalog, isReachable } = context;
  const connector = catalog.connectors.get(connection.connector);
  if (connector === undefined) {
    return [
      `The catalog has no connector ${connection.connector}: no tool can use this connection. Put its file back, or delete the connection.`,
    ];
  }
  const auth = connector.auth.find(({ type }) => type === connection.type);
  if (auth === undefined) {
    return [
      `The connector ${connection.connector} does not accept ${connection.type}: no account can be used. Set authorization_type to one of ${connector.auth.map(({ type }) => type).join(', ')}.`,
    ];
  }
  const { overrides } = connection;
  const reach = reachWarnings(calledAddresses(connector, auth, overrides), isReachable);
  const { baseUrl } = context;
  const own =
    typeOf(auth).warnings?.({
      rules: rulesOf(auth) ?? {},
      title: connector.title,
      connection: connectionFacts(connection),
      baseUrl,
    }) ?? [];
  const redirect = isByConsent(auth) ? redirectWarnings(baseUrl) : [];
  if (auth.type !== 'OAUTH') return [...own, ...reach, ...redirect, ...unusedScopes(connection, auth)];
  const tools = [...catalog.tools.values()].filter((tool) => tool.connector === connector.name);
  return [
    ...own,
    ...endpointWarnings(overrides),
    ...reach,
    ...redirect,
    ...scopeWarnings(connection.scopes, {
      connector,
      rules: auth.oauth,
      known: Object.keys(auth.scopes ?? {}),
      tools,
      toConnect: toolsToConnect(tools, context.selection),
    }),
  ];
}

/** Accounts of a type without a block bring a credential that has its rights already. */
function unusedScopes({ scopes, type }: WarnedConnection, auth: ConnectorAuth): string[] {
  if (scopes.length === 0 || rulesOf(auth) !== undefined) return [];
  return [`Its scopes have no effect: with ${type} nobody is asked for any. Leave them out.`];
}

function endpointWarnings(overrides: ConnectionOverrides): string[] {
  if (Object.keys(overrides).length === 0) return [];
  const missing = (['authorization_url', 'token_url'] as const).filter(
    (name) => overrides[name] === undefined,
  );
  if (missing.length === 0) return [];
  return [
    `overrides has no ${missing.join(' and no ')}. With overrides, addresses of the connector are not used, so no account can be connected. Add what is missing.`,
  ];
}

/** Addresses that this process calls for a connection. The browser goes to authorization_url, and nobody calls issuer. */
function calledAddresses(
  connector: Connector,
  auth: ConnectorAuth,
  overrides: ConnectionOverrides,
): string[] {
  const { base_url: base } = overrides;
  const api = base === undefined ? connector.hosts.map(({ url }) => url) : [base];
  if (auth.type !== 'OAUTH') return [...api, ...exchangeAddresses(auth, overrides)];
  const endpoints = oauthEndpoints(auth.oauth, overrides, asWritten);
  const first = base === undefined ? auth.oauth.metadata?.request?.url : undefined;
  return [...api, endpoints.tokenUrl, endpoints.revocationUrl, first].filter((url) => url !== undefined);
}

/** Addresses that issue access credentials of the other types: the connector's, or the overrides. */
function exchangeAddresses(auth: ConnectorAuth, own: ConnectionOverrides): string[] {
  if (rulesOf(auth) === undefined) return [];
  if (Object.keys(own).length > 0)
    return [own.request_token_url, own.token_url].filter((url) => url !== undefined);
  return addressesIn(auth)
    .filter(([key]) => key !== 'authorization_url')
    .map(([, url]) => url);
}

/** Addresses with placeholders are checked when they are called. */
function reachWarnings(addresses: readonly string[], isReachable: Reachable): string[] {
  const urls = addresses.filter((url) => !url.includes('{')).map((url) => new URL(url));
  const hosts = new Set(urls.filter((url) => !isReachable(url)).map(({ host }) => host));
  return [...hosts].map(
    (host) =>
      `Outbound calls may not reach ${host}. Add it to outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS), or use a public https address.`,
  );
}

function redirectWarnings(baseUrl: string): string[] {
  if (baseUrl === '') {
    return [
      'Its redirect URI is not known here: with port 0 only the running server knows its port, and each start has another. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
    ];
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isLoopbackHostname(hostname)) return [];
  return [
    'Its redirect URI begins with http:// and is not on loopback, which providers refuse. Set base_url (GATEHOUSE_BASE_URL) to an https address.',
  ];
}
