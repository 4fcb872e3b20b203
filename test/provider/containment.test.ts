/** A provider that misbehaves costs little memory and holds up nobody else. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/provider/address-policy.ts';
import { Outbound } from '../../src/provider/outbound.ts';
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

/** Where a process can be asked for the most memory that it has had. */
const HAS_PEAKS = existsSync('/proc/self/clear_refs');

/** What a process of its own says of sending a URL so often: how the sendings ended, and by how much it grew. */
interface Sendings {
  ends: string[];
  growthBytes: number;
}

describe.skipIf(!HAS_PEAKS)('the memory of a process that sends', { timeout: 300_000 }, () => {
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

describe('a healthy provider', () => {
  it('answers while another one hangs, drips and breaks', { retry: 4 }, async () => {
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
    const before = await p95();
    broken.reset();
    broken.always({ hang: true });
    broken.queue(...Array.from({ length: 20 }, (): Fault => ({ dripMs: 20, body: 'x'.repeat(1_000) })));
    const misbehaving = Array.from({ length: 100 }, () => kindOf(broken, leave.signal));
    await expect.poll(() => broken.requests.length).toBeGreaterThanOrEqual(64);
    const beside = await p95();
    leave.abort();
    expect(new Set(await Promise.all(misbehaving))).toEqual(new Set(['aborted']));
    const alone = Math.max(before, await p95());
    expect(beside).toBeLessThan(Math.max(3 * alone, 50));
  });
});
