/**
 * Sends pages with headers that keep them out of frames, caches and search engines. Nothing runs in them but
 * the one script that a page names (docs/security.md#pages).
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Visitor } from '../../core/caller.ts';
import type { Html } from '../words/html.ts';
import { viewFor, type View } from '../words/words.ts';
import { STYLESHEET_SOURCE } from './stylesheet.ts';

/** Data of a request to a page: the environment it belongs to, set by the listener. */
export interface PageVariables {
  environment: { id: string; name: string; baseUrl: string };
  /** The visitor, for interceptors and the audit log. */
  visitor: Visitor;
  /** Who is signed in, for the log; set when a page asks. */
  actor?: string;
}

export type PageContext = Context<{ Variables: PageVariables }>;

/** A form on a page. */
export interface FormPolicy {
  /**
   * Origins, other than that of the page, that the browser may be redirected to after the post. Chromium
   * checks every redirect of the chain against `form-action`, not only the first.
   */
  leadsTo: readonly string[];
  /** Source expression of the page's own script; if absent, nothing runs. */
  script?: string;
}

/** The language and words for the browser of this request. */
export function viewOf(c: PageContext): View {
  return viewFor(c.req.header('accept-language'));
}

/** Answers with a page. Without `form`, no form can be posted from it. */
export function sendPage(
  c: PageContext,
  page: Html,
  options: { status?: ContentfulStatusCode; form?: FormPolicy } = {},
): Response | Promise<Response> {
  setPageHeaders(c, options.form);
  return c.html(page, options.status ?? 200);
}

/**
 * Redirects the browser: 303 after a form and to a provider, so that a reload repeats nothing; 302 from a
 * callback to the app. The target never comes from the request.
 */
export function sendRedirect(c: PageContext, target: string, status: 302 | 303 = 303): Response {
  setPageHeaders(c);
  return c.redirect(target, status);
}

/** The response to a HEAD request. It never uses anything up. */
export function sendHeaders(c: PageContext): Response {
  setPageHeaders(c);
  return c.body(null);
}

/** The response to a prefetch: the browser asks again when the user really goes there. */
export function refusePrefetch(c: PageContext): Response {
  return c.body(null, 503, { 'cache-control': 'no-store' });
}

/**
 * `Referrer-Policy` of a page with a form is `same-origin`, not `no-referrer`: with the latter browsers post
 * `Origin: null`, which the origin check refuses. Other pages send no referrer at all: the address may
 * contain a link or a code.
 */
function setPageHeaders(c: PageContext, form?: FormPolicy): void {
  for (const [name, value] of Object.entries(pageHeaders(form))) c.header(name, value);
}

/** The same headers for a page that is not sent by `sendPage`; without `form`, no form can be posted from it. */
export function pageHeaders(form?: FormPolicy): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(form),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': form === undefined ? 'no-referrer' : 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-robots-tag': 'noindex, nofollow',
    'cache-control': 'no-store',
    vary: 'accept-language',
  };
}

function contentSecurityPolicy(form: FormPolicy | undefined): string {
  const formAction = form === undefined ? "'none'" : formTargets(form).join(' ');
  return [
    "default-src 'none'",
    `style-src ${STYLESHEET_SOURCE}`,
    ...(form?.script === undefined ? [] : [`script-src ${form.script}`]),
    'img-src data:',
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * An origin as a source expression; only its scheme if the grammar of policies cannot express the host (IPv6
 * addresses) or the host could add a directive (it may contain `;`).
 */
function originSource(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return /^[a-z0-9.-]+$/i.test(hostname) ? origin : protocol;
}

/**
 * Allowed targets of a form. Browsers check every redirect after a post against `form-action`, and the app may
 * redirect the user to a sign-in of its own. So any https address is allowed once the post leaves this origin.
 */
function formTargets({ leadsTo }: FormPolicy): string[] {
  if (leadsTo.length === 0) return ["'self'"];
  return [...new Set(["'self'", ...leadsTo.map(originSource), 'https:'])];
}
