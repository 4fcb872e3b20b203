/** Tools of connector mail for contacts, people and settings: the exact Graph requests, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { ProviderFailure } from '../../src/outbound/provider-failure.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, get, patch, post, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

const ID = 'AAMkAGIAAAoZDOFAAA=';
const MEMBERS =
  'id,displayName,givenName,surname,emailAddresses,companyName,jobTitle,businessPhones,mobilePhone';

const ROWS: [name: string, input: Record<string, unknown>, request: ProviderRequest][] = [
  [
    'mail_list_contacts',
    { skip: 20 },
    get('/v1.0/me/contacts', [
      ['$select', MEMBERS],
      ['$orderby', 'displayName'],
      ['$top', '20'],
      ['$skip', '20'],
    ]),
  ],
  [
    'mail_search_contacts',
    { query: "O'Hara", top: 5 },
    get('/v1.0/me/contacts', [
      ['$search', `"O'Hara"`],
      ['$select', MEMBERS],
      ['$top', '5'],
    ]),
  ],
  ['mail_get_contact', { contact_id: ID }, get('/v1.0/me/contacts/AAMkAGIAAAoZDOFAAA%3D')],
  [
    'mail_create_contact',
    {
      given_name: 'Ada',
      surname: 'Lovelace',
      company_name: 'Engines',
      job_title: 'Founder',
      email_addresses: ['Ada <ada@example.com>'],
      business_phones: ['+1'],
      mobile_phone: '+2',
      personal_notes: 'Met in London.',
    },
    post('/v1.0/me/contacts', {
      givenName: 'Ada',
      surname: 'Lovelace',
      companyName: 'Engines',
      jobTitle: 'Founder',
      emailAddresses: [{ address: 'ada@example.com', name: 'Ada' }],
      businessPhones: ['+1'],
      mobilePhone: '+2',
      personalNotes: 'Met in London.',
    }),
  ],
  [
    'mail_update_contact',
    { contact_id: ID, email_addresses: [], job_title: '' },
    patch('/v1.0/me/contacts/AAMkAGIAAAoZDOFAAA%3D', { jobTitle: '', emailAddresses: [] }),
  ],
  [
    'mail_search_people',
    { query: 'sanna' },
    get('/v1.0/me/people', [
      ['$search', '"sanna"'],
      ['$top', '10'],
    ]),
  ],
  ['mail_get_mailbox_settings', {}, get('/v1.0/me/mailboxSettings')],
  [
    'mail_update_mailbox_settings',
    {
      automatic_replies_status: 'scheduled',
      internal_reply: 'Away.',
      external_reply: '',
      external_audience: 'contactsOnly',
      scheduled_start: '2026-12-24T00:00:00',
      scheduled_end: '2027-01-02T00:00:00+01:00',
      scheduled_timezone: 'Europe/Berlin',
      timezone: 'W. Europe Standard Time',
      language: 'de-DE',
    },
    patch('/v1.0/me/mailboxSettings', {
      automaticRepliesSetting: {
        status: 'scheduled',
        externalAudience: 'contactsOnly',
        internalReplyMessage: 'Away.',
        externalReplyMessage: '',
        scheduledStartDateTime: { dateTime: '2026-12-24T00:00:00', timeZone: 'Europe/Berlin' },
        scheduledEndDateTime: { dateTime: '2027-01-02T00:00:00', timeZone: 'Europe/Berlin' },
      },
      timeZone: 'W. Europe Standard Time',
      language: { locale: 'de-DE' },
    }),
  ],
  [
    'mail_get_profile',
    {},
    get('/v1.0/me', [
      [
        '$select',
        'id,displayName,mail,userPrincipalName,jobTitle,officeLocation,mobilePhone,preferredLanguage',
      ],
    ]),
  ],
];

describe('mail tools for contacts, people and settings', () => {
  it.each(ROWS)('%s sends one request for the input %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['mail_search_contacts', { query: '' }, ['query min_length']],
    ['mail_create_contact', { job_title: 'Founder' }, ['given_name at_least_one_of']],
    ['mail_create_contact', { email_addresses: ['Ada'] }, ['email_addresses[0] format']],
    ['mail_update_contact', { contact_id: ID }, [' require']],
    ['mail_update_mailbox_settings', {}, [' require']],
    ['mail_update_mailbox_settings', { automatic_replies_status: 'scheduled' }, ['scheduled_start require']],
    [
      'mail_update_mailbox_settings',
      { scheduled_start: 'tomorrow', scheduled_end: '2026-12-24T00:00:00' },
      ['scheduled_start format'],
    ],
  ])('%s refuses the input %j', async (name, input, expected) => {
    expect((await callRefusals(name, input)).toSorted()).toEqual(expected);
  });

  it('compare the beginnings of names where Graph refuses to search contacts', async () => {
    const refusal = new ProviderFailure('Refused.', 422, {
      code: 'ErrorInvalidUrlQuery',
      message: 'Refused.',
      provider_status: 400,
      provider_body: null,
      retry_after: null,
      required_scopes: null,
      execution_id: 'exe_1',
    });
    const { requests } = await callTool('mail_search_contacts', { query: "O'Hara" }, ({ query }) => {
      if (query.some(([name]) => name === '$search')) throw refusal;
      return { value: [] };
    });
    const text = "'O''Hara'";
    expect(requests[1]?.query[0]).toEqual([
      '$filter',
      `startswith(displayName,${text}) or startswith(givenName,${text}) or startswith(surname,${text})`,
    ]);
    for (const request of requests) expectRequestMatches(description, request);
  });
});
