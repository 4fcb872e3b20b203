/** Resources and scopes that people's tokens can have. Pure. */
import { ORGANIZATION_SCOPES, PERSON_SCOPES, type Scope } from '../../core/caller.ts';

/** A resource of an environment. */
export interface PersonResource {
  /** The audience. */
  resource: string;
  /** Scopes that tokens for it can have: `admin` for operators only, those of the organization for its admins only. */
  scopes: readonly Scope[];
  /** Scopes of a request that names none. */
  defaultScopes: readonly Scope[];
  /** Name of its virtual server; `undefined` for other resources. */
  serverName?: string;
}

const SCOPES = [...PERSON_SCOPES, ...ORGANIZATION_SCOPES];

/** Name of a virtual server in its address. */
const SERVER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Resource of a person's token if the request names none. */
export function defaultResource(baseUrl: string): string {
  return `${baseUrl}/mcp`;
}

/**
 * The resource that a request names: `{base_url}/mcp`, `{base_url}/api`, or `{base_url}/mcp/<virtual server>`.
 *
 * @returns `undefined` otherwise, also for the base URL: a person's token is for one resource
 * @see RFC 8707 section 2
 */
export function personResource(baseUrl: string, resource: string): PersonResource | undefined {
  if (resource === `${baseUrl}/api`)
    return { resource, scopes: [...SCOPES, 'admin'], defaultScopes: PERSON_SCOPES };
  const server = resource.startsWith(`${baseUrl}/mcp/`) ? resource.slice(baseUrl.length + 5) : undefined;
  const isMcp = resource === `${baseUrl}/mcp` || (server !== undefined && SERVER_NAME.test(server));
  if (!isMcp) return undefined;
  return {
    resource,
    scopes: SCOPES,
    defaultScopes: ['tools:execute'],
    ...(server !== undefined && { serverName: server }),
  };
}
