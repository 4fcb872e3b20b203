/**
 * Records executions and the last use of accounts, many calls in one commit.
 *
 * Calls that finish in the same turn of the event loop, or while a commit is running, share one commit. A caller that
 * gets the id of an execution from the API waits for its commit. Other calls leave their record to the next commit, at
 * most LINGER_MS later; if the process is killed before, the record is lost
 * (docs/decisions/0008-execution-records.md).
 *
 * A database that cannot be written does not fail a call that the provider has already answered, nor delay it for
 * long; the failure is logged and counted instead. If records are required (`executions.required`), `begin` stores one
 * before the call is sent.
 */
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../store/engine/database.ts';
import { storeCalls, type CallRecord } from '../../store/records/ended-calls.ts';
import { otherPart, type SumPart } from '../../store/records/execution-sum-store.ts';
import { ExecutionStore } from '../../store/records/execution-store.ts';
import type { Execution } from '../../store/tables/tables.ts';

/** Longest time that a record nobody waits for stays in memory. */
const LINGER_MS = 50;

/** Longest wait of a call for a commit. After a slower commit, further calls do not wait until one succeeds. */
const PATIENCE_MS = 1_000;

/** Time for which a stored record proves that the next one can be stored too. */
const TRUST_MS = 5_000;

export class ExecutionLog {
  readonly #db: Database;
  readonly #log: Log;
  readonly #onLost: (count: number) => void;
  /** Of the sums of executions. */
  readonly #part: SumPart;
  #waiting: CallRecord[] = [];
  #beginning: { execution: Execution; stored: PromiseWithResolvers<void> }[] = [];
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves for the calls that wait for the next commit. */
  #told = Promise.withResolvers<void>();
  #isLate = false;
  /** Of the last commit, by the clock of `performance`. */
  #storedAt = Number.NEGATIVE_INFINITY;
  #trial: Promise<boolean> | undefined;

  /** @param onLost told how many records could not be stored */
  constructor(db: Database, log: Log, onLost: (count: number) => void = () => {}) {
    this.#db = db;
    this.#part = { number: otherPart(db.dialect) };
    this.#log = log;
    this.#onLost = onLost;
  }

  /**
   * Stores the record of a call that is about to be sent.
   *
   * @throws ServiceError UNAVAILABLE if it cannot be stored
   */
  async begin(execution: Execution): Promise<void> {
    const stored = Promise.withResolvers<void>();
    this.#beginning.push({ execution, stored });
    void this.flush();
    try {
      await stored.promise;
    } catch (cause) {
      throw new ServiceError(
        'UNAVAILABLE',
        'The record of the call cannot be stored, and the settings require one. Nothing was sent; try again later.',
        { cause, retryAfterSeconds: (cause instanceof ServiceError && cause.retryAfterSeconds) || 5 },
      );
    }
  }

  /**
   * Whether a record can be stored: one was a moment ago, or a trial works, which leaves nothing behind. Callers at the
   * same time share one trial. Never rejects.
   */
  async canStore(environmentId: string): Promise<boolean> {
    if (performance.now() - this.#storedAt < TRUST_MS) return true;
    this.#trial ??= this.#try(environmentId).finally(() => {
      this.#trial = undefined;
    });
    return this.#trial;
  }

  /** Resolves when the record is committed, when its failure is logged, or when that takes too long. Never rejects. */
  record(call: CallRecord): Promise<void> {
    this.#waiting.push(call);
    void this.flush();
    return this.#isLate ? Promise.resolve() : this.#told.promise;
  }

  /** Leaves the record to the next commit. */
  recordSoon(call: CallRecord): void {
    this.#waiting.push(call);
    this.#timer ??= setTimeout(() => void this.flush(), LINGER_MS);
  }

  /** Commits the waiting records. Resolves when all records so far are committed, or the failure is logged. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0 && this.#beginning.length === 0) return this.#running;
    this.#next ??= this.#commitNext();
    return this.#next;
  }

  async #commitNext(): Promise<void> {
    await Promise.all([this.#running, setImmediate()]);
    const calls = this.#waiting;
    const beginning = this.#beginning;
    const told = this.#told;
    this.#waiting = [];
    this.#beginning = [];
    this.#told = Promise.withResolvers();
    this.#next = undefined;
    const impatience = setTimeout(() => {
      this.#isLate = true;
      told.resolve();
      this.#told.resolve();
      this.#told = Promise.withResolvers();
    }, PATIENCE_MS);
    this.#running = this.#commit(calls, beginning);
    await this.#running;
    clearTimeout(impatience);
    told.resolve();
  }

  async #commit(
    calls: readonly CallRecord[],
    beginning: readonly { execution: Execution; stored: PromiseWithResolvers<void> }[],
  ): Promise<void> {
    try {
      await storeCalls(
        this.#db,
        calls,
        beginning.map(({ execution }) => execution),
        this.#part,
      );
      this.#isLate = false;
      this.#storedAt = performance.now();
      for (const { stored } of beginning) stored.resolve();
    } catch (err) {
      this.#storedAt = Number.NEGATIVE_INFINITY;
      for (const { stored } of beginning) stored.reject(err);
      if (calls.length === 0) return;
      this.#onLost(calls.length);
      this.#log.error('executions_not_recorded', { count: calls.length, err });
    }
  }

  async #try(environmentId: string): Promise<boolean> {
    const at = Date.now();
    const execution: Execution = {
      id: newId('exe', at),
      environment_id: environmentId,
      tool_name: 'trial',
      connected_account_id: null,
      source: 'api',
      status: 'ok',
      error_code: null,
      error_message: null,
      provider_status: null,
      user_id: null,
      organization_id: null,
      connector: null,
      queue_ms: null,
      provider_ms: null,
      attempts: null,
      renewals: null,
      client_id: null,
      virtual_server_id: null,
      duration_ms: 0,
      at,
    };
    try {
      await this.#db.transaction(async (tx) => {
        const executions = new ExecutionStore(tx);
        await executions.insertMany([execution]);
        await executions.removeBegun([execution]);
      });
      this.#storedAt = performance.now();
      return true;
    } catch {
      return false;
    }
  }
}
