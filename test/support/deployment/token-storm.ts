/** Many accounts whose access tokens end in the same second, at a provider that rotates refresh tokens strictly. */
import type { Deployment } from './deployment.ts';
import type { ServerProcess } from './server-process.ts';

/** Callers at the same time. */
const CALLERS = 32;

/** Accounts that are made at the same time: more of them are in each other's way on Postgres. */
const MAKERS = 4;

/** What came of it. */
export interface StormOutcome {
  accounts: number;
  processes: number;
  calls: number;
  /** Calls that were answered 200. */
  successes: number;
  tokenRequests: number;
  /** How often the provider saw the same refresh token, at most. */
  maxPresentations: number;
  grantsLost: number;
  seconds: number;
}

/** Calls each account in two of the processes at the same moment, after its token has ended. */
export async function tokensEndTogether(
  deployment: Deployment,
  servers: readonly [ServerProcess, ...ServerProcess[]],
  accounts: number,
): Promise<StormOutcome> {
  const [first] = servers;
  const endedAt = Math.floor(Date.now() / 1_000) * 1_000 - 1_000;
  const users = Array.from({ length: accounts }, (_, n) => `same-second-${n}`);
  await forAll(users, MAKERS, async (user) => {
    await deployment.connect(first, user, endedAt - Date.now());
  });
  deployment.provider.reset();
  let successes = 0;
  const startedAt = performance.now();
  await forAll(users, CALLERS, async (user, n) => {
    const two = [n, n + 1].map((which) => servers[which % servers.length] ?? first);
    const answers = await Promise.all(two.map(async (server) => server.call(user)));
    successes += answers.filter(({ status, body }) => status === 200 && body.data?.subject === user).length;
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const { refreshes, maxPresentations, familiesRevoked } = deployment.provider.counts();
  const counts = { tokenRequests: refreshes, maxPresentations, grantsLost: familiesRevoked };
  return { accounts, processes: servers.length, calls: 2 * accounts, successes, ...counts, seconds };
}

/** Works on all of them, so many at the same time. */
async function forAll<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T, n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let n = next++; n < all.length; n = next++) {
      const one = all[n];
      if (one !== undefined) await work(one, n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}
