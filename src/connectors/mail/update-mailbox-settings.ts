/**
 * mail_update_mailbox_settings: one PATCH with the given values only.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-update-mailboxsettings
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { given, patch } from '../provider-call.ts';
import { readTime } from './calendar-time.ts';
import { emptyChange } from './empty-change.ts';

type SettingsInput = Partial<ToolInputs['mail_update_mailbox_settings']>;

export const updateMailboxSettings: ToolHandler<ToolInputs['mail_update_mailbox_settings']> = {
  check: (input) => [...settingsBody(input).violations, ...emptyChange(input)],
  call: async ({ input, http }) => http.send(patch('/v1.0/me/mailboxSettings', settingsBody(input).body)),
};

function settingsBody(input: SettingsInput): { body: JsonObject; violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const time = (field: 'scheduled_start' | 'scheduled_end') => {
    const text = input[field];
    if (text === undefined) return undefined;
    const read = readTime(text, input.scheduled_timezone, false);
    if (read !== undefined) return read.time;
    const description =
      'Must be a time such as 2026-12-24T00:00:00, of scheduled_timezone, or with an offset.';
    violations.push(violation(field, description, 'format'));
    return undefined;
  };
  const replies = given({
    status: input.automatic_replies_status,
    externalAudience: input.external_audience,
    internalReplyMessage: input.internal_reply,
    externalReplyMessage: input.external_reply,
    scheduledStartDateTime: time('scheduled_start'),
    scheduledEndDateTime: time('scheduled_end'),
  });
  const body = given({
    automaticRepliesSetting: Object.keys(replies).length === 0 ? undefined : replies,
    timeZone: input.timezone,
    language: input.language && { locale: input.language },
  });
  return { body, violations };
}
