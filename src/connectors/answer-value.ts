/** Reads values from a provider's response, which may lack what its description promises: then `undefined`. Pure. */

/** A value inside a response; `undefined` if the path does not exist. */
export function valueAt(answer: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    answer,
  );
}

/** A text inside a response; `undefined` for anything else, including empty text. */
export function textAt(answer: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(answer, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
