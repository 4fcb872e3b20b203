/** Tools of connector mail that write, send and read files of messages: the exact Graph requests, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';
import { expectRequestMatches, readProviderDescription } from '../support/provider-description.ts';
import { callRefusals, callTool, get, patch, post, requestOf } from './tool-request.ts';

const description = readProviderDescription('mail');

const ID = 'AAMkAGIAAAoZDOFAAA=';
const MESSAGE = '/v1.0/me/messages/AAMkAGIAAAoZDOFAAA%3D';
const to = (...addresses: string[]) => addresses.map((address) => ({ emailAddress: { address } }));
const ADA = 'ada@example.com';

/** What a sending tool answers. */
const SENT = {
  sent: true,
  note: 'Outlook gives no id for a message that is sent. It is in the folder sentitems.',
};

const ROWS: [name: string, input: Record<string, unknown>, request: ProviderRequest][] = [
  [
    'mail_send_message',
    { to: [ADA, 'Bob B. <bob@example.com>'], subject: 'Offer', body: 'Hello' },
    post('/v1.0/me/sendMail', {
      message: {
        subject: 'Offer',
        body: { contentType: 'text', content: 'Hello' },
        toRecipients: [
          { emailAddress: { address: ADA } },
          { emailAddress: { address: 'bob@example.com', name: 'Bob B.' } },
        ],
      },
    }),
  ],
  [
    'mail_send_message',
    { to: [ADA], subject: 'Offer', body: 'Hello', mailbox: 'post@example.com' },
    post('/v1.0/users/post%40example.com/sendMail', {
      message: {
        subject: 'Offer',
        body: { contentType: 'text', content: 'Hello' },
        toRecipients: to(ADA),
      },
    }),
  ],
  [
    'mail_send_message',
    {
      to: [ADA],
      cc: ['c@example.com'],
      bcc: ['d@example.com'],
      reply_to: ['e@example.com'],
      subject: '',
      body: '<p>Hello</p>',
      body_type: 'html',
      importance: 'high',
      attachments: [
        { name: 'a.csv', text: 'ü,1', content_type: 'text/csv' },
        { name: 'b.bin', content_base64: 'AAEC\nAw==' },
      ],
    },
    post('/v1.0/me/sendMail', {
      message: {
        subject: '',
        body: { contentType: 'html', content: '<p>Hello</p>' },
        toRecipients: to(ADA),
        ccRecipients: to('c@example.com'),
        bccRecipients: to('d@example.com'),
        replyTo: to('e@example.com'),
        importance: 'high',
        attachments: [
          {
            '@odata.type': '#microsoft.graph.fileAttachment',
            name: 'a.csv',
            contentType: 'text/csv',
            contentBytes: 'w7wsMQ==',
          },
          {
            '@odata.type': '#microsoft.graph.fileAttachment',
            name: 'b.bin',
            contentType: 'application/octet-stream',
            contentBytes: 'AAECAw==',
          },
        ],
      },
    }),
  ],
  [
    'mail_reply_to_message',
    { message_id: ID, comment: 'Yes.' },
    post(`${MESSAGE}/reply`, { comment: 'Yes.' }),
  ],
  [
    'mail_reply_to_message',
    { message_id: ID, comment: 'Yes.', reply_all: true, cc: [ADA] },
    post(`${MESSAGE}/replyAll`, { comment: 'Yes.', message: { ccRecipients: to(ADA) } }),
  ],
  [
    'mail_forward_message',
    { message_id: ID, to: [ADA] },
    post(`${MESSAGE}/forward`, { toRecipients: to(ADA) }),
  ],
  [
    'mail_forward_message',
    { message_id: ID, to: [ADA], bcc: ['d@example.com'], comment: 'See below.' },
    post(`${MESSAGE}/forward`, {
      comment: 'See below.',
      message: { toRecipients: to(ADA), bccRecipients: to('d@example.com') },
    }),
  ],
  [
    'mail_create_draft',
    { subject: 'Offer', to: [ADA] },
    post('/v1.0/me/messages', { subject: 'Offer', toRecipients: to(ADA) }),
  ],
  ['mail_create_draft', {}, post('/v1.0/me/messages', {})],
  ['mail_create_reply_draft', { message_id: ID }, post(`${MESSAGE}/createReply`, {})],
  [
    'mail_create_reply_draft',
    { message_id: ID, reply_all: true, comment: 'Yes.' },
    post(`${MESSAGE}/createReplyAll`, { comment: 'Yes.' }),
  ],
  [
    'mail_create_forward_draft',
    { message_id: ID, to: [ADA], comment: 'Look.' },
    post(`${MESSAGE}/createForward`, { comment: 'Look.', toRecipients: to(ADA) }),
  ],
  [
    'mail_update_draft',
    { message_id: ID, body: '<b>x</b>', body_type: 'html', to: [], bcc: [ADA] },
    patch(MESSAGE, {
      body: { contentType: 'html', content: '<b>x</b>' },
      toRecipients: [],
      bccRecipients: to(ADA),
    }),
  ],
  [
    'mail_add_attachment',
    { message_id: ID, name: 'a.txt', text: 'Hello' },
    post(`${MESSAGE}/attachments`, {
      '@odata.type': '#microsoft.graph.fileAttachment',
      name: 'a.txt',
      contentType: 'text/plain',
      contentBytes: 'SGVsbG8=',
    }),
  ],
  [
    'mail_list_attachments',
    { message_id: ID },
    get(`${MESSAGE}/attachments`, [['$select', 'id,name,contentType,size,isInline']]),
  ],
];

