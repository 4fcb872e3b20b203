/** The authorization server for people with its consent pages, and a browser in which somebody can be signed in. */
import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { servePages } from '../../src/app/serve/page-handler.ts';
import { silentLog } from '../../src/core/log.ts';
import { NO_VISITOR } from '../../src/core/caller.ts';
import { SignIn, type SignedInPerson } from '../../src/people/sign-in/people-sign-in.ts';
import { consentRoutes } from '../../src/pages/consent/consent-routes.ts';
import { PeopleForms } from '../../src/pages/sign-in/people-form.ts';
import { peopleProblem } from '../../src/pages/people/people-problems.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../../src/pages/frame/page-response.ts';
import type { Database } from '../../src/store/engine/database.ts';
import type { IdentityChanges } from '../support/authorization-server.ts';
import { startIdentity, testVault, type Identity, type NodePages } from './identity-support.ts';
import { ScriptedBrowser, type Visited } from './scripted-browser.ts';
import { rows } from '../../src/store/engine/rows.ts';

/** Where https clients of these tests want the code. */
export const CALLBACK = 'https://client.example.test/callback';

export interface PeopleServer extends Identity {
  /** Makes a user. */
  user(id: string, isOperator?: boolean): Promise<void>;
  /** A browser in which `userId` signs in when asked to, to this organization; '': nobody does. */
  browser(userId: string, organizationId?: string): ScriptedBrowser;
  /** Registers a client, by default a public one. */
  registered(metadata?: Record<string, unknown>): Promise<{ client_id: string; client_secret?: string }>;
  /** The same. @returns its id */
  register(metadata?: Record<string, unknown>): Promise<string>;
  /** The address of an authorization request and what the client keeps of it. */
  authorizeUrl(clientId: string, changes?: Record<string, string | undefined>): string;
  /** Goes the whole way to a code. */
  code(
    browser: ScriptedBrowser,
    clientId: string,
    changes?: Record<string, string | undefined>,
  ): Promise<string>;
  exchange(clientId: string, code: string, changes?: Record<string, string>): Promise<Response>;
  refresh(clientId: string, refreshToken: string, changes?: Record<string, string>): Promise<Response>;
  /** Code, exchange: the tokens of somebody who allowed a client. */
  tokens(userId: string, clientId: string, changes?: Record<string, string | undefined>): Promise<Tokens>;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  token_type: string;
  scope: string;
}

/** The verifier of every authorization request of these tests, and its challenge. */
export const VERIFIER = 'verifier-verifier-verifier-verifier-verifier-1';
export const CHALLENGE = hash('sha256', VERIFIER, 'base64url');

/** Where the only link of the page of a refused request leads: back to the client. */
export function wayBack({ url, status, text }: Visited): URL {
  const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href);
  if (links.length !== 1) throw new Error(`no page with one link: ${status} ${url} ${text}`);
  return new URL((links[0] ?? '').replaceAll('&amp;', '&').replaceAll('&#39;', "'"));
}

