/** Reads values from a provider's response, which may lack what its description promises: then `undefined`. Pure. */

import { valueAt } from '../core/json.ts';

/** A text inside a response; `undefined` for anything else, including empty text. */
export function textAt(answer: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(answer, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
