/** Formats numbers, times and durations for the dashboard. */
import { html } from 'hono/html';
import { breakable } from '../../pages/frame/breakable.ts';
import type { Html } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';

/** A name or address that somebody else chose. It keeps its own writing direction, and breaks between its parts. */
export function isolated(text: string): Html {
  return html`<bdi>${breakable(text)}</bdi>`;
}

/** The same where markup is not allowed, as in the options of a select. */
export function isolatedText(text: string): string {
  return `\u2068${text}\u2069`;
}

/** `1,262`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Milliseconds below a second, seconds above: `412 ms`, `1.9 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A share with one digit, such as `2.3 %`. A dash if the whole is 0. */
export function share(part: number, whole: number): string {
  return whole === 0 ? words.none : `${((100 * part) / whole).toFixed(1)} %`;
}

/** A time to the minute in UTC; its title has the seconds. The server does not know the reader's time zone. */
export function time(timestamp: string): Html {
  const [date = '', clock = ''] = timestamp.split('T');
  return html`<time datetime="${timestamp}" title="${words.utc(`${date} ${clock.slice(0, 8)}`)}" class="num"
    >${words.utc(`${date} ${clock.slice(0, 5)}`)}</time
  >`;
}

/** The same, or a dash if there is no time. */
export function timeOrNone(timestamp: string | null | undefined): Html | string {
  return timestamp === null || timestamp === undefined ? words.none : time(timestamp);
}

/** An id, shortened in the middle; its title has the whole id. */
export function shortId(id: string): Html {
  const shown = id.length <= 20 ? id : `${id.slice(0, 10)}…${id.slice(-4)}`;
  return html`<bdi class="mono" title="${id}">${shown}</bdi>`;
}

/** A name of a tool or setting, which may break only after its underscores, dots and slashes. */
export function codeName(name: string): Html {
  const parts = name.split(/(?<=[_./])/);
  return html`<span class="mono"
    >${parts.map((part, index) => html`${index === 0 ? '' : html`<wbr />`}${part}`)}</span
  >`;
}
