/**
 * Builds provider requests with the account's credential, their address and their deadlines, for tools, proxied
 * requests and dry runs.
 */
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import type { Connector, ProviderRequest, Tool } from '../../catalog/model/types.ts';
import type { OutboundRequest } from '../../outbound/outbound.ts';
import { buildUrl } from '../../outbound/url.ts';
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import { hostOf } from '../../connections/allowed-endpoint.ts';
import { callSettings, type CallSettings } from '../../connections/call-settings.ts';
import {
  connectorHeaders,
  fillPlaceholders,
  pathOf,
  placeholderValues,
} from '../../connections/placeholders.ts';
import type { Account } from '../../store/accounts/account.ts';

/** A request below a provider's address, without credential. */
export interface DraftRequest {
  method: OutboundRequest['method'];
  base: URL;
  /** Starts with `/`. */
  path: string;
  /** Decoded names and values, in order. */
  query: readonly (readonly [string, string])[];
  /** Query string without `?`, used verbatim; comes first. */
  writtenQuery?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/**
 * The request to send. Headers of the credential replace those of the request with the same name.
 *
 * @throws ServiceError INVALID_ARGUMENT on `path` or `query`
 */
export function withCredential(
  { method, base, path, query, writtenQuery, headers, body }: DraftRequest,
  credential: Pick<UsableCredential, 'headers' | 'query'>,
): OutboundRequest {
  return {
    method,
    url: buildUrl(base, path, [...query, ...credential.query], writtenQuery),
    headers: joinedHeaders(headers, credential.headers),
    ...(body !== undefined && { body }),
  };
}

/** A host of a connector for one account, and the headers that go with every request to it. */
export interface ProviderTarget {
  base: URL;
  headers: Readonly<Record<string, string>>;
}

/** A tool's request as JSON over HTTP. Its own headers take precedence over those of the connector. */
export function draftOf(
  request: ProviderRequest,
  { base, headers: usual }: ProviderTarget,
  traceparent?: string,
): DraftRequest {
  const { method, path, query, headers, body, answer } = request;
  const hasBody = body !== undefined;
  const namesType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    method,
    base,
    path,
    query,
    headers: joinedHeaders(
      {
        accept: answer === 'text' ? '*/*' : 'application/json',
        ...(hasBody && !namesType && { 'content-type': 'application/json' }),
        ...(traceparent !== undefined && { traceparent }),
      },
      usual,
      headers,
    ),
    ...(hasBody && { body: JSON.stringify(body) }),
  };
}

/** All headers; later ones replace earlier ones of the same name, in any letter case. */
export function joinedHeaders(...parts: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const entries = parts.flatMap((part) => Object.entries(part));
  return Object.fromEntries(new Map(entries.map((entry) => [entry[0].toLowerCase(), entry])).values());
}

/**
 * The address and headers for requests of this account to one of the connector's hosts.
 *
 * @throws ServiceError INVALID_ARGUMENT as `baseUrlOf`
 */
export function targetOf(
  connector: Connector,
  host: number,
  account: Parameters<typeof baseUrlOf>[2],
  details: AuthorizationDetails,
): ProviderTarget {
  const values = placeholderValues(account, details.oauth_token?.domain);
  return {
    base: baseUrlOf(connector, host, account, details),
    headers: connectorHeaders(connector, values),
  };
}

/**
 * Base URL of one of the connector's hosts for this account: the host with its placeholders filled, or the connection's
 * own base URL.
 *
 * A placeholder is filled from api_config, otherwise from `oauth_token.domain`, otherwise from the connection's params.
 * It must match the connector's pattern, so that an account cannot lead a credential to another host. The same holds
 * for another base address in api_config (`endpoint`); it is ignored if the connection has an address of its own.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connected_account.api_config.<placeholder>`
 */
export function baseUrlOf(
  connector: Connector,
  host: number,
  account: Pick<Account, 'apiConfig'> & { connection: Pick<Account['connection'], 'params' | 'overrides'> },
  details: AuthorizationDetails,
): URL {
  const template = connector.hosts[host];
  if (template === undefined) throw new Error(`${connector.name} has no host ${host}`);
  const values = placeholderValues(account, details.oauth_token?.domain);
  const fill = (address: string): string =>
    fillPlaceholders(address, template.placeholders, connector, values);
  const { base_url: base } = account.connection.overrides;
  if (base !== undefined) return new URL(fill(pathOf(template.url)), base);
  const { endpoint } = callSettings(account);
  if (endpoint !== undefined && hostOf(connector, endpoint) === host) return new URL(endpoint);
  return new URL(fill(template.url));
}

/** Deadlines of a request; the settings replace absent members. */
interface CallDeadlines {
  headersTimeoutMs?: number;
  totalTimeoutMs?: number;
}

/**
 * Time limits of a call: those of its account or connection, otherwise of its tool, otherwise of the settings.
 *
 * @param tool `undefined` for a proxied request
 */
export function deadlinesOf(
  tool: Pick<Tool, 'deadline'> | undefined,
  { timeoutMs }: CallSettings,
): CallDeadlines {
  if (timeoutMs !== undefined) return { headersTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs };
  const deadline = tool?.deadline;
  return deadline === undefined
    ? {}
    : { headersTimeoutMs: deadline.headersMs, totalTimeoutMs: deadline.totalMs };
}
