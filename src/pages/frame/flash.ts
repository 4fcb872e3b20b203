/** A sentence about the last change, shown once on the page after a form. It waits in a cookie of the browser. */
import { html } from 'hono/html';
import type { Html, Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';
import { noticeCookie } from './own-cookie.ts';
import type { PageContext } from './page-response.ts';

/** A change that a sentence can be about. */
type Deed = keyof Words['frame']['done'];

/** Longest name in the sentence, in characters; longer ones are cut. */
const MAX_LENGTH = 100;

/** Stores a sentence for the next page. @param about the app or the number that it names */
export function leaveFlash(c: PageContext, deed: Deed, about: string): void {
  noticeCookie.write(c, `${deed}.${about.slice(0, MAX_LENGTH).toWellFormed()}`);
}

/** The stored sentence, which is then removed; '' if there is none. */
export function takeFlash(c: PageContext, { words }: View): Text {
  const [, deed, about] = /^([a-zA-Z]{1,30})\.(.{0,100})$/s.exec(noticeCookie.read(c) ?? '') ?? [];
  if (deed === undefined || about === undefined) return '';
  noticeCookie.forget(c);
  return isDeed(words, deed) ? flash(words.frame.done[deed](about)) : '';
}

function flash(sentence: string): Html {
  return html`<p class="flash" role="status">${sentence}</p>`;
}

function isDeed(words: Words, deed: string): deed is Deed {
  return Object.hasOwn(words.frame.done, deed);
}