describe('mail tools that write messages', () => {
  it.each(ROWS)('%s sends one request for the input %j', async (name, input, expected) => {
    const request = await requestOf(name, input);
    expect(request).toEqual(expected);
    expectRequestMatches(description, request);
  });

  it('sends a draft by its id, without a body', async () => {
    const request = await requestOf('mail_send_draft', { message_id: ID });
    expect(request).toEqual({ method: 'POST', host: 0, path: `${MESSAGE}/send`, query: [], headers: {} });
    expectRequestMatches(description, request);
  });

  it.each([
    ['mail_send_message', { to: [ADA], subject: 'x', body: 'y' }],
    ['mail_reply_to_message', { message_id: ID, comment: 'x' }],
    ['mail_forward_message', { message_id: ID, to: [ADA] }],
  ])('%s says that a sent message has no id, after one request', async (name, input) => {
    const { data, requests } = await callTool(name, input, null);
    expect([data, requests.length]).toEqual([SENT, 1]);
  });

  const mail = { to: [ADA], subject: 'x', body: 'y' };
  const largeText = 'x'.repeat(400_000);
  it.each<[string, Record<string, unknown>, string[]]>([
    ['mail_send_message', {}, ['to required', 'subject required', 'body required']],
    ['mail_send_message', { ...mail, to: [] }, ['to min_items']],
    ['mail_send_message', { ...mail, to: ['Ada'], cc: [ADA, 'b@'] }, ['to[0] format', 'cc[1] format']],
    ['mail_send_message', { ...mail, bcc: Array(500).fill(ADA) }, ['to max_items']],
    [
      'mail_send_message',
      { ...mail, attachments: [{ name: 'a' }, { name: 'b', content_base64: 'not base64!' }] },
      ['attachments[0].text exactly_one_of', 'attachments[1].content_base64 format'],
    ],
    [
      'mail_send_message',
      {
        ...mail,
        attachments: [
          { name: 'a', text: largeText },
          { name: 'b', text: largeText },
        ],
      },
      ['attachments max_bytes'],
    ],
    ['mail_add_attachment', { message_id: ID, name: 'a' }, ['text exactly_one_of']],
    ['mail_add_attachment', { message_id: ID, name: 'a', text: 'ü'.repeat(400_000) }, ['text max_bytes']],
    ['mail_add_attachment', { message_id: ID, name: 'a', content_base64: 'AAE' }, ['content_base64 format']],
    ['mail_update_draft', { message_id: ID }, [' require']],
    ['mail_update_draft', { message_id: ID, body_type: 'html' }, ['body require']],
    ['mail_reply_to_message', { message_id: '../x', comment: 'x' }, ['message_id path']],
    ['mail_create_forward_draft', { message_id: ID, to: ['x'] }, ['to[0] format']],
    ['mail_create_draft', { to: ['Ada'], importance: 'urgent' }, ['importance enum']],
    ['mail_create_draft', { to: ['Ada'] }, ['to[0] format']],
    ['mail_create_reply_draft', { comment: 'x' }, ['message_id required']],
    ['mail_forward_message', { message_id: '..', to: [ADA] }, ['message_id path']],
    ['mail_forward_message', { message_id: ID }, ['to required']],
    ['mail_send_draft', { message_id: 'a/../b' }, ['message_id path']],
    ['mail_list_attachments', { message_id: '' }, ['message_id min_length']],
  ])('%s refuses the input %#', async (name, input, expected) => {
    expect((await callRefusals(name, input)).toSorted()).toEqual(expected.toSorted());
  });

  it('names the limit when files are larger', async () => {
    const attachments = [
      { name: 'a', text: largeText },
      { name: 'b', text: largeText },
    ];
    await expect(callTool('mail_send_message', { ...mail, attachments })).rejects.toThrow(
      'attachments: Must have at most 700 kB in a call, and has 800 kB.',
    );
  });
});

