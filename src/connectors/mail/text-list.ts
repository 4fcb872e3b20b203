/** Lists inside text: comma-separated, or a JSON list. Pure. */

import { unsafeValues } from '../../core/safe-json.ts';

/** @returns trimmed entries without empty ones; `undefined` for text that begins like JSON but is not a list of safe texts */
export function textList(text: string): string[] | undefined {
  const entries = text.trimStart().startsWith('[') ? jsonTexts(text) : text.split(',');
  return entries?.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

function jsonTexts(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    const isSafe = (entry: unknown) => typeof entry === 'string' && unsafeValues(entry, '').length === 0;
    return Array.isArray(list) && list.every(isSafe) ? list : undefined;
  } catch {
    return undefined;
  }
}
