/** The sentence that a record of a failed call keeps. */
import { describe, expect, it } from 'vitest';
import { AccountNotActive } from '../../../src/accounts/not-active.ts';
import { invalidArgument, ServiceError } from '../../../src/core/errors.ts';
import { recordedFailure } from '../../../src/executor/call/recorded-failure.ts';

const notActive = new AccountNotActive(
  {
    id: 'ca_1',
    connection: 'notes',
    connectorTitle: 'Notes',
    identifier: 'secret-name@example.test',
    status: 'EXPIRED',
    everConnected: true,
  },
  { link: 'https://gate.example/connect/secret-name', expiry: '2026-11-20T13:00:00.000Z' },
);

describe('record of a failed call', () => {
  it('holds nothing for a call that succeeded', () => {
    expect(recordedFailure(undefined)).toEqual({
      error_code: null,
      error_message: null,
      provider_status: null,
    });
  });

  it.each<[string, unknown, string, string]>([
    [
      'an account that was not connected',
      notActive,
      'CONNECTED_ACCOUNT_NOT_ACTIVE',
      'The account was not connected (EXPIRED). Its owner has to connect it.',
    ],
    [
      'a refused request',
      invalidArgument([
        { field: 'query.secret-name', description: 'secret-name is no date.', constraint: 'format' },
        { field: 'query', description: 'secret-name', constraint: 'format' },
        { field: 'items[0].name', description: 'x', constraint: 'format' },
      ]),
      'INVALID_ARGUMENT',
      'The request was not valid: query, items.',
    ],
    ['a defect', new Error('secret-name'), 'INTERNAL', 'Gatehouse failed. Its log has the cause.'],
    [
      'a failure of its own',
      new ServiceError('RATE_LIMITED', 'Too many calls. Try again in 5 s.'),
      'RATE_LIMITED',
      'Too many calls. Try again in 5 s.',
    ],
  ])('holds a sentence without names, links and values for %s', (_name, error, code, message) => {
    expect(recordedFailure(error)).toEqual({
      error_code: code,
      error_message: message,
      provider_status: null,
    });
  });

  it('cuts a long sentence at 300 characters, never within a character', () => {
    const { error_message: message } = recordedFailure(
      new ServiceError('UNAVAILABLE', `${'x'.repeat(298)}😀${'y'.repeat(300)}`),
    );
    expect(message).toHaveLength(300);
    expect(message?.isWellFormed()).toBe(true);
  });
});
