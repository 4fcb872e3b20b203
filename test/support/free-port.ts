/**
 * Ports for processes that cannot be told to take any port: another process has to know the port beforehand.
 *
 * A port that the system chose and that was given back may be another listener's a moment later: two workers open
 * listeners all the time. These come from below the range in which systems choose by themselves (32768 and above on
 * Linux), from a part of it that is this worker's own, and each is given out once.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 11_000;
const PORTS_PER_WORKER = 5_000;
const WORKERS = 4;

const first = LOWEST + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * PORTS_PER_WORKER;
/** Runs of the tests beside this one begin elsewhere. */
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** @returns a port of 127.0.0.1 on which nobody listens, and which no other test is given */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS_PER_WORKER; tried++) {
    const port = first + (next++ % PORTS_PER_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free.');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
