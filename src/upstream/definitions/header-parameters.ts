/**
 * Parameters that a definition wants to be sent as headers too (`x-mcp-header` of MCP 2026-07-28, "Schema
 * Extension"). A tool with a header that the standard does not allow may not be offered. Pure.
 */
import { isObject, type JsonObject } from '../../core/json.ts';

const KEYWORD = 'x-mcp-header';

/** A token of RFC 9110, which cannot contain a line break. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * The first mistake in the headers of a schema; `undefined` if there is none.
 *
 * @param schema of limited depth
 */
export function headerFault(schema: JsonObject): string | undefined {
  const names = declared(schema, 'root').map(({ name, type, isAllowed }) =>
    isAllowed && typeof name === 'string' && TOKEN.test(name) && TYPES.includes(type)
      ? name.toLowerCase()
      : undefined,
  );
  if (names.includes(undefined)) return 'it asks for a header that MCP does not allow';
  return new Set(names).size < names.length ? 'it asks for one header twice' : undefined;
}

interface Declaration {
  name: unknown;
  type: unknown;
  isAllowed: boolean;
}

/**
 * Position in a schema. A `parameter` is reached through `properties` alone; members of `names` are names, not
 * keywords; `elsewhere` no header may be declared.
 */
type Place = 'root' | 'parameter' | 'names' | 'elsewhere';

function declared(value: unknown, place: Place): Declaration[] {
  if (Array.isArray(value)) return value.flatMap((item) => declared(item, 'elsewhere'));
  if (!isObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, member]) => declared(member, placeOf(key, place)));
  return place === 'names' || !(KEYWORD in value)
    ? below
    : [{ name: value[KEYWORD], type: value['type'], isAllowed: place === 'parameter' }, ...below];
}

function placeOf(key: string, within: Place): Place {
  if (within === 'names') return 'parameter';
  return key === 'properties' && within !== 'elsewhere' ? 'names' : 'elsewhere';
}
