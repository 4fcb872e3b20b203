/**
 * How pages leave: the headers that keep them out of frames, caches and search, and let nothing run in them but the one
 * script that a page names (docs/security.md#pages).
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Visitor } from '../../core/caller.ts';
import type { Html } from './layout.ts';
import { STYLESHEET_SOURCE } from './stylesheet.ts';

/** What a request to a page carries: the environment it belongs to, set by the listener. */
export interface PageVariables {
  environment: { id: string; name: string; baseUrl: string };
  /** Who asks, for interceptors and the audit log. */
  visitor: Visitor;
}

export type PageContext = Context<{ Variables: PageVariables }>;

/** A form on a page. */
export interface FormPolicy {
  /**
   * Origins, beside that of the page, which the browser may be redirected to after the post. Chromium holds
   * every redirect of the chain against `form-action`, not only the first.
   */
  leadsTo: readonly string[];
  /** Source expression of the page's own script; absent: nothing runs. */
  script?: string;
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
 * Sends the browser on: 303 after a form and to a provider, so that a reload repeats nothing; 302 from a
 * callback to the app. The target never comes from the request.
 */
export function sendRedirect(c: PageContext, target: string, status: 302 | 303 = 303): Response {
  setPageHeaders(c);
  return c.redirect(target, status);
}

/** The answer to a question for the headers alone. Looking never spends anything. */
export function sendHeaders(c: PageContext): Response {
  setPageHeaders(c);
  return c.body(null);
}

/** The answer to a browser that loads ahead: it asks again when the person really goes there. */
export function refusePrefetch(c: PageContext): Response {
  return c.body(null, 503, { 'cache-control': 'no-store' });
}

/**
 * `Referrer-Policy` of a page with a form is `same-origin`, not `no-referrer`: with the latter browsers post
 * `Origin: null`, which the origin check refuses. Of anything else nothing is told onwards: the address may
 * hold a link or a code.
 */
function setPageHeaders(c: PageContext, form?: FormPolicy): void {
  for (const [name, value] of Object.entries(pageHeaders(form))) c.header(name, value);
}

/** The same for a page that leaves by another way than `sendPage`; without `form`, no form can be posted from it. */
export function pageHeaders(form?: FormPolicy): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(form),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': form === undefined ? 'no-referrer' : 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-robots-tag': 'noindex, nofollow',
    'cache-control': 'no-store',
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
 * An origin as a source expression; only its scheme where the grammar of policies cannot name the host (IPv6
 * addresses) or the host could add a directive (it may contain `;`).
 */
function originSource(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return /^[a-z0-9.-]+$/i.test(hostname) ? origin : protocol;
}

/**
 * Where a form may lead. Browsers hold every hop after a post against `form-action`, and the app may send the
 * person on through a sign-in of its own: any https address is let through once the post leaves this origin.
 */
function formTargets({ leadsTo }: FormPolicy): string[] {
  if (leadsTo.length === 0) return ["'self'"];
  return [...new Set(["'self'", ...leadsTo.map(originSource), 'https:'])];
}
