/** Things that need attention. Each is a sentence with a subject, a time, the people concerned, and one action. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { frame as words } from '../words/frame.ts';
import { badge } from './badge.ts';
import { time } from './format.ts';

/** One thing that needs attention. */
export interface AttentionItem {
  /** `bad`: broken. `warn`: will break, or wastes time. */
  tone: 'bad' | 'warn';
  what: Text;
  detail: Text;
  /** Since when, or when it last happened; absent if unknown. */
  since?: { label: string; at: string } | undefined;
  action: { href: string; label: string };
}

/** The card; nothing if all is well. The first action is the primary one. */
export function attention(items: readonly AttentionItem[]): Text {
  if (items.length === 0) return '';
  return html`<section class="card attn" aria-labelledby="attention">
    <header><h2 id="attention">${words.attention} ${badge('bad', String(items.length), true)}</h2></header>
    <ul>
      ${items.map((item, index) => row(item, index === 0))}
    </ul>
  </section>`;
}

function row({ tone, what, detail, since, action }: AttentionItem, isFirst: boolean): Html {
  return html`<li>
    ${icon(tone === 'bad' ? 'stop' : 'warn', tone)}
    <div>
      <b>${what}</b>
      <p>${detail}${since === undefined ? '' : html` ${since.label} ${time(since.at)}.`}</p>
    </div>
    <a class="btn small ${isFirst ? 'primary' : ''}" href="${action.href}">${action.label}</a>
  </li>`;
}
