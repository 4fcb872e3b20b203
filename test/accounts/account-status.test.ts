import { describe, expect, it } from 'vitest';
import { nextStatus } from '../../src/accounts/account-status.ts';

describe('account status transitions', () => {
  it.each([
    ['PENDING_AUTH', 'submitted', 'PENDING_VERIFICATION'],
    ['EXPIRED', 'submitted', 'PENDING_VERIFICATION'],
    ['DISCONNECTED', 'submitted', 'PENDING_VERIFICATION'],
    ['PENDING_VERIFICATION', 'submitted', 'PENDING_VERIFICATION'],
    ['ACTIVE', 'submitted', 'ACTIVE'],
    ['PENDING_AUTH', 'connected', 'ACTIVE'],
    ['EXPIRED', 'connected', 'ACTIVE'],
    ['DISCONNECTED', 'connected', 'ACTIVE'],
    ['PENDING_VERIFICATION', 'connected', 'ACTIVE'],
    ['ACTIVE', 'connected', 'ACTIVE'],
    ['PENDING_VERIFICATION', 'verified', 'ACTIVE'],
    ['ACTIVE', 'verified', 'ACTIVE'],
    ['ACTIVE', 'verification_ended', 'ACTIVE'],
    ['PENDING_AUTH', 'credentials_updated', 'ACTIVE'],
    ['EXPIRED', 'credentials_updated', 'ACTIVE'],
    ['DISCONNECTED', 'credentials_updated', 'ACTIVE'],
    ['PENDING_VERIFICATION', 'credentials_updated', 'ACTIVE'],
    ['ACTIVE', 'credentials_updated', 'ACTIVE'],
    ['ACTIVE', 'credential_refused', 'EXPIRED'],
    ['ACTIVE', 'credential_expired', 'EXPIRED'],
    ['ACTIVE', 'disconnected', 'DISCONNECTED'],
    ['EXPIRED', 'disconnected', 'DISCONNECTED'],
    ['PENDING_AUTH', 'disconnected', 'DISCONNECTED'],
    ['PENDING_VERIFICATION', 'disconnected', 'DISCONNECTED'],
    ['DISCONNECTED', 'disconnected', 'DISCONNECTED'],
  ] as const)('moves an account from %s by the trigger %s to %s', (from, trigger, to) => {
    expect(nextStatus(from, trigger)).toBe(to);
  });

  it.each(['PENDING_AUTH', 'EXPIRED', 'DISCONNECTED'] as const)(
    'puts the account back to %s when a verification ends without success',
    (before) => {
      expect(nextStatus('PENDING_VERIFICATION', 'verification_ended', { statusBefore: before })).toBe(before);
    },
  );

  it.each(['credential_refused', 'credential_expired'] as const)(
    'moves the account to PENDING_VERIFICATION when new credentials wait as the old one ends: %s',
    (trigger) => {
      expect(nextStatus('ACTIVE', trigger, { statusBefore: 'EXPIRED' })).toBe('PENDING_VERIFICATION');
    },
  );

  it.each([
    ['PENDING_AUTH', 'verified'],
    ['EXPIRED', 'verified'],
    ['DISCONNECTED', 'verified'],
    ['PENDING_AUTH', 'verification_ended'],
    ['EXPIRED', 'verification_ended'],
    ['DISCONNECTED', 'verification_ended'],
    ['PENDING_AUTH', 'credential_refused'],
    ['EXPIRED', 'credential_refused'],
    ['DISCONNECTED', 'credential_refused'],
    ['PENDING_VERIFICATION', 'credential_refused'],
    ['PENDING_AUTH', 'credential_expired'],
    ['EXPIRED', 'credential_expired'],
    ['DISCONNECTED', 'credential_expired'],
    ['PENDING_VERIFICATION', 'credential_expired'],
  ] as const)('refuses an account in %s for the trigger %s as impossible', (from, trigger) => {
    expect(() => nextStatus(from, trigger)).toThrow(`an account that is ${from} cannot be ${trigger}`);
  });
});
