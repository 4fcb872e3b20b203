/** A provider that misbehaves costs little memory and holds up nobody else. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { startChild, type TestChild } from '../support/child.ts';
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
    // Longer than any test: what misbehaves is left, and does not end by itself.
    headersTimeoutMs: 300_000,
    totalTimeoutMs: 300_000,
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

/** Where a process can be asked for the most memory that it has had. */
const HAS_PEAKS = existsSync('/proc/self/clear_refs');

/** What a process of its own says of sending a URL so often: how the sendings ended, and by how much it grew. */
interface Sendings {
  ends: string[];
  growthBytes: number;
}

describe.skipIf(!HAS_PEAKS)('memory of outbound requests', { timeout: 300_000 }, () => {
  let child: TestChild;

  const sendings = async (server: FaultServer, times: number): Promise<Sendings> => {
    const line = child.lines.length;
    child.process.stdin.write(`${server.origin}/ ${times}\n`);
    return JSON.parse(await child.lineAt(line)) as Sendings;
  };

  beforeAll(async () => {
    const file = join(import.meta.dirname, '../support/children/outbound-memory.ts');
    child = startChild(file, [], ['--max-old-space-size=64']);
    expect(await sendings(healthy, 200)).toMatchObject({ ends: ['answered'] });
  });
  beforeEach(() => broken.reset());
  afterAll(async () => {
    child.process.stdin.end();
    expect(await child.ended).toBe(0);
  });

  it.each<[string, Fault, number]>([
    ['bombs', { gzipBombBytes: ROUNDS.full ? 1_000 * MB : 50 * MB }, ROUNDS.full ? 3 : 6],
    ['huge bodies', { hugeBytes: ROUNDS.full ? 500 * MB : 50 * MB }, ROUNDS.full ? 10 : 6],
  ])('grows by less than 100 MB for %s', async (_, fault, times) => {
    broken.always(fault);
    const { ends, growthBytes } = await sendings(broken, times);
    expect(ends).toEqual(['too_large']);
    expect(growthBytes).toBeLessThan(100 * MB);
  });

  it('grows by less than 100 MB for a body in chunks of one byte', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
    broken.queue({ raw: `${head}${'1\r\nx\r\n'.repeat(2_000_000)}0\r\n\r\n` });
    const { ends, growthBytes } = await sendings(broken, 1);
    expect(ends).toEqual(['answered']);
    expect(growthBytes).toBeLessThan(100 * MB);
  });
});

describe('healthy provider next to a broken one', () => {
  /** How long each of sixty answers took, in milliseconds. */
  async function answerTimes(): Promise<number[]> {
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const started = performance.now();
      expect(await kindOf(healthy)).toBe('answered');
      times.push(performance.now() - started);
    }
    return times;
  }

  /** The same while a hundred requests to the other one hang or drip; none of them ends before. */
  async function answerTimesBeside(): Promise<number[]> {
    broken.reset();
    broken.always({ hang: true });
    broken.queue(...Array.from({ length: 20 }, (): Fault => ({ dripMs: 20, body: 'x'.repeat(20_000) })));
    const leave = new AbortController();
    let ended = 0;
    const misbehaving = Array.from({ length: 100 }, async () =>
      kindOf(broken, leave.signal).finally(() => (ended += 1)),
    );
    try {
      await expect.poll(() => broken.requests.length).toBeGreaterThanOrEqual(64);
      const times = await answerTimes();
      expect(ended).toBe(0);
      return times;
    } finally {
      leave.abort();
      expect(new Set(await Promise.all(misbehaving))).toEqual(new Set(['aborted']));
    }
  }

  const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[56] ?? Infinity;

  it('answers while another provider hangs and drips', async () => {
    expect(await answerTimesBeside()).toHaveLength(60);
  });

  it.runIf(ROUNDS.full)('has a p95 of less than three times its own then', { retry: 4 }, async () => {
    await answerTimes();
    const before = p95(await answerTimes());
    const beside = p95(await answerTimesBeside());
    const alone = Math.max(before, p95(await answerTimes()));
    expect(beside).toBeLessThan(Math.max(3 * alone, 50));
  });
});
