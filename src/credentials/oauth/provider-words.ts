/**
 * Makes a provider's text about a failure fit to be shown and logged: short, one line, without the secrets that were
 * sent to it. It stays data and is never mixed with our own messages. Pure.
 */
import { SecretScrubber } from '../../outbound/secret-scrubber.ts';

/** Limit in characters; enough for an error_description. */
const MAX_CHARACTERS = 300;

/** Invisible characters that change or hide text (text direction, zero width). */
const INVISIBLE = /\p{Cf}/gu;

const CONTROL_OR_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * @param secrets values that must not be repeated: client secret, code, tokens, verifier
 * @returns `undefined` if nothing is left
 */
export function providerWords(text: string | undefined, secrets: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const line = text.toWellFormed().replaceAll(INVISIBLE, '').replaceAll(CONTROL_OR_BREAK, ' ').trim();
  const clean = new SecretScrubber(secrets).scrub(line);
  if (clean.length <= MAX_CHARACTERS) return clean === '' ? undefined : clean;
  return `${clean.slice(0, MAX_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
