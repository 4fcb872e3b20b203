/** Helpers for handlers of several connectors, to write a request and to read a failure. */
import type { JsonObject, ProviderRequest } from '../catalog/model/types.ts';
import { ServiceError } from '../core/errors.ts';
import type { RENEWAL_FAILED } from '../outbound/provider-failure.ts';

/** The status of this error is that of the token endpoint. */
const RENEWAL: typeof RENEWAL_FAILED = 'TOKEN_REFRESH_FAILED';

/** The only way for a handler to send a request: bound to its connector and account. */
export interface ProviderHttp {
  send(request: ProviderRequest): Promise<unknown>;
  /** Counts a further page in the account's limits; absent without an account. @throws ServiceError RATE_LIMITED */
  countPage?(): Promise<void>;
}

/** GET from the connector's first host. */
export function get(path: string, query: ProviderRequest['query'] = []): ProviderRequest {
  return { method: 'GET', host: 0, path, query, headers: {} };
}

/** POST of a JSON body to the connector's first host. */
export function post(path: string, body: JsonObject): ProviderRequest {
  return { method: 'POST', host: 0, path, query: [], headers: {}, body };
}

/** PATCH with a JSON body to the connector's first host. */
export function patch(path: string, body: JsonObject): ProviderRequest {
  return { ...post(path, body), method: 'PATCH' };
}

/** The options of a query that have a value, as text. */
export function queryOf(options: JsonObject): ProviderRequest['query'] {
  return Object.entries(given(options)).map(([name, value]) => [name, String(value)] as const);
}

/** PUT of a JSON body to the connector's first host. */
export function put(path: string, body: JsonObject, query: ProviderRequest['query'] = []): ProviderRequest {
  return { ...post(path, body), method: 'PUT', query };
}

/** The members that have a value. */
export function given(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The status with which a provider refused a call; `undefined` for other errors, such as a failed token renewal. */
export function refusalStatus(error: unknown): number | undefined {
  const { provider_status: status, code } = toolErrorOf(error);
  return typeof status === 'number' && code !== RENEWAL ? status : undefined;
}

/** The code of a failed call: the provider's own, or ours if it gave none; `undefined` for every other error. */
export function refusalCode(error: unknown): string | undefined {
  const { code } = toolErrorOf(error);
  return typeof code === 'string' ? code : undefined;
}

function toolErrorOf(error: unknown): { provider_status?: unknown; code?: unknown } {
  if (!(error instanceof ServiceError) || error.code !== 'TOOL_ERROR') return {};
  return error.details['tool_error'] ?? {};
}
