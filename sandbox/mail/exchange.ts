/** Shared parts of the routes of the stand-in mailbox: the user of a request, their rights, and answers. */
import type { Context } from 'hono';
import type { Grant } from '../oauth/grants.ts';
import type { Member } from '../oauth/provider.ts';
import type { Calendar } from './calendar.ts';
import type { Mailbox } from './mailbox/mailbox.ts';
import { SHARED_WITH } from './model.ts';
import { accessDenied, badRequest, MailRefusal } from './refusal.ts';

/** Variables of a request by a signed-in person. */
export interface MailEnv {
  Variables: { grant: Grant; calendar: Calendar; mailbox: Mailbox };
}

export type MailContext = Context<MailEnv>;

/** @throws MailRefusal 403 unless one of the scopes was granted */
export function requireScope(c: MailContext, scopes: readonly string[]): void {
  if (!scopes.some((scope) => c.get('grant').scopes.includes(scope))) throw accessDenied();
}

/** @throws MailRefusal 403 unless the owner shares with the person whose request it is */
export function requireShared(c: MailContext, owner: Member): void {
  const reader = c.get('calendar').owner;
  if (owner.id !== reader.id && SHARED_WITH[owner.id]?.includes(reader.id) !== true) throw accessDenied();
}

/** The id in the path. @throws MailRefusal 400 for text that cannot be an id */
export function idOf(c: MailContext, name = 'id'): string {
  const id = c.req.param(name) ?? '';
  if (!/^[A-Za-z0-9+/=_-]{20,}$/.test(id)) throw badRequest('Id is malformed.', 'ErrorInvalidIdMalformed');
  return id;
}

/** @throws MailRefusal 415, 400 */
export async function readBody(c: MailContext): Promise<unknown> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json'))
    throw new MailRefusal(415, 'RequestBodyRead', 'A supported MIME type has to be given: application/json.');
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch {
    throw badRequest(
      'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
    );
  }
}

/** The answer of an action that was accepted: no body, and so no id. */
export function accepted(c: MailContext): Response {
  return c.body(null, 202);
}
