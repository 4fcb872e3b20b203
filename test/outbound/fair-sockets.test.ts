/** Turns at the sockets of one origin: who gets the next one, and what a tenant cannot take from others. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FairSockets } from '../../src/outbound/fair-sockets.ts';

let sockets: FairSockets;
/** Requests that have got a socket, in order. */
let started: string[];

beforeEach(() => {
  sockets = new FairSockets(64);
  started = [];
});

function enter(tenant: string | undefined, times = 1): (() => void)[] {
  return Array.from({ length: times }, () => sockets.enter(tenant, () => started.push(tenant ?? 'nobody')));
}

function held(tenant: string): number {
  return started.filter((name) => name === tenant).length;
}

describe('connections to one origin of a provider', () => {
  it('go at most by four fifths to one tenant', () => {
    enter('noisy', 2_000);
    expect(held('noisy')).toBe(51);
  });

  it('start the request of another tenant at once while one tenant waits', () => {
    enter('noisy', 2_000);
    enter('quiet');
    expect(held('quiet')).toBe(1);
  });

  it('go to a tenant that holds none before one that waits longer and holds some', () => {
    sockets = new FairSockets(2);
    enter('noisy', 2);
    const [leave] = enter('b');
    enter('quiet');
    leave?.();
    expect(started).toEqual(['noisy', 'b', 'quiet']);
  });

  it('alternate between tenants that wait', () => {
    sockets = new FairSockets(1);
    const leave = [...enter('a', 3), ...enter('b', 3)];
    leave[0]?.();
    leave[1]?.();
    leave[3]?.();
    expect(started).toEqual(['a', 'a', 'b', 'a']);
  });

  it('never start a request that has given up its place', () => {
    sockets = new FairSockets(1);
    const [first] = enter('a');
    const [second] = enter('b');
    enter('c');
    second?.();
    first?.();
    expect(started).toEqual(['a', 'c']);
  });

  it('go in full to requests of no tenant, the oldest first', () => {
    const leave = enter(undefined, 100);
    expect(held('nobody')).toBe(64);
    leave[0]?.();
    expect(held('nobody')).toBe(65);
  });

  it('keep no trace of tenants that are done', () => {
    const leave = [...enter('a', 100), ...enter('b', 100), ...enter(undefined, 100)];
    expect(sockets.isIdle).toBe(false);
    for (const release of leave.toReversed()) release();
    expect(sockets.isIdle).toBe(true);
  });

  it('start one request with a single socket', () => {
    sockets = new FairSockets(1);
    enter('a', 5);
    expect(held('a')).toBe(1);
  });
});
