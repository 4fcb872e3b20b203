/**
 * `/sign-in`: asks for the address, then for a code or the organization's provider, then continues to the page wanted.
 *
 * Responses are the same whether or not the address is known.
 */
import { Hono } from 'hono';
import { PageFailure } from '../../core/page-failure.ts';
import { emailViolations, normalizeEmail } from '../../core/email-address.ts';
import { isFromOwnPage, isUnderOtherName, readPageQuery } from '../frame/browser-request.ts';
import { CONFIRM_PATH } from '../connect/after-connecting.ts';
import { browserCookie } from '../frame/own-cookie.ts';
import { rememberedSubject } from '../frame/sign-in-subject.ts';
import {
  onlyVisits,
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import { againField } from './people-fields.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import {
  askForCode,
  codeWay,
  limitStarts,
  providerAnswer,
  refusedCode,
  rememberPerson,
  wrongCode,
  type CodeForm,
} from './sign-in-code.ts';
import { leavingPage, onwardsPage, providerPage, signInPage } from './sign-in-pages.ts';
import type { SignInSubject } from '../words/en/sign-in.ts';
import { purposeOf, safeNext, signInAgainPath, signInPath } from './sign-in-path.ts';
import { rememberSession, signingIn } from './sign-in-session.ts';

/** Form of an organization's id. */
const ORGANIZATION_ID = /^org_[0-9a-z]{1,60}$/;

/** Routes throw PageFailure and ServiceError; the caller has the error page. */
export function signInRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { forms, people, providerSignIn, rates, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/sign-in', async (c) => {
    const next = safeNext(c.req.query('next'));
    // `again` asks a signed-in person for a new proof of identity, before something dangerous.
    const person = await signIn.find(c);
    const isAgain = c.req.query('again') !== undefined && person !== undefined;
    if (person !== undefined && !isAgain) return goOn(c, next);
    return showSignIn(deps, c, { next, isAgain });
  });

  routes.post('/sign-in', async (c) => {
    const { browser, fields } = await forms.read(c);
    const next = safeNext(fields.next);
    const written = (fields.email ?? '').trim();
    const email = normalizeEmail(written);
    const isAgain = fields.again !== undefined;
    if (email === undefined) return showSignIn(deps, c, { next, email: written, isAgain });
    const { id } = c.get('environment');
    return askForCode(deps, c, {
      form: codeForm({ browser, csrf: fields.csrf ?? '', email, next, isAgain }),
      next,
      isAgain,
      isMeant: async () => people.isKnown(id, email),
    });
  });

  routes.post('/sign-in/code', async (c) => {
    const { browser, fields } = await forms.read(c);
    const next = safeNext(fields.next);
    const email = normalizeEmail(fields.email ?? '');
    const isAgain = fields.again !== undefined;
    if (email === undefined) return showSignIn(deps, c, { next, email: fields.email ?? '', isAgain });
    const elsewhere = await providerAnswer(deps, c, email, next, isAgain);
    if (elsewhere !== undefined) return elsewhere;
    const form = codeForm({ browser, csrf: fields.csrf ?? '', email, next, isAgain });
    const refused = await refusedCode(deps, c, form, fields.code);
    if (refused !== undefined) return refused;
    const started = await people.byEmail(signingIn(c), email);
    if (started === undefined) return wrongCode(deps, c, form, 'over');
    rememberPerson(deps, c, started, email);
    return goOn(c, next);
  });

  routes.get('/sign-in/provider', onlyVisits, async (c) => {
    const start = providerFields(c.req.query());
    const { organizationId, email, next, isAgain } = start;
    const { id: environmentId, baseUrl } = c.get('environment');
    const given = { organization_id: organizationId, email, next, ...againField(isAgain) };
    // The provider redirects back to the public address, so the cookie has to be set there.
    if (isUnderOtherName(c))
      return sendRedirect(c, `${baseUrl}/sign-in/provider?${new URLSearchParams(given).toString()}`);
    const { browser, csrf } = forms.open(c);
    await limitStarts(rates, c);
    // A browser that does not say where it comes from may come from anywhere, so the user sees the hosts first.
    if (isFromOwnPage(c) !== true || browserCookie.read(c) === undefined) {
      const hosts = await providerSignIn.hosts({ environmentId, organizationId, email });
      const way = { fields: { csrf, ...given } };
      return sendPage(c, providerPage(viewOf(c), { hosts, way }), { form: { leadsTo: [] } });
    }
    return sendRedirect(c, await providerSignIn.start({ environmentId, browser, ...start }));
  });

  routes.post('/sign-in/provider', async (c) => {
    const { browser, fields } = await forms.read(c);
    const start = providerFields(fields);
    await limitStarts(rates, c);
    const environmentId = c.get('environment').id;
    const address = await providerSignIn.start({ environmentId, browser, ...start });
    return sendPage(c, leavingPage(viewOf(c), address));
  });

  routes.get('/sso/v1/oidc/:organizationId/callback', onlyVisits, async (c) => {
    const query = readPageQuery(c);
    if (query === undefined) throw new PageFailure('sign_in', 'state');
    const proven = await providerSignIn.finish({
      environmentId: c.get('environment').id,
      organizationId: c.req.param('organizationId'),
      query,
      browser: browserCookie.read(c),
    });
    rememberSession(c, await people.byProvider(signingIn(c), proven));
    return goOn(c, safeNext(proven.next));
  });
  return routes;
}

