/** Finds faults of the request that proves a credential (`auth[].check`). Pure. */
import { typeOf } from '../../authorization-types/index.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from './fault.ts';
import { addressProblem, climbs } from './request-check.ts';

/** Statuses that say nothing about a credential: the address is wrong, or the provider is too slow or too busy. */
const NEVER_REFUSED: ReadonlySet<number> = new Set([404, 408, 429]);

/** @returns faults with paths below the root of the file */
export function credentialCheckFaults(
  { name, hosts }: ConnectorEntry,
  { type, attach, check }: ConnectorEntry['auth'][number],
  path: (string | number)[],
): Fault[] {
  if (check === undefined) return [];
  const at = [...path, 'check'];
  if (typeOf({ type }).isStatic !== true)
    return [{ path: at, message: `is for credentials that are sent as entered: remove it from ${type}` }];
  const faults: Fault[] = [];
  if (check.host >= hosts.length)
    faults.push({ path: [...at, 'host'], message: `${name} has ${hosts.length} hosts, counted from 0` });
  if (climbs(check.path))
    faults.push({ path: [...at, 'path'], message: 'must not have "." or ".." as a part, or start with //' });
  for (const header of Object.keys(check.headers)) {
    const problem = addressProblem(`header.${header}`);
    if (problem !== undefined) faults.push({ path: [...at, 'headers', header], message: problem });
  }
  const place = attach?.in === 'query' ? 'query' : 'headers';
  for (const given of Object.keys(check[place]))
    if (given.toLowerCase() === attach?.name.toLowerCase())
      faults.push({ path: [...at, place, given], message: `${given} carries the credential` });
  for (const [i, status] of check.refused.entries())
    if (NEVER_REFUSED.has(status))
      faults.push({ path: [...at, 'refused', i], message: `${status} never means a refused credential` });
  return faults;
}
