/**
 * The places in a request that the values of a credential go to (`auth[].attach`): one place, or a list of them.
 * Pure.
 */
import type { InMemory } from './types.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';

/** A header or a query parameter, and the value that it carries. */
export type CredentialPlace = Exclude<
  InMemory<NonNullable<ConnectorEntry['auth'][number]['attach']>>,
  readonly unknown[]
>;

/** The part of an entry that names the places, in a file or in memory. */
interface Attaching<Place = Pick<CredentialPlace, 'in' | 'name'>> {
  attach?: Place | readonly Place[] | undefined;
}

/** The places that an entry names, in their order; none if its credential has a fixed place. */
export function placesOf<Place>({ attach }: Attaching<Place>): readonly Place[] {
  if (attach === undefined) return [];
  return Array.isArray(attach) ? (attach as readonly Place[]) : [attach as Place];
}

/** The name of a place as a tool addresses it, in lower case: `header.x-api-key`. */
export function placeName(place: Pick<CredentialPlace, 'in' | 'name'>): string {
  return `${place.in}.${place.name}`.toLowerCase();
}

/** The names of all places at which some entry of a connector sends its credential. */
export function credentialPlaces(auth: readonly Attaching[]): ReadonlySet<string> {
  return new Set(auth.flatMap((entry) => placesOf(entry).map(placeName)));
}
