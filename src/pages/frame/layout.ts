/** The frame around every page. Values reach a page only through the `html` tag, which escapes them. */
import { html, raw } from 'hono/html';
import type { Html, Text } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { logoPath, styleOf } from './brand.ts';

/** Name of the product, used if the operator sets no other. */
const PRODUCT = 'Gatehouse';

/** The product's own logo: a gate with its doors open. */
const GATE = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"><path d="M4 21V10a8 8 0 0 1 16 0v11"/><path d="M2.5 21h19"/><path d="M8.5 21v-8.5a3.5 3.5 0 0 1 7 0V21"/><path d="M12 15.2v2.1"/></svg>',
);

/** The same drawing as an icon for the tab, inline, so that it needs no second request. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0f7a61" stroke-width="2.2" stroke-linecap="round"><path d="M4 21V10a8 8 0 0 1 16 0v11M2.5 21h19M8.5 21v-8.5a3.5 3.5 0 0 1 7 0V21"/></svg>';

const TAB_ICON = `data:image/svg+xml,${encodeURIComponent(ICON)}`;

/**
 * A whole document. `footer` is a sentence under the card; `goOnTo` is an address that the browser opens at once;
 * `hasProblems` says that a form is shown again.
 */
export function layout(
  view: View,
  page: {
    title: string;
    content: Html;
    footer?: Text;
    goOnTo?: string;
    hasProblems?: boolean;
    /** Menu of a signed-in person. */
    menu?: Html;
  },
): Html {
  const { language, words, brand } = view;
  const title = page.hasProblems === true ? words.frame.error(page.title) : page.title;
  const name = ownName(view);
  const top =
    page.menu === undefined ? header(view) : html`<a href="/dashboard">${header(view)}</a>${page.menu}`;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${title} · ${name}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="theme-color" content="#f3f4f1" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#111614" media="(prefers-color-scheme: dark)" />
        ${page.goOnTo === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${page.goOnTo}" />`}
        <link rel="icon" href="${TAB_ICON}" />
        ${raw(`<style>${styleOf(brand).text}</style>`)}
      </head>
      <body>
        <header>${top}</header>
        <main>${page.content}</main>
        ${footer(view, page.footer)}
      </body>
    </html>`;
}

/** The operator's name, otherwise the product's. */
export function ownName({ brand }: View): string {
  return brand.name ?? PRODUCT;
}

/** The header. The logo needs no alternative text, because the name stands next to it. */
function header(view: View): Html {
  const { brand, environment } = view;
  const logo = brand.logo === undefined ? GATE : html`<img src="${logoPath(brand.logo)}" alt="" />`;
  return html`${logo}<span>${ownName(view)}</span>${environment === '' ? '' : html`<small>${environment}</small>`}`;
}

/**
 * The footer: the page's own sentence, the operator's links, and the product's name if the header shows another
 * one.
 */
function footer({ words, brand }: View, sentence: Text | undefined): Text {
  const { helpUrl, privacyUrl, name } = brand;
  const items = [
    ...(helpUrl === undefined ? [] : [outwards(helpUrl, words.frame.helpPage)]),
    ...(privacyUrl === undefined ? [] : [outwards(privacyUrl, words.frame.privacy)]),
    ...(name === undefined ? [] : [words.frame.runsOn(PRODUCT)]),
  ];
  if (sentence === undefined && items.length === 0) return '';
  return html`<footer>
    ${sentence === undefined ? '' : html`<p>${sentence}</p>`}
    ${
      items.length === 0
        ? ''
        : html`<ul>
            ${items.map((item) => html`<li>${item}</li>`)}
          </ul>`
    }
  </footer>`;
}

/** A link that opens another tab, so that entered text is kept here. */
function outwards(href: string, text: string): Html {
  return html`<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`;
}
