/**
 * RFC 7396 JSON merge patch, used to update `api_config`: `null` removes, objects merge, the rest replaces.
 */

type Json = Record<string, unknown>;

/** Returns a new object; neither argument is changed. */
export function mergePatch(target: Readonly<Json>, patch: Readonly<Json>): Json {
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

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
