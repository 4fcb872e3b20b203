/**
 * Tools that may cost more than TOOL_TOKENS (token-cost.ts) in every tool list, each with the reason.
 *
 * An entry is a decision: look for a shorter wording first. An entry that is no longer needed fails the
 * check.
 */
export const LARGE_TOOLS: Readonly<Record<string, string>> = {
  mail_create_calendar_event:
    '28 parameters, seven of them for the recurrence, whose conditions have a sentence each: the specification names them one by one.',
  mail_update_calendar_event:
    'The 30 parameters of an event again, and what an update replaces: attendees, locations and the body of an online meeting.',
};
