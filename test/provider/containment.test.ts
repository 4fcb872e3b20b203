/** A provider that misbehaves costs little memory and holds up nobody else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/provider/address-policy.ts';
import { Outbound } from '../../src/provider/outbound.ts';
import { startFaultServer, type Fault, type FaultServer } from '../support/fault-server.ts';
import { ROUNDS } from '../support/rounds.ts';

const MB = 1_000_000;
let healthy: FaultServer;
let broken: FaultServer;
let outbound: Outbound;

beforeAll(async () => {
  [healthy, broken] = await Promise.all([startFaultServer(), startFaultServer()]);
  outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
    connectTimeoutMs: 5_000,
    headersTimeoutMs: 20_000,
    totalTimeoutMs: 30_000,
    maxResponseBytes: 10 * MB,
  });
});
afterAll(async () => {
  await outbound.close();
  await Promise.all([healthy.close(), broken.close()]);
});

async function kindOf(server: FaultServer, signal?: AbortSignal): Promise<string> {
  const request = { method: 'GET', url: new URL(server.origin), headers: {} } as const;
  return outbound.send(signal === undefined ? request : { ...request, signal }).then(
    () => 'answered',
    (error: { kind: string }) => error.kind,
  );
}

describe('memory', () => {
  it.each<[string, Fault, number]>([
    ['bombs', { gzipBombBytes: ROUNDS.full ? 1_000 * MB : 50 * MB }, ROUNDS.full ? 3 : 6],
    ['huge bodies', { hugeBytes: ROUNDS.full ? 500 * MB : 50 * MB }, ROUNDS.full ? 10 : 6],
  ])('grows by less than 100 MB for %s', { timeout: 120_000 }, async (_, fault, times) => {
    expect(await kindOf(healthy)).toBe('answered');
    broken.always(fault);
    const before = process.memoryUsage().rss;
    let peak = 0;
    for (let i = 0; i < times; i++) {
      expect(await kindOf(broken)).toBe('too_large');
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(peak - before).toBeLessThan(100 * MB);
  });

  it('grows by less than 100 MB for a body in chunks of one byte', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
    const raw = `${head}${'1\r\nx\r\n'.repeat(2_000_000)}0\r\n\r\n`;
    broken.reset();
    broken.queue({ raw });
    const before = process.memoryUsage().rss;
    expect(await kindOf(broken)).toBe('answered');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB);
  });
});

describe('a healthy provider', () => {
  it('answers while another one hangs, drips and breaks', async () => {
    const leave = new AbortController();
    const p95 = async (): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 60; i++) {
        const started = performance.now();
        expect(await kindOf(healthy)).toBe('answered');
        times.push(performance.now() - started);
      }
      return times.toSorted((a, b) => a - b)[56] ?? Infinity;
    };
    await p95();
    const alone = await p95();
    broken.reset();
    broken.always({ hang: true });
    broken.queue(...Array.from({ length: 20 }, (): Fault => ({ dripMs: 20, body: 'x'.repeat(1_000) })));
    const misbehaving = Array.from({ length: 100 }, () => kindOf(broken, leave.signal));
    await expect.poll(() => broken.requests.length).toBeGreaterThanOrEqual(64);
    const beside = await p95();
    leave.abort();
    expect(new Set(await Promise.all(misbehaving))).toEqual(new Set(['aborted']));
    expect(beside).toBeLessThan(Math.max(3 * alone, 50));
  });
});
