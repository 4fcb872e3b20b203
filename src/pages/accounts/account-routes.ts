/**
 * `/accounts`: what a signed-in person connected, the apps that may act for them, and ending either.
 *
 * Uses the services of the REST API, with the reach of the person's own token: their accounts and no others.
 */
import { Hono } from 'hono';
import type { AccountListItem } from '../../accounts/account-views.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { leaveFlash, takeFlash } from '../frame/flash.ts';
import { sendToOwnLink } from '../frame/own-link.ts';
import {
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { personCaller } from '../sign-in/person-caller.ts';
import { accountsPage, disconnectPage, type ShownAccount } from './account-pages.ts';

/** Throws PageFailure and ServiceError to the caller's error page. */
export function accountRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const {
    accounts,
    catalog,
    clientNames,
    clock,
    disconnection,
    executions,
    forms,
    links,
    ownSessions,
    signIn,
  } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/accounts', async (c) => {
    const person = await signIn.requireSignedIn(c, '/accounts');
    if (person instanceof Response) return person;
    const view = viewOf(c);
    const list = await accounts.list(personCaller(c, person), {
      view: 'full',
      page_token: c.req.query('page_token'),
    });
    const [shown, { sessions }] = await Promise.all([
      shownAccounts(c, person, list.connected_accounts),
      ownSessions.others(person.session),
    ]);
    const page = accountsPage(view, {
      csrf: forms.open(c).csrf,
      person,
      accounts: shown,
      next: list.next_page_token,
      sessions: sessions.filter(({ kind }) => kind !== 'browser'),
      flash: takeFlash(c, view),
      now: clock.now(),
    });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/accounts', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/accounts');
    if (person instanceof Response) return person;
    if (fields.client_id !== undefined) {
      const name = await ownSessions.endClient(person.session, fields.client_id, c.get('visitor').ip);
      leaveFlash(c, 'appEnded', name);
      return sendRedirect(c, '/accounts');
    }
    const { link } = await links.create(personCaller(c, person), { id: fields.account_id ?? '' });
    return sendToOwnLink(c, link);
  });

  routes.get('/accounts/disconnect', async (c) => {
    const person = await signIn.requireSignedIn(c, '/accounts');
    if (person instanceof Response) return person;
    const account = await accounts.describe(personCaller(c, person), { id: c.req.query('id') ?? '' });
    const shown = shownAccount(c, person, account);
    if (shown.status === 'DISCONNECTED') {
      leaveFlash(c, 'disconnected', shown.title);
      return sendRedirect(c, '/accounts');
    }
    const page = { csrf: forms.open(c).csrf, person, account: shown };
    return sendPage(c, disconnectPage(viewOf(c), page), { form: { leadsTo: [] } });
  });

  routes.post('/accounts/disconnect', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/accounts');
    if (person instanceof Response) return person;
    const caller = personCaller(c, person);
    const account = await accounts.describe(caller, { id: fields.account_id ?? '' });
    await disconnection.disconnect(caller, account.id);
    leaveFlash(c, 'disconnected', shownAccount(c, person, account).title);
    return sendRedirect(c, '/accounts');
  });

  async function shownAccounts(
    c: PageContext,
    person: SignedInPerson,
    items: readonly (AccountListItem & { created_at?: string; display_name?: string | null })[],
  ): Promise<ShownAccount[]> {
    const ids = items.map(({ id }) => id);
    const latest = await executions.latestOf(personCaller(c, person), ids);
    const { id: environmentId } = c.get('environment');
    return Promise.all(
      items.map(async (item) => {
        const use = latest.get(item.id);
        const clientId = use?.clientId ?? '';
        const at = use?.at ?? (item.last_used_at === null ? undefined : Date.parse(item.last_used_at));
        const client = clientId === '' ? '' : await clientNames.of(environmentId, clientId);
        return {
          ...shownAccount(c, person, item),
          since: Date.parse(item.created_at ?? item.updated_at),
          ...(at !== undefined && { lastUsed: { at, source: use?.source ?? '', client } }),
        };
      }),
    );
  }

  function shownAccount(
    c: PageContext,
    person: SignedInPerson,
    account: AccountListItem & { display_name?: string | null },
  ) {
    const { id, provider, connector, status, display_name: said } = account;
    const title = catalog.in(c.get('environment').id).connectors.get(provider)?.title ?? connector;
    // The identifier of an account without a chosen name is its owner's id.
    const identifier = account.identifier === person.userId ? person.email : account.identifier;
    return { id, title, identifier, saidName: said === identifier ? '' : (said ?? ''), status };
  }

  return routes;
}
