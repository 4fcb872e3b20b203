/**
 * Sessions of servers that keep them: one per account and process, made by its first call, used by at most four calls
 * at a time, closed after some idle minutes. A session never serves another account, nor other credentials of the same
 * one: they may be those of somebody else, and a server may know its caller by the session.
 */
import { ServiceError } from '../../core/errors.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { McpSession } from './mcp-session.ts';

const CALLS_AT_ONCE = 4;
const WAITING = 32;
const MAX_SESSIONS = 1_000;
const IDLE_MS = 300_000;
/** A server that does not answer forgets its sessions by itself. */
const CLOSE_MS = 2_000;

/** Whose session it is. */
export interface SessionKey {
  /** Of an account at a server. */
  key: string;
  /** Of its credentials. */
  generation: number;
}

interface Slot {
  generation: number;
  session: Promise<McpSession>;
  /** The same, once it is open. */
  opened?: McpSession;
  running: number;
  /** No new call takes it; it closes with its last one. */
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

  /** Sessions that are open. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Uses the session with this key. Opens one where none was opened with these credentials.
   *
   * @param signal ends the wait of a call that its caller gave up, or that would come too late
   * @throws ServiceError RATE_LIMITED if too many calls wait for it; OutboundFailure, not sent, if the signal ends the
   *   wait; what `open` and `use` throw
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
      // One that could not be opened is nobody's.
      if (await isFailed(slot.session)) this.#forget(of.key, slot);
      throw error;
    } finally {
      slot.usedAt = this.#now();
      slot.running -= 1;
      if (slot.isLeft === true && slot.running === 0) void closeSlot(slot);
      slot.waiting.shift()?.();
    }
  }

  /** Gives a broken session no new calls, unless another one has taken its place. The calls that use it go on. */
  drop({ key }: SessionKey, session: McpSession): void {
    const slot = this.#slots.get(key);
    if (slot?.opened === session) this.#forget(key, slot);
  }

  /** Ends every session, and waits two seconds for the servers at most. */
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
      // The least recently used one stays first.
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
      // Its turn has come already.
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
