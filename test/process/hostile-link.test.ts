/**
 * Links and verification in the hands of somebody else, against a running server
 * (docs/security.md#consents-wait-for-verify, docs/security.md#single-use).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { legacy } from '../mcp/fixtures.ts';
import { resultOf, textOf } from '../mcp/messages.ts';
import { authRequestIn } from '../support/deployment/browser.ts';
import { BASE_URL, Deployment, tally } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import type { OAuthProvider } from '../support/oauth-provider/provider.ts';
import { ROUNDS } from '../support/rounds.ts';

let deployment: Deployment;
let provider: OAuthProvider;
let server: ServerProcess;
/** Serves the same installation, with the shortest lifetimes there are. */
let hasty: ServerProcess;

beforeAll(async () => {
  deployment = await Deployment.open();
  provider = deployment.provider;
  server = await deployment.serve();
  hasty = await deployment.serve({
    GATEHOUSE_LIFETIMES_LINK: '2s',
    GATEHOUSE_LIFETIMES_STATE: '2s',
    GATEHOUSE_LIFETIMES_PENDING_VERIFICATION: '2s',
  });
});
beforeEach(() => provider.reset());
afterAll(() => deployment?.close());

let users = 0;
const newUser = (): string => `user-${++users}`;

/** A consent that waits for verify. @param by takes the callback alone, so that the way to it may take its time */
async function waiting(user: string, by = server): Promise<string> {
  const browser = deployment.browser(server);
  const callback = await browser.consent(await server.magicLink(user));
  browser.server = by;
  return authRequestIn(await browser.get(callback));
}

