/** Email addresses with or without the name of a person. Pure. */
import { FORMATS } from '../../catalog/model/formats.ts';
import type { JsonObject } from '../../catalog/model/types.ts';

/** `Ada Lovelace <ada@example.com>` */
const NAMED = /^([^<>]*)<([^<>]+)>$/;

/** Graph's emailAddress; `undefined` for a text that is not an address. */
export function emailAddress(entry: string): JsonObject | undefined {
  const [, before, inside] = NAMED.exec(entry) ?? [];
  const text = (inside ?? entry).trim();
  if (!FORMATS.email.matches(text)) return undefined;
  const name = (before ?? '').trim().replace(/^"(.*)"$/, '$1');
  return name === '' ? { address: text } : { address: text, name };
}
