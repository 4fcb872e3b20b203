/** A letter that replaces a logo. Pure. */

/** The first letter or digit of a name, as a capital; a dot for a name that has none. */
export function initial(name: string): string {
  return name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '·';
}
