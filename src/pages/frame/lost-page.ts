/** The 404 page of processes that serve a front page. */
import { html } from 'hono/html';
import { messagePage } from './message-pages.ts';
import { pageHeaders } from './page-response.ts';

/** For unknown addresses. */
export const LOST = messagePage({
  title: 'There is no page here',
  what: 'The address may have been mistyped, or cut off when it was copied.',
  next: html`If you were given a link, open the whole link. If not, go to the <a href="/">front page</a>.`,
});

/** The page as a response of its own, for code that responds without the pages' routes. */
export async function lostPage(): Promise<Response> {
  const body = (await LOST).toString();
  return new Response(body, {
    status: 404,
    headers: { ...pageHeaders(), 'content-type': 'text/html; charset=UTF-8' },
  });
}
