/** Rules for texts that can be sent as a static credential, typed into a form or given over the API. Pure. */

import type { AuthorizationType } from '../authorization-types/index.ts';

/** In characters. */
const MAX_LENGTH = 8_192;

/** A credential travels in a header, where only visible ASCII is safe. */
const SENDABLE = /^[\x20-\x7e]*$/;

/** User name and password of Basic are encoded as UTF-8; only control characters are excluded (RFC 7617 section 2). */
const SENDABLE_BY_BASIC = /^[^\p{Cc}\p{Cs}]*$/u;

/** The problem of a value, or `undefined` if it can be sent. An empty value counts as missing, not as wrong. */
export function credentialTextProblem(
  type: AuthorizationType,
  label: string,
  value: string,
): { description: string; constraint: string } | undefined {
  if (value.length > MAX_LENGTH) {
    return { description: `${label} is at most ${MAX_LENGTH} characters long.`, constraint: 'max_length' };
  }
  const isBasic = type === 'BASIC' || type === 'BASIC_AUTH';
  if (!(isBasic ? SENDABLE_BY_BASIC : SENDABLE).test(value)) {
    return {
      description: `${label} contains characters that are not allowed here.`,
      constraint: 'characters',
    };
  }
  return undefined;
}