describe('phishing link that was sent to a victim', () => {
  it('leaves credentials that no call can use, and that its creator cannot verify', async () => {
    const mallory = newUser();
    provider.set({ subject: 'victim' });
    const authRequest = await waiting(mallory);
    expect(await server.statusOf(mallory)).toBe('PENDING_VERIFICATION');
    const { status, body } = await server.call(mallory);
    expect([status, body.details?.[0]]).toEqual([
      400,
      expect.objectContaining({ error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE', status: 'PENDING_VERIFICATION' }),
    ]);
    expect(await server.credentialsOf(mallory)).toEqual({});
    const { id } = await server.account(mallory);
    expect((await server.api('POST', `/connected_accounts/${id}:refresh`)).status).toBe(400);
    const headers = {
      authorization: `Bearer ${await deployment.token(server)}`,
      'gatehouse-user-id': mallory,
    };
    const call = await legacy(
      `${server.url}/mcp`,
      'tools/call',
      { name: 'ledger_list', arguments: {} },
      headers,
    );
    expect(resultOf(call.body).isError).toBe(true);
    expect(textOf(call.body)).not.toContain('victim');
    expect(provider.counts()).toMatchObject({ api: 0, refreshes: 0 });

    // The victim's app asserts who is signed in there; the attacker can only guess an auth request.
    expect((await server.verify(authRequest, 'victim')).status).toBe(403);
    expect((await server.verify('A'.repeat(43), mallory)).status).toBe(404);
  });

  it('loses its credentials after five wrong identifiers, with revocation at the provider', async () => {
    const mallory = newUser();
    const liveBefore = provider.grants.liveAccessTokens();
    const authRequest = await waiting(mallory);
    expect(provider.grants.liveAccessTokens()).toBe(liveBefore + 1);
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push((await server.verify(authRequest, `victim-${i}`)).status);
    expect(answers).toEqual([403, 403, 403, 403, 403, 404]);
    expect((await server.verify(authRequest, mallory)).status).toBe(404);
    expect(await server.statusOf(mallory)).toBe('PENDING_AUTH');
    await expect.poll(() => provider.grants.liveAccessTokens()).toBe(liveBefore);
  });

  it('keeps the old credentials of a connected account', async () => {
    const ada = newUser();
    const tokens = await deployment.connect(server, ada);
    provider.set({ subject: 'victim' });
    const authRequest = await waiting(ada);
    expect(await server.statusOf(ada)).toBe('ACTIVE');
    expect((await server.call(ada)).body.data).toMatchObject({ subject: ada });
    expect((await server.credentialsOf(ada)).access_token).toBe(tokens.accessToken);
    expect((await server.verify(authRequest, 'somebody')).status).toBe(403);
    expect((await server.call(ada)).body.data).toMatchObject({ subject: ada });
  });
});

describe('verification of an auth request', () => {
  it(`activates the account once for ${ROUNDS.parallelVerifies} concurrent verify requests`, async () => {
    const user = newUser();
    const authRequest = await waiting(user);
    const answers = await Promise.all(
      Array.from({ length: ROUNDS.parallelVerifies }, (_, i) =>
        (i % 2 === 0 ? server : hasty).verify(authRequest, user),
      ),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 404: ROUNDS.parallelVerifies - 1 });
    expect((await server.call(user)).status).toBe(200);
    const { id } = await server.account(user);
    const { body } = await server.api('GET', `/connected_accounts/${id}/events`);
    expect(body.events?.filter(({ to }) => to === 'ACTIVE')).toHaveLength(1);
  });

  it('ends when a newer consent comes', async () => {
    const user = newUser();
    const liveBefore = provider.grants.liveAccessTokens();
    const [older, newer] = [await waiting(user), await waiting(user)];
    expect((await server.verify(older, user)).status).toBe(404);
    expect((await server.verify(newer, user)).status).toBe(200);
    // The older ones are revoked at the provider in the background: that is over before others count.
    await expect.poll(() => provider.grants.liveAccessTokens()).toBe(liveBefore + 1);
  });

  it('expires by itself, and revokes its tokens at the provider', async () => {
    const user = newUser();
    const liveBefore = provider.grants.liveAccessTokens();
    const authRequest = await waiting(user, hasty);
    await delay(2_100);
    expect((await server.verify(authRequest, user)).status).toBe(404);
    expect(await server.statusOf(user)).toBe('PENDING_AUTH');
    await expect.poll(() => provider.grants.liveAccessTokens()).toBe(liveBefore);
  });
});

describe('hostile use of a link', () => {
  it('shows the same page for a used, expired, deleted or unknown link', async () => {
    const [used, expired, deleted] = [newUser(), newUser(), newUser()];
    const usedLink = await server.magicLink(used);
    await deployment.browser(server).connect(usedLink);
    const expiredLink = await hasty.magicLink(expired);
    const deletedLink = await server.magicLink(deleted);
    await server.api('POST', '/connected_accounts:delete', { id: (await server.account(deleted)).id });
    await delay(2_100);
    const browser = deployment.browser(server);
    for (const link of [usedLink, expiredLink, deletedLink, `${BASE_URL}/connect/${'A'.repeat(43)}`]) {
      await browser.get(await server.magicLink(newUser()));
      for (const path of [link, `${link}/go`]) {
        const page = await browser.get(path);
        expect([page.status >= 400 && page.status < 500, page.location]).toEqual([true, '']);
        expect(page.text).toContain('<h1>');
      }
    }
    expect(provider.counts().authorize).toBe(1);
  });

  it('does not spend a link on a prefetch', async () => {
    const user = newUser();
    const link = await server.magicLink(user);
    const browser = deployment.browser(server);
    for (const path of [link, `${link}/go`]) {
      await browser.get(path, { method: 'HEAD' });
      await browser.get(path, { headers: { 'sec-purpose': 'prefetch;prerender' } });
      await deployment.browser(server).get(path);
    }
    expect((await browser.connect(link)).status).toBe(302);
  });

  it('connects once from a link in two tabs', async () => {
    const user = newUser();
    const link = await server.magicLink(user);
    const browser = deployment.browser(server);
    const tabs = [await browser.consent(link), await browser.consent(link)];
    const first = await browser.get(tabs[1]!);
    const second = await browser.get(tabs[0]!);
    expect(first.status).toBe(302);
    expect([second.status >= 400 && second.status < 500, second.location]).toEqual([true, '']);
    expect(second.text).toContain('<h1>');
    expect((await server.verify(authRequestIn(first), user)).status).toBe(200);
    expect((await server.call(user)).status).toBe(200);
  });

  it('connects once after two concurrent callbacks, and revokes the tokens of the other', async () => {
    const user = newUser();
    const liveBefore = provider.grants.liveAccessTokens();
    const browser = deployment.browser(server);
    const link = await server.magicLink(user);
    const tabs = [await browser.consent(link), await browser.consent(link)];
    provider.queue({ target: 'token', times: 2, hold: true });
    const pages = Promise.all(tabs.map(async (callback) => browser.get(callback)));
    await provider.untilHeld(2);
    provider.release();
    const [first, second] = (await pages).toSorted((a, b) => a.status - b.status);
    expect([first!.status, second!.status >= 400 && second!.status < 500]).toEqual([302, true]);
    expect((await server.verify(authRequestIn(first!), user)).status).toBe(200);
    expect((await server.call(user)).status).toBe(200);
    await expect.poll(() => provider.grants.liveAccessTokens()).toBe(liveBefore + 1);
  });

  it('starts again after the flow at the provider took too long', async () => {
    const user = newUser();
    const link = await server.magicLink(user);
    const browser = deployment.browser(hasty);
    const callback = await browser.consent(link);
    await delay(2_100);
    expect((await browser.get(callback)).status).toBe(410);
    expect(provider.counts().exchanges).toBe(0);
    browser.server = server;
    expect((await browser.connect(link)).status).toBe(302);
  });
});
