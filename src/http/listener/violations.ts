/** Messages for input that a schema rejects: all violations at once, each with its field, never the value sent. */
import type { z } from '@hono/zod-openapi';
import { invalidArgument, type FieldViolation, type ServiceError } from '../../core/errors.ts';

/** Violations beyond this number are only counted, so that the answer stays small. */
const MAX_LISTED = 50;
const MAX_FIELD_LENGTH = 200;

/** Path of a field as callers read it: `connected_account.api_config.x`, `scopes.0`. Safe to show. */
export function fieldName(path: readonly PropertyKey[]): string {
  // Each part is cut before joining: a body may have one very long name around many mistakes.
  const name = path.map((part) => String(part).slice(0, MAX_FIELD_LENGTH + 1)).join('.');
  const short = name.length > MAX_FIELD_LENGTH ? `${name.slice(0, MAX_FIELD_LENGTH)}…` : name;
  // oxlint-disable-next-line no-control-regex -- control characters are what it replaces
  return short.toWellFormed().replaceAll(/[\u0000-\u001f\u007f]/g, '\uFFFD');
}

/** An INVALID_ARGUMENT with the first violations and the number of the others. */
export function refuse(violations: readonly FieldViolation[]): ServiceError {
  if (violations.length <= MAX_LISTED) return invalidArgument(violations);
  const rest = violations.length - MAX_LISTED;
  return invalidArgument([
    ...violations.slice(0, MAX_LISTED),
    { field: '', description: `And ${rest} more problems like these.`, constraint: 'more' },
  ]);
}

/**
 * Turns the issues of a failed parse into violations.
 *
 * @param issues of a parse with `reportInput`, to distinguish missing fields from wrong ones
 * @param word for one field
 */
export function violationsOf(issues: readonly z.core.$ZodIssue[], word = 'field'): FieldViolation[] {
  const wrongType = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => fieldName(path)),
  );
  return issues.flatMap((issue): FieldViolation[] => {
    // If a list was sent instead of a text, its length is no violation of the text's limits.
    if (issue.code.startsWith('too_') && wrongType.has(fieldName(issue.path))) return [];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: fieldName([...issue.path, key]),
        description: `There is no such ${word}.`,
        constraint: 'unknown',
      }));
    }
    return [{ field: fieldName(issue.path), ...describe(issue) }];
  });
}

function describe(issue: z.core.$ZodIssue): { description: string; constraint: string } {
  if (issue.input === undefined && issue.code !== 'custom') {
    return { description: 'This field is required.', constraint: 'required' };
  }
  switch (issue.code) {
    case 'invalid_type':
      return { description: `Must be ${TYPE_NAMES[issue.expected] ?? issue.expected}.`, constraint: 'type' };
    case 'invalid_value':
      return { description: `Must be one of ${issue.values.map(String).join(', ')}.`, constraint: 'enum' };
    case 'too_big':
      return size('at most', Number(issue.maximum), issue.origin, 'max');
    case 'too_small':
      return size('at least', Number(issue.minimum), issue.origin, 'min');
    case 'custom':
      return { description: issue.message, constraint: String(issue.params?.constraint ?? 'value') };
    default:
      return { description: issue.message, constraint: 'format' };
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function size(
  bound: string,
  limit: number,
  origin: string,
  word: string,
): { description: string; constraint: string } {
  if (origin === 'string') {
    if (word === 'min' && limit === 1) return { description: 'Must not be empty.', constraint: 'min_length' };
    return { description: `Must be ${bound} ${limit} characters long.`, constraint: `${word}_length` };
  }
  if (origin === 'array') {
    const items = limit === 1 ? 'item' : 'items';
    return { description: `Must have ${bound} ${limit} ${items}.`, constraint: `${word}_items` };
  }
  return { description: `Must be ${bound} ${limit}.`, constraint: `${word}imum` };
}
