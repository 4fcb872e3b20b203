/**
 * Names that tools of other servers get here: `<connector>_<name>`. Pure.
 *
 * The result depends on the set of tools, not on their order: if two would get one name, both get digits.
 */
import { createHash } from 'node:crypto';

/** Longest name. Some clients count the server's name too, and drop tools with more than 60 to 64 characters. */
const MAX_NAME = 60;

/** Characters that are kept before the digits of a name that is too long or not unique. */
const KEPT = 51;

/** Names that can be turned into one of ours. Any other character may make a name look like another one. */
const READABLE = /^[A-Za-z0-9_.\-/ ]{1,128}$/;

/** Names of Gatehouse's own tools: those that find and call other tools, and all that begin with `gatehouse_`. */
const RESERVED = /^(?:search_tools|describe_tool|call_tool|call_read_tool|gatehouse_.*)$/;

/** Whether a name can be that of a tool of a connector. */
export function isNameFor(connector: string, name: string): boolean {
  return (
    name.length <= MAX_NAME &&
    name.startsWith(`${connector}_`) &&
    /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(name) &&
    !RESERVED.test(name)
  );
}

/**
 * Original name -> our name. `undefined` if no name can be made or another tool has it, so that an operator has to
 * choose one.
 *
 * @param connector name of the connector
 * @param originals names of all its tools, as the server writes them
 * @param isTaken whether another tool of the catalog has this name
 */
export function toolNames(
  connector: string,
  originals: Iterable<string>,
  isTaken: (name: string) => boolean = () => false,
): Map<string, string | undefined> {
  const all = [...new Set(originals)];
  const plain = new Map(all.map((original) => [original, plainName(connector, original)]));
  const counts = new Map<string | undefined, number>();
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    all.map((original) => {
      const name = plain.get(original);
      const isOnly = counts.get(name) === 1;
      const given =
        name === undefined || (isOnly && name.length <= MAX_NAME) ? name : withDigits(name, original);
      return [original, given === undefined || RESERVED.test(given) || isTaken(given) ? undefined : given];
    }),
  );
}

function plainName(connector: string, original: string): string | undefined {
  if (!READABLE.test(original)) return undefined;
  const words = original
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .toLowerCase();
  const own = words.startsWith(`${connector}_`) ? words.slice(connector.length + 1) : words;
  return own === '' || words === connector ? undefined : `${connector}_${own}`;
}

function withDigits(name: string, original: string): string {
  const digits = createHash('sha256').update(original).digest('hex').slice(0, 8);
  return `${name.slice(0, KEPT)}_${digits}`;
}