describe('tool mail_get_attachment', () => {
  const path = `${MESSAGE}/attachments/AAMkAttach%3D`;
  const input = { message_id: ID, attachment_id: 'AAMkAttach=' };
  const about = { id: 'AAMkAttach=', name: 'a.csv', contentType: 'text/csv', size: 8 };
  const answers = (first: object, second: object) => (request: ProviderRequest) =>
    request.query.some(([name]) => name === '$select') ? first : second;

  it('looks at the size first, and then reads text', async () => {
    const whole = { ...about, contentBytes: Buffer.from('ü,1\n').toString('base64') };
    const { requests, data } = await callTool('mail_get_attachment', input, answers(about, whole));
    expect(requests).toEqual([
      get(path, [['$select', 'id,name,contentType,size,isInline,lastModifiedDateTime']]),
      get(path),
    ]);
    for (const request of requests) expectRequestMatches(description, request);
    expect(data).toEqual({ ...whole, text: 'ü,1\n' });
  });

  it.each([
    ['Windows text', { name: 'a.txt', contentType: 'text/plain' }, Buffer.from([0xfc, 0x80]), { text: 'ü€' }],
    [
      'JSON by its type',
      { name: 'a', contentType: 'application/vnd.api+json' },
      Buffer.from('{}'),
      { text: '{}' },
    ],
    [
      'a picture',
      { name: 'a.png', contentType: 'image/png' },
      Buffer.from([0x89, 0, 1]),
      {
        notice: 'This file is not text, so only its name and size are shown. Its owner opens it in Outlook.',
      },
    ],
  ])('answers what a model can use of %s', async (_what, of, bytes, expected) => {
    const whole = { ...about, ...of, contentBytes: bytes.toString('base64') };
    const { data } = await callTool('mail_get_attachment', input, answers({ ...about, ...of }, whole));
    expect(data).toEqual({ ...whole, ...expected });
  });

  it('reads a message that is attached, and no link to a file', async () => {
    const item = { subject: 'Old offer', body: { contentType: 'text', content: 'See below.' } };
    const kind = { ...about, '@odata.type': '#microsoft.graph.itemAttachment' };
    const read = await callTool('mail_get_attachment', input, answers(kind, { ...kind, item }));
    expect(read.requests[1]).toEqual(get(path, [['$expand', 'microsoft.graph.itemAttachment/item']]));
    expect(read.data).toMatchObject({ text: 'Old offer\n\nSee below.' });
    const link = { ...about, '@odata.type': '#microsoft.graph.referenceAttachment' };
    const { requests, data } = await callTool('mail_get_attachment', input, link);
    expect([requests.length, data]).toEqual([
      1,
      { ...link, notice: expect.stringContaining('cloud') as unknown },
    ]);
  });

  it('refuses a larger file with the limit, and does not load it', async () => {
    const sent: unknown[] = [];
    const large = (request: ProviderRequest) => {
      sent.push(request);
      return { ...about, size: 700_001 };
    };
    await expect(callTool('mail_get_attachment', input, large)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'The attachment has 701 kB; at most 700 kB are read in a call. Its owner opens it in Outlook.',
    });
    expect(sent).toHaveLength(1);
  });
});
