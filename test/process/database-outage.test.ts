/** A full disk and a locked database degrade the service and do not break it (promise P17), seen from outside. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ApiAnswer, ServerProcess } from '../support/deployment/server-process.ts';

const HOLD_LOCK = join(import.meta.dirname, '../store/children/hold-lock.ts');
const PRLIMIT = '/usr/bin/prlimit';
const MAX_STANDSTILL_MS = 250;

/** Longest time that a call waits for the record of what the provider has answered. */
const MAX_CALL_MS = 1_000;

/** Longest time that a write waits for the database. */
const MAX_WRITE_MS = 5_000;

let deployment: Deployment;
let server: ServerProcess;
let slackMs: number;

beforeAll(async () => {
  deployment = await Deployment.open();
  server = await deployment.serve();
  ({ slackMs } = server);
  await deployment.connect(server, 'ada');
  await deployment.connect(server, 'expired', -1_000);
});

afterAll(() => deployment?.close());

const read = async (): Promise<ApiAnswer> => server.api('GET', '/connected_accounts');
const link = async (): Promise<ApiAnswer> =>
  server.api('POST', '/connected_accounts/magic_link', { connector: 'ledger', user_id: 'new' });

async function timed(work: () => Promise<ApiAnswer>): Promise<ApiAnswer & { tookMs: number }> {
  const started = performance.now();
  return { ...(await work()), tookMs: performance.now() - started };
}

/** The longest standstill of the server's event loop since it was asked last, in milliseconds, as its metrics tell. */
async function standstill(): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${await deployment.token(server)}` },
  });
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await response.text())?.[1];
  return Number(seconds) * 1_000;
}

/** 503 that says when to come back. */
function expectUnavailable({ status, headers, body }: ApiAnswer): void {
  expect([status, body.details?.[0]?.error_code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/** The same calls, at once, whatever is wrong with the database. */
async function everything() {
  const [reads, calls, links, renewal] = await Promise.all([
    Promise.all(Array.from({ length: 10 }, read)),
    Promise.all(Array.from({ length: 10 }, async () => timed(async () => server.call('ada')))),
    Promise.all(Array.from({ length: 10 }, async () => timed(link))),
    timed(async () => server.call('expired')),
  ]);
  return { reads, calls, links, renewal };
}

async function expectDegraded(): Promise<void> {
  const { reads, calls, links, renewal } = await everything();
  expect(tally(reads.map(({ status }) => status))).toEqual({ 200: 10 });
  expect(tally(calls.map(({ status }) => status))).toEqual({ 200: 10 });
  // Without a place to put the new tokens none are asked for.
  expectUnavailable(renewal);
  expect(deployment.provider.counts().refreshes).toBe(0);
  links.forEach(expectUnavailable);
  for (const { tookMs } of calls) expect(tookMs).toBeLessThan(MAX_CALL_MS + slackMs);
  for (const { tookMs } of [...links, renewal]) expect(tookMs).toBeLessThan(MAX_WRITE_MS + slackMs);
  const { status } = await fetch(`${server.url}/healthz`);
  expect(status).toBe(200);
}

async function expectRecovered(): Promise<void> {
  expect((await link()).status).toBe(200);
  expect((await server.call('ada')).status).toBe(200);
  expect(server.child.exitCode).toBeNull();
}

describe('a database that another process keeps locked', () => {
  it(
    'leaves reads and calls, answers writes 503, and never stops the event loop for long',
    { retry: 4 },
    async () => {
      await standstill();
      await Promise.all([read(), server.call('ada'), link()]);
      const usual = await standstill();
      const child = startChild(HOLD_LOCK, [join(deployment.dir, 'data/gatehouse.db')]);
      await child.line('locked');
      try {
        await expectDegraded();
        expect(await standstill()).toBeLessThan(Math.max(MAX_STANDSTILL_MS, MAX_STANDSTILL_MS - 150 + usual));
      } finally {
        child.process.stdin.write('go\n');
        await child.ended;
      }
      await expectRecovered();
    },
  );
});

describe.skipIf(!existsSync(PRLIMIT))('a disk that takes nothing more', () => {
  /** Bytes that files of the server may have; none: every write fails, as on a full disk. */
  const limitFiles = (bytes: string): void => {
    const { status, stderr } = spawnSync(PRLIMIT, ['--pid', String(server.child.pid), `--fsize=${bytes}:`]);
    if (status !== 0) throw new Error(stderr.toString());
  };

  it('leaves reads and calls, answers writes 503, and is back without a restart', async () => {
    limitFiles('0');
    try {
      await expectDegraded();
    } finally {
      limitFiles('unlimited');
    }
    await expectRecovered();
    expect(deployment.integrity()).toBe('ok');
  });
});

describe('after both', () => {
  it('what had to wait is made up for: tokens are renewed once', async () => {
    expect((await server.call('expired')).status).toBe(200);
    expect(deployment.provider.counts()).toMatchObject({ refreshes: 1, familiesRevoked: 0 });
  });
});
