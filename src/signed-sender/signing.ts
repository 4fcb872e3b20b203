/**
 * Signatures of messages to webhooks and interceptors. No storage, no clock.
 *
 * The scheme is that of Standard Webhooks: HMAC-SHA256 over `<id>.<timestamp>.<raw body>`, keyed with the
 * bytes after `whsec_`. After a rotation there is one value per secret for a while, and the receiver accepts
 * any of them.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Prefix of the names of the three headers. */
export type HeaderFamily = 'webhook' | 'interceptor';

export interface SignedMessage {
  /** `evt_…`; the same in every attempt, so that a receiver recognizes a repetition. */
  id: string;
  /** Unix seconds. Receivers refuse old ones, so it is the time of the attempt, not of the event. */
  timestamp: number;
  /** Sent byte for byte. */
  body: string;
}

/** A new secret: `whsec_` and 32 random bytes as base64. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** One `v1,<base64>` per secret, in the order of the secrets, separated by spaces. */
export function signatureOf(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ');
}

/** `webhook-id`, `webhook-timestamp`, `webhook-signature`, and the same for each further family. */
export function signedHeaders(
  families: readonly HeaderFamily[],
  secrets: readonly string[],
  message: SignedMessage,
): Record<string, string> {
  const signature = signatureOf(secrets, message);
  const headers = families.map((family) => ({
    [`${family}-id`]: message.id,
    [`${family}-timestamp`]: String(message.timestamp),
    [`${family}-signature`]: signature,
  }));
  return Object.assign({}, ...headers) as Record<string, string>;
}
