/** The frame around every page. Values reach a page only through the `html` tag, which escapes them. */
import { html, raw } from 'hono/html';
import type { Html, Text } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { STYLESHEET } from './stylesheet.ts';

/** Brand: a gate with its doors open. */
const BRAND = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"><path d="M4 21V10a8 8 0 0 1 16 0v11"/><path d="M2.5 21h19"/><path d="M8.5 21v-8.5a3.5 3.5 0 0 1 7 0V21"/><path d="M12 15.2v2.1"/></svg>',
);

/** The same drawing for the tab, inline, so that it needs no second request. */
const TAB_ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0f7a61" stroke-width="2.2" stroke-linecap="round"><path d="M4 21V10a8 8 0 0 1 16 0v11M2.5 21h19M8.5 21v-8.5a3.5 3.5 0 0 1 7 0V21"/></svg>',
)}`;

/** Complete and unformatted: the policy allows the text between the tags by its hash. */
const STYLE = raw(`<style>${STYLESHEET}</style>`);

/** A whole document. `footer` is a sentence under the card; `goOnTo` the address where the browser goes at once; `hasProblems` says a form is shown again. */
export function layout(
  { language, words }: View,
  page: { title: string; content: Html; footer?: Text; goOnTo?: string; hasProblems?: boolean },
): Html {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${page.hasProblems === true ? words.frame.error(page.title) : page.title} · Gatehouse</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="theme-color" content="#f3f4f1" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#111614" media="(prefers-color-scheme: dark)" />
        ${page.goOnTo === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${page.goOnTo}" />`}
        <link rel="icon" href="${TAB_ICON}" />
        ${STYLE}
      </head>
      <body>
        <header>${BRAND}<span>Gatehouse</span></header>
        <main>${page.content}</main>
        ${page.footer === undefined ? '' : html`<footer>${page.footer}</footer>`}
      </body>
    </html>`;
}
