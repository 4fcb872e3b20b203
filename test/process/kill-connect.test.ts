/**
 * kill -9 at every step of link, consent, callback, verify and refresh (docs/security.md#killed-at-any-step): an
 * account is never ACTIVE without verify, and the user or the next call gets on with another process.
 *
 * Several people are at different steps when a process dies, so that one kill proves all of them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { authRequestIn, type Browser } from '../support/deployment/browser.ts';
import { Deployment } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import type { OAuthProvider } from '../support/oauth-provider/provider.ts';
import { ROUNDS } from '../support/rounds.ts';

const LEASE_MS = 1_000;
/** Within this time a process does all that it is asked to do here. */
const LONGEST_STEP_MS = 80;

forEachDatabaseInFull((name, _open, newUrl) => {
  let deployment: Deployment;
  let provider: OAuthProvider;
  let steady: ServerProcess;

  beforeAll(async () => {
    const databaseUrl = name === 'postgres' ? await newUrl() : undefined;
    deployment = await Deployment.open({
      ...(databaseUrl !== undefined && { databaseUrl }),
      env: { GATEHOUSE_REFRESH_LEASE: `${LEASE_MS}ms` },
    });
    provider = deployment.provider;
    steady = await deployment.serve();
  });
  afterEach(() => expect(deployment.integrity()).toBe('ok'));
  afterAll(() => deployment?.close());

  /** The person opens the link once more; where it is used up, the agent gives another. Then the app verifies. */
  async function getOn(user: string, link: string): Promise<void> {
    const browser = deployment.browser(steady);
    const page = await browser.get(link);
    const usable = page.status === 200 ? link : await steady.magicLink(user);
    const request = authRequestIn(await browser.connect(usable));
    expect(await steady.statusOf(user)).toBe('PENDING_VERIFICATION');
    await verified(user, request);
  }

  async function verified(user: string, request: string): Promise<void> {
    expect((await steady.verify(request, user)).status).toBe(200);
    expect((await steady.call(user)).status).toBe(200);
  }

  describe('kill -9 while an account is being connected', () => {
    interface Step {
      link: string;
      browser: Browser;
      callback: string;
      request: string;
    }
    const steps = new Map<string, Step>();
    const step = (user: string): Step => steps.get(user)!;

    beforeAll(async () => {
      const server = await deployment.serve();
      const begin = async (user: string): Promise<Step> => {
        const link = await server.magicLink(user);
        const begun = { link, browser: deployment.browser(server), callback: '', request: '' };
        steps.set(user, begun);
        return begun;
      };
      await begin('has-a-link');
      for (const user of ['at-provider', 'code-unseen', 'code-taken', 'waits', 'is-verified']) {
        const begun = await begin(user);
        begun.callback = await begun.browser.consent(begun.link);
      }
      for (const user of ['waits', 'is-verified'])
        step(user).request = authRequestIn(await step(user).browser.get(step(user).callback));
      expect((await server.verify(step('is-verified').request, 'is-verified')).status).toBe(200);
      for (const [i, user] of ['code-unseen', 'code-taken'].entries()) {
        provider.queue({ target: 'token', hold: true, process: i === 0 ? 'instead' : 'after' });
        void step(user)
          .browser.get(step(user).callback)
          .catch(() => {});
        await provider.untilHeld(i + 1);
      }
      await server.kill();
      provider.release();
      for (const { browser } of steps.values()) browser.server = steady;
    });

    it('leaves a working link after the link was created', async () => {
      const { link } = step('has-a-link');
      expect((await deployment.browser(steady).get(link)).status).toBe(200);
      await getOn('has-a-link', link);
    });

    it('leaves a path back while the person is at the provider', async () => {
      const { browser, callback } = step('at-provider');
      await verified('at-provider', authRequestIn(await browser.get(callback)));
    });

    it.each([
      { when: 'before the provider took the code', user: 'code-unseen' },
      { when: 'after the provider took the code', user: 'code-taken' },
    ])('leaves nothing behind and a working link, killed $when', async ({ user }) => {
      const { browser, callback, link } = step(user);
      expect(await steady.statusOf(user)).toBe('PENDING_AUTH');
      expect((await browser.get(callback)).status).toBe(400);
      expect((await browser.get(link)).status).toBe(200);
      await getOn(user, link);
    });

    it('leaves credentials that wait for verification, killed after the callback', async () => {
      expect(await steady.statusOf('waits')).toBe('PENDING_VERIFICATION');
      expect((await steady.call('waits')).status).toBe(400);
      await verified('waits', step('waits').request);
    });

    it('leaves a working account, killed after verification', async () => {
      expect((await steady.call('is-verified')).status).toBe(200);
      expect((await steady.verify(step('is-verified').request, 'is-verified')).status).toBe(404);
    });
  });

  it.each(Array.from({ length: ROUNDS.killsPerStep }, (_, i) => i))(
    'leaves a way on after kill -9 at a random moment of every step (%i)',
    async (round) => {
      const server = await deployment.serve();
      const [link, callback, verify, refresh] = ['link', 'callback', 'verify', 'refresh'].map(
        (name) => `random-${name}-${round}`,
      ) as [string, string, string, string];
      const links = { link: await server.magicLink(link), callback: await server.magicLink(callback) };
      const browser = deployment.browser(server);
      const callbackUrl = await browser.consent(links.callback);
      const request = authRequestIn(await browser.connect(await server.magicLink(verify)));
      await deployment.connect(steady, refresh, -1_000);
      provider.reset();

      const steps = [
        deployment.browser(server).toProvider(links.link),
        browser.get(callbackUrl),
        server.verify(request, verify),
        server.call(refresh),
      ];
      const settled = Promise.allSettled(steps);
      await delay(Math.random() * LONGEST_STEP_MS);
      await server.kill();
      const [, , verifyAnswer] = await settled;

      expect(await steady.statusOf(link)).toBe('PENDING_AUTH');
      expect((await deployment.browser(steady).get(links.link)).status).toBe(200);
      expect(['PENDING_AUTH', 'PENDING_VERIFICATION']).toContain(await steady.statusOf(callback));
      expect((await steady.call(callback)).status).toBe(400);
      const status = await steady.statusOf(verify);
      const isConfirmed = verifyAnswer?.status === 'fulfilled';
      expect(isConfirmed ? ['ACTIVE'] : ['ACTIVE', 'PENDING_VERIFICATION']).toContain(status);
      expect((await steady.verify(request, verify)).status).toBe(status === 'ACTIVE' ? 404 : 200);
      expect((await steady.call(verify)).status).toBe(200);
      await expectRefreshed(refresh);
      await getOn(link, links.link);
      await getOn(callback, links.callback);
    },
  );

  /** The next call works, or, where a strict provider's new token died with the process, asks the owner. */
  async function expectRefreshed(user: string): Promise<void> {
    const start = performance.now();
    const { status, body } = await steady.call(user);
    expect(performance.now() - start).toBeLessThan(LEASE_MS + 2_000 + steady.slackMs);
    const { refreshes, maxPresentations } = provider.counts();
    expect(maxPresentations).toBeLessThanOrEqual(2);
    if (status === 200) return;
    expect([status, body.details?.[0]?.status, refreshes]).toEqual([400, 'EXPIRED', 2]);
    await getOn(user, body.details?.[0]?.authorization_link ?? '');
  }
});
