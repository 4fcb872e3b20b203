/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
 *
 * Generated from catalogs/ by `npm run generate`. Do not edit.
 */

/** Inputs by the name of the tool. */
export interface ToolInputs {
  mail_add_attachment: {
    message_id: string;
    name: string;
    text?: string;
    content_base64?: string;
    content_type?: string;
  };
  mail_create_calendar_event: {
    subject: string;
    start_datetime: string;
    start_timezone: string;
    end_datetime: string;
    end_timezone: string;
    body_content?: string;
    body_contentType?: 'text' | 'html';
    location?: string;
    locations?: string;
    attendees_required?: string;
    attendees_optional?: string;
    attendees_resource?: string;
    hideAttendees?: boolean;
    importance?: 'low' | 'normal' | 'high';
    sensitivity?: 'normal' | 'personal' | 'private' | 'confidential';
    showAs?: 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere' | 'unknown';
    isAllDay?: boolean;
    isOnlineMeeting?: boolean;
    onlineMeetingProvider?: 'teamsForBusiness' | 'skypeForBusiness' | 'skypeForConsumer' | 'unknown';
    isReminderOn?: boolean;
    reminderMinutesBeforeStart?: number;
    recurrence_type?:
      'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
    recurrence_interval?: number;
    recurrence_days_of_week?: string;
    recurrence_range_type?: 'endDate' | 'noEnd' | 'numbered';
    recurrence_start_date?: string;
    recurrence_end_date?: string;
    recurrence_occurrences?: number;
  };
  mail_create_contact: {
    given_name?: string;
    surname?: string;
    company_name?: string;
    job_title?: string;
    email_addresses?: readonly string[];
    business_phones?: readonly string[];
    mobile_phone?: string;
    personal_notes?: string;
  };
  mail_create_draft: {
    to?: readonly string[];
    subject?: string;
    body?: string;
    body_type: 'text' | 'html';
    cc?: readonly string[];
    bcc?: readonly string[];
    reply_to?: readonly string[];
    importance?: 'low' | 'normal' | 'high';
  };
  mail_create_forward_draft: {
    message_id: string;
    to?: readonly string[];
    comment?: string;
  };
  mail_decline_calendar_event: {
    event_id: string;
    comment?: string;
    send_response: boolean;
    proposed_start?: string;
    proposed_end?: string;
    proposed_timezone?: string;
  };
  mail_find_meeting_times: {
    attendees: readonly string[];
    start_datetime: string;
    end_datetime: string;
    timezone: string;
    duration_minutes: number;
    max_candidates: number;
    is_organizer_optional?: boolean;
    activity_domain: 'work' | 'personal' | 'unrestricted';
  };
  mail_forward_calendar_event: {
    event_id: string;
    to: readonly string[];
    comment?: string;
  };
  mail_forward_message: {
    message_id: string;
    to: readonly string[];
    comment?: string;
    cc?: readonly string[];
    bcc?: readonly string[];
  };
  mail_get_attachment: {
    message_id: string;
    attachment_id: string;
  };
  mail_get_schedules: {
    email_addresses: readonly string[];
    start_datetime: string;
    end_datetime: string;
    timezone: string;
    interval_minutes: number;
  };
  mail_list_calendar_event_occurrences: {
    event_id: string;
    start_datetime: string;
    end_datetime: string;
    timezone?: string;
    top: number;
    skip?: number;
  };
  mail_list_calendar_events: {
    filter?: string;
    orderby?: string;
    select?: string;
    skip?: number;
    top?: number;
  };
  mail_list_calendar_view: {
    start_datetime: string;
    end_datetime: string;
    timezone?: string;
    calendar_id?: string;
    filter?: string;
    top: number;
    skip?: number;
  };
  mail_list_messages: {
    folder: string;
    mailbox?: string;
    unread_only?: boolean;
    from?: string;
    received_after?: string;
    received_before?: string;
    has_attachments?: boolean;
    filter?: string;
    top: number;
    skip?: number;
  };
  mail_list_shared_calendar_view: {
    user: string;
    start_datetime: string;
    end_datetime: string;
    timezone?: string;
    filter?: string;
    top: number;
    skip?: number;
  };
  mail_reply_to_message: {
    message_id: string;
    comment: string;
    reply_all: boolean;
    to?: readonly string[];
    cc?: readonly string[];
    bcc?: readonly string[];
  };
  mail_search_contacts: {
    query: string;
    top: number;
  };
  mail_search_messages: {
    query: string;
    folder: string;
    mailbox?: string;
    top: number;
    cursor?: string;
  };
  mail_search_people: {
    query: string;
    top: number;
  };
  mail_send_message: {
    to: readonly string[];
    subject: string;
    body: string;
    body_type: 'text' | 'html';
    cc?: readonly string[];
    bcc?: readonly string[];
    reply_to?: readonly string[];
    mailbox?: string;
    importance?: 'low' | 'normal' | 'high';
    attachments?: readonly {
      name: string;
      text?: string;
      content_base64?: string;
      content_type?: string;
    }[];
  };
  mail_tentatively_accept_calendar_event: {
    event_id: string;
    comment?: string;
    send_response: boolean;
    proposed_start?: string;
    proposed_end?: string;
    proposed_timezone?: string;
  };
  mail_update_calendar_event: {
    event_id: string;
    subject?: string;
    start_datetime?: string;
    start_timezone?: string;
    end_datetime?: string;
    end_timezone?: string;
    body_content?: string;
    body_contentType?: 'text' | 'html';
    location?: string;
    locations?: string;
    attendees_required?: string;
    attendees_optional?: string;
    attendees_resource?: string;
    hideAttendees?: boolean;
    importance?: 'low' | 'normal' | 'high';
    sensitivity?: 'normal' | 'personal' | 'private' | 'confidential';
    showAs?: 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere' | 'unknown';
    isAllDay?: boolean;
    isOnlineMeeting?: boolean;
    onlineMeetingProvider?: 'teamsForBusiness' | 'skypeForBusiness' | 'skypeForConsumer' | 'unknown';
    isReminderOn?: boolean;
    reminderMinutesBeforeStart?: number;
    categories?: string;
    recurrence_type?:
      'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
    recurrence_interval?: number;
    recurrence_days_of_week?: string;
    recurrence_range_type?: 'endDate' | 'noEnd' | 'numbered';
    recurrence_start_date?: string;
    recurrence_end_date?: string;
    recurrence_occurrences?: number;
  };
  mail_update_contact: {
    contact_id: string;
    given_name?: string;
    surname?: string;
    company_name?: string;
    job_title?: string;
    email_addresses?: readonly string[];
    business_phones?: readonly string[];
    mobile_phone?: string;
    personal_notes?: string;
  };
  mail_update_draft: {
    message_id: string;
    subject?: string;
    body?: string;
    body_type?: 'text' | 'html';
    to?: readonly string[];
    cc?: readonly string[];
    bcc?: readonly string[];
  };
  mail_update_mailbox_settings: {
    automatic_replies_status?: 'disabled' | 'alwaysEnabled' | 'scheduled';
    internal_reply?: string;
    external_reply?: string;
    external_audience?: 'none' | 'contactsOnly' | 'all';
    scheduled_start?: string;
    scheduled_end?: string;
    scheduled_timezone?: string;
    timezone?: string;
    language?: string;
  };
  mail_update_message: {
    message_id: string;
    is_read?: boolean;
    flag_status?: 'notFlagged' | 'flagged' | 'complete';
    importance?: 'low' | 'normal' | 'high';
    categories?: readonly string[];
    inference_classification?: 'focused' | 'other';
  };
}
