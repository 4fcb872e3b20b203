/** Code and values to copy. Copying needs a script; without one the button is not there. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { frame as words } from '../words/frame.ts';

/** A button that copies a text. @param what name of the text, such as `the redirect URI` */
export function copyButton(text: string, what: string): Html {
  return html`<button
    class="icon-btn copy-btn"
    type="button"
    data-copy="${text}"
    aria-label="${words.copy(what)}"
    title="${words.copy(what)}"
  >
    ${icon('copy')}
  </button>`;
}

/** A value in one line with its copy button. */
export function copyable(value: string, what: string): Html {
  return html`<span class="copyable"><code>${value}</code>${copyButton(value, what)}</span>`;
}

/** Several lines of code. @param label names the code */
export function codeBlock(label: string, code: Text): Html {
  return html`<pre class="code" tabindex="0" role="group" aria-label="${label}">${code}</pre>`;
}

/** Code in a card's body, with a copy button. */
export function copyableCode(label: string, code: string): Html {
  return html`<div class="copyable">${codeBlock(label, code)}${copyButton(code, label)}</div>`;
}
