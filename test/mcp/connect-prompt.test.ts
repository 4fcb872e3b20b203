import { describe, expect, it } from 'vitest';
import { connectPrompt, connectQuestion } from '../../src/mcp/connect-prompt.ts';
import { EXPIRY, LINK, notActive } from './fixtures.ts';

const texts = (error: ReturnType<typeof notActive>): string[] =>
  connectPrompt(error).content.map((block) => (block as { text: string }).text);

describe('connect prompt of MCP', () => {
  it('gives the link, its expiry and what to do, then the same as JSON', () => {
    expect(connectPrompt(notActive())).toEqual({
      isError: true,
      _meta: {
        'gatehouse/account': { id: 'ca_1', identifier: 'ada', connector: 'web' },
        'gatehouse/link': 'http://127.0.0.1:3000/connect/secret',
      },
      content: [
        {
          type: 'text',
          text:
            'Web search (account ada) is not connected yet. Ask the user to open this link and finish there: ' +
            'http://127.0.0.1:3000/connect/secret (valid until 2126-11-20T13:00:00.000Z). ' +
            'Then call the tool again with the same arguments.',
          _meta: { 'gatehouse/notice': true },
        },
        {
          type: 'text',
          text:
            '{"code":"AUTHORIZATION_REQUIRED","status":"PENDING_AUTH","connected_account_id":"ca_1",' +
            '"link":"http://127.0.0.1:3000/connect/secret","expiry":"2126-11-20T13:00:00.000Z"}',
          _meta: { 'gatehouse/notice': true },
        },
      ],
    });
  });

  it.each([
    ['PENDING_AUTH', false, 'Web search (account ada) is not connected yet.'],
    ['PENDING_AUTH', true, 'Web search (account ada) is not connected any more.'],
    [
      'EXPIRED',
      true,
      'The connection to Web search (account ada) has expired and has to be renewed by its owner.',
    ],
    ['DISCONNECTED', true, 'The connection to Web search (account ada) was disconnected.'],
  ] as const)('words the prompt by status: %s, connected before: %s', (status, everConnected, sentence) => {
    expect(texts(notActive({ status, everConnected }))[0]).toBe(
      `${sentence} Ask the user to open this link and finish there: ${LINK} (valid until ${EXPIRY}). ` +
        'Then call the tool again with the same arguments.',
    );
  });

  it('does not make the user start again who has just finished', () => {
    expect(texts(notActive({ status: 'PENDING_VERIFICATION' }))[0]).toBe(
      'The connection to Web search (account ada) is waiting for verification: consent was given, but it is not confirmed yet who gave it. ' +
        'If the user has just finished, call the tool again in a moment. ' +
        `Otherwise ask the user to open this link and finish there: ${LINK} (valid until ${EXPIRY}). ` +
        'Then call the tool again with the same arguments.',
    );
  });

  it('says in words why there is no link', () => {
    const error = notActive({}, { unavailable: 'No link can be made here: set user_verify_url.' });
    expect(texts(error)).toEqual([
      'Web search (account ada) is not connected yet. No link can be made here: set user_verify_url.',
      '{"code":"AUTHORIZATION_REQUIRED","status":"PENDING_AUTH","connected_account_id":"ca_1","link":null,"expiry":null}',
    ]);
  });

  it.each([
    ['PENDING_AUTH', 'Web search (account ada) is not connected yet. Open this page to connect it.'],
    [
      'EXPIRED',
      'The connection to Web search (account ada) has expired and has to be renewed by its owner. Open this page to renew it.',
    ],
    [
      'DISCONNECTED',
      'The connection to Web search (account ada) was disconnected. Open this page to connect it again.',
    ],
    [
      'PENDING_VERIFICATION',
      'The connection to Web search (account ada) is waiting for verification: consent was given, but it is not confirmed yet who gave it. Unless that is under way, open this page to start again.',
    ],
  ] as const)('asks the same as a question for clients that open pages: %s', (status, message) => {
    expect(connectQuestion(notActive({ status }), LINK)).toEqual({
      message,
      url: 'http://127.0.0.1:3000/connect/secret',
    });
  });
});
