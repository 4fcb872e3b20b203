/** Makes the definition of a connector from what an operator says of a remote MCP server. Pure. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { violation, type FieldViolation, type ServiceError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { UpstreamView } from './upstream-view.ts';

/** What an operator has seen of a server before they add it. */
export type SeenUpstream = Pick<UpstreamView, 'authorization_type' | 'issuer' | 'origins'>;

/** What an operator gives (docs/contract.md#13-routes-of-the-rest-api). */
export interface NewUpstream {
  /** Of connector and connection; left out: made from the address. */
  name?: string | undefined;
  url?: string | undefined;
  title?: string | undefined;
  /** How people bring credentials: `oauth`, `bearer`, `none` or `header:<name>`; left out: the server says it. */
  auth?: string | undefined;
  /** Further keys of its file, as in a connector.yaml. */
  connector?: JsonObject | undefined;
  /** Left out or false: only looks, and stores nothing. */
  confirm?: boolean | undefined;
  /** What the look before has shown. It has to be there where people consent, and nothing else is added. */
  seen?: SeenUpstream | undefined;
  /** Tools and their changes are published without a person: for servers of one's own. */
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

/** Labels in front of names, and parts of endings such as co.uk. */
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
 * @param auth how people bring credentials, where the operator says nothing of it
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

/** `auth` of a connector.yaml for one word; `undefined` for a word that is none. */
export function authFor(word: string): JsonObject[] | undefined {
  if (word === 'oauth') return [{ type: 'MCP_OAUTH' }];
  if (word === 'none') return [{ type: 'NO_AUTH' }];
  if (word === 'bearer') return [BEARER];
  const header = /^header:(.+)$/.exec(word)?.[1];
  return header === undefined ? undefined : [keyIn(header)];
}

/** What a request says twice, or what only `trusted` allows. */
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

/** What is wrong with a definition, by the fields of the request that it was made from. */
export function requestViolations(error: ServiceError, input: NewUpstream): FieldViolation[] {
  return error.violations.map((each) => ({ ...each, field: requestField(each.field, input) }));
}

function requestField(field: string, { title, connector }: NewUpstream): string {
  if (field === 'name' || (field === 'title' && title !== undefined)) return field;
  if (field === 'mcp.url') return 'url';
  return connector === undefined ? 'url' : `connector.${field}`;
}

/**
 * The id of its connection, from which its redirect URI follows: the same for a look and for what is stored afterwards,
 * and another one for another address.
 */
export function connectionIdOf(environmentId: string, name: string, url: string): string {
  const hash = createHash('sha256').update([environmentId, name, url].join('\n')).digest('hex');
  return `conn_${hash.slice(0, 24)}`;
}

/** Where a look differs from the one that the operator has seen. */
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
