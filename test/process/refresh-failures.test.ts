/**
 * Refreshes that fail: for now, for good, and with a clock that is off (docs/security.md#temporary-failures,
 * docs/security.md#clock-skew).
 */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/open.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ApiAnswer, ServerProcess } from '../support/deployment/server-process.ts';
import type { ProviderFault } from '../support/oauth-provider/faults.ts';
import { ROUNDS } from '../support/rounds.ts';

const CALLERS = ROUNDS.callersAtOnce;

forEachDatabaseInFull((name, _open, newUrl) => {
  let deployment: Deployment;
  let url: string;
  let here: ServerProcess;
  let there: ServerProcess;

  beforeAll(async () => {
    const databaseUrl = name === 'postgres' ? await newUrl() : undefined;
    deployment = await Deployment.open({ ...(databaseUrl !== undefined && { databaseUrl }) });
    url = databaseUrl ?? `sqlite:${join(deployment.dir, 'data/gatehouse.db')}`;
    here = await deployment.serve();
    there = await deployment.serve();
  });
  beforeEach(() => deployment.provider.reset());
  afterEach(() => deployment.provider.release());
  afterAll(() => deployment?.close());

  describe('temporary failure of a token refresh', () => {
    const KINDS: Record<string, ProviderFault> = {
      'a reset': { target: 'token', answer: { reset: true } },
      'a 429 with Retry-After': {
        target: 'token',
        answer: { status: 429, headers: { 'retry-after': '1' }, json: { error: 'slow_down' } },
      },
      'a 500': { target: 'token', answer: { status: 500, json: { error: 'server_error' } } },
      'a 503 in HTML': {
        target: 'token',
        answer: { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Maintenance</h1>' },
      },
      'an error without words': { target: 'token', answer: { status: 400, body: '' } },
      'a time-out': { target: 'token', answer: { hang: true } },
      'half an answer': { target: 'token', answer: { truncate: true, body: '{"access_token":' } },
    };

    /** Those that leave open what happened: the server asks once more by itself, and nobody hears of it. */
    const REPEATED = new Set(['a reset', 'an error without words', 'half an answer']);

    interface Recovery {
      failures: readonly ApiAnswer[];
      status: string;
    }
    const recoveries = new Map<string, Promise<Recovery>>();

    /** All of them one after the other; each waits out its cool-down while the next one fails. */
    beforeAll(async () => {
      const hasty = await deployment.serve({ GATEHOUSE_REFRESH_DEADLINE: '2s' });
      for (const [kind, fault] of Object.entries(KINDS)) {
        const user = kind.replaceAll(' ', '-');
        const server = kind === 'a time-out' ? hasty : here;
        const { refreshToken } = await deployment.connect(server, user, -1_000);
        const { refreshes } = deployment.provider.counts();
        // The others ask again meanwhile.
        deployment.provider.queue({ ...fault, refreshToken });
        const recovered = server.callUntilItWorks(user).then(async ({ failures }) => {
          return { failures, status: await there.statusOf(user) };
        });
        recoveries.set(kind, recovered);
        await (REPEATED.has(kind)
          ? recovered
          : Promise.race([recovered, deployment.provider.untilRequested('token', refreshes + 1)]));
      }
      await Promise.allSettled(recoveries.values());
    });

    it.each(Object.keys(KINDS))('keeps the status and works again after %s', async (kind) => {
      const { failures, status } = await recoveries.get(kind)!;
      expect(status).toBe('ACTIVE');
      expect(failures.length > 0).toBe(!REPEATED.has(kind));
      for (const { body } of failures) expect(body.details?.[0]?.error_code).toBe('TOOL_ERROR');
    });

    it('works again after the client secret was wrong for a while', async () => {
      const { provider } = deployment;
      await deployment.connect(here, 'wrong-secret', -1_000);
      const { clientSecret } = provider.settings;
      provider.set({ clientSecret: 'rotated-elsewhere' });
      const refused = await here.call('wrong-secret');
      expect(refused.body.details?.[0]?.error_code).toBe('TOOL_ERROR');
      expect(refused.body.message).toMatch(/client/i);
      expect(await there.statusOf('wrong-secret')).toBe('ACTIVE');
      provider.set({ clientSecret });
      await here.callUntilItWorks('wrong-secret');
      expect(provider.counts()).toMatchObject({ familiesRevoked: 0 });
    });

    it('keeps using a valid token when an early refresh fails', async () => {
      const { provider } = deployment;
      await deployment.connect(here, 'early', 45_000);
      await receivedLongAgo(url, 'early');
      provider.queue({ target: 'token', times: 10, answer: { status: 500, body: 'no' } });
      expect((await here.call('early')).status).toBe(200);
      await expect.poll(() => provider.counts().refreshes).toBe(1);
      expect(await here.statusOf('early')).toBe('ACTIVE');
    });

    it('does not flood an unavailable provider with requests', async () => {
      const { provider } = deployment;
      await deployment.connect(here, 'hammer', -1_000);
      provider.queue({ target: 'token', times: 1_000, answer: { status: 500, body: 'no' } });
      const started = performance.now();
      const answers = await Promise.all(Array.from({ length: CALLERS }, () => here.call('hammer')));
      const tookSeconds = (performance.now() - started) / 1_000;
      expect(answers.filter(({ status }) => status === 200)).toEqual([]);
      // The first failure holds off the next attempt for at least 1 s.
      expect(provider.counts().refreshes).toBeLessThanOrEqual(2 + tookSeconds);
      expect(await here.statusOf('hammer')).toBe('ACTIVE');
    });
  });

  describe(`revoked grant and ${CALLERS} calls`, () => {
    it.each([
      { when: 'the access token has expired', expiresInMs: -1_000 },
      { when: 'the access token looks good', expiresInMs: 3_600_000 },
    ])('sends one token request when $when, and gives every caller a link', async ({ expiresInMs }) => {
      const { provider } = deployment;
      const user = `revoked${expiresInMs > 0 ? '-later' : ''}`;
      await deployment.connect(here, user, expiresInMs);
      provider.grants.revokeAll();
      const calls = Array.from({ length: CALLERS }, (_, i) => (i % 2 === 0 ? here : there).call(user));
      const answers = await Promise.all(calls);
      expect(tally(answers.map(({ status, body }) => `${status} ${body.details?.[0]?.status}`))).toEqual({
        '400 EXPIRED': CALLERS,
      });
      const links = new Set(answers.map(({ body }) => body.details?.[0]?.authorization_link));
      expect([...links].every((link) => link?.startsWith('https://gate.example.test/connect/'))).toBe(true);
      expect(provider.counts()).toMatchObject({ refreshes: 1 });
      expect(await here.statusOf(user)).toBe('EXPIRED');
    });
  });

  describe('clock skew of five minutes', () => {
    const MINUTES = 60_000;

    it.each([-5 * MINUTES, 5 * MINUTES])(
      'changes nothing for the clock of the provider (%i ms)',
      async (offset) => {
        const { provider } = deployment;
        provider.set({ clockOffsetMs: offset });
        const user = `provider${offset}`;
        await deployment.connect(here, user, -1_000);
        for (let i = 0; i < 5; i++) expect((await (i % 2 === 0 ? here : there).call(user)).status).toBe(200);
        expect(provider.counts()).toMatchObject({ refreshes: 1, apiRefused: 0 });
      },
    );

    // On SQLite all processes are on one machine.
    it.skipIf(name === 'sqlite')(
      'causes no second refresh for the clock of another machine, whichever asks first',
      async () => {
        const { provider } = deployment;
        const off = await deployment.serve({ NODE_OPTIONS: clockShiftedBy(5 * MINUTES) });
        expect(Math.abs(startedAt(off) - 5 * MINUTES - Date.now())).toBeLessThan(MINUTES);
        for (const first of [here, off]) {
          provider.reset({ delayMs: { token: 300 } });
          const user = first === off ? 'ahead' : 'behind';
          await deployment.connect(here, user, -6 * MINUTES);
          const calls = [first.call(user)];
          await provider.untilRequested('token');
          for (let i = 0; i < 20; i++) calls.push((i % 2 === 0 ? here : off).call(user));
          expect(tally((await Promise.all(calls)).map(({ status }) => status))).toEqual({ 200: 21 });
          for (const server of [here, off]) expect((await server.call(user)).status).toBe(200);
          expect(provider.counts()).toMatchObject({ refreshes: 1, familiesRevoked: 0, apiRefused: 0 });
        }
      },
    );
  });
});

/** As if the token of a user's account had come a day ago: what is left of it is due for renewal. */
async function receivedLongAgo(url: string, user: string): Promise<void> {
  const db = await openDatabase({ url });
  const received = { token_received_at: Date.now() - 86_400_000 };
  await db.transaction(async (tx) =>
    tx.updateTable('accounts').set(received).where('identifier', '=', user).execute(),
  );
  await db.close();
}

/** Makes a process live in another time. */
function clockShiftedBy(ms: number): string {
  return `--import=data:text/javascript,const%20real=Date.now;Date.now=()=>real()+(${ms})`;
}

/** When a process says that it started, in Unix milliseconds. */
function startedAt(server: ServerProcess): number {
  return Date.parse(/"time":"([^"]*)"/.exec(server.output)?.[1] ?? '');
}
