/** Input that the two tools that write an event share. Absent and already refused values are left out. */
import type { ToolInputs } from '../inputs/mail.ts';

/** Common input of mail_create_calendar_event and mail_update_calendar_event. */
export type EventInput = Partial<
  ToolInputs['mail_create_calendar_event'] & Omit<ToolInputs['mail_update_calendar_event'], 'event_id'>
>;
