/** Finds faults of the headers that a connector sends with every request (`headers`). Pure. */
import { metadataOf } from '../../authorization-types/blocks.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from './fault.ts';
import { credentialPlaces } from '../model/credential-places.ts';
import { placeholdersIn } from './placeholder-check.ts';
import { addressProblem } from './request-check.ts';

/** @returns faults with paths below the root of the file */
export function headerFaults(connector: ConnectorEntry): Fault[] {
  const { headers = {}, proxy_headers = [], hosts, auth, mcp } = connector;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const known = new Set([
    ...hosts.flatMap(({ placeholders }) => Object.keys(placeholders)),
    ...auth.flatMap((entry) => metadataOf(entry)),
  ]);
  const ofCredentials = credentialPlaces(auth);
  const faults: Fault[] = [];
  if (mcp !== undefined && names.length > 0)
    faults.push({ path: ['headers'], message: 'are for an API: a connector with mcp has none' });
  for (const [i, [name, value]] of Object.entries(headers).entries()) {
    const path = ['headers', name];
    const lower = name.toLowerCase();
    const used = placeholdersIn([value]);
    if (ofCredentials.has(`header.${lower}`)) faults.push({ path, message: 'carries the credential' });
    if (addressProblem(`header.${name}`) !== undefined)
      faults.push({ path, message: 'is set by Gatehouse: remove it' });
    if (names.indexOf(lower) !== i) faults.push({ path, message: `${name} is declared twice` });
    for (const placeholder of used)
      if (!known.has(placeholder))
        faults.push({
          path,
          message: `has the placeholder {${placeholder}}, which no host and no metadata describes`,
        });
    if (used.size > 0 && proxy_headers.some((passed) => passed.toLowerCase() === lower))
      faults.push({ path, message: `says whose data is meant: remove ${name} from proxy_headers` });
  }
  return faults;
}
