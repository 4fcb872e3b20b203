/**
 * mail_list_calendar_events: sends the OData options by their names with `$`. The tool takes `top` and `skip` as
 * numbers; Graph wants integers.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-list-events
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { get } from '../provider-call.ts';

const OPTIONS = ['filter', 'orderby', 'select', 'skip', 'top'] as const;

type EventsInput = ToolInputs['mail_list_calendar_events'];

export const listCalendarEvents: ToolHandler<EventsInput> = {
  check: (input) =>
    givenOptions(input)
      .filter(({ value }) => typeof value === 'number' && !Number.isInteger(value))
      .map(({ field }) => violation(field, 'Must be a whole number.', 'type')),
  call: async ({ input, http }) =>
    http.send(
      get(
        '/v1.0/me/events',
        givenOptions(input).map(({ field, value }) => [`$${field}`, String(value)] as const),
      ),
    ),
};

function givenOptions(input: EventsInput): readonly { field: string; value: string | number }[] {
  return OPTIONS.flatMap((field) => {
    const value = input[field];
    return value === undefined ? [] : [{ field, value }];
  });
}
