/**
 * mail_list_calendar_events: the OData options by their names with `$`. The tool has `top` and `skip` as numbers;
 * Graph wants whole ones.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-list-events
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { invalidArgument } from '../../core/errors.ts';
import { get } from '../provider-call.ts';

const OPTIONS = ['filter', 'orderby', 'select', 'skip', 'top'] as const;

export const listCalendarEvents: ToolHandler = async ({ input, http }) => {
  const given = OPTIONS.flatMap((field) => {
    const value = (input as Partial<Record<string, string | number>>)[field];
    return value === undefined ? [] : [{ field, value }];
  });
  const violations = given
    .filter(({ value }) => typeof value === 'number' && !Number.isInteger(value))
    .map(({ field }) => ({ field, description: 'Must be a whole number.', constraint: 'type' }));
  if (violations.length > 0) throw invalidArgument(violations);
  return http.send(
    get(
      '/v1.0/me/events',
      given.map(({ field, value }) => [`$${field}`, String(value)] as const),
    ),
  );
};
