/** Notes and warnings: a sentence that stands out, in a shape and in words. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import type { Tone } from './badge.ts';

/**
 * A sentence that explains the state of the page.
 * @param tone `bad` for a failure, `wait` for something that may go wrong
 */
export function note(text: Text, tone?: Extract<Tone, 'bad' | 'wait'>): Html {
  return html`<p class="note ${tone ?? ''}">
    ${icon(tone === undefined ? 'help' : 'warn')}<span>${text}</span>
  </p>`;
}

/** Sentences about things that do not work, each with advice. */
export function warnings(sentences: readonly Text[]): Html {
  return html`<ul class="warns">
    ${sentences.map((sentence) => html`<li>${icon('warn')}<span>${sentence}</span></li>`)}
  </ul>`;
}
