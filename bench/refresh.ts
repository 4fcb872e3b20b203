/**
 * `node bench/refresh.ts`: lets 200 callers find the same access token expired, at a provider that rotates
 * refresh tokens strictly. Compares Gatehouse with the usual ways. Then lets the tokens of 10,000 accounts end in the
 * same second, on both databases, and compares the cost of a call with a good OAuth token and of one with an API key.
 *
 * Writes bench/results/refresh.json; the counts are what matters, times depend on the machine.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { Deployment } from '../test/support/deployment/deployment.ts';
import type { ServerProcess } from '../test/support/deployment/server-process.ts';
import { tokensEndTogether, type StormOutcome } from '../test/support/deployment/token-storm.ts';
import { API_KEY, type OAuthProvider } from '../test/support/oauth-provider/provider.ts';
import { TestPostgres } from '../test/support/postgres.ts';
import { cpuMs } from './process-usage.ts';

const CALLERS = 200;
const PROCESSES = 4;
const PROVIDER_MS = 100;
const ACCOUNTS = 10_000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 6;
const CALLS_PER_ROUND = 500;
const CONCURRENCIES = [1, 32];

/** Outcome of 200 callers with one way of keeping tokens. */
interface Outcome {
  way: string;
  tokenRequests: number;
  successes: number;
  familiesRevoked: number;
  milliseconds: number;
}

/** A shared token, like a row of a database. */
interface StoredToken {
  access: string;
  refresh: string;
  isExpired: boolean;
}

