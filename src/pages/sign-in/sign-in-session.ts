/** Finds the user who is signed in in a browser, for every page that needs them. */
import type { SignIn, SigningIn, SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { sessionCookie } from '../frame/own-cookie.ts';
import { sendRedirect, type PageContext } from '../frame/page-response.ts';
import { rememberSubject, type AskingApp } from '../frame/sign-in-subject.ts';
import { signInPath } from './sign-in-path.ts';

export class BrowserSession {
  readonly #people: Pick<SignIn, 'ofCookie'>;

  constructor(people: Pick<SignIn, 'ofCookie'>) {
    this.#people = people;
  }

  /** The signed-in user. Counts as use, which keeps the session alive. */
  async find(c: PageContext): Promise<SignedInPerson | undefined> {
    const cookie = sessionCookie.read(c) ?? '';
    if (cookie === '') return undefined;
    const person = await this.#people.ofCookie(c.get('environment').id, cookie);
    if (person !== undefined) c.set('actor', person.userId);
    return person;
  }

  /**
   * The signed-in user, or the answer that redirects to the sign-in and back.
   *
   * @param next one of our paths, as `safeNext` allows them
   * @param asking the app that the sign-in is for; its page names it
   */
  async requireSignedIn(
    c: PageContext,
    next: string,
    asking: AskingApp = {},
  ): Promise<SignedInPerson | Response> {
    const person = await this.find(c);
    if (person !== undefined) return person;
    rememberSubject(c, next, asking);
    return sendRedirect(c, signInPath(next));
  }
}

/** Facts about the browser that sign-in needs. */
export function signingIn(c: PageContext): SigningIn {
  return {
    environmentId: c.get('environment').id,
    visitor: c.get('visitor'),
    cookie: sessionCookie.read(c) ?? '',
  };
}

/** Sets the cookie of the session that has just begun; the previous value is no longer valid. */
export function rememberSession(c: PageContext, started: { cookie: string }): void {
  sessionCookie.write(c, started.cookie);
}
