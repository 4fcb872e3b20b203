/** Notes and warnings: a sentence that stands out, in a shape and in words. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import type { Tone } from './badge.ts';

/** A sentence that explains why the page is as it is. @param tone `bad` of what failed, `wait` of what may go wrong */
export function note(text: Text, tone?: Extract<Tone, 'bad' | 'wait'>): Html {
  return html`<p class="note ${tone ?? ''}">
    ${icon(tone === undefined ? 'help' : 'warn')}<span>${text}</span>
  </p>`;
}

/** Sentences about what does not work, each with the advice for it. */
export function warnings(sentences: readonly Text[]): Html {
  return html`<ul class="warns">
    ${sentences.map((sentence) => html`<li>${icon('warn')}<span>${sentence}</span></li>`)}
  </ul>`;
}
