/**
 * Removes live credentials from text that a provider sent: some APIs repeat the request's headers, and
 * neither an agent nor a log may see them there.
 */
import { isUtf8 } from 'node:buffer';

/** Replaces a secret. */
export const MASK = '[secret]';

/** Minimum length of a secret: shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** Knows the secrets of one call, in all forms in which they may be repeated. */
export class SecretScrubber {
  /** Longest first, so that a form that contains another one is masked as a whole. */
  readonly #forms: readonly string[];

  /** @param secrets as sent: tokens, keys, passwords, the credentials of an Authorization header */
  constructor(secrets: readonly string[]) {
    const forms = new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(formsOf));
    this.#forms = [...forms].toSorted((a, b) => b.length - a.length);
  }

  /** Replaces every form of every secret with `[secret]`. */
  scrub(text: string): string {
    let clean = text;
    for (const form of this.#forms) {
      if (clean.includes(form)) clean = clean.replaceAll(form, MASK);
    }
    return clean;
  }

  /**
   * Same as `scrub`, for a body of any kind. Text is scrubbed as text; in other bodies a secret is
   * overwritten in place, so that the rest of a file does not move.
   */
  scrubBytes(body: Buffer): Buffer {
    const found = this.#forms.filter((form) => body.includes(form));
    if (found.length === 0) return body;
    if (isUtf8(body)) return Buffer.from(this.scrub(body.toString('utf8')));
    const clean = Buffer.from(body);
    for (const form of found) overwrite(clean, Buffer.from(form));
    return clean;
  }
}

function overwrite(body: Buffer, secret: Buffer): void {
  for (let at = body.indexOf(secret); at !== -1; at = body.indexOf(secret, at + secret.length))
    body.fill('*', at, at + secret.length);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((offset) => base64Inside(bytes, offset)),
  ];
  // Most keys look the same in JSON and in a URL; computing these forms would cost more than the rest of the
  // call.
  if (/^[\w.-]*$/.test(secret)) return forms;
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret.toWellFormed());
  const lowerCase = percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  return [...forms, json, json.replaceAll('/', '\\/'), percent, lowerCase, form];
}

/**
 * The part of the secret's base64 that stays the same wherever it starts in a longer text, e.g. after `user:`
 * in Basic credentials.
 */
function base64Inside(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const base64 = padded
    .toString('base64')
    .slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6));
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
}
