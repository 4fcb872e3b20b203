/**
 * Text that a provider says about a failure, made fit to be shown and logged: short, one line, without the
 * secrets that went to it. Still data, never our words. Pure.
 */
import { SecretScrubber } from '../../outbound/secret-scrubber.ts';

/** In characters; enough for an error_description. */
const MAX_CHARACTERS = 300;

/** Characters that are not seen but change or hide what is (text direction, zero width). */
const INVISIBLE = /\p{Cf}/gu;

const CONTROL_OR_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * @param secrets what must not be repeated: client secret, code, tokens, verifier
 * @returns undefined when nothing is left
 */
export function providerWords(text: string | undefined, secrets: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const line = text.toWellFormed().replaceAll(INVISIBLE, '').replaceAll(CONTROL_OR_BREAK, ' ').trim();
  const clean = new SecretScrubber(secrets).scrub(line);
  if (clean.length <= MAX_CHARACTERS) return clean === '' ? undefined : clean;
  return `${clean.slice(0, MAX_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
