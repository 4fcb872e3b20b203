/** Values of JSON: their types, their members, and the RFC 7396 merge patch. Pure. */

/** An object of JSON. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is an object, and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a list, of which nothing else is known. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The names of an object's own members. For objects that have no others than those of their type, such as constants. */
export function keysOf<Members extends object>(value: Members): (keyof Members & string)[] {
  return Object.keys(value) as (keyof Members & string)[];
}

/** An own member of an object, or an item of a list; `undefined` if there is none. Inherited names do not count. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const member: unknown = Reflect.get(value, name);
  return member;
}

/** The members of an object; anything else has none. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value at a path of members; `undefined` if there is none. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(memberOf, value);
}

/**
 * The value of a JSON text, to be checked before it is used.
 *
 * @throws SyntaxError if it is not JSON
 */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** `patch` applied to `target` by RFC 7396: `null` removes, objects merge, the rest replaces. Changes neither. */
export function mergePatch(target: Readonly<JsonObject>, patch: Readonly<JsonObject>): JsonObject {
  const out = new Map<string, unknown>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) out.delete(key);
    else if (isObject(value)) {
      const existing = out.get(key);
      out.set(key, mergePatch(isObject(existing) ? existing : {}, value));
    } else out.set(key, value);
  }
  return Object.fromEntries(out);
}
