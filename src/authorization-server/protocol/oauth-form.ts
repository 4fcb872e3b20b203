/**
 * The body of an OAuth request: read within limits, parsed strictly.
 *
 * Only `application/x-www-form-urlencoded` is accepted. The query string is never read, because secrets in
 * URLs end up in logs (RFC 6749 section 2.3.1).
 */
import type { IncomingMessage } from 'node:http';
import { JoinedBytes } from '../../core/joined-bytes.ts';
import { OAuthError } from './oauth-error.ts';

/** Far above every real request; a token request has a few hundred bytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** Bytes of an oversized body that are read and discarded: a client that is still writing sees no response. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** Parameters of a request. Empty values are left out: they count as not sent (RFC 6749 section 3.1). */
export type OAuthForm = ReadonlyMap<string, string>;

/**
 * Reads and parses the form.
 *
 * @throws OAuthError `invalid_request` for another content type, a body over 64 KiB (413) and a parameter given
 *   twice; `invalid_target` for several resources
 * @see RFC 6749 section 3.2, RFC 8707 section 2
 */
export async function readOAuthForm(req: IncomingMessage): Promise<OAuthForm> {
  const body = await readBody(req, MAX_BODY_BYTES);
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError(
      'invalid_request',
      'Send the parameters as a form: Content-Type application/x-www-form-urlencoded.',
    );
  }
  return parseForm(body);
}

function parseForm(body: string): OAuthForm {
  const form = new Map<string, string>();
  const names = new Set<string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (names.has(name)) throw repeated(name);
    names.add(name);
    if (value !== '') form.set(name, value);
  }
  return form;
}

function repeated(name: string): OAuthError {
  if (name === 'resource') {
    return new OAuthError('invalid_target', 'A token serves one resource. Ask for one token per resource.');
  }
  const known = /^[a-z_]{1,40}$/.test(name) ? `The parameter ${name}` : 'A parameter';
  return new OAuthError('invalid_request', `${known} is given twice. Send each parameter once.`);
}

/**
 * The body as UTF-8 text.
 *
 * @throws OAuthError `invalid_request`, 413 for a body over `maxBytes`
 */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<string> {
  const body = new JoinedBytes();
  let received = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received <= maxBytes) body.add(chunk);
      if (received > MAX_DISCARDED_BYTES) break;
    }
  } catch (cause) {
    throw new OAuthError('invalid_request', 'The request ended before its body was complete.', { cause });
  }
  if (received > maxBytes) {
    throw new OAuthError('invalid_request', `The request body is larger than ${maxBytes / 1024} KiB.`, {
      status: 413,
      headers: { connection: 'close' },
    });
  }
  return body.whole().toString('utf8');
}
