/** Rules for texts that can be sent as a static credential, typed into a form or given over the API. Pure. */

import type { AuthorizationType } from '../authorization-types/index.ts';
import { wholePattern } from '../catalog/model/linear-pattern.ts';
import type { CredentialField } from '../catalog/model/types.ts';

/** In characters. */
const MAX_LENGTH = 8_192;

/** A credential travels in a header, where only visible ASCII is safe. */
const SENDABLE = /^[\x20-\x7e]*$/;

/** User name and password of Basic are encoded as UTF-8; only control characters are excluded (RFC 7617 section 2). */
const SENDABLE_BY_BASIC = /^[^\p{Cc}\p{Cs}]*$/u;

/** The same with line breaks, for values that are not sent as they are. */
const SENDABLE_LINES = /^[\x20-\x7e\n\t]*$/;

/** The rules of a field for its values. */
type FieldRules = Pick<CredentialField, 'label' | 'input' | 'choices' | 'pattern' | 'example'>;

/** The problem of a value, or `undefined` if it can be sent. An empty value counts as missing, not as wrong. */
export function credentialTextProblem(
  type: AuthorizationType,
  { label, input, choices, pattern, example }: FieldRules,
  value: string,
): { description: string; constraint: string } | undefined {
  if (value.length > MAX_LENGTH) {
    return { description: `${label} is at most ${MAX_LENGTH} characters long.`, constraint: 'max_length' };
  }
  if (!sendable(type, input).test(value)) {
    return {
      description: `${label} contains characters that are not allowed here.`,
      constraint: 'characters',
    };
  }
  if (value === '') return undefined;
  if (choices !== undefined && !choices.includes(value))
    return { description: `${label} must be one of: ${choices.join(', ')}.`, constraint: 'enum' };
  if (pattern !== undefined && !wholePattern(pattern).test(value))
    return { description: `${label} must look like ${example ?? pattern}.`, constraint: 'pattern' };
  return undefined;
}

function sendable(type: AuthorizationType, input: FieldRules['input']): RegExp {
  if (input === 'multiline') return SENDABLE_LINES;
  return type === 'BASIC' || type === 'BASIC_AUTH' ? SENDABLE_BY_BASIC : SENDABLE;
}
