/** Whom an account may act for, by who is proven to be its owner. */
import { describe, expect, it } from 'vitest';
import { testAccount } from '../support/accounts.ts';
import { InvalidForm, requireOwnName } from '../../src/links/link-rules.ts';

type Subject = Parameters<typeof requireOwnName>[0];

/** The identifier of the account is `ada@acme.example`, its user `usr_ada`. */
function refused(type: Subject['auth']['type'], verification: string, form: Record<string, string>): unknown {
  const owner = { userId: 'usr_ada', organizationId: '' };
  const row = testAccount({ identifier: 'ada@acme.example', owner });
  try {
    requireOwnName({ link: { verification }, row, auth: { type } } as Subject, form);
  } catch (error) {
    return (error as InvalidForm).violations;
  }
  return undefined;
}

describe('name that an account acts in, entered at a link', () => {
  it.each([
    ['WORKSPACE_DWD', 'subject'],
    ['TRUSTED_IDP', 'db_user'],
  ] as const)('requires the identifier as the name of %s where the app verifies', (type, field) => {
    expect(refused(type, 'app', { [field]: 'ada@acme.example' })).toBeUndefined();
    expect(refused(type, 'app', { [field]: 'boss@acme.example' })).toEqual([
      {
        field,
        description:
          'Must be ada@acme.example, whose account this is. Only the operator can name somebody else, over the API.',
        constraint: 'identifier',
      },
    ]);
  });

  it.each(['ADA@acme.example', 'ada@acme.example.', 'ada'])('compares the name exactly: %s', (subject) => {
    expect(refused('WORKSPACE_DWD', 'app', { subject })).toHaveLength(1);
  });

  it('requires the user where the person signs in, not the identifier that person may have chosen', () => {
    expect(refused('WORKSPACE_DWD', 'signed_in', { subject: 'usr_ada' })).toBeUndefined();
    expect(refused('WORKSPACE_DWD', 'signed_in', { subject: 'ada@acme.example' })).toMatchObject([
      { field: 'subject', constraint: 'identifier' },
    ]);
  });

  it('accepts any name on the operator’s own computer, where nobody is verified', () => {
    expect(refused('WORKSPACE_DWD', 'none', { subject: 'boss@acme.example' })).toBeUndefined();
  });

  it('requires no name for other authorization types', () => {
    expect(refused('API_KEY', 'app', { subject: 'boss@acme.example' })).toBeUndefined();
  });
});
