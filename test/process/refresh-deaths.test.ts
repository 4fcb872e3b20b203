/** Slow and dying refreshers: never a second presentation for nothing, never a long stall (docs/security.md#dead-refresher). */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { authRequestIn } from '../support/deployment/browser.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';

const CALLERS = ROUNDS.full ? 40 : 10;

/** The figures of the promise, or the same relations in less time. */
const LEASE_MS = ROUNDS.full ? 10_000 : 2_000;
const TIMES: Record<string, string> = ROUNDS.full
  ? {}
  : {
      GATEHOUSE_REFRESH_LEASE: `${LEASE_MS}ms`,
      GATEHOUSE_OUTBOUND_HEADERS_TIMEOUT: '1s',
    };

forEachDatabaseInFull((name, _open, newUrl) => {
  let deployment: Deployment;
  let here: ServerProcess;
  let there: ServerProcess;

  beforeAll(async () => {
    const databaseUrl = name === 'postgres' ? await newUrl() : undefined;
    deployment = await Deployment.open({ ...(databaseUrl !== undefined && { databaseUrl }), env: TIMES });
    here = await deployment.serve();
    there = await deployment.serve();
  });
  beforeEach(() => deployment.provider.reset());
  afterEach(() => deployment.provider.release());
  afterAll(() => deployment?.close());

  describe('token refresh at a slow provider', () => {
    it(`sends one refresh token within ${ROUNDS.slowRefreshSeconds} s and answers every caller`, async () => {
      const { provider } = deployment;
      provider.set({ delayMs: { token: ROUNDS.slowRefreshSeconds * 1000 } });
      await deployment.connect(here, 'slow', -1_000);
      const calls = Array.from({ length: CALLERS }, (_, i) => (i % 2 === 0 ? here : there).call('slow'));
      const answers = await Promise.all(calls);
      expect(provider.counts()).toMatchObject({ refreshes: 1, maxPresentations: 1, familiesRevoked: 0 });
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: CALLERS });
    });

    it('completes although every caller has disconnected', async () => {
      const { provider } = deployment;
      await deployment.connect(here, 'left', -1_000);
      provider.queue({ target: 'token', hold: true });
      const leaving = new AbortController();
      const call = here.call('left', leaving.signal);
      await provider.untilHeld();
      leaving.abort();
      await expect(call).rejects.toThrow();
      provider.release();
      expect((await there.call('left')).status).toBe(200);
      expect(provider.counts()).toMatchObject({ refreshes: 1, familiesRevoked: 0, apiRefused: 0 });
    });
  });

  describe('token refresh in a killed process (kill -9)', () => {
    it('passes to another process within the lease before the provider acted, and after it retries once and then asks for the owner', async () => {
      const { provider } = deployment;
      const doomed = await deployment.serve();
      await deployment.connect(here, 'killed-before', -1_000);
      await deployment.connect(here, 'killed-after', -1_000);
      provider.queue({ target: 'token', hold: true });
      void doomed.call('killed-before').catch(() => {});
      await provider.untilHeld();
      provider.queue({ target: 'token', process: 'after', hold: true });
      void doomed.call('killed-after').catch(() => {});
      await provider.untilHeld(2);
      await doomed.kill();
      const asked = Promise.all([there.call('killed-after'), here.call('killed-after')]);
      const { tookMs } = await there.callUntilItWorks('killed-before');
      expect(tookMs).toBeLessThan(LEASE_MS + 2_000 + doomed.slackMs);
      for (const { status, body } of await asked) {
        expect([status, body.details?.[0]?.status]).toEqual([400, 'EXPIRED']);
        expect(body.details?.[0]?.authorization_link).toMatch(/^https:\/\/gate\.example\.test\/connect\//);
      }
      expect(provider.counts()).toMatchObject({ refreshes: 4, maxPresentations: 2, familiesRevoked: 1 });
    });

    it('loses nothing after the provider acted where reuse is allowed', async () => {
      const { provider } = deployment;
      provider.set({ rotation: 'grace', graceMs: 60_000 });
      const doomed = await deployment.serve();
      await deployment.connect(here, 'killed-grace', -1_000);
      provider.queue({ target: 'token', process: 'after', hold: true });
      void doomed.call('killed-grace').catch(() => {});
      await provider.untilHeld();
      await doomed.kill();
      const { tookMs } = await there.callUntilItWorks('killed-grace');
      expect(tookMs).toBeLessThan(LEASE_MS + 2_000 + doomed.slackMs);
      expect(provider.counts()).toMatchObject({ refreshes: 2, familiesRevoked: 0 });
    });
  });

  it('discards the late result of a refresh in a process that stopped and came back', async () => {
    const { provider } = deployment;
    provider.set({ rotation: 'grace', graceMs: 600_000 });
    const sleeper = await deployment.serve();
    await deployment.connect(here, 'late', -1_000);
    provider.queue({ target: 'token', process: 'after', hold: true });
    const lateCall = sleeper.call('late');
    await provider.untilHeld();
    sleeper.child.kill('SIGSTOP');
    await there.callUntilItWorks('late');
    const won = await there.credentialsOf('late');
    provider.release();
    sleeper.child.kill('SIGCONT');
    expect((await lateCall).status).toBe(200);
    expect(await sleeper.credentialsOf('late')).toEqual(won);
    expect(provider.counts()).toMatchObject({ refreshes: 2, familiesRevoked: 0 });
    await sleeper.kill();
  });

  it('finishes a callback that was running at SIGTERM', async () => {
    const { provider } = deployment;
    const leaving = await deployment.serve();
    const browser = deployment.browser(leaving);
    const callback = await browser.consent(await leaving.magicLink('stopping-callback'));
    provider.queue({ target: 'token', process: 'after', hold: true });
    const answer = browser.get(callback);
    await provider.untilHeld();
    const exit = once(leaving.child, 'exit');
    leaving.child.kill('SIGTERM');
    await delay(100);
    provider.release();
    const request = authRequestIn(await answer);
    expect(await exit).toEqual([0, null]);
    expect((await here.verify(request, 'stopping-callback')).status).toBe(200);
    expect((await here.call('stopping-callback')).status).toBe(200);
  });

  // In draining.test.ts too, with a caller who is still there.
  it.runIf(ROUNDS.full)('stores the result of a refresh that was running at SIGTERM', async () => {
    const { provider } = deployment;
    const leaving = await deployment.serve();
    await deployment.connect(here, 'stopping', -1_000);
    provider.queue({ target: 'token', process: 'after', hold: true });
    const gone = new AbortController();
    const call = leaving.call('stopping', gone.signal);
    await provider.untilHeld();
    gone.abort();
    await expect(call).rejects.toThrow();
    const exit = once(leaving.child, 'exit');
    leaving.child.kill('SIGTERM');
    await delay(200);
    provider.release();
    expect(await exit).toEqual([0, null]);
    expect((await here.call('stopping')).status).toBe(200);
    expect(provider.counts()).toMatchObject({ refreshes: 1, familiesRevoked: 0, apiRefused: 0 });
  });
});