async function renew(provider: OAuthProvider, stored: StoredToken): Promise<void> {
  const { clientId, clientSecret } = provider.settings;
  const response = await fetch(`${provider.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: stored.refresh,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  if (!response.ok) throw new Error(`refresh: ${response.status}`);
  const reply = (await response.json()) as { access_token: string; refresh_token: string };
  Object.assign(stored, { access: reply.access_token, refresh: reply.refresh_token, isExpired: false });
}

async function callApi(provider: OAuthProvider, token: string): Promise<boolean> {
  const response = await fetch(`${provider.url}/api/entries`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.body?.cancel();
  return response.ok;
}

/** Counts the outcomes of one way; `call` makes the n-th call. */
async function measure(
  way: string,
  provider: OAuthProvider,
  call: (n: number) => Promise<boolean>,
): Promise<Outcome> {
  provider.reset({ delayMs: { token: PROVIDER_MS } });
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, async (_, n) => call(n).catch(() => false)),
  );
  const milliseconds = Math.round(performance.now() - startedAt);
  const { refreshes, familiesRevoked } = provider.counts();
  const successes = answers.filter(Boolean).length;
  return { way, tokenRequests: refreshes, successes, familiesRevoked, milliseconds };
}

function expiredToken(provider: OAuthProvider): StoredToken {
  const { accessToken, refreshToken = '' } = provider.issue();
  return { access: accessToken, refresh: refreshToken, isExpired: true };
}

/** Each caller that finds the token expired renews it. */
async function eachForItself(provider: OAuthProvider): Promise<Outcome> {
  const stored = expiredToken(provider);
  return measure('each caller renews', provider, async () => {
    if (stored.isExpired) await renew(provider, stored);
    return callApi(provider, stored.access);
  });
}

/** Callers of one process share a promise; processes do not know of each other. */
async function onePerProcess(provider: OAuthProvider): Promise<Outcome> {
  const stored = expiredToken(provider);
  const renewals = new Map<number, Promise<void>>();
  return measure(`one shared promise in each of ${PROCESSES} processes`, provider, async (n) => {
    const process = n % PROCESSES;
    if (!renewals.has(process)) renewals.set(process, renew(provider, stored));
    await renewals.get(process);
    return callApi(provider, stored.access);
  });
}

async function gatehouse(
  deployment: Deployment,
  [first, ...others]: readonly [ServerProcess, ...ServerProcess[]],
): Promise<Outcome> {
  const processes = 1 + others.length;
  const user = `${processes}-processes`;
  await deployment.connect(first, `warm-up-${processes}`);
  for (const server of [first, ...others])
    await Promise.all(Array.from({ length: CALLERS }, async () => server.call(`warm-up-${processes}`)));
  await deployment.connect(first, user, -1_000);
  return measure(`Gatehouse, processes: ${processes}`, deployment.provider, async (n) => {
    const server = others[(n % processes) - 1] ?? first;
    return (await server.call(user)).status === 200;
  });
}

/** Says what came of a storm at once, because the rest takes long. */
function told(database: string, outcome: StormOutcome): StormOutcome {
  process.stdout.write(`tokens that end in the same second, ${database}: ${JSON.stringify(outcome)}\n`);
  return outcome;
}

/** The same in an installation of its own, on Postgres. */
async function stormOnPostgres(): Promise<StormOutcome> {
  const postgres = new TestPostgres();
  try {
    const databaseUrl = await postgres.createDatabase(true);
    const deployment = await Deployment.open({ databaseUrl, env: { GATEHOUSE_LOG_LEVEL: 'warn' } });
    try {
      const first = await deployment.serve();
      const others = Array.from({ length: PROCESSES - 1 }, async () => deployment.serve());
      return await tokensEndTogether(deployment, [first, ...(await Promise.all(others))], ACCOUNTS);
    } finally {
      await deployment.close();
    }
  } finally {
    await postgres.stop();
  }
}

interface Cost {
  concurrency: number;
  milliseconds: number;
  cpuMs: number;
}

/** Calls with both credentials in turns, so that a change in the machine's speed affects both alike. */
async function callCosts(deployment: Deployment, server: ServerProcess): Promise<Record<string, Cost[]>> {
  deployment.provider.reset();
  await deployment.connect(server, 'token');
  await server.api('POST', '/connected_accounts', {
    connector: 'ledger_key',
    identifier: 'key',
    user_id: 'key',
    connected_account: { authorization_details: { static_auth: { details: { api_key: API_KEY } } } },
  });
  const ways = [
    ['token', 'ledger'],
    ['key', 'ledger_key'],
  ] as const;
  const costs: Record<string, Cost[]> = { token: [], key: [] };
  for (const concurrency of CONCURRENCIES) {
    const samples: Record<'token' | 'key', { milliseconds: number[]; cpuMs: number[] }> = {
      token: { milliseconds: [], cpuMs: [] },
      key: { milliseconds: [], cpuMs: [] },
    };
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const [user, connector] of round % 2 === 0 ? ways : ways.toReversed()) {
        const sample = await callMany(server, { user, connector, concurrency });
        if (round < 0) continue;
        samples[user].milliseconds.push(sample.milliseconds);
        samples[user].cpuMs.push(sample.cpuMs);
      }
    }
    for (const [user, { milliseconds, cpuMs: used }] of Object.entries(samples))
      costs[user]?.push({ concurrency, milliseconds: median(milliseconds), cpuMs: median(used) });
  }
  return costs;
}

async function callMany(
  server: ServerProcess,
  { user, connector, concurrency }: { user: string; connector: string; concurrency: number },
): Promise<{ milliseconds: number; cpuMs: number }> {
  const pid = server.child.pid ?? 0;
  const body = { tool_name: 'ledger_list', connector, identifier: user, user_id: user };
  const times: number[] = [];
  let left = CALLS_PER_ROUND;
  const cpuBefore = cpuMs(pid);
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const startedAt = performance.now();
      const { status, text } = await server.api('POST', '/execute_tool', body);
      if (status !== 200) throw new Error(text);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { milliseconds: median(times), cpuMs: (cpuMs(pid) - cpuBefore) / CALLS_PER_ROUND };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const deployment = await Deployment.open({ env: { GATEHOUSE_LOG_LEVEL: 'warn' } });
try {
  const first = await deployment.serve();
  const others = await Promise.all(Array.from({ length: PROCESSES - 1 }, async () => deployment.serve()));
  const outcomes = [
    await eachForItself(deployment.provider),
    await onePerProcess(deployment.provider),
    await gatehouse(deployment, [first]),
    await gatehouse(deployment, [first, ...others]),
  ];
  const storms = {
    sqlite: told('SQLite', await tokensEndTogether(deployment, [first, ...others], ACCOUNTS)),
    postgres: told('Postgres', await stormOnPostgres()),
  };
  for (const server of others) await server.stop();
  const costs = await callCosts(deployment, first);
  const ratios = Object.fromEntries(
    CONCURRENCIES.flatMap((concurrency, i) => {
      const [token, key] = [costs.token?.[i], costs.key?.[i]];
      if (token === undefined || key === undefined) return [];
      return [
        [`CPU per call at ${concurrency}, OAuth token to API key`, token.cpuMs / key.cpuMs],
        [`latency per call at ${concurrency}, OAuth token to API key`, token.milliseconds / key.milliseconds],
      ];
    }),
  );
  process.stdout.write(`${CALLERS} callers find one token expired; refresh tokens rotate strictly\n`);
  console.table(outcomes);
  console.table(ratios);
  const document = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    callers: CALLERS,
    outcomes,
    sameSecond: storms,
    ratios,
    costs,
  };
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  writeFileSync(new URL('results/refresh.json', import.meta.url), `${JSON.stringify(document, round, 2)}\n`);
} finally {
  await deployment.close();
}
