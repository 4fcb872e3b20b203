/**
 * `/connect/confirm`, the destination after a consent or form in verification mode `signed_in`
 * (docs/contract.md#verification-modes). Verification decides who may confirm; here are the messages and redirects.
 */
import { Hono } from 'hono';
import { OtherBrowserFailure, type AwaitedConfirmation, type Confirmer } from '../../links/link-verifier.ts';
import { ServiceError } from '../../core/errors.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { CONFIRM_PATH, sendConnected } from '../connect/after-connecting.ts';
import { confirmPage, nothingToConfirmPage, notYoursPage, otherBrowserPage } from './confirm-pages.ts';
import { browserCookie } from '../frame/own-cookie.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import {
  onlyVisits,
  sendPage,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import { HOME } from '../sign-in/sign-in-path.ts';

const AUTH_REQUEST_ID = /^[A-Za-z0-9_-]{20,128}$/;

/** Throws PageFailure and ServiceError to the caller's error page. */
export function confirmRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { catalog, forms, signIn, verification } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get(CONFIRM_PATH, onlyVisits, async (c) => {
    const id = c.req.query('auth_request_id') ?? '';
    if (!AUTH_REQUEST_ID.test(id)) return nothing(c);
    const person = await signIn.requireSignedIn(c, pathOf(id));
    if (person instanceof Response) return person;
    return answered(c, person, id, async (confirmer) => {
      const awaited = await verification.awaiting(confirmer, id);
      return show(c, person, id, awaited);
    });
  });

  routes.post(CONFIRM_PATH, async (c) => {
    const { fields } = await forms.read(c);
    const id = fields.auth_request_id ?? '';
    if (!AUTH_REQUEST_ID.test(id)) return nothing(c);
    const person = await signIn.requireSignedIn(c, pathOf(id));
    if (person instanceof Response) return person;
    return answered(c, person, id, async (confirmer) => {
      return sendConnected(c, await verification.confirm(confirmer, id));
    });
  });

  function show(
    c: PageContext,
    person: SignedInPerson,
    id: string,
    awaited: AwaitedConfirmation,
  ): Response | Promise<Response> {
    const { provider, connection, identifier, displayName, organizationId, redirectTo } = awaited;
    const page = confirmPage(viewOf(c), {
      csrf: forms.open(c).csrf,
      email: person.email,
      path: pathOf(id),
      authRequestId: id,
      connectorTitle: titleOf(c, provider, connection),
      displayName,
      // The identifier of an account without a chosen name is its owner's id.
      identifier: [person.userId, organizationId].includes(identifier) ? '' : identifier,
      organizationName: person.organizations.find((of) => of.id === organizationId)?.name ?? organizationId,
    });
    const { origin } = new URL(c.get('environment').baseUrl);
    const leadsTo = new URL(redirectTo).origin === origin ? [origin] : [new URL(redirectTo).origin, origin];
    return sendPage(c, page, { form: { leadsTo } });
  }

  function titleOf(c: PageContext, provider: string, connection: string): string {
    return catalog.in(c.get('environment').id).connectors.get(provider)?.title ?? connection;
  }

  /** Shows a page for users who may not confirm, or not in this browser, and for unknown requests. */
  async function answered(
    c: PageContext,
    person: SignedInPerson,
    id: string,
    work: (confirmer: Confirmer) => Promise<Response>,
  ): Promise<Response> {
    try {
      return await work(confirmerOf(c, person));
    } catch (error) {
      if (error instanceof OtherBrowserFailure) {
        const connectorTitle = titleOf(c, error.provider, error.connection);
        return sendPage(c, otherBrowserPage(viewOf(c), { connectorTitle, email: person.email }), {
          status: 403,
        });
      }
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'RESOURCE_NOT_FOUND') return nothing(c);
      if (error.code !== 'IDENTIFIER_MISMATCH') throw error;
      const page = notYoursPage(viewOf(c), {
        csrf: forms.open(c).csrf,
        email: person.email,
        path: pathOf(id),
      });
      return sendPage(c, page, { status: 403, form: { leadsTo: [] } });
    }
  }

  return routes;
}

function confirmerOf(c: PageContext, { userId, organizations }: SignedInPerson): Confirmer {
  return {
    environmentId: c.get('environment').id,
    userId,
    browser: browserCookie.read(c),
    administers: async (organizationId) =>
      organizations.some(({ id, role }) => id === organizationId && role !== 'member'),
  };
}

function nothing(c: PageContext): Response | Promise<Response> {
  return sendPage(c, nothingToConfirmPage(viewOf(c)), { status: 404 });
}

function pathOf(id: string): string {
  return id === '' ? HOME : `${CONFIRM_PATH}?${new URLSearchParams({ auth_request_id: id }).toString()}`;
}
