/**
 * A description in which `allOf` is merged, for a yardstick that closes objects: a part of an `allOf` that only adds
 * `required` to a member would otherwise forbid the members that another part describes.
 */
type Json = Record<string, unknown>;

/** Formats that JSON Schema does not know. */
const UNKNOWN_FORMATS = ['uint64', 'int64', 'int32'];

/** @param node the document or a part of it; references stay where nothing is merged into them */
export function withoutAllOf(node: unknown, document: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutAllOf(item, document));
  if (!isObject(node)) return node;
  const { allOf, ...rest } = node;
  if (typeof rest['format'] === 'string' && UNKNOWN_FORMATS.includes(rest['format'])) delete rest['format'];
  if (!Array.isArray(allOf)) return mapped(rest, document);
  return withoutAllOf(
    [rest, ...(allOf as Json[])].reduce((a, b) => both(a, b, document)),
    document,
  );
}

function mapped(node: Json, document: Json): Json {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutAllOf(value, document)]));
}

/** A schema that holds what two of them do. */
function both(one: Json, other: Json, document: Json): Json {
  const [a, b] = [followed(one, document), followed(other, document)];
  const result: Json = { ...a, ...b };
  if (isObject(a['properties']) && isObject(b['properties'])) {
    const [mine, theirs] = [a['properties'] as Record<string, Json>, b['properties'] as Record<string, Json>];
    const shared = Object.keys(mine).filter((name) => Object.hasOwn(theirs, name));
    const joined = shared.map((name) => [name, both(mine[name]!, theirs[name]!, document)]);
    result['properties'] = { ...mine, ...theirs, ...(Object.fromEntries(joined) as Json) };
  }
  if (Array.isArray(a['required']) && Array.isArray(b['required']))
    result['required'] = [...new Set([...a['required'], ...b['required']])];
  if (Array.isArray(a['enum']) && Array.isArray(b['enum']))
    result['enum'] = a['enum'].filter((value) => (b['enum'] as unknown[]).includes(value));
  return result;
}

function followed(schema: Json, document: Json): Json {
  const { $ref, allOf, ...rest } = schema;
  let result = rest;
  if (typeof $ref === 'string') {
    let target: unknown = document;
    for (const part of $ref.slice(2).split('/')) target = (target as Json)[part];
    result = both(target as Json, result, document);
  }
  return Array.isArray(allOf)
    ? [result, ...(allOf as Json[])].reduce((a, b) => both(a, b, document))
    : result;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
