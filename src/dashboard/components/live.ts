/** Lists that refresh themselves while their tab is visible: a switch in the address, and the attributes for htmx. */
import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';
import { linkButton } from './card.ts';
import { withQuery } from './table.ts';

/** Whether the address switches it on. A page of older rows never changes, so it is never live. */
function isLive(query: URLSearchParams): boolean {
  return query.get('live') === '1' && query.get('page_token') === null;
}

/** The link that switches refreshing on or off, and says which it is. */
export function liveSwitch(path: string, query: URLSearchParams): Html {
  return isLive(query)
    ? html`<a class="live" href="${withQuery(path, query, { live: '' })}">${words.live}</a>`
    : linkButton(withQuery(path, query, { live: '1' }), words.beLive);
}

/** The part that refreshes itself if that is on. A request of htmx is answered with `content` alone. */
export function livePart(path: string, query: URLSearchParams, content: Html): Html {
  if (!isLive(query)) return content;
  // The script sends the event every five seconds while the tab is visible.
  const address = withQuery(path, query, {});
  return html`<div data-live hx-get="${address}" hx-trigger="live" hx-swap="innerHTML">${content}</div>`;
}
