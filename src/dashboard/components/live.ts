/** Lists that renew themselves while their tab is visible: a switch in the address, and the attributes for htmx. */
import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';
import { linkButton } from './card.ts';
import { withQuery } from './table.ts';

/** Whether the address asks for it. A page of older rows does not change. */
function isLive(query: URLSearchParams): boolean {
  return query.get('live') === '1' && query.get('page_token') === null;
}

/** Turns it on, or says that it is on and turns it off. */
export function liveSwitch(path: string, query: URLSearchParams): Html {
  return isLive(query)
    ? html`<a class="live" href="${withQuery(path, query, { live: '' })}">${words.live}</a>`
    : linkButton(withQuery(path, query, { live: '1' }), words.beLive);
}

/** What renews itself where it is on; a request of htmx is answered with `content` alone. */
export function livePart(path: string, query: URLSearchParams, content: Html): Html {
  if (!isLive(query)) return content;
  // The script sends the event every five seconds while the tab is visible.
  const address = withQuery(path, query, {});
  return html`<div data-live hx-get="${address}" hx-trigger="live" hx-swap="innerHTML">${content}</div>`;
}
