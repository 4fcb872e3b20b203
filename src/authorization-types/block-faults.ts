/** Mistakes in the block of an authorization type that several types share. Pure. */

/** A mistake in a block, with its path below the block. */
export interface BlockFault {
  path: readonly (string | number)[];
  message: string;
}

/** The faults of parameters that a connector adds although only Gatehouse sets them. @param key of the block */
export function ownParameterFaults(
  key: string,
  given: Readonly<Record<string, string>>,
  own: readonly string[],
): BlockFault[] {
  return Object.keys(given)
    .filter((name) => own.includes(name))
    .map((name) => ({ path: [key, name], message: 'is set by Gatehouse: remove it' }));
}

/** The faults of renamed scopes: each has to be described by the entry, and no two may have the same name. */
export function scopeNameFaults(
  names: Readonly<Record<string, string>> = {},
  described: Readonly<Record<string, string>>,
): BlockFault[] {
  return Object.entries(names).flatMap(([name, called]) => {
    const path = ['scope_names', name];
    const isTaken = Object.values(names).filter((other) => other === called).length > 1;
    return [
      ...(Object.hasOwn(described, name) ? [] : [{ path, message: 'is not in scopes' }]),
      ...(isTaken ? [{ path, message: `${called} is the name of two scopes` }] : []),
    ];
  });
}

/** The faults of default scopes: each has to be described by the entry. */
export function defaultScopeFaults(
  scopes: readonly string[],
  described: Readonly<Record<string, string>>,
): BlockFault[] {
  return scopes.flatMap((name, i) =>
    Object.hasOwn(described, name)
      ? []
      : [{ path: ['scopes', i], message: `names ${name}, which is not in the scopes of the entry` }],
  );
}
