/** Notes and warnings: a sentence that stands out, in a shape and in words. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';

/** A sentence that explains why the page is as it is. */
export function note(text: Text): Html {
  return html`<p class="note">${icon('help')}<span>${text}</span></p>`;
}

/** Sentences about what does not work, each with the advice for it. */
export function warnings(sentences: readonly Text[]): Html {
  return html`<ul class="warns">
    ${sentences.map((sentence) => html`<li>${icon('warn')}<span>${sentence}</span></li>`)}
  </ul>`;
}
