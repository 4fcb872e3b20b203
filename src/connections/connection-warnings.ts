/**
 * What of a connection will not work as it is, in sentences that say what to do.
 *
 * Warnings refuse nothing: an operator makes the connection first, because the app at the provider is
 * registered with its redirect URI, and completes it afterwards. Pure.
 */
import { addressesIn, rulesOf } from '../catalog/model/auth-rules.ts';
import type { Catalog, Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { ConnectionRow } from '../store/accounts/connection-store.ts';
import { asWritten, oauthEndpoints, type ConnectionOverrides } from './oauth-endpoints.ts';
import { federationWarnings } from './federation-warnings.ts';
import type { Reachable } from './override-rules.ts';
import { scopeWarnings } from './scope-warnings.ts';
import { isLoopbackHost } from './web-url.ts';

/** The parts of a connection that warnings are about. */
export type WarnedConnection = Pick<
  ConnectionRow,
  | 'connector'
  | 'authorization_type'
  | 'client_id'
  | 'client_secret_sealed'
  | 'scopes'
  | 'params'
  | 'overrides'
>;

/** What surrounds a connection. */
export interface WarningContext {
  catalog: Catalog;
  /** Public origin of its environment; '' where this process does not know it. */
  baseUrl: string;
  isReachable: Reachable;
}

/** One sentence or two for each thing that will not work; empty when all is well. */
export function connectionWarnings(row: WarnedConnection, context: WarningContext): string[] {
  const { catalog, isReachable } = context;
  const connector = catalog.connectors.get(row.connector);
  if (connector === undefined) {
    return [
      `The catalog has no connector ${row.connector}: no tool can use this connection. Put its file back, or delete the connection.`,
    ];
  }
  const auth = connector.auth.find(({ type }) => type === row.authorization_type);
  if (auth === undefined) {
    return [
      `The connector ${row.connector} does not accept ${row.authorization_type}: no account can be used. Set authorization_type to one of ${connector.auth.map(({ type }) => type).join(', ')}.`,
    ];
  }
  const overrides = JSON.parse(row.overrides) as ConnectionOverrides;
  const reach = reachWarnings(calledAddresses(connector, auth, row.overrides), isReachable);
  const own = typeWarnings(row, connector, auth, context.baseUrl);
  if (auth.oauth === undefined) {
    const isByConsent = auth.smart_fhir !== undefined || auth.board_oauth1 !== undefined;
    return [...own, ...reach, ...(isByConsent ? redirectWarnings(context.baseUrl) : [])];
  }
  const tools = [...catalog.tools.values()].filter((tool) => tool.connector === connector.name);
  return [
    ...own,
    ...endpointWarnings(overrides),
    ...reach,
    ...redirectWarnings(context.baseUrl),
    ...scopeWarnings(JSON.parse(row.scopes) as string[], {
      connector,
      rules: auth.oauth,
      known: Object.keys(auth.scopes ?? {}),
      tools,
    }),
  ];
}

/** What a connection of this type needs of the operator and has not got. */
function typeWarnings(
  row: WarnedConnection,
  connector: Connector,
  auth: ConnectorAuth,
  baseUrl: string,
): string[] {
  const { title } = connector;
  switch (auth.type) {
    case 'OAUTH':
      return clientWarnings(row, connector);
    case 'SMART_FHIR':
      if (row.client_id === null) return clientWarnings(row, connector);
      return auth.smart_fhir?.client_authentication === 'private_key_jwt' && row.client_secret_sealed === null
        ? [
            `It has no params.private_key, so no account can be connected. Register the public key with ${title}, and set params.private_key.`,
          ]
        : [];
    case 'BOARD_OAUTH1':
      if (row.client_id === null) return clientWarnings(row, connector);
      return auth.board_oauth1?.flow === 'oauth1' && row.client_secret_sealed === null
        ? [
            `It has no client_secret, which requests to ${title} are signed with, so no account can be connected. Set client_secret.`,
          ]
        : [];
    case 'OAUTH_M2M':
      if (auth.oauth_m2m?.client_authentication !== 'private_key_jwt') return [];
      return row.client_id !== null && row.client_secret_sealed !== null
        ? []
        : [
            `It has no ${row.client_id === null ? 'client_id' : 'params.private_key'}, so no account can be used. Register a client with ${title} and the public key, and set client_id and params.private_key.`,
          ];
    case 'WORKSPACE_DWD':
      return row.client_secret_sealed === null
        ? [
            `It has no params.service_account_json, so no account can be used. Make a service account with ${title}, let an administrator of the workspace authorise it for the scopes, and set its key file.`,
          ]
        : [];
    case 'TRUSTED_IDP':
      return federationWarnings(row, connector, baseUrl);
    default:
      return [];
  }
}

function clientWarnings(row: WarnedConnection, { title }: Connector): string[] {
  if (row.client_id === null) {
    return [
      `It has no client_id, so no account can be connected. Register an app with ${title}, give it the redirect URI of this connection, and set client_id and client_secret.`,
    ];
  }
  if (row.client_secret_sealed === null) {
    return [
      `It has no client_secret. ${title} then takes no consent unless the app is registered there as a public client; set client_secret.`,
    ];
  }
  return [];
}

function endpointWarnings(overrides: ConnectionOverrides): string[] {
  if (Object.keys(overrides).length === 0) return [];
  const missing = (['authorization_url', 'token_url'] as const).filter(
    (name) => overrides[name] === undefined,
  );
  if (missing.length === 0) return [];
  return [
    `overrides has no ${missing.join(' and no ')}, and beside overrides those of the connector are not called: no account can be connected. Add what is missing.`,
  ];
}

/** What is called from here for a connection; the browser goes to authorization_url, and nobody to issuer. */
function calledAddresses(connector: Connector, auth: ConnectorAuth, overrides: string): string[] {
  const { base_url: base } = JSON.parse(overrides) as ConnectionOverrides;
  const api = base === undefined ? connector.hosts.map(({ url }) => url) : [base];
  const { oauth } = auth;
  if (oauth === undefined) return [...api, ...exchangeAddresses(auth, overrides)];
  const endpoints = oauthEndpoints(oauth, overrides, asWritten);
  return [...api, endpoints.tokenUrl, endpoints.revocationUrl].filter((url) => url !== undefined);
}

/** Where access credentials of the other types come from: the connector's addresses, or with overrides the overridden one. */
function exchangeAddresses(auth: ConnectorAuth, overrides: string): string[] {
  const rules = rulesOf(auth);
  if (rules === undefined) return [];
  const own = JSON.parse(overrides) as ConnectionOverrides;
  if (Object.keys(own).length > 0)
    return [own.request_token_url, own.token_url].filter((url) => url !== undefined);
  return addressesIn(rules)
    .filter(([key]) => key !== 'authorization_url')
    .map(([, url]) => url);
}

/** Addresses with placeholders are judged when they are called. */
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
  if (protocol === 'https:' || isLoopbackHost(hostname)) return [];
  return [
    'Its redirect URI begins with http:// and is not on loopback, which providers refuse. Set base_url (GATEHOUSE_BASE_URL) to an https address.',
  ];
}
