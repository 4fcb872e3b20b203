/**
 * Sends requests until its input ends and tells its memory: a process of its own, so that what is measured is
 * the sending alone.
 *
 * Each line of stdin is a URL and how often it is sent. After each it writes one line: the ends of the sendings
 * (`answered` or the kind of the failure), and by how many bytes its memory was at most larger than before them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { AddressPolicy } from '../../../src/outbound/address-policy.ts';
import { Outbound } from '../../../src/outbound/outbound.ts';
import { OutboundFailure } from '../../../src/outbound/outbound-failure.ts';

const outbound = new Outbound({
  policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 120_000,
  totalTimeoutMs: 240_000,
  maxResponseBytes: 10_000_000,
});

async function endOf(url: string): Promise<string> {
  try {
    await outbound.send({ method: 'GET', url: new URL(url), headers: {} });
    return 'answered';
  } catch (error) {
    if (error instanceof OutboundFailure) return error.kind;
    throw error;
  }
}

function memoryBytes(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [url = '', times = ''] = line.split(' ');
  writeFileSync('/proc/self/clear_refs', '5'); // the highest is from now on
  const before = memoryBytes('VmRSS');
  const ends = new Set<string>();
  for (let n = 0; n < Number(times); n++) ends.add(await endOf(url));
  const growthBytes = memoryBytes('VmHWM') - before;
  process.stdout.write(`${JSON.stringify({ ends: [...ends], growthBytes })}\n`);
}
await outbound.close();
