/** A zod issue in our own words, worded the same for catalog files and tool input. */
import type * as z from 'zod';

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const ONE: Readonly<Record<string, string>> = { string: 'character', array: 'entry', object: 'member' };

const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'entries',
  object: 'members',
};

/**
 * The fault of one value, as the end of a sentence: `must be at least 1`.
 *
 * @param issue reported with `reportInput`, which distinguishes an absent value from a wrong one
 */
export function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return size('at least', issue.minimum, issue.origin);
    case 'too_big':
      return size('at most', issue.maximum, issue.origin);
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0] === undefined ? issue.message : issueText(issue.issues[0]);
    case 'unrecognized_keys':
      return `has the unknown key ${issue.keys.join(', ')}`;
    case 'invalid_format':
      return issue.message.startsWith('Invalid') ? `must match the pattern ${issue.pattern}` : issue.message;
    default:
      return issue.message;
  }
}

function size(bound: 'at least' | 'at most', limit: number | bigint, origin: string): string {
  const unit = (Number(limit) === 1 ? ONE : UNITS)[origin];
  return unit === undefined ? `must be ${bound} ${limit}` : `must have ${bound} ${limit} ${unit}`;
}
