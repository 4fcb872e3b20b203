/** Times on pages of people. The server does not know the reader's time zone. */
import { html } from 'hono/html';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

/** Length of `2026-11-20 14:32:07`. */
const TO_THE_SECOND = 19;

/** Seconds of each unit, the longest first. */
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `2026-11-20 14:32:07 UTC` */
export function exactTime(view: View, unixMs: number): Html {
  return html`<time datetime="${new Date(unixMs).toISOString()}">${inUtc(view, unixMs)}</time>`;
}

/** `2 minutes ago`, in the language of the page; the exact time is shown on demand. */
export function timeAgo(view: View, unixMs: number, now: number): Html {
  const { language } = view;
  const seconds = Math.max(0, Math.floor((now - unixMs) / 1_000));
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? (['second', seconds + 1] as const);
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return html`<time datetime="${new Date(unixMs).toISOString()}" title="${inUtc(view, unixMs)}"
    >${words.format(-Math.floor(seconds / length), unit)}</time
  >`;
}

function inUtc({ words }: View, unixMs: number): string {
  return words.frame.utc(new Date(unixMs).toISOString().slice(0, TO_THE_SECOND).replace('T', ' '));
}
