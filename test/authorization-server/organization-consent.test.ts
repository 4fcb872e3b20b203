/** What an app has to ask for, and the person to see, before an app reaches an organization. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OAuthRecords } from '../../src/authorization-server/library/oauth-records.ts';
import { peopleOf, type People } from '../support/people.ts';
import { testVault } from './identity-support.ts';
import { CALLBACK, startPeople, type PeopleServer, type Tokens } from './people-support.ts';
import type { ScriptedBrowser, Visited } from './scripted-browser.ts';

const EVERYTHING =
  'tools:execute accounts:read accounts:write organization:read organization:write accounts:credentials';

let server: PeopleServer;
let people: People;
let api: string;
let clientId: string;
let ada: string;
let mia: string;
let organizationId: string;

beforeAll(async () => {
  server = await startPeople();
  const { database: db, clock, environments, environment } = server;
  people = peopleOf({ db, vault: testVault(), clock, environments }, environment.id);
  api = `${environment.baseUrl}/api`;
  clientId = await server.register({ scope: EVERYTHING });
  ada = await people.user('ada');
  mia = await people.user('mia');
  organizationId = await people.organization({ [ada]: 'admin', [mia]: 'member' });
});
afterAll(async () => server.close());

/** A page as people read it. */
const wordsOf = ({ text }: Visited): string =>
  text
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const ask = async (browser: ScriptedBrowser, scope: string | undefined, more = {}): Promise<Visited> =>
  browser.goTo(server.authorizeUrl(clientId, { resource: api, scope, ...more }));

/** Allows what a page asks, or follows a redirect that asks nothing. @returns the scopes of the token */
async function allowed(browser: ScriptedBrowser, page: Visited): Promise<string[]> {
  const end = page.status === 0 ? page : await browser.submit(page, { answer: 'allow' });
  const answer = await server.exchange(clientId, new URL(end.url).searchParams.get('code') ?? '');
  return ((await answer.json()) as Tokens).scope.split(' ').toSorted();
}

describe('OAuth consent to an organization', () => {
  it.each(['/mcp', '/api'])('never becomes a default: no scope requested at %s', async (path) => {
    const browser = server.browser(ada, organizationId);
    const page = await ask(browser, undefined, { resource: `${server.environment.baseUrl}${path}` });
    expect(page.text).not.toMatch(/organization/i);
    expect(await allowed(browser, page)).not.toContain('organization:read');
  });

  it('never appears in the metadata from which clients take their scopes', async () => {
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const answer = await server.request(`/.well-known/${name}`);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.not.stringContaining('organization:'),
      ]);
    }
  });

  it('names the organization, the role in it, and each right in words', async () => {
    const browser = server.browser(ada, organizationId);
    const page = await ask(browser, 'tools:execute organization:read organization:write');
    const words = wordsOf(page);
    expect(words).toContain('Your organization Acme your role in it: admin');
    expect(words).toContain(
      'See the accounts, members and invitations of Acme , and use its accounts with tools that only read organization:read',
    );
    expect(words).toContain(
      'See and change the accounts of Acme , use them with every tool, and see, invite and remove its members organization:write',
    );
    expect(await allowed(browser, page)).toEqual([
      'organization:read',
      'organization:write',
      'tools:execute',
    ]);
  });

  it('says nothing of an organization that the app does not ask for', async () => {
    const page = await ask(server.browser(ada, organizationId), 'tools:execute accounts:write');
    expect(wordsOf(page)).not.toContain('Acme');
  });

  it('escapes the name of a hostile organization', async () => {
    const eve = await people.user('eve');
    const evil = await people.organization({ [eve]: 'owner' });
    await server.database.transaction(async (tx) => {
      const name = '</bdi><script>alert(1)</script>';
      await tx.updateTable('organizations').set({ name }).where('id', '=', evil).execute();
    });
    const page = await ask(server.browser(eve, evil), 'organization:write');
    expect(page.text).toContain('&lt;script&gt;alert(1)');
    expect(page.text).not.toContain('<script');
  });

  it.each([
    ['a member', () => server.browser(mia, organizationId)],
    ['somebody who is signed in to no organization', () => server.browser(ada)],
  ])('cannot be given by %s', async (_who, open) => {
    const page = await ask(open(), 'accounts:read organization:read organization:write');
    expect(wordsOf(page)).not.toMatch(/Acme|organization:/);
    const browser = open();
    expect(await allowed(browser, await ask(browser, 'accounts:read organization:write'))).toEqual([
      'accounts:read',
    ]);
    const nothing = await ask(open(), 'organization:read organization:write');
    expect(wordsOf(nothing)).toContain('You cannot allow this');
  });

  it('gives no right that the person got only after the page was shown', async () => {
    const tim = await people.user('tim');
    const theirs = await people.organization({ [tim]: 'member' });
    const browser = server.browser(tim, theirs);
    const page = await ask(browser, 'accounts:read organization:write');
    await people.setRole(tim, 'owner');
    expect(await allowed(browser, page)).toEqual(['accounts:read']);
    const next = await ask(browser, 'accounts:read organization:write');
    expect(wordsOf(next)).toContain('your role in it: owner');
  });

  it('gives nothing for scopes that somebody adds to the form', async () => {
    const browser = server.browser(mia, organizationId);
    const page = await ask(browser, 'accounts:read organization:write');
    const end = await browser.submit(page, { answer: 'allow', scopes: EVERYTHING });
    const answer = await server.exchange(clientId, new URL(end.url).searchParams.get('code') ?? '');
    expect(((await answer.json()) as Tokens).scope).toBe('accounts:read');
  });

  it('asks again where the session had allowed the app its other scopes', async () => {
    const browser = server.browser(ada, organizationId);
    await allowed(browser, await ask(browser, 'tools:execute accounts:write'));
    expect((await ask(browser, 'tools:execute accounts:write')).url).toContain(`${CALLBACK}?code=`);
    const page = await ask(browser, 'tools:execute accounts:write organization:write');
    expect(wordsOf(page)).toContain('Your organization Acme');
    await allowed(browser, page);
    expect((await ask(browser, 'organization:write')).url).toContain(`${CALLBACK}?code=`);
  });

  it('shows the page again after a consent from before organizations were named', async () => {
    const browser = server.browser(ada, organizationId);
    await allowed(browser, await ask(browser, 'tools:execute'));
    const { database, clock, environment } = server;
    const artifacts = new OAuthRecords({ database, vault: testVault(), clock });
    const { id: sessionId } = await database.read
      .selectFrom('sessions')
      .select('id')
      .where('kind', '=', 'browser')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    const id = JSON.stringify([sessionId, clientId, CALLBACK, api]);
    const name = { environmentId: environment.id, model: 'RememberedConsent', id };
    expect(await artifacts.findLive(name)).toBeDefined();
    await artifacts.save(name, { scopes: ['tools:execute'] }, { lifetimeMs: 60_000, isShared: true });
    expect(wordsOf(await ask(browser, 'tools:execute'))).toContain('What it may do');
  });
});
