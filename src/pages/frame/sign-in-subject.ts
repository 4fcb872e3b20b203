/**
 * The app that somebody is asked to sign in for, remembered for an hour from the page that asked to the sign-in
 * page.
 *
 * It is in a cookie, not in the address, so that nobody can make a link to our sign-in page that names an app of
 * their choice. It only decides what is shown.
 */
import { createHash } from 'node:crypto';
import { subjectCookie } from './own-cookie.ts';
import type { SignInSubject } from '../words/en/sign-in.ts';
import type { PageContext } from './page-response.ts';

const STORED = /^([\w-]{22})\.(app|host)\.([\w-]{1,800})$/;

/** The name of an app, or otherwise the host that publishes it. */
export type AskingApp = Pick<SignInSubject, 'app' | 'host'>;

/** Longest name that is kept, in UTF-16 units. */
const MAX_NAME_LENGTH = 100;

/** @param next path that the sign-in leads to @param asking names nothing if nothing is known */
export function rememberSubject(c: PageContext, next: string, { app, host }: AskingApp): void {
  const given = app ?? host ?? '';
  if (given === '') return;
  const kind = app === undefined ? 'host' : 'app';
  const name = given.slice(0, MAX_NAME_LENGTH).toWellFormed();
  subjectCookie.write(c, `${markOf(next)}.${kind}.${Buffer.from(name).toString('base64url')}`);
}

/** The app that the sign-in to `next` is for, if the page there asked in this browser. */
export function rememberedSubject(c: PageContext, next: string): AskingApp {
  const [, mark, kind, name] = STORED.exec(subjectCookie.read(c) ?? '') ?? [];
  if (mark !== markOf(next) || name === undefined) return {};
  const known = Buffer.from(name, 'base64url').toString();
  return kind === 'host' ? { host: known } : { app: known };
}

function markOf(next: string): string {
  return createHash('sha256').update(next).digest('base64url').slice(0, 22);
}
