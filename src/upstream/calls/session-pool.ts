/**
 * Sessions of servers that keep them: one per account and process. Its first call opens it, at most four calls use
 * it at a time, and it is closed after some idle minutes.
 *
 * A session never serves another account. Nor does it serve other credentials of the same account: they may belong
 * to another person, and a server may know its caller by the session.
 */
import { ServiceError } from '../../core/errors.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { McpSession } from './mcp-session.ts';

const CALLS_AT_ONCE = 4;
const WAITING = 32;
const MAX_SESSIONS = 1_000;
const IDLE_MS = 300_000;
/**
 * Longest wait for servers when all sessions are closed. A server that does not answer forgets its sessions by
 * itself.
 */
const CLOSE_MS = 2_000;

/** The owner of a session. */
export interface SessionKey {
  /** Identifies an account at a server. */
  key: string;
  /** Generation of the account's credentials. */
  generation: number;
}

interface Slot {
  generation: number;
  session: Promise<McpSession>;
  /** The opened session; absent while it is being opened. */
  opened?: McpSession;
  running: number;
  /** The session gets no new call, and is closed when its last call ends. */
  isLeft?: boolean;
  waiting: (() => void)[];
  usedAt: number;
}

export class SessionPool {
  readonly #slots = new Map<string, Slot>();
  readonly #now: () => number;
  readonly #sweep: NodeJS.Timeout;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#sweep = setInterval(() => this.#closeIdle(), IDLE_MS / 10);
    this.#sweep.unref();
  }

  /** Number of open sessions. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Uses the session with this key. Opens one if none was opened with these credentials.
   *
   * @param signal ends the wait of a call whose caller left or whose deadline is over
   * @throws ServiceError RATE_LIMITED if too many calls wait for the session; OutboundFailure, not sent, if the
   *   signal ends the wait; the errors of `open` and `use`
   */
  async use<T>(
    of: SessionKey,
    open: () => Promise<McpSession>,
    use: (session: McpSession) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const slot = this.#slotOf(of, open);
    await this.#turn(slot, signal);
    try {
      slot.opened = await slot.session;
      if (signal?.aborted === true) throw new OutboundFailure('aborted', false);
      return await use(slot.opened);
    } catch (error) {
      // A session that could not be opened must not stay in the pool.
      if (await isFailed(slot.session)) this.#forget(of.key, slot);
      throw error;
    } finally {
      slot.usedAt = this.#now();
      slot.running -= 1;
      if (slot.isLeft === true && slot.running === 0) void closeSlot(slot);
      slot.waiting.shift()?.();
    }
  }

  /** Gives a broken session no new calls, unless another session has replaced it. Calls that use it continue. */
  drop({ key }: SessionKey, session: McpSession): void {
    const slot = this.#slots.get(key);
    if (slot?.opened === session) this.#forget(key, slot);
  }

  /** Ends every session, and waits at most two seconds for the servers. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLOSE_MS);
    timer.unref();
    await Promise.race([Promise.all(slots.map(closeSlot)), late.promise]);
    clearTimeout(timer);
  }

  #slotOf({ key, generation }: SessionKey, open: () => Promise<McpSession>): Slot {
    const known = this.#slots.get(key);
    if (known !== undefined && known.generation !== generation) this.#forget(key, known);
    else if (known !== undefined) {
      // Moves the session to the end, so that the least recently used one is first.
      this.#slots.delete(key);
      this.#slots.set(key, known);
      return known;
    }
    const slot: Slot = { generation, session: open(), running: 0, waiting: [], usedAt: this.#now() };
    slot.session.catch(() => {});
    if (this.#slots.size >= MAX_SESSIONS) this.#makeRoom();
    this.#slots.set(key, slot);
    return slot;
  }

  #makeRoom(): void {
    for (const [key, slot] of this.#slots) {
      if (slot.running > 0) continue;
      this.#forget(key, slot);
      return;
    }
  }

  async #turn(slot: Slot, signal: AbortSignal | undefined): Promise<void> {
    slot.running += 1;
    if (slot.running <= CALLS_AT_ONCE) return;
    if (slot.waiting.length >= WAITING) {
      slot.running -= 1;
      throw new ServiceError(
        'RATE_LIMITED',
        'Too many calls of this account wait for its app. Try again later.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    const turn = Promise.withResolvers<void>();
    slot.waiting.push(turn.resolve);
    const leave = (): void => {
      const place = slot.waiting.indexOf(turn.resolve);
      // It was already given its turn.
      if (place < 0) return;
      slot.waiting.splice(place, 1);
      slot.running -= 1;
      turn.reject(new OutboundFailure('aborted', false));
    };
    signal?.addEventListener('abort', leave);
    if (signal?.aborted === true) leave();
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #forget(key: string, slot: Slot): void {
    if (this.#slots.get(key) === slot) this.#slots.delete(key);
    if (slot.running === 0) void closeSlot(slot);
    else slot.isLeft = true;
  }

  #closeIdle(): void {
    const before = this.#now() - IDLE_MS;
    for (const [key, slot] of this.#slots)
      if (slot.running === 0 && slot.usedAt < before) this.#forget(key, slot);
  }
}

async function closeSlot({ session }: Slot): Promise<void> {
  await session.then(
    async (opened) => opened.close(),
    () => {},
  );
}

async function isFailed(session: Promise<unknown>): Promise<boolean> {
  return session.then(
    () => false,
    () => true,
  );
}