/**
 * Redirects to `next`. If `next` may redirect to another site, which the form's policy would forbid, a page comes
 * in between.
 */
export function goOn(c: PageContext, next: string): Response | Promise<Response> {
  return next.startsWith('/oauth/') ? sendPage(c, onwardsPage(viewOf(c), next)) : sendRedirect(c, next);
}

function codeForm({
  browser,
  csrf,
  email,
  next,
  isAgain,
}: {
  browser: string;
  csrf: string;
  email: string;
  next: string;
  isAgain: boolean;
}): CodeForm {
  return {
    browser,
    csrf,
    email,
    action: '/sign-in/code',
    resendTo: '/sign-in',
    values: { email, next, ...againField(isAgain) },
    again: isAgain ? signInAgainPath(next) : signInPath(next),
    isForAnybody: false,
  };
}

/** @param page.email the entered text that is not a valid address; absent at first */
async function showSignIn(
  deps: PeopleDependencies,
  c: PageContext,
  { next, email, isAgain = false }: { next: string; email?: string; isAgain?: boolean },
): Promise<Response> {
  const { forms, codes, environments } = deps;
  const { id, baseUrl } = c.get('environment');
  const { csrf } = forms.open(c);
  const page = signInPage(viewOf(c), {
    csrf,
    host: new URL(baseUrl).host,
    next,
    isAgain,
    purpose: purposeOf(next, isAgain),
    subject: await subjectOf(deps, c, next),
    isOpen: environments.get(id).signUp === 'open',
    code: codeWay(codes, id),
    ...(email !== undefined && { email, violations: emailViolations('email', email) }),
  });
  return sendPage(c, page, { status: email === undefined ? 200 : 400, form: { leadsTo: [] } });
}

/** The app or server that the page at `next` is about, as far as this browser may know it. */
async function subjectOf(
  { verification, catalog }: PeopleDependencies,
  c: PageContext,
  next: string,
): Promise<SignInSubject> {
  const { pathname, searchParams } = new URL(next, c.get('environment').baseUrl);
  if (pathname !== CONFIRM_PATH) return rememberedSubject(c, next);
  const { id } = c.get('environment');
  const request = searchParams.get('auth_request_id') ?? '';
  const waiting = await verification.unconfirmed(id, request, browserCookie.read(c));
  if (waiting === undefined) return {};
  const { provider, connection, displayName } = waiting;
  const app = catalog.in(id).connectors.get(provider)?.title ?? connection;
  return { app, account: displayName ?? undefined };
}

/** The fields that start a sign-in at a provider. @throws PageFailure of a sign-in: `no_provider`, `email` */
function providerFields(given: Readonly<Record<string, string>>): {
  organizationId: string;
  email: string;
  next: string;
  isAgain: boolean;
} {
  const organizationId = given['organization_id'] ?? '';
  if (!ORGANIZATION_ID.test(organizationId)) throw new PageFailure('sign_in', 'no_provider');
  const written = given['email'] ?? '';
  const email = written === '' ? '' : normalizeEmail(written);
  if (email === undefined) throw new PageFailure('sign_in', 'email');
  return { organizationId, email, next: safeNext(given['next']), isAgain: given['again'] !== undefined };
}
