/** The block of an `auth` entry, whatever its authorization type, and the addresses in it. Pure. */
import { valueAt } from '../core/json.ts';
import { blockOf, typeOf, type AuthorizationType, type BlockName } from './index.ts';

/** A block with addresses. Absent: the block has no placeholders of its own. */
export interface AddressedRules {
  /** For each placeholder of the addresses the pattern of its value. */
  placeholders?: Readonly<Record<string, string>> | undefined;
}

/** An `auth` entry of the catalog, or of a file that may lack the block of its type or have one too many. */
export type AuthWithBlocks = { type: AuthorizationType } & {
  readonly [Block in BlockName]?: object | undefined;
};

/** The entry's own block; `undefined` if its type has none. */
export function rulesOf(auth: AuthWithBlocks): AddressedRules | undefined {
  const block = blockOf(auth.type);
  return block === undefined ? undefined : auth[block];
}

/** Names of the values that the provider says while an account of the entry is connected. */
export function metadataOf(auth: AuthWithBlocks): readonly string[] {
  return typeOf(auth).metadata?.(rulesOf(auth) ?? {}) ?? [];
}

/** The addresses in the entry's block, with their keys. */
export function addressesIn(auth: AuthWithBlocks): [key: string, url: string][] {
  const rules = rulesOf(auth);
  return (typeOf(auth).addresses ?? []).flatMap((key): [string, string][] => {
    const url = valueAt(rules, ...key.split('.'));
    return typeof url === 'string' ? [[key, url]] : [];
  });
}

/**
 * Whether the provider grants the scopes that are ticked in the registered app, so that a request asks for
 * none.
 */
export function grantsTickedScopes(auth: AuthWithBlocks): boolean {
  return typeOf(auth).grantsTickedScopes?.(rulesOf(auth) ?? {}) ?? false;
}
