/** The 404 page of processes that serve a front page. */
import { messagePage } from './message-pages.ts';
import { pageHeaders } from './page-response.ts';
import { viewFor, type ShownEnvironment } from '../words/words.ts';

/** The page as a response of its own, for code that responds without the pages' routes. */
export async function lostPage(
  acceptLanguage: string | undefined,
  environment: ShownEnvironment,
): Promise<Response> {
  const view = viewFor(acceptLanguage, environment);
  const body = (await messagePage(view, view.words.frame.lost)).toString();
  return new Response(body, {
    status: 404,
    headers: { ...pageHeaders(environment.brand), 'content-type': 'text/html; charset=UTF-8' },
  });
}
