/** The connector mail as a whole: how it is authorized, what Graph's answers mean, and what its tools tell. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { oauthEntry } from '../support/auth-entries.ts';
import { completeValue } from '../../src/connections/placeholders.ts';
import { AnswerReader } from '../../src/outbound/answer-reader.ts';
import { shippedCatalog } from './tool-request.ts';

const mail = shippedCatalog.connectors.get('mail')!;
const tools = [...shippedCatalog.tools.values()].filter(({ connector }) => connector === 'mail');

describe('connector mail', () => {
  it('describes Microsoft Graph, with consent at the tenant of the account', () => {
    expect(mail.hosts).toEqual([{ url: 'https://graph.microsoft.com', placeholders: {} }]);
    expect(mail.auth.map((entry) => ({ ...entry, scopes: undefined }))).toEqual([
      {
        type: 'OAUTH',
        fields: [],
        oauth: {
          authorization_url: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
          token_url: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
          issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
          placeholders: { tenant: '[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63}){0,4}' },
          pkce: true,
          authorize_parameters: { response_mode: 'query', prompt: 'select_account' },
          scope_parameter: true,
          scope_separator: ' ',
          client_authentication: 'post',
          refresh_tokens: true,
          offline_scope: 'offline_access',
          revocation: 'none',
        },
        who: {
          host: 0,
          path: '/v1.0/me',
          headers: {},
          query: { $select: 'mail,userPrincipalName' },
          name: ['mail', 'userPrincipalName'],
        },
      },
    ]);
  });

  it('offers these scopes, with descriptions', () => {
    expect(Object.keys(mail.auth[0]!.scopes!)).toEqual([
      'Calendars.Read',
      'Calendars.ReadWrite',
      'Calendars.Read.Shared',
      'Calendars.ReadWrite.Shared',
      'Mail.Read',
      'Mail.ReadWrite',
      'Mail.Send',
      'Mail.Read.Shared',
      'Mail.ReadWrite.Shared',
      'Mail.Send.Shared',
      'Contacts.Read',
      'Contacts.ReadWrite',
      'People.Read',
      'MailboxSettings.Read',
      'MailboxSettings.ReadWrite',
      'User.Read',
      'offline_access',
    ]);
    for (const meaning of Object.values(mail.auth[0]!.scopes!)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it.each([
    ['common', true],
    ['organizations', true],
    ['consumers', true],
    ['8eaef023-2b34-4da1-9baa-8bc8c9d6a490', true],
    ['contoso.onmicrosoft.com', true],
    ['..', false],
    ['common/../x', false],
    ['common?x', false],
    ['', false],
  ])('decides about the tenant %j: %s', (tenant, isGood) => {
    const { tenant: pattern = '' } = oauthEntry(mail).oauth.placeholders!;
    expect(completeValue(tenant, pattern, mail.settings?.tenant)).toBe(isGood ? tenant : undefined);
  });

  it('requires the reading scope for reading, and the writing scope for the rest', () => {
    expect(Object.fromEntries(tools.map(({ name, scopes }) => [name, scopes]))).toEqual({
      mail_accept_calendar_event: [['Calendars.ReadWrite']],
      mail_add_attachment: [['Mail.ReadWrite']],
      mail_cancel_calendar_event: [['Calendars.ReadWrite']],
      mail_create_calendar_event: [['Calendars.ReadWrite']],
      mail_create_contact: [['Contacts.ReadWrite']],
      mail_create_draft: [['Mail.ReadWrite']],
      mail_create_folder: [['Mail.ReadWrite']],
      mail_create_forward_draft: [['Mail.ReadWrite']],
      mail_create_reply_draft: [['Mail.ReadWrite']],
      mail_decline_calendar_event: [['Calendars.ReadWrite']],
      mail_delete_calendar_event: [['Calendars.ReadWrite']],
      mail_delete_folder: [['Mail.ReadWrite']],
      mail_delete_message: [['Mail.ReadWrite']],
      mail_find_meeting_times: [['Calendars.Read.Shared', 'Calendars.ReadWrite.Shared']],
      mail_forward_calendar_event: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_forward_message: [['Mail.Send']],
      mail_get_attachment: [['Mail.Read', 'Mail.ReadWrite']],
      mail_get_calendar_event: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_get_contact: [['Contacts.Read', 'Contacts.ReadWrite']],
      mail_get_mailbox_settings: [['MailboxSettings.Read', 'MailboxSettings.ReadWrite']],
      mail_get_message: [['Mail.Read', 'Mail.ReadWrite']],
      mail_get_profile: [['User.Read']],
      mail_get_schedules: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_list_attachments: [['Mail.Read', 'Mail.ReadWrite']],
      mail_list_calendar_event_occurrences: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_list_calendar_events: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_list_calendar_view: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_list_calendars: [['Calendars.Read', 'Calendars.ReadWrite']],
      mail_list_categories: [['MailboxSettings.Read', 'MailboxSettings.ReadWrite']],
      mail_list_contacts: [['Contacts.Read', 'Contacts.ReadWrite']],
      mail_list_folders: [['Mail.Read', 'Mail.ReadWrite']],
      mail_list_messages: [['Mail.Read', 'Mail.ReadWrite']],
      mail_list_shared_calendar_view: [['Calendars.Read.Shared', 'Calendars.ReadWrite.Shared']],
      mail_move_message: [['Mail.ReadWrite']],
      mail_rename_folder: [['Mail.ReadWrite']],
      mail_reply_to_message: [['Mail.Send']],
      mail_search_contacts: [['Contacts.Read', 'Contacts.ReadWrite']],
      mail_search_messages: [['Mail.Read', 'Mail.ReadWrite']],
      mail_search_people: [['People.Read']],
      mail_send_draft: [['Mail.Send']],
      mail_send_message: [['Mail.Send']],
      mail_tentatively_accept_calendar_event: [['Calendars.ReadWrite']],
      mail_update_calendar_event: [['Calendars.ReadWrite']],
      mail_update_contact: [['Contacts.ReadWrite']],
      mail_update_draft: [['Mail.ReadWrite']],
      mail_update_mailbox_settings: [['MailboxSettings.ReadWrite']],
      mail_update_message: [['Mail.ReadWrite']],
    });
  });
});

describe('mail tools: tests', () => {
  it('call each tool against the stand-in', () => {
    const folder = new URL('../sandbox/', import.meta.url);
    const files = readdirSync(folder).filter((file) => /^mail.*\.test\.ts$/.test(file));
    const texts = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
    expect(tools.map(({ name }) => name).filter((name) => !texts.includes(`'${name}'`))).toEqual([]);
  });
});

describe('mail tools: descriptions', () => {
  it.each([
    ['mail_delete_calendar_event', /permanently/],
    ['mail_delete_calendar_event', /cancellation; .*mail_cancel_calendar_event.*mail_decline_calendar_event/],
    ['mail_list_calendar_events', /masters of series, not occurrences.*mail_list_calendar_view/],
    ['mail_create_calendar_event', /mails invitations/],
  ])('mention for %s the words %s', (name, words) => {
    expect(shippedCatalog.tools.get(name)!.description).toMatch(words);
  });
});

describe('answers of Microsoft Graph', () => {
  it.each([
    [400, 'ErrorOccurrenceCrossingBoundary', 502, undefined],
    [401, 'InvalidAuthenticationToken', 502, undefined],
    [403, 'ErrorAccessDenied', 403, undefined],
    [404, 'ErrorItemNotFound', 404, undefined],
    [409, 'ErrorConflict', 409, undefined],
    [412, 'ErrorIrresolvableConflict', 502, undefined],
    [429, 'ApplicationThrottled', 429, 2_128],
  ])('%i %s becomes %i, with its code and message', (status, code, expected, retryAfterMs) => {
    const reader = new AnswerReader({ title: mail.title, effect: 'update' }, mail.errors, 'exe_1', []);
    const error = { error: { code, message: 'Why.', innerError: { 'request-id': 'r' } } };
    const read = () =>
      reader.read({ status, headers: {}, body: Buffer.from(JSON.stringify(error)) }, retryAfterMs);
    expect(read).toThrow(
      expect.objectContaining({
        status: expected,
        toolError: expect.objectContaining({
          code,
          message: 'Why.',
          retry_after: retryAfterMs === undefined ? null : 3,
        }) as unknown,
      }) as Error,
    );
  });

  it('become null for a successful deletion', () => {
    const reader = new AnswerReader({ title: mail.title, effect: 'delete' }, mail.errors, 'exe_1', []);
    expect(reader.read({ status: 204, headers: {}, body: Buffer.alloc(0) }, undefined).json).toBeNull();
  });
});
