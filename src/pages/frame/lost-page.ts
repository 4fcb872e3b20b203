/** Pages of processes that serve a front page, for people who opened an address that has no page. */
import { messagePage } from './message-pages.ts';
import { pageHeaders } from './page-response.ts';
import { viewFor, type ShownEnvironment } from '../words/words.ts';

/** An answer for code that answers without the pages' routes. */
interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The 404 page. */
export async function lostPage(
  acceptLanguage: string | undefined,
  environment: ShownEnvironment,
): Promise<Response> {
  const { body, ...init } = await messageAnswer(acceptLanguage, environment, 'lost', 404);
  return new Response(body, init);
}

/**
 * The 401 page of addresses that programs call with an access token.
 *
 * @param resourceMetadata where a client learns how to get one (RFC 9728); absent outside MCP
 */
export async function programPage(
  acceptLanguage: string | undefined,
  environment: ShownEnvironment,
  resourceMetadata: string | undefined,
): Promise<PageAnswer> {
  const answer = await messageAnswer(acceptLanguage, environment, 'forPrograms', 401);
  const challenge =
    resourceMetadata === undefined ? 'Bearer' : `Bearer resource_metadata="${resourceMetadata}"`;
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': challenge } };
}

async function messageAnswer(
  acceptLanguage: string | undefined,
  environment: ShownEnvironment,
  message: 'lost' | 'forPrograms',
  status: number,
): Promise<PageAnswer> {
  const view = viewFor(acceptLanguage, environment);
  const body = (await messagePage(view, view.words.frame[message])).toString();
  const headers = { ...pageHeaders(environment.brand), 'content-type': 'text/html; charset=UTF-8' };
  return { status, headers, body };
}
