/** Makes the definition of a connector from an operator's description of a remote MCP server. Pure. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { violation, type FieldViolation, type ServiceError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { UpstreamView } from './upstream-view.ts';

/** The facts that an operator has seen of a server before they add it. */
export type SeenUpstream = Pick<UpstreamView, 'authorization_type' | 'issuer' | 'origins'>;

/** An operator's description of a server (docs/contract.md#13-routes-of-the-rest-api). */
export interface NewUpstream {
  /** Name of connector and connection. Default: made from the address. */
  name?: string | undefined;
  url?: string | undefined;
  title?: string | undefined;
  /** How people bring credentials: `oauth`, `bearer`, `none` or `header:<name>`. Default: what the server says. */
  auth?: string | undefined;
  /** Further keys of its file, written as in a connector.yaml. */
  connector?: JsonObject | undefined;
  /** Stores the server. Default: only looks, and stores nothing. */
  confirm?: boolean | undefined;
  /**
   * The result of the previous look. It is required for servers with a consent, and a server that differs from it
   * is not added.
   */
  seen?: SeenUpstream | undefined;
  /** Whether tools and their changes are published without a person's approval: for the operator's own servers. */
  trusted?: boolean | undefined;
}

/** A name for a server, from the part of its host that says whose it is: `https://mcp.linear.app/mcp` is `linear`. */
export function nameFrom(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (/^[\d.]+$|:/.test(hostname)) return undefined;
  const labels = hostname.split('.').filter((label) => !GENERIC.has(label));
  const own = labels.length > 1 ? labels.at(-2) : labels[0];
  const name = own
    ?.replaceAll(/\W+|-/g, '_')
    .replace(/^[\d_]+/, '')
    .slice(0, 30);
  return name === '' ? undefined : name;
}

/** Labels that are not names: at the start of a host, and parts of endings such as co.uk. */
const GENERIC = new Set(['mcp', 'www', 'api', 'com', 'co']);

/** `google_calendar` is `Google Calendar`. */
export function titleFrom(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}

/**
 * The content of its file.
 *
 * @param auth how people bring credentials, if the operator does not say it
 */
export function definitionOf(
  { name, url, title, connector = {}, trusted = false }: NewUpstream & { name: string; url: string },
  auth: readonly JsonObject[],
): JsonObject {
  const given = isObject(connector['mcp']) ? connector['mcp'] : {};
  return {
    description: `Tools of ${title ?? titleFrom(name)}, a remote MCP server.`,
    auth,
    ...connector,
    name,
    title: title ?? connector['title'] ?? titleFrom(name),
    mcp: { ...given, url, ...(trusted && { approval: 'trusted' }) },
  };
}

/** A token in `Authorization: Bearer …`. */
export const BEARER: JsonObject = {
  type: 'BEARER_TOKEN',
  fields: [{ name: 'token', label: 'Key or token', input: 'password' }],
};

/** A key in a header of its own. */
export function keyIn(header: string): JsonObject {
  return {
    type: 'API_KEY',
    fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
    attach: { in: 'header', name: header, field: 'api_key' },
  };
}

/** `auth` of a connector.yaml for one word; `undefined` for an unknown word. */
export function authFor(word: string): JsonObject[] | undefined {
  if (word === 'oauth') return [{ type: 'MCP_OAUTH' }];
  if (word === 'none') return [{ type: 'NO_AUTH' }];
  if (word === 'bearer') return [BEARER];
  const header = /^header:(.+)$/.exec(word)?.[1];
  return header === undefined ? undefined : [keyIn(header)];
}

/** Violations of a request that says something twice, or asks for something that only `trusted` allows. */
export function conflicts(given: NewUpstream): FieldViolation[] {
  const { name, url, connector = {}, trusted = false } = given;
  const out: FieldViolation[] = [];
  const { mcp, auth } = connector;
  if (connector['name'] !== undefined && connector['name'] !== name)
    out.push(violation('connector.name', 'Give the name beside connector, and not in it.', 'fixed'));
  if (isObject(mcp) && mcp['url'] !== undefined && mcp['url'] !== url)
    out.push(violation('connector.mcp.url', 'Give the address as url, and not in connector.', 'fixed'));
  if (trusted) return out;
  const own = 'is for servers of your own. Set trusted to say that it is one.';
  if (isObject(mcp) && mcp['approval'] === 'trusted')
    out.push(violation('connector.mcp.approval', `trusted ${own}`, 'trusted'));
  for (const [i, entry] of Array.isArray(auth) ? auth.entries() : []) {
    const rules = isObject(entry) && isObject(entry['mcp_oauth']) ? entry['mcp_oauth'] : {};
    if (rules['authorization_servers'] === 'follow')
      out.push(violation(`connector.auth.${i}.mcp_oauth.authorization_servers`, `follow ${own}`, 'trusted'));
  }
  return out;
}

/** Violations of a definition, assigned to the fields of the request that it was made from. */
export function requestViolations(error: ServiceError, input: NewUpstream): FieldViolation[] {
  return error.violations.map((each) => ({ ...each, field: requestField(each.field, input) }));
}

function requestField(field: string, { title, connector }: NewUpstream): string {
  const isOfConnector = title === undefined && connector?.['title'] !== undefined;
  if (field === 'name' || (field === 'title' && !isOfConnector)) return field;
  if (field === 'mcp.url') return 'url';
  return connector === undefined ? 'url' : `connector.${field}`;
}

/**
 * The id of its connection, from which its redirect URI is derived. A look and the stored connection get the same
 * id, and another address gets another one.
 */
export function connectionIdOf(environmentId: string, name: string, url: string): string {
  const hash = createHash('sha256').update([environmentId, name, url].join('\n')).digest('hex');
  return `conn_${hash.slice(0, 24)}`;
}

/** Differences between a look and the one that the operator has seen. */
export function unseen(found: SeenUpstream, seen: SeenUpstream | undefined): FieldViolation[] {
  if (seen === undefined)
    return found.issuer === null
      ? []
      : [
          violation(
            'seen',
            'Give what the look before it has shown: who asks people for consent.',
            'required',
          ),
        ];
  return (['authorization_type', 'issuer', 'origins'] as const)
    .filter((member) => !isDeepStrictEqual(found[member], seen[member]))
    .map((member) => {
      const now = found[member] ?? 'nothing';
      return violation(
        `seen.${member}`,
        `Now it is ${[now].flat().join(', ')}. Look at it again.`,
        'changed',
      );
    });
}
