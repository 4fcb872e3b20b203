/** Looks into a provider's answer, whose description is not always kept: whatever is not there is undefined. Pure. */

/** A value inside an answer; undefined where the way to it breaks off. */
export function valueAt(answer: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    answer,
  );
}

/** Text inside an answer; undefined for anything else, empty text included. */
export function textAt(answer: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(answer, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
