/** What becomes of a consent when the session it led to ends: over real sessions and the real authorization server. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnSessions } from '../../src/people/own-sessions.ts';
import { machine } from '../people/people-support.ts';
import { startPeople, type PeopleServer, type Tokens } from './people-support.ts';
import type { ScriptedBrowser } from './scripted-browser.ts';

let people: PeopleServer;
let apiSessions: PeopleServer['apiSessions'];
let ownSessions: OwnSessions;

beforeAll(async () => {
  people = await startPeople();
  for (const id of ['usr_ann', 'usr_bob']) await people.user(id);
  const { database: db, clock, sessions } = people;
  const { consents } = people.server;
  ({ apiSessions } = people);
  const names = { of: async (_environmentId: string, id: string) => id };
  ownSessions = new OwnSessions({ db, clock, sessions, names, consents, lifetimeMs: 3_600_000 });
});
afterAll(async () => people.close());

/** Somebody allows an app in a browser. @returns the app's tokens and the id of its session */
async function allow(browser: ScriptedBrowser, clientId: string): Promise<Tokens & { sessionId: string }> {
  const answer = await people.exchange(clientId, await people.code(browser, clientId));
  const tokens = (await answer.json()) as Tokens;
  return { ...tokens, sessionId: String(decodeJwt(tokens.access_token)['gid']) };
}

/** Whether the app is let in without a question. */
async function isLetIn(browser: ScriptedBrowser, clientId: string): Promise<boolean> {
  const { url, text } = await browser.goTo(people.authorizeUrl(clientId));
  if (new URL(url).searchParams.has('code')) return true;
  expect(text).toContain('Allow access');
  return false;
}

describe('consent of an app after its session ended', () => {
  it('asks the person again in every browser when the API ends the session, and leaves other apps and people alone', async () => {
    const [app, other] = [await people.register(), await people.register()];
    const [ann, annElsewhere, bob] = ['usr_ann', 'usr_ann', 'usr_bob'].map((id) => people.browser(id));
    for (const browser of [annElsewhere, bob]) await allow(browser!, app);
    await allow(ann!, other);
    const { sessionId, refresh_token } = await allow(ann!, app);
    expect(await isLetIn(ann!, app)).toBe(true);
    await apiSessions.end(machine, sessionId);
    expect((await people.refresh(app, refresh_token)).status).toBe(400);
    expect([await isLetIn(ann!, app), await isLetIn(annElsewhere!, app)]).toEqual([false, false]);
    expect([await isLetIn(ann!, other), await isLetIn(bob!, app)]).toEqual([true, true]);
  });

  it('asks the person again when that person ends the session', async () => {
    const app = await people.register();
    const browser = people.browser('usr_ann');
    const { sessionId } = await allow(browser, app);
    const own = { environmentId: people.environment.id, userId: 'usr_ann', id: 'ses_of-the-browser' };
    await ownSessions.end(own, sessionId, '');
    expect(await isLetIn(browser, app)).toBe(false);
  });

  it('keeps the consent when the app ends its own session, until somebody else ends it too', async () => {
    const app = await people.register();
    const browser = people.browser('usr_ann');
    const { sessionId, refresh_token } = await allow(browser, app);
    const revoked = await people.post('/oauth/revoke', { client_id: app, token: refresh_token });
    expect(revoked.status).toBe(200);
    expect(await isLetIn(browser, app)).toBe(true);
    await apiSessions.end(machine, sessionId);
    expect(await isLetIn(browser, app)).toBe(false);
  });

  it('keeps the consent when a credential may not reach the session of an organization', async () => {
    const app = await people.register();
    const browser = people.browser('usr_ann');
    const { sessionId } = await allow(browser, app);
    const bound = { ...machine, boundOrganizationId: 'org_other' };
    await expect(apiSessions.end(bound, sessionId)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await isLetIn(browser, app)).toBe(true);
  });
});
