/**
 * The cookie of browsers in which people have signed in by a code: each such browser has its own budget of codes, so
 * that strangers who ask for codes in a person's name do not lock that person out.
 *
 * The cookie names nobody. For each person it has a random id, an expiry and a MAC over these and the address. Pure.
 */
import { createHmac } from 'node:crypto';
import { newSecret } from '../../core/ids.ts';
import { isSameText } from '../../core/same-text.ts';

/** Time for which a browser stays known, in seconds. */
export const KNOWN_BROWSER_SECONDS = 90 * 24 * 3_600;

/** People of one browser; the one who has not signed in for longest is forgotten. */
const MAX_PEOPLE = 5;

/** The person who has or wants the code. */
interface Addressee {
  environmentId: string;
  /** In the normal form of e-mail addresses. */
  email: string;
}

/** The id of this browser if it is known for this person. @param cookie '' without one */
export function knownBrowserId(key: Buffer, cookie: string, of: Addressee, now: number): string | undefined {
  return entriesOf(cookie)
    .find((entry) => isOf(key, entry, of, now))
    ?.split('.', 1)[0];
}

/** The value of the cookie after the person has signed in. */
export function withKnownPerson(key: Buffer, cookie: string, of: Addressee, now: number): string {
  const start = `${newSecret()}.${now + KNOWN_BROWSER_SECONDS * 1_000}`;
  const others = entriesOf(cookie).filter((entry) => !isOf(key, entry, of, now));
  return [`${start}.${mac(key, start, of)}`, ...others].slice(0, MAX_PEOPLE).join('~');
}

function entriesOf(cookie: string): string[] {
  return cookie.split('~', MAX_PEOPLE).filter((entry) => /^[\w-]{43}\.\d{13,16}\.[\w-]{43}$/.test(entry));
}

function isOf(key: Buffer, entry: string, of: Addressee, now: number): boolean {
  const end = entry.lastIndexOf('.');
  const start = entry.slice(0, end);
  return isSameText(entry.slice(end + 1), mac(key, start, of)) && Number(start.split('.')[1]) > now;
}

function mac(key: Buffer, start: string, { environmentId, email }: Addressee): string {
  const text = JSON.stringify(['known-browser', environmentId, email, start]);
  return createHmac('sha256', key).update(text).digest('base64url');
}
