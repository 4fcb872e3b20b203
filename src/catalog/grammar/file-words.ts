/** Small shapes that both kinds of catalog file share. */
import * as z from 'zod';

export const CONNECTOR_NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** Text of a certain spelling. @param expected completes "must be …" */
export const word = (pattern: RegExp, expected: string, meaning: string) =>
  z
    .string()
    .regex(pattern, { error: `must be ${expected}` })
    .describe(meaning);
/** Words for people or models. */
export const line = (meaning: string, max: number) => z.string().min(3).max(max).describe(meaning);
