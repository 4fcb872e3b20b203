/** Reads a query string strictly: no repeated names except for lists, valid percent-encoding, no NUL. */
import { z } from '@hono/zod-openapi';
import type { FieldViolation } from '../../core/errors.ts';
import { fieldName } from '../listener/violations.ts';

/** Values by name, ready for a schema; `violations` are those of the query string itself. */
export interface QueryParameters {
  values: Record<string, string | string[]>;
  violations: FieldViolation[];
}

/**
 * @param search query string without `?`
 * @param shape members of the schema; the name of an array may be repeated
 */
export function readQuery(search: string, shape: Readonly<Record<string, z.ZodType>>): QueryParameters {
  const values: Record<string, string | string[]> = {};
  const violations: FieldViolation[] = [];
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const [rawName = '', ...rest] = pair.split('=');
    const name = decode(rawName);
    const value = decode(rest.join('='));
    const problem = problemOf(name, value);
    if (problem !== undefined) violations.push({ field: fieldName([name ?? rawName]), ...problem });
    if (name === undefined || value === undefined || problem !== undefined) continue;
    if (isList(shape[name])) {
      values[name] = [values[name] ?? [], value].flat();
    } else if (Object.hasOwn(values, name)) {
      violations.push({
        field: fieldName([name]),
        description: 'Must be given once.',
        constraint: 'repeated',
      });
    } else {
      values[name] = value;
    }
  }
  return { values, violations };
}

function isList(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional
    ? schema.unwrap() instanceof z.ZodArray
    : schema instanceof z.ZodArray;
}

const NOT_TEXT = { description: 'Is not percent-encoded UTF-8 text.', constraint: 'encoding' };

function problemOf(
  name: string | undefined,
  value: string | undefined,
): Omit<FieldViolation, 'field'> | undefined {
  if (name === undefined || value === undefined) return NOT_TEXT;
  if (name === '__proto__') return { description: 'A parameter cannot have this name.', constraint: 'name' };
  if (`${name}${value}`.includes('\0'))
    return { description: 'Must not contain NUL characters.', constraint: 'characters' };
  return undefined;
}

/** Returns `undefined` for broken percent-encoding and for bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
