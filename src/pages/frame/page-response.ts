/**
 * Sends pages with headers that keep them out of frames, caches and search engines. Nothing runs in them but
 * the one script that a page names (docs/security.md#pages).
 */
import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Visitor } from '../../core/caller.ts';
import type { Html } from '../words/html.ts';
import type { Brand } from '../../core/environment.ts';
import { viewFor, type View } from '../words/words.ts';
import { logoPath, styleOf } from './brand.ts';

/** Data of a request to a page: the environment it belongs to, set by the listener. */
export interface PageVariables {
  environment: { id: string; name: string; baseUrl: string; brand?: Brand };
  /** The visitor, for interceptors and the audit log. */
  visitor: Visitor;
  /** The signed-in person, for the log; set when a page asks who is signed in. */
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
  return viewFor(c.req.header('accept-language'), c.get('environment'));
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

/**
 * Before a GET that uses something up or starts something. A HEAD request gets the headers only, and a prefetch is
 * refused: the browser asks again when the user really goes there.
 */
export const onlyVisits: MiddlewareHandler<{ Variables: PageVariables }> = async (c, next) => {
  if (c.req.method === 'HEAD') {
    setPageHeaders(c);
    return c.body(null);
  }
  const purpose = c.req.header('sec-purpose') ?? c.req.header('purpose') ?? '';
  if (/prefetch|prerender/i.test(purpose)) return c.body(null, 503, { 'cache-control': 'no-store' });
  return next();
};

/**
 * `Referrer-Policy` of a page with a form is `same-origin`, not `no-referrer`: with the latter browsers post
 * `Origin: null`, which the origin check refuses. Other pages send no referrer at all: the address may
 * contain a link or a code.
 */
function setPageHeaders(c: PageContext, form?: FormPolicy): void {
  const headers = pageHeaders(c.get('environment').brand, form);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/** The same headers for a page that is not sent by `sendPage`; without `form`, no form can be posted from it. */
export function pageHeaders(brand: Brand | undefined, form?: FormPolicy): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(brand, form),
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

function contentSecurityPolicy(brand: Brand | undefined, form: FormPolicy | undefined): string {
  const formAction = form === undefined ? "'none'" : formTargets(form).join(' ');
  return [
    "default-src 'none'",
    `style-src ${styleOf(brand).source}`,
    ...(form?.script === undefined ? [] : [`script-src ${form.script}`]),
    brand?.logo === undefined ? 'img-src data:' : "img-src 'self' data:",
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

/**
 * The logo of the environment; `undefined` for any other address. Opened by itself, an SVG is a document: its policy
 * lets nothing in it run or load.
 */
export function logoResponse(c: PageContext): Response | undefined {
  const { logo } = c.get('environment').brand ?? {};
  if (logo === undefined || c.req.path !== logoPath(logo)) return undefined;
  return c.body(logo.bytes, 200, {
    'content-type': logo.mediaType,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'public, max-age=31536000, immutable',
  });
}
