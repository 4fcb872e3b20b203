/** Tools of connector mail for messages and folders: for each input the exact Graph request, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, del, get, patch, post, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

const ID = 'AAMkAGIAAAoZDOFAAA=';
const SEGMENT = 'AAMkAGIAAAoZDOFAAA%3D';
const MEMBERS =
  'id,subject,from,toRecipients,receivedDateTime,isRead,isDraft,hasAttachments,importance,categories,flag,conversationId,bodyPreview,parentFolderId,webLink';

const list = (path: string, filter: string | undefined, more: [string, string][]): ProviderRequest =>
  get(path, [
    ['$select', MEMBERS],
    ...(filter === undefined ? [] : [['$filter', filter] as [string, string]]),
    ['$orderby', 'receivedDateTime desc'],
    ...more,
  ]);
const search = (query: string, ...more: [string, string][]): ProviderRequest =>
  get('/v1.0/me/messages', [['$search', query], ['$select', MEMBERS], ['$top', '20'], ...more]);
const SHARED = '/v1.0/users/post%40example.com';
const INBOX = '/v1.0/me/mailFolders/inbox/messages';

const ROWS: [name: string, input: Record<string, unknown>, request: ProviderRequest][] = [
  ['mail_list_messages', {}, list(INBOX, undefined, [['$top', '20']])],
  [
    'mail_list_messages',
    { folder: 'all', unread_only: false, top: 5, skip: 10 },
    list('/v1.0/me/messages', undefined, [
      ['$top', '5'],
      ['$skip', '10'],
    ]),
  ],
  [
    'mail_list_messages',
    {
      folder: ID,
      unread_only: true,
      from: "o'hara@example.com",
      received_after: '2026-11-01',
      received_before: '2026-11-20T09:00:00+01:00',
      has_attachments: false,
      filter: "importance eq 'high' or isRead eq true",
    },
    list(
      `/v1.0/me/mailFolders/${SEGMENT}/messages`,
      "receivedDateTime ge 2026-11-01T00:00:00Z and receivedDateTime lt 2026-11-20T08:00:00Z and isRead eq false and from/emailAddress/address eq 'o''hara@example.com' and hasAttachments eq false and (importance eq 'high' or isRead eq true)",
      [['$top', '20']],
    ),
  ],
  [
    'mail_list_messages',
    { unread_only: true },
    list(INBOX, 'receivedDateTime ge 1900-01-01T00:00:00Z and isRead eq false', [['$top', '20']]),
  ],
  ['mail_search_messages', { query: 'offer from:ada' }, search('"offer from:ada"')],
  ['mail_search_messages', { query: String.raw`subject:"a \ b"` }, search(String.raw`"subject:\"a \\ b\""`)],
  [
    'mail_search_messages',
    {
      query: 'x',
      cursor: 'https://graph.microsoft.com/v1.0/me/messages?%24search=%22y%22&%24skipToken=MjA%3d',
    },
    search('"x"', ['$skiptoken', 'MjA=']),
  ],
  ['mail_search_messages', { query: 'x', cursor: 'MjA=' }, search('"x"', ['$skiptoken', 'MjA='])],
  [
    'mail_list_messages',
    { mailbox: 'post@example.com' },
    list(`${SHARED}/mailFolders/inbox/messages`, undefined, [['$top', '20']]),
  ],
  [
    'mail_search_messages',
    { query: 'x', mailbox: 'post@example.com' },
    { ...search('"x"'), path: `${SHARED}/messages` },
  ],
  [
    'mail_move_message',
    { message_id: ID, folder: 'archive', mailbox: 'post@example.com' },
    post(`${SHARED}/messages/${SEGMENT}/move`, { destinationId: 'archive' }),
  ],
  ...[
    { input: {}, path: '/v1.0/me' },
    { input: { mailbox: 'post@example.com' }, path: SHARED },
  ].map(({ input, path }): (typeof ROWS)[number] => [
    'mail_get_message',
    { message_id: ID, ...input },
    {
      ...get(`${path}/messages/${SEGMENT}`, [
        [
          '$select',
          'id,subject,from,toRecipients,ccRecipients,bccRecipients,replyTo,receivedDateTime,sentDateTime,isRead,isDraft,hasAttachments,importance,categories,flag,conversationId,parentFolderId,webLink,body',
        ],
      ]),
      headers: { Prefer: 'outlook.body-content-type="text"' },
    },
  ]),
  [
    'mail_update_message',
    {
      message_id: ID,
      is_read: false,
      flag_status: 'complete',
      importance: 'low',
      categories: [],
      inference_classification: 'other',
    },
    patch(`/v1.0/me/messages/${SEGMENT}`, {
      isRead: false,
      flag: { flagStatus: 'complete' },
      importance: 'low',
      categories: [],
      inferenceClassification: 'other',
    }),
  ],
  [
    'mail_move_message',
    { message_id: ID, folder: 'archive' },
    post(`/v1.0/me/messages/${SEGMENT}/move`, { destinationId: 'archive' }),
  ],
  ['mail_delete_message', { message_id: ID }, del(`/v1.0/me/messages/${SEGMENT}`)],
  [
    'mail_list_folders',
    { include_hidden: true },
    get('/v1.0/me/mailFolders', [
      ['includeHiddenFolders', 'true'],
      ['$top', '50'],
    ]),
  ],
  [
    'mail_list_folders',
    { parent: 'inbox', top: 5, skip: 5 },
    get('/v1.0/me/mailFolders/inbox/childFolders', [
      ['$top', '5'],
      ['$skip', '5'],
    ]),
  ],
  ['mail_create_folder', { display_name: 'Offers' }, post('/v1.0/me/mailFolders', { displayName: 'Offers' })],
  [
    'mail_create_folder',
    { display_name: 'Offers', parent: ID },
    post(`/v1.0/me/mailFolders/${SEGMENT}/childFolders`, { displayName: 'Offers' }),
  ],
  [
    'mail_rename_folder',
    { folder: ID, display_name: 'Offers' },
    patch(`/v1.0/me/mailFolders/${SEGMENT}`, { displayName: 'Offers' }),
  ],
  ['mail_delete_folder', { folder: ID }, del(`/v1.0/me/mailFolders/${SEGMENT}`)],
  ['mail_list_categories', {}, get('/v1.0/me/outlook/masterCategories')],
];

describe('mail tools for messages and folders', () => {
  it.each(ROWS)('%s sends one request for the input %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it.each([
    ['mail_list_messages', { folder: '..' }, ['folder path']],
    ['mail_list_messages', { from: 'Ada' }, ['from format']],
    ['mail_list_messages', { received_after: 'yesterday' }, ['received_after format']],
    ['mail_search_messages', {}, ['query required']],
    [
      'mail_search_messages',
      { query: 'x', cursor: 'https://graph.microsoft.com/v1.0/me/events' },
      ['cursor format'],
    ],
    ['mail_search_messages', { query: 'x', cursor: 'the next one' }, ['cursor format']],
    ['mail_update_message', { message_id: ID }, [' require']],
    ['mail_update_message', { message_id: ID, categories: 'Red' }, ['categories type']],
    ['mail_move_message', { message_id: ID }, ['folder required']],
    ['mail_get_message', { message_id: ID, body_format: 'pdf' }, ['body_format enum']],
    ['mail_list_messages', { mailbox: '../me' }, ['mailbox format']],
    ['mail_rename_folder', { folder: ID, display_name: '' }, ['display_name min_length']],
  ])('%s refuses the input %j', async (name, input, expected) => {
    expect((await callRefusals(name, input)).toSorted()).toEqual(expected.toSorted());
  });
});
