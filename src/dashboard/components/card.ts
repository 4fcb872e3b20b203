/** Cards: a heading, at most one action at the right, a body, and buttons or paging at the foot. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';

/** A section of a page. */
export interface Card {
  /** Id of the heading, unique on the page. */
  id: string;
  title: Text;
  /** At the right of the title. */
  action?: Text;
  /** Below the header, without padding: tables and lists bring their own. */
  content: Text;
  foot?: Text;
  /** Additional classes. */
  kind?: string;
}

/** A card with a heading of the second level. */
export function card({ id, title, action, content, foot, kind = '' }: Card): Html {
  return html`<section class="card ${kind}" aria-labelledby="${id}">
    <header>
      <h2 id="${id}">${title}</h2>
      ${action ?? ''}
    </header>
    ${content} ${foot === undefined ? '' : html`<div class="foot">${foot}</div>`}
  </section>`;
}

/** A link that looks like a button. `primary` at most once in a section. */
export function linkButton(
  href: string,
  label: Text,
  kind: '' | 'primary' | 'small' | 'danger' | 'small primary' | 'small danger' = '',
): Html {
  return html`<a class="btn ${kind}" href="${href}">${label}</a>`;
}

/** A plain link inside text and headers. */
export function link(href: string, label: Text): Html {
  return html`<a class="link" href="${href}">${label}</a>`;
}

/**
 * Two cards next to each other if there is room.
 * @param align `start` if each card keeps its own height
 */
export function twoColumns(left: Text, right: Text, align: '' | 'start' = ''): Html {
  return html`<div class="grid two ${align}">${left} ${right}</div>`;
}

/** Names and values of one thing. */
export function facts(rows: readonly { label: string; value: Text; hint?: Text | undefined }[]): Html {
  return html`<dl class="facts-list">
    ${rows.map(
      ({ label, value, hint }) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}${hint === undefined ? '' : html`<small>${hint}</small>`}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Shown instead of an empty list: a sentence and the one thing to do about it. */
export function empty(sentence: Text, action?: Text): Html {
  return html`<div class="empty">
    <p>${sentence}</p>
    ${action ?? ''}
  </div>`;
}
