/** Chooses one of several forms of a schema, because the catalog allows only one. Pure. */
import type { JsonObject } from '../model/types.ts';
import type { Notes } from './report.ts';
import { typeOf, valuesOf, wordOf } from './schema-parts.ts';

/** Index of the chosen form; -1 with the joined form if all are the same plain type. */
export function oneForm(
  forms: readonly (readonly JsonObject[])[],
  notes: Notes,
  place: string,
): { form: number; joined: JsonObject } {
  const types = forms.map((parts) => typeOf(parts));
  const [first] = types;
  if (forms.length < 2) return { form: 0, joined: {} };
  const enums = forms.map((parts) => valuesOf(parts));
  if (first === 'string' && types.every((type) => type === 'string')) {
    if (enums.every((values) => values !== undefined))
      return { form: -1, joined: { type: 'string', enum: enums.flat() } };
    if (!forms.some(isPlain))
      notes.add(place, `can have ${forms.length} forms, and is checked for being text only.`);
    return { form: -1, joined: { type: 'string' } };
  }
  if (types.every((type) => type === 'integer' || type === 'number')) {
    const plain = forms.findIndex((parts, i) => isPlain(parts) && types[i] === 'number');
    if (plain >= 0) return { form: plain, joined: {} };
  }
  if (types.every((type) => type === 'boolean')) return { form: -1, joined: { type: 'boolean' } };
  notes.add(place, `can have ${forms.length} forms; only the first (${wordOf(first)}) can be given.`);
  return { form: 0, joined: {} };
}

const NO_LIMITS = new Set([
  'type',
  'description',
  'title',
  'default',
  'example',
  'examples',
  'nullable',
  'deprecated',
]);

function isPlain(parts: readonly JsonObject[]): boolean {
  return parts.every((part) => Object.keys(part).every((key) => NO_LIMITS.has(key) || key.startsWith('x-')));
}
