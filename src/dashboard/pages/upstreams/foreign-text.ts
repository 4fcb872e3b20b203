/**
 * Shows texts of other servers on our pages: without effect, with invisible characters made visible, long texts
 * folded, and changes marked. Pure.
 */
import { html } from 'hono/html';
import { visibleText } from '../../../upstream/definitions/plain-text.ts';
import { count } from '../../components/format.ts';
import type { Html, Text } from '../../frame/html.ts';
import { upstreams } from '../../words/upstreams.ts';

const words = upstreams.waiting;

/** Characters that are visible at once; a click opens the rest. */
const SHOWN = 400;

/** Characters that are shown around a change. */
const AROUND = 80;

/** Most characters that are sent to a browser. A published form cuts longer texts too, to less than this. */
const MOST = 8_000;

/** A part of a text: start and end, in UTF-16 units. */
type Span = readonly [from: number, to: number];

/** A text, without comparison. */
export function foreignText(text: string): Html {
  return shown(seen(text), [0, 0]);
}

/** Two texts, with the differences marked in each. */
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

/** Characters that a text takes on a page. */
export function sizeOnPage(text: string | null): number {
  return Math.min(text?.length ?? 0, MOST);
}

/** A text with invisible characters made visible. A browser would show a carriage return as a line break. */
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

/** A marked part. Its line feeds get a visible sign, because a marked line feed would not be seen. */
function marked(text: string, [from, to]: Span): Html {
  const mark: Text =
    to > from
      ? html`<mark>${text.slice(edge(text, from), edge(text, to)).replaceAll('\n', '⏎\n')}</mark>`
      : '';
  return html`<code class="foreign"
    >${text.slice(0, edge(text, from))}${mark}${text.slice(edge(text, Math.max(from, to)))}</code
  >`;
}

/** The position, or the one before it if the position would split a character of two code units. */
function edge(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) && at > 0 ? at - 1 : at;
}
