/** Remote MCP servers in public lists. Nobody has tried them here, and every answer that uses one says so. Pure. */
import type { JsonObject } from '../../core/json.ts';
import { nearest } from '../../core/text.ts';
import { BEARER, keyIn } from './new-connector.ts';

/** Ways to bring credentials, in the words of the list. */
export const LISTED_WAYS = ['oauth', 'key', 'none'] as const;

/** A server in public lists. */
export interface ListedServer {
  name: string;
  title: string;
  url: string;
  authorization: readonly (typeof LISTED_WAYS)[number][];
  registration?: 'static' | 'document' | 'dynamic' | undefined;
  /** Header that takes the key, if a list names it. */
  header?: string | undefined;
  note?: string | undefined;
  /** Lists that have it, each with the date of its last change. */
  sources: readonly { at: string; date: string }[];
}

/** The server with this name. `-`, blanks and capital letters do not matter. */
export function listedAs(servers: readonly ListedServer[], name: string): ListedServer | undefined {
  const wanted = spelled(name);
  return servers.find((server) => server.name === wanted);
}

/** The sentence about a name that is in no list. */
export function notListed(servers: readonly ListedServer[], name: string): string {
  const close = nearest(
    spelled(name).slice(0, 100),
    servers.map((server) => server.name),
  );
  return `No list names a server ${name}. ${close === undefined ? '' : `Did you mean ${close}? `}Give the address of the MCP server.`;
}

function spelled(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[- ]+/g, '_');
}

/** Date of the newest list that has it. */
export function listedOn({ sources }: ListedServer): string {
  return (
    sources
      .map(({ date }) => date)
      .toSorted()
      .at(-1) ?? ''
  );
}

/** The remark of every answer that uses an entry. */
export function listedRemark(server: ListedServer): string {
  const { note } = server;
  const remark = note === undefined ? '' : ` The lists remark: ${note}.`;
  return `Address and authorization are as listed on ${listedOn(server)}, not tried.${remark}`;
}

/**
 * `auth` of a connector.yaml for a server that takes only keys; `undefined` if the server itself has to say how
 * people bring credentials.
 */
export function listedAuth({ authorization, header }: ListedServer): JsonObject[] | undefined {
  if (authorization.some((way) => way !== 'key')) return undefined;
  return [header === undefined || header === 'Authorization' ? BEARER : keyIn(header)];
}
