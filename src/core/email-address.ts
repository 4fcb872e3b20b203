/**
 * Normal form of e-mail addresses that identify users. Each address has one spelling, so that nobody is two users
 * and no two addresses count as one. Mail goes to this spelling, never to another one that was typed. Pure.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import type { FieldViolation } from './errors.ts';

/** Longest address, in UTF-16 units (RFC 5321 section 4.5.3.1: a path of 256 with its brackets). */
const MAX_LENGTH = 254;

/** Longest part before the `@` (RFC 5321 section 4.5.3.1.1). */
const MAX_LOCAL_LENGTH = 64;

/** Characters that could split an address, hide in it or end a header line: blanks, controls, invisible characters, brackets, separators. */
const UNUSABLE = /[\p{C}\p{Z}<>(),;:"[\]\\]/u;

const LABEL = /^[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;

/**
 * Returns the one spelling of an address: NFC, lower case, domain in Unicode.
 *
 * @returns `undefined` for invalid addresses, including quoted local parts and IP literals
 */
export function normalizeEmail(written: string): string | undefined {
  if (written.length > MAX_LENGTH || !written.isWellFormed()) return undefined;
  const text = written.normalize('NFC').toLowerCase().normalize('NFC');
  const [local = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || local === '' || local.length > MAX_LOCAL_LENGTH || UNUSABLE.test(text))
    return undefined;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return undefined;
  if (!domain.split('.').every((label) => LABEL.test(label))) return undefined;
  const host = domainToUnicode(domainToASCII(domain));
  const address = `${local}@${host}`;
  return host === '' || address.length > MAX_LENGTH ? undefined : address;
}

/** Finds faults in a written address. @param field its name in the request, e.g. `user.email` */
export function emailViolations(field: string, written: string): FieldViolation[] {
  if (normalizeEmail(written) !== undefined) return [];
  return [{ field, description: 'Must be an e-mail address such as ada@example.test.', constraint: 'email' }];
}
