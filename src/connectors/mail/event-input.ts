/** What the two tools that write an event have together, as far as it is given and not wrong already. */
import type { ToolInputs } from '../inputs.ts';

/** Of mail_create_calendar_event and mail_update_calendar_event. */
export type EventInput = Partial<
  ToolInputs['mail_create_calendar_event'] & Omit<ToolInputs['mail_update_calendar_event'], 'event_id'>
>;
