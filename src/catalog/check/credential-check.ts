/** Finds faults of the requests that prove a credential and name its account (`auth[].check`, `auth[].who`). Pure. */
import { typeOf } from '../../authorization-types/index.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import { credentialPlaces, placeName } from '../model/credential-places.ts';
import type { Fault } from './fault.ts';
import { addressProblem, climbs } from './request-check.ts';

/** Statuses that say nothing about a credential: the address is wrong, or the provider is too slow or too busy. */
const NEVER_REFUSED: ReadonlySet<number> = new Set([404, 408, 429]);

/** @returns faults with paths below the root of the file */
export function credentialCheckFaults(
  connector: ConnectorEntry,
  auth: ConnectorEntry['auth'][number],
  path: (string | number)[],
): Fault[] {
  const { type, check, who } = auth;
  const isStatic = typeOf({ type }).isStatic === true;
  const faults: Fault[] = [];
  if (check !== undefined) {
    const at = [...path, 'check'];
    if (isStatic) faults.push(...requestFaults(connector, auth, check, at), ...statusFaults(check, at));
    else
      faults.push({
        path: at,
        message: `is for credentials that are sent as entered: remove it from ${type}`,
      });
  }
  if (who !== undefined) {
    const at = [...path, 'who'];
    if (isStatic || type === 'OAUTH') faults.push(...requestFaults(connector, auth, who, at));
    else
      faults.push({
        path: at,
        message: `is for OAUTH and credentials that are sent as entered: remove it from ${type}`,
      });
  }
  return faults;
}

type Auth = ConnectorEntry['auth'][number];

function requestFaults(
  { name, hosts }: ConnectorEntry,
  auth: Auth,
  check: NonNullable<Auth['who']> | NonNullable<Auth['check']>,
  at: (string | number)[],
): Fault[] {
  const faults: Fault[] = [];
  if (check.host >= hosts.length)
    faults.push({ path: [...at, 'host'], message: `${name} has ${hosts.length} hosts, counted from 0` });
  if (climbs(check.path))
    faults.push({ path: [...at, 'path'], message: 'must not have "." or ".." as a part, or start with //' });
  for (const header of Object.keys(check.headers)) {
    const problem = addressProblem(`header.${header}`);
    if (problem !== undefined) faults.push({ path: [...at, 'headers', header], message: problem });
  }
  const own = credentialPlaces([auth]);
  for (const [key, place] of [
    ['query', 'query'],
    ['headers', 'header'],
  ] as const)
    for (const given of Object.keys(check[key]))
      if (own.has(placeName({ in: place, name: given })))
        faults.push({ path: [...at, key, given], message: `${given} carries the credential` });
  return faults;
}

function statusFaults({ refused }: NonNullable<Auth['check']>, at: (string | number)[]): Fault[] {
  return refused.flatMap((status, i) =>
    NEVER_REFUSED.has(status)
      ? [{ path: [...at, 'refused', i], message: `${status} never means a refused credential` }]
      : [],
  );
}
