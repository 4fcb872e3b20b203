/** The input of the two tools that write an event, as the catalog lets it through. */

export interface EventInput {
  subject?: string;
  start_datetime?: string;
  start_timezone?: string;
  end_datetime?: string;
  end_timezone?: string;
  body_content?: string;
  body_contentType?: string;
  location?: string;
  locations?: string;
  attendees_required?: string;
  attendees_optional?: string;
  attendees_resource?: string;
  hideAttendees?: boolean;
  importance?: string;
  sensitivity?: string;
  showAs?: string;
  isAllDay?: boolean;
  isOnlineMeeting?: boolean;
  onlineMeetingProvider?: string;
  isReminderOn?: boolean;
  reminderMinutesBeforeStart?: number;
  /** mail_update_calendar_event only. */
  categories?: string;
  recurrence_type?: string;
  recurrence_interval?: number;
  recurrence_days_of_week?: string;
  recurrence_range_type?: string;
  recurrence_start_date?: string;
  recurrence_end_date?: string;
  recurrence_occurrences?: number;
}
