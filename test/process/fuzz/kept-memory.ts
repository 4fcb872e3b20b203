/**
 * What a process keeps in memory. V8 lets garbage pile up while memory is plenty. In a small heap, and with the garbage
 * collected before each look at the memory, growth means that something is kept.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Interface } from 'node:readline';

const COLLECTED = 'garbage collected';
const COLLECTS = `process.on('SIGUSR2', () => { gc({ type: 'major', flavor: 'last-resort' }); process.stderr.write('${COLLECTED}\\n'); });`;

/** What Node is started with. */
export const SMALL_HEAP = [
  '--max-old-space-size=96',
  '--max-semi-space-size=8',
  '--expose-gc',
  `--import=data:text/javascript,${encodeURIComponent(COLLECTS)}`,
];

/**
 * Resident memory of a process started with SMALL_HEAP, in bytes, without its garbage; undefined where there is no /proc.
 *
 * @param errorLines its stderr
 */
export async function keptBytes(child: ChildProcess, errorLines: Interface): Promise<number | undefined> {
  const file = `/proc/${child.pid}/status`;
  if (!existsSync(file)) return undefined;
  const collected = new Promise<void>((resolve) => {
    errorLines.on('line', (line) => line === COLLECTED && resolve());
  });
  child.kill('SIGUSR2');
  await collected;
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1]) * 1024;
}
