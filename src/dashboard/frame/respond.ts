/**
 * Sends pages of the dashboard with their own content security policy: style and script only from our files,
 * nothing inline.
 */
import { pageHeaders } from '../../pages/frame/page-response.ts';
import type { DashboardContext } from './dashboard-context.ts';
import type { Html } from './html.ts';
import { layout, type Page } from './layout.ts';

/** Directives of the content security policy; also in docs/security.md. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Statuses of pages. */
export type PageStatus = 200 | 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;

/** Answers with a page. The status of a form that is shown again is 400. */
export function showPage(c: DashboardContext, page: Page, status?: PageStatus): Response | Promise<Response> {
  setHeaders(c);
  if (isPartial(c)) {
    // A whole page, such as that of a failure, replaces the current page.
    c.header('hx-retarget', 'main');
    c.header('hx-reselect', 'main');
    c.header('hx-reswap', 'outerHTML');
  }
  return c.html(layout(c, page), status ?? (page.hasProblems === true ? 400 : 200));
}

/** Answers with a part of a page, for a request of htmx. */
export function showPart(
  c: DashboardContext,
  part: Html,
  status: PageStatus = 200,
): Response | Promise<Response> {
  setHeaders(c);
  return c.html(part, status);
}

/** Whether the request is from htmx, which replaces a part of the page. */
export function isPartial(c: DashboardContext): boolean {
  return c.req.header('hx-request') === 'true';
}

/** Answers with a file to download. @param name without characters that are not allowed in a header */
export function sendDownload(
  c: DashboardContext,
  file: { name: string; contentType: string; body: string | ReadableStream<Uint8Array> },
): Response {
  setHeaders(c);
  c.header('content-type', file.contentType);
  c.header('content-disposition', `attachment; filename="${file.name}"`);
  return c.body(file.body);
}

/** Redirects after a form with 303, so that a reload repeats nothing. The target never comes from the request. */
export function goTo(c: DashboardContext, path: string): Response {
  setHeaders(c);
  if (!isPartial(c)) return c.redirect(path, 303);
  // htmx would insert the page behind a redirect into a part of this page.
  c.header('hx-redirect', path);
  return c.body(null, 200);
}

function setHeaders(c: DashboardContext): void {
  const headers = { ...pageHeaders(undefined, { leadsTo: [] }), 'content-security-policy': POLICY };
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
