/** Rules for texts that can be sent as a static credential, typed into a form or given over the API. Pure. */

/** In characters. */
const MAX_LENGTH = 8_192;

/** A credential travels in a header, where only visible ASCII is safe. */
const SENDABLE = /^[\x20-\x7e]*$/;

/** The problem of a value, or `undefined` if it can be sent. An empty value counts as missing, not as wrong. */
export function credentialTextProblem(
  label: string,
  value: string,
): { description: string; constraint: string } | undefined {
  if (value.length > MAX_LENGTH) {
    return { description: `${label} is at most ${MAX_LENGTH} characters long.`, constraint: 'max_length' };
  }
  if (!SENDABLE.test(value)) {
    return {
      description: `${label} has characters that such a value cannot have.`,
      constraint: 'characters',
    };
  }
  return undefined;
}
