/**
 * Finds faults of a connector.yaml in the keys that requests without a tool use: path prefixes and headers.
 * Pure.
 */
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import { credentialPlaces } from '../model/credential-places.ts';
import type { Fault } from './fault.ts';

/** Headers that steer a connection, identify the client, or change what a request means. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);

/** Prefixes of header names with the same effect. */
const FORBIDDEN_FAMILIES = /^(proxy-|x-forwarded-|sec-|cf-|true-client-)/;

/** Members of an account's `api_config` that mean the same for every connector. */
const CALL_SETTINGS: ReadonlySet<string> = new Set(['rate_limit', 'timeout', 'endpoint']);

/** @returns faults with paths below the root of the file */
export function proxyFaults(connector: ConnectorEntry): Fault[] {
  return [...prefixFaults(connector), ...headerFaults(connector), ...reservedFaults(connector)];
}

/** If one host declares path prefixes, every path has to lead to exactly one host. */
function prefixFaults({ hosts }: ConnectorEntry): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const isDivided = hosts.some(({ path_prefixes }) => path_prefixes !== undefined);
  let defaults = 0;
  for (const [i, { path_prefixes = [] }] of hosts.entries()) {
    if (isDivided && path_prefixes.length === 0 && ++defaults > 1)
      faults.push({
        path: ['hosts', i],
        message: 'needs path_prefixes: only one host can take the paths that no other declares',
      });
    for (const [j, prefix] of path_prefixes.entries()) {
      const path = ['hosts', i, 'path_prefixes', j];
      if (hosts.length === 1)
        faults.push({ path, message: 'has no effect: there is only one host. Remove it' });
      else if (seen.has(prefix)) faults.push({ path, message: `${prefix} is declared twice` });
      seen.add(prefix);
    }
  }
  return faults;
}

function headerFaults({ proxy_headers = [], auth }: ConnectorEntry): Fault[] {
  const ofCredentials = credentialPlaces(auth);
  return proxy_headers.flatMap((name, i) => {
    const path = ['proxy_headers', i];
    const lower = name.toLowerCase();
    if (FORBIDDEN_HEADERS.has(lower) || FORBIDDEN_FAMILIES.test(lower))
      return [{ path, message: `${name} never passes: it steers the connection or says who asks` }];
    if (ofCredentials.has(`header.${lower}`)) return [{ path, message: `${name} carries the credential` }];
    return [];
  });
}

function reservedFaults({ hosts }: ConnectorEntry): Fault[] {
  return hosts.flatMap(({ placeholders }, i) =>
    Object.keys(placeholders)
      .filter((name) => CALL_SETTINGS.has(name))
      .map((name) => ({
        path: ['hosts', i, 'placeholders', name],
        message: `${name} is a setting of every account: take another name`,
      })),
  );
}
