/**
 * `/invitations/<token>`: accepted by the user whose address was invited, proven by a sign-in with it or by a
 * code. Holding the link proves nothing: it may have been passed on. Rules are in InvitationLinks.
 */
import { Hono } from 'hono';
import type { InvitationOffer } from '../../people/invitation-views.ts';
import { invitationPage, noInvitationPage, otherPersonPage, unknownPersonPage } from './invitation-pages.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import {
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import {
  askForCode,
  providerAnswer,
  refusedCode,
  rememberPerson,
  type CodeForm,
} from '../sign-in/sign-in-code.ts';
import { HOME } from '../sign-in/sign-in-path.ts';
import { rememberSession, signingIn } from '../sign-in/sign-in-session.ts';

/** Throws PageFailure and ServiceError to the caller's error page. */
export function invitationRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { environments, forms, invitations, people, sessions, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();
  const isBarred = (c: PageContext, { isKnown }: InvitationOffer) =>
    !isKnown && environments.get(c.get('environment').id).signUp === 'closed';

  routes.get('/invitations/:token', async (c) => {
    const offer = await invitations.find(c.get('environment').id, c.req.param('token'));
    if (offer === undefined) return sendPage(c, noInvitationPage(viewOf(c)), { status: 404 });
    return show(c, offer);
  });

  routes.post('/invitations/:token', async (c) => {
    const { browser, fields } = await forms.read(c);
    const { id } = c.get('environment');
    const token = c.req.param('token');
    const offer = await invitations.find(id, token);
    if (offer === undefined) return sendPage(c, noInvitationPage(viewOf(c)), { status: 404 });
    const person = await signIn.find(c);
    if (person !== undefined && person.email !== offer.email) return show(c, offer);
    if (person === undefined) {
      if (isBarred(c, offer)) return sendPage(c, unknownPersonPage(viewOf(c)), { status: 403 });
      const form = codeForm(offer, token, browser, fields.csrf ?? '');
      return askForCode(deps, c, { form, next: pathOf(token), isMeant: async () => true });
    }
    const visitor = c.get('visitor');
    const accepted = await invitations.accept(id, token, { email: person.email }, visitor);
    const { organizationId } = accepted;
    rememberSession(c, await sessions.switchOrganization(id, person.session.id, organizationId, visitor));
    return sendRedirect(c, HOME);
  });

  routes.post('/invitations/:token/code', async (c) => {
    const { browser, fields } = await forms.read(c);
    const { id } = c.get('environment');
    const token = c.req.param('token');
    const offer = await invitations.find(id, token);
    if (offer === undefined) return sendPage(c, noInvitationPage(viewOf(c)), { status: 404 });
    if (isBarred(c, offer)) return sendPage(c, unknownPersonPage(viewOf(c)), { status: 403 });
    const elsewhere = await providerAnswer(deps, c, offer.email, pathOf(token));
    if (elsewhere !== undefined) return elsewhere;
    const form = codeForm(offer, token, browser, fields.csrf ?? '');
    const refused = await refusedCode(deps, c, form, fields.code);
    if (refused !== undefined) return refused;
    // The proven address is the one that the code was sent to, whatever the form says.
    const accepted = await invitations.accept(id, token, { email: offer.email }, c.get('visitor'));
    const started = await people.byEmail(signingIn(c), offer.email, accepted.organizationId);
    if (started !== undefined) rememberPerson(deps, c, started, offer.email);
    return sendRedirect(c, HOME);
  });

  async function show(c: PageContext, offer: InvitationOffer): Promise<Response> {
    const { baseUrl } = c.get('environment');
    const person = await signIn.find(c);
    const page = {
      csrf: forms.open(c).csrf,
      host: new URL(baseUrl).host,
      offer,
      path: pathOf(c.req.param('token') ?? ''),
    };
    if (person !== undefined && person.email !== offer.email)
      return sendPage(c, otherPersonPage(viewOf(c), { ...page, person }), {
        status: 403,
        form: { leadsTo: [] },
      });
    const document = invitationPage(viewOf(c), { ...page, isSignedIn: person !== undefined });
    return sendPage(c, document, { form: { leadsTo: [] } });
  }

  return routes;
}

function pathOf(token: string): string {
  return `/invitations/${encodeURIComponent(token)}`;
}

function codeForm({ email }: InvitationOffer, token: string, browser: string, csrf: string): CodeForm {
  return {
    browser,
    csrf,
    email,
    action: `${pathOf(token)}/code`,
    resendTo: pathOf(token),
    values: {},
    again: pathOf(token),
    isForAnybody: true,
  };
}