/** Starts everything on one port. */
export async function startPeople(
  overrides: IdentityChanges = {},
  database?: Database,
): Promise<PeopleServer> {
  const identity = await startIdentity(overrides, database, () => handler);
  const { environment, clock } = identity;
  const { baseUrl } = environment;
  const handler = pages(identity);

  const authorizeUrl: PeopleServer['authorizeUrl'] = (clientId, changes = {}) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: 'xyz',
    });
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) query.delete(name);
      else query.set(name, value);
    }
    return `${baseUrl}/oauth/authorize?${query.toString()}`;
  };
  const code: PeopleServer['code'] = async (browser, clientId, changes) => {
    const page = await browser.goTo(authorizeUrl(clientId, changes));
    const end: Visited =
      page.status === 0 ? page : await browser.submit(page, { answer: 'allow', administer: 'yes' });
    const found = new URL(end.url).searchParams.get('code');
    if (found === null) throw new Error(`no code: ${end.status} ${end.url} ${end.text}`);
    return found;
  };
  const exchange: PeopleServer['exchange'] = async (clientId, given, changes = {}) =>
    identity.post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: given,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...changes,
    });
  let registrations = 0;
  const registered: PeopleServer['registered'] = async (metadata = {}) => {
    const answer = await identity.request('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ip: `198.51.100.${(registrations += 1) % 250}`,
      body: JSON.stringify({
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        client_name: 'Test client',
        ...metadata,
      }),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text) as { client_id: string; client_secret?: string };
  };
  const browserOf = (userId: string, organizationId = ''): ScriptedBrowser => {
    const browser = new ScriptedBrowser(baseUrl);
    if (userId !== '') browser.setCookie('test_user', userId);
    if (organizationId !== '') browser.setCookie('test_organization', organizationId);
    return browser;
  };
  return {
    ...identity,
    user: async (id, isOperator = false) =>
      identity.database.transaction(async (tx) =>
        rows(tx, 'users').insert({
          id,
          environment_id: environment.id,
          email: `${id.slice(4)}@example.test`,
          email_verified: 1,
          given_name: '',
          family_name: '',
          is_operator: isOperator ? 1 : 0,
          created_at: clock.now(),
          updated_at: clock.now(),
        }),
      ),
    browser: browserOf,
    registered,
    register: async (metadata) => (await registered(metadata)).client_id,
    authorizeUrl,
    code,
    exchange,
    refresh: async (clientId, refreshToken, changes = {}) =>
      identity.post('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshToken,
        ...changes,
      }),
    tokens: async (userId, clientId, changes) => {
      const answer = await exchange(clientId, await code(browserOf(userId), clientId, changes));
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
      return JSON.parse(text) as Tokens;
    },
  };
}

/** The consent pages, and a sign-in page that signs in the user named by the browser without asking. */
function pages(identity: Identity): NodePages {
  const { sessions, server, environment } = identity;
  const app = new Hono<{ Variables: PageVariables }>();
  app.get('/sign-in', async (c) => {
    const userId = getCookie(c, 'test_user');
    if (userId === undefined) return c.text('sign in, please', 401);
    const { cookie } = await sessions.begin({
      environmentId: environment.id,
      kind: 'browser',
      userId,
      organizationId: getCookie(c, 'test_organization') ?? '',
      clientId: '',
      resource: '',
      visitor: c.get('visitor'),
      connectionDetails: [{ id: '', type: 'PASSWORDLESS', provider: 'EMAIL' }],
      actor: userId,
    });
    setCookie(c, 'gatehouse_session', cookie, { path: '/', httpOnly: true });
    return c.redirect(c.req.query('next') ?? '/');
  });
  app.route(
    '/',
    consentRoutes({
      consents: server.consents,
      connectedApps: async () => ['Attio', 'Exa <b>'],
      serverTools: async () => 12,
      people: new SignIn({ ...identity, db: identity.database }),
      forms: new PeopleForms(testVault().derive('people-forms')),
      signIn: {
        requireSignedIn: async (c, next) => {
          const session = await sessions.findByCookie(
            environment.id,
            getCookie(c, 'gatehouse_session') ?? '',
          );
          if (session === undefined) return sendRedirect(c, `/sign-in?next=${encodeURIComponent(next)}`);
          const person: SignedInPerson = {
            session,
            userId: session.userId,
            email: `${session.userId.slice(4)}@example.test`,
            name: '',
            isOperator: false,
            organizations: [],
          };
          return person;
        },
      },
    }),
  );
  app.onError((error, c) => {
    const problem = peopleProblem(viewOf(c), error);
    if (problem === undefined) throw error;
    return sendPage(c, problem.page, { status: problem.status });
  });
  const handle = servePages(app, () => undefined, silentLog);
  return async (request, response) =>
    handle(request, response, {
      environment,
      trace: { traceId: '', traceparent: '' },
      visitor: { ...NO_VISITOR, ip: '192.0.2.7', userAgent: 'Test browser' },
      ip: '192.0.2.7',
      isLocalPeer: false,
      route: '',
    });
}
