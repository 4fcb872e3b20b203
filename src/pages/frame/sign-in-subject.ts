/**
 * The app that somebody is asked to sign in for, from the page that asked to the sign-in page, for an hour.
 *
 * A cookie carries it, and not the address: nobody can make a link to our sign-in page that names an app of their
 * choice. Trusted for nothing but what is shown.
 */
import { createHash } from 'node:crypto';
import { subjectCookie } from './own-cookie.ts';
import type { PageContext } from './page-response.ts';

const STORED = /^([\w-]{22})\.([\w-]{1,800})$/;

/** Longest name that is kept, in UTF-16 units. */
const MAX_NAME_LENGTH = 100;

/** @param next path that the sign-in leads to @param app its name; absent if it has none */
export function rememberSubject(c: PageContext, next: string, app: string | undefined): void {
  if (app === undefined || app === '') return;
  const name = app.slice(0, MAX_NAME_LENGTH).toWellFormed();
  subjectCookie.write(c, `${markOf(next)}.${Buffer.from(name).toString('base64url')}`);
}

/** The app that the sign-in to `next` is for, if the page there asked in this browser. */
export function rememberedSubject(c: PageContext, next: string): string | undefined {
  const [, mark, name] = STORED.exec(subjectCookie.read(c) ?? '') ?? [];
  if (mark !== markOf(next) || name === undefined) return undefined;
  return Buffer.from(name, 'base64url').toString();
}

function markOf(next: string): string {
  return createHash('sha256').update(next).digest('base64url').slice(0, 22);
}
