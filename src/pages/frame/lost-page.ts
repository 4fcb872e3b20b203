/** What a browser is shown at an address that is none of ours, in a process that has a front page to go on from. */
import { html } from 'hono/html';
import { messagePage } from './message-pages.ts';
import { pageHeaders } from './page-response.ts';

/** For an address that is none of ours. */
export const LOST = messagePage({
  title: 'There is no page here',
  what: 'The address may have been mistyped, or cut off when it was copied.',
  next: html`If you were given a link, open the whole link. If not, go to the <a href="/">front page</a>.`,
});

/** The page as an answer of its own, for whoever answers without the pages' routes. */
export async function lostPage(): Promise<Response> {
  const body = (await LOST).toString();
  return new Response(body, {
    status: 404,
    headers: { ...pageHeaders(), 'content-type': 'text/html; charset=UTF-8' },
  });
}
