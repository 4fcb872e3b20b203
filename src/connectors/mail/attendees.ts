/**
 * Attendees of an event: converts the three lists of the tools into the one list of Graph. Pure.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/attendee
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { emailAddress } from './email-address.ts';
import type { EventInput } from './event-input.ts';
import { textList } from './text-list.ts';

const KINDS = ['required', 'optional', 'resource'] as const;

/**
 * @param violations collects the problems
 * @returns the attendees, perhaps none; `undefined` if no list is given
 */
export function attendees(input: EventInput, violations: FieldViolation[]): JsonObject[] | undefined {
  const given = KINDS.flatMap((kind) => {
    const text = input[`attendees_${kind}`];
    return text === undefined ? [] : [{ kind, field: `attendees_${kind}`, text }];
  });
  if (given.length === 0) return undefined;
  return given.flatMap(({ kind, field, text }) => {
    const entries = textList(text);
    if (entries === undefined) {
      const description = 'Must be comma-separated email addresses, or a JSON list of them.';
      violations.push({ field, description, constraint: 'format' });
      return [];
    }
    return entries.flatMap((entry, i) => {
      const address = emailAddress(entry);
      if (address !== undefined) return [{ emailAddress: address, type: kind }];
      const description = `Entry ${i + 1} must be an email address, such as ada@example.com.`;
      violations.push({ field, description, constraint: 'format' });
      return [];
    });
  });
}
