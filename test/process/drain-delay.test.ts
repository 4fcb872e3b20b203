/** `inbound.drain_delay`: how a load balancer learns that `gatehouse serve` is about to stop, seen from outside. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Deployment } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';

const WAITING = { timeout: 30_000, interval: 50 };

let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.open();
});

afterAll(() => deployment?.close());

const ready = async ({ url }: ServerProcess): Promise<number> => (await fetch(`${url}/readyz`)).status;

/** @returns a promise of the exit code and the time of the end */
function toldToStop(
  { child }: ServerProcess,
  signal: NodeJS.Signals,
): Promise<{ code: number | null; tookMs: number }> {
  const started = performance.now();
  const exit = once(child, 'exit');
  child.kill(signal);
  return exit.then(([code]) => ({ code: code as number | null, tookMs: performance.now() - started }));
}

describe('drain delay of gatehouse serve', () => {
  it('lets SIGTERM turn /readyz to 503, and serves until it is over', async () => {
    const server = await deployment.serve({ GATEHOUSE_INBOUND_DRAIN_DELAY: '3s' });
    await deployment.connect(server, 'ada');
    expect(await ready(server)).toBe(200);
    const exit = toldToStop(server, 'SIGTERM');
    await vi.waitFor(async () => expect(await ready(server)).toBe(503), WAITING);
    const fresh = { headers: { connection: 'close' } };
    expect((await fetch(`${server.url}/healthz`, fresh)).status).toBe(200);
    expect((await server.call('ada')).status).toBe(200);
    const { code, tookMs } = await exit;
    expect(code).toBe(0);
    expect(tookMs).toBeGreaterThanOrEqual(3_000);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('holds back nobody who presses Ctrl-C', async () => {
    const server = await deployment.serve({ GATEHOUSE_INBOUND_DRAIN_DELAY: '1m' });
    const { code, tookMs } = await toldToStop(server, 'SIGINT');
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(15_000 + server.slackMs);
  });

  it.runIf(ROUNDS.full)('comes before the 15 s of the hard stop', async () => {
    const server = await deployment.serve({ GATEHOUSE_INBOUND_DRAIN_DELAY: '16s' });
    const { code, tookMs } = await toldToStop(server, 'SIGTERM');
    expect(code).toBe(0);
    expect(tookMs).toBeGreaterThanOrEqual(16_000);
  });
});
