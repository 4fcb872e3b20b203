/**
 * Texts of somebody else's server on our pages: inert, with every character to be seen, long ones folded, and what has
 * changed in them marked. Pure.
 */
import { html } from 'hono/html';
import { visibleText } from '../../../upstream/definitions/plain-text.ts';
import { count } from '../../components/format.ts';
import type { Html, Text } from '../../frame/html.ts';
import { upstreams } from '../../words/upstreams.ts';

const words = upstreams.waiting;

/** Characters that are shown at once. */
const SHOWN = 400;

/** Characters around a change. */
const AROUND = 80;

/** More are not sent to a browser. Of longer texts the published form has less than this, too. */
const MOST = 8_000;

/** A part of a text: begin and end, in UTF-16 units. */
type Span = readonly [from: number, to: number];

/** A text as it is. */
export function foreignText(text: string): Html {
  return shown(seen(text), [0, 0]);
}

/** Two texts; what differs between them is marked in each. */
export function changedTexts(before: string, after: string): { before: Html; after: Html } {
  const [old, now] = [seen(before), seen(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return {
    before: shown(old, [start, old.length - end]),
    after: shown(now, [start, now.length - end]),
  };
}

/** How many characters of a text a page has. */
export function sizeOnPage(text: string | null): number {
  return Math.min(text?.length ?? 0, MOST);
}

/** A text with every character to be seen. A browser takes a carriage return for a line feed. */
export function seen(text: string): string {
  return visibleText(text).replaceAll('\r', '[U+000D]');
}

function shown(text: string, [from, to]: Span): Html {
  if (text.length <= SHOWN) return marked(text, [from, to]);
  const start = edge(text, Math.max(0, from - AROUND));
  const stop = edge(text, Math.min(text.length, Math.max(to, from) + AROUND, start + SHOWN));
  const part = marked(text.slice(start, stop), [from - start, Math.min(to, stop) - start]);
  const rest = text.length - MOST;
  const whole = rest > 0 ? text.slice(0, edge(text, MOST)) + words.cut(count(rest)) : text;
  return html`${start > 0 ? '… ' : ''}${part}${stop < text.length ? ' …' : ''}
    <details>
      <summary>${words.whole(count(text.length))}</summary>
      <code class="foreign">${whole}</code>
    </details>`;
}

/** A line feed at the end of a line cannot be seen, so in what is marked it has a sign. */
function marked(text: string, [from, to]: Span): Html {
  const mark: Text =
    to > from
      ? html`<mark>${text.slice(edge(text, from), edge(text, to)).replaceAll('\n', '⏎\n')}</mark>`
      : '';
  return html`<code class="foreign"
    >${text.slice(0, edge(text, from))}${mark}${text.slice(edge(text, Math.max(from, to)))}</code
  >`;
}

/** The place, or the one before it where the place is between the two halves of a character. */
function edge(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) && at > 0 ? at - 1 : at;
}
