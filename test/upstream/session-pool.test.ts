/** Sessions of an MCP server: whose they are, how many calls use one, and when they end. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Breaker } from '../../src/upstream/calls/breaker.ts';
import type { McpSession } from '../../src/upstream/calls/mcp-session.ts';
import { SessionPool } from '../../src/upstream/calls/session-pool.ts';

const ADA = { key: 'ada', generation: 1 };
const BOB = { key: 'bob', generation: 1 };

function fakeSession(): { session: McpSession; isClosed: () => boolean } {
  let closed = false;
  const close = async (): Promise<void> => {
    closed = true;
  };
  return { session: { close } as McpSession, isClosed: () => closed };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('sessions of an MCP server', () => {
  it('serve one account each, with four calls at a time and 32 waiting', async () => {
    const pool = new SessionPool(() => 0);
    let opened = 0;
    const open = async (): Promise<McpSession> => {
      opened += 1;
      return fakeSession().session;
    };
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const use = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
    };
    const calls = Array.from({ length: 36 }, () => pool.use(ADA, open, use));
    await expect(pool.use(ADA, open, use)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const other = pool.use(BOB, open, use);
    gate.resolve();
    await Promise.all([...calls, other]);
    expect([opened, most, pool.size]).toEqual([2, 4, 2]);
    await pool.close();
  });

  it('drop a waiting call whose caller leaves, unsent, and give its place to another one', async () => {
    const pool = new SessionPool(() => 0);
    const open = async (): Promise<McpSession> => fakeSession().session;
    const gate = Promise.withResolvers<void>();
    const used: string[] = [];
    const call = async (name: string, signal?: AbortSignal): Promise<void> =>
      pool.use(
        ADA,
        open,
        async () => {
          used.push(name);
          await gate.promise;
        },
        signal,
      );
    const running = Array.from({ length: 4 }, async () => call('running'));
    const leaving = new AbortController();
    const left = call('left', leaving.signal);
    const waiting = Array.from({ length: 31 }, async () => call('waiting'));
    leaving.abort();
    await expect(left).rejects.toMatchObject({ kind: 'aborted', sent: false });
    await expect(call('gone', AbortSignal.abort())).rejects.toMatchObject({ kind: 'aborted', sent: false });
    waiting.push(call('waiting'));
    gate.resolve();
    await Promise.all([...running, ...waiting]);
    expect([used.filter((name) => name === 'waiting').length, used.length]).toEqual([32, 36]);
    await pool.close();
  });

  it('refuse a call whose deadline is over when they are open', async () => {
    const pool = new SessionPool(() => 0);
    const opened = Promise.withResolvers<McpSession>();
    const late = new AbortController();
    const call = pool.use(
      ADA,
      async () => opened.promise,
      async () => 'sent',
      late.signal,
    );
    late.abort();
    opened.resolve(fakeSession().session);
    await expect(call).rejects.toMatchObject({ kind: 'aborted', sent: false });
    await pool.close();
  });

  it('make room for new ones if there are a thousand, and end with the pool', async () => {
    const pool = new SessionPool(() => 0);
    const sessions = Array.from({ length: 1_001 }, fakeSession);
    for (const [i, { session }] of sessions.entries())
      await pool.use(
        { key: `account ${i}`, generation: 1 },
        async () => session,
        async () => {},
      );
    expect([pool.size, sessions[0]?.isClosed(), sessions[1]?.isClosed()]).toEqual([1_000, true, false]);
    await pool.close();
    expect(sessions.every(({ isClosed }) => isClosed())).toBe(true);
  });

  it('open again after a failed attempt', async () => {
    const pool = new SessionPool(() => 0);
    const failing = pool.use(
      ADA,
      async () => {
        throw new Error('down');
      },
      async () => {},
    );
    await expect(failing).rejects.toThrow('down');
    const { session } = fakeSession();
    const used = await pool.use(
      ADA,
      async () => session,
      async (given) => given === session,
    );
    expect(used).toBe(true);
    await pool.close();
  });

  it('serve no other credentials of the same account', async () => {
    const pool = new SessionPool(() => 0);
    const [before, after] = [fakeSession(), fakeSession()];
    const sessions = [before.session, after.session];
    const open = async (): Promise<McpSession> => sessions.shift()!;
    const gate = Promise.withResolvers<void>();
    const running = pool.use(ADA, open, async () => gate.promise);
    const renewed = { ...ADA, generation: 2 };
    expect(await pool.use(renewed, open, async (session) => session === after.session)).toBe(true);
    gate.resolve();
    await running;
    await Promise.resolve();
    expect([before.isClosed(), after.isClosed(), pool.size]).toEqual([true, false, 1]);
    await pool.close();
  });

  it('stay open for the calls that use them, and get no new ones, once they are broken', async () => {
    const pool = new SessionPool(() => 0);
    const [broken, next] = [fakeSession(), fakeSession()];
    const sessions = [broken.session, next.session];
    const open = async (): Promise<McpSession> => sessions.shift()!;
    const gate = Promise.withResolvers<void>();
    const running = pool.use(ADA, open, async () => gate.promise);
    await pool.use(ADA, open, async (session) => pool.drop(ADA, session));
    expect(await pool.use(ADA, open, async (session) => session === next.session)).toBe(true);
    expect(broken.isClosed()).toBe(false);
    gate.resolve();
    await running;
    await Promise.resolve();
    expect([broken.isClosed(), next.isClosed()]).toEqual([true, false]);
    await pool.close();
  });

  it('delay the end of the pool by at most two seconds', async () => {
    vi.useFakeTimers();
    const pool = new SessionPool(() => 0);
    const session = { close: async () => new Promise<void>(() => {}) } as McpSession;
    await pool.use(
      ADA,
      async () => session,
      async () => {},
    );
    let isOver = false;
    const closing = pool.close().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await closing).toBe(true);
  });
});

describe('server that fails', () => {
  it('gets no calls for one, two, four seconds and so on, except one trial each time', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 5; i++) breaker.failed('a', 0);
    expect([breaker.waitMs('a', 0), breaker.waitMs('b', 0)]).toEqual([1_000, 0]);
    expect([breaker.waitMs('a', 1_000), breaker.waitMs('a', 1_000)]).toEqual([0, 1_000]);
    breaker.failed('a', 1_100);
    expect(breaker.waitMs('a', 1_100)).toBe(2_000);
    breaker.succeeded('a');
    expect(breaker.waitMs('a', 1_100)).toBe(0);
  });

  it('keeps getting calls if its failures are more than a minute apart', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 20; i++) breaker.failed('a', i * 61_000);
    expect(breaker.waitMs('a', 20 * 61_000)).toBe(0);
  });
});
