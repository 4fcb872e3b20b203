/** The menu of signed-in people: their accounts, sessions and organizations, and signing out. */
import { html } from 'hono/html';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

const PLACES = [
  ['accounts', '/accounts'],
  ['sessions', '/sessions'],
  ['organizations', '/organizations'],
] as const;

/** The part of the menu that a page belongs to. */
export type MenuPlace = (typeof PLACES)[number][0];

/** @param csrf token of the form that signs out */
export function menu({ words }: View, { csrf, current }: { csrf: string; current?: MenuPlace }): Html {
  const { frame } = words;
  return html`<nav aria-label="${frame.menu.label}">
    ${PLACES.map(
      ([place, path]) =>
        html`<a href="${path}" ${place === current ? html`aria-current="page"` : ''}
          >${frame.menu[place]}</a
        >`,
    )}
    <form method="post" action="/sign-out">
      <input type="hidden" name="csrf" value="${csrf}" />
      <button type="submit">${frame.signOut}</button>
    </form>
  </nav>`;
}
