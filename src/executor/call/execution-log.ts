/**
 * Records executions and the last use of accounts, many calls in one commit.
 *
 * Calls that finish in the same turn of the event loop, or while a commit is running, share one commit. A caller that
 * gets the id of an execution from the API waits for its commit. Other calls leave their record to the next commit, at
 * most LINGER_MS later; if the process is killed before, the record is lost (docs/decisions/0008). A database that
 * cannot be written does not fail a call that the provider has already answered, nor delay it for long; the failure is
 * logged instead.
 */
import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { ExecutionStore } from '../../store/records/execution-store.ts';
import type { Execution } from '../../store/tables/tables.ts';

/** Longest time that a record nobody waits for stays in memory. */
const LINGER_MS = 25;

/** Longest wait of a call for a commit. After a slower commit, further calls do not wait until one succeeds. */
const PATIENCE_MS = 1_000;

/** One finished call. */
export interface CallRecord {
  execution: Execution;
  /** The account answered: note its use and forget refusals. */
  succeeded: boolean;
}

export class ExecutionLog {
  readonly #db: Database;
  readonly #log: Log;
  #waiting: CallRecord[] = [];
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves for the calls that wait for the next commit. */
  #told = Promise.withResolvers<void>();
  #isLate = false;

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
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
    if (this.#waiting.length === 0) return this.#running;
    this.#next ??= this.#commitNext();
    return this.#next;
  }

  async #commitNext(): Promise<void> {
    await Promise.all([this.#running, setImmediate()]);
    const calls = this.#waiting;
    const told = this.#told;
    this.#waiting = [];
    this.#told = Promise.withResolvers();
    this.#next = undefined;
    const impatience = setTimeout(() => {
      this.#isLate = true;
      told.resolve();
      this.#told.resolve();
      this.#told = Promise.withResolvers();
    }, PATIENCE_MS);
    this.#running = this.#commit(calls);
    await this.#running;
    clearTimeout(impatience);
    told.resolve();
  }

  async #commit(calls: readonly CallRecord[]): Promise<void> {
    try {
      await this.#db.transaction(async (tx) => {
        await new ExecutionStore(tx).insertMany(calls.map((call) => call.execution));
        const accounts = new AccountStore(tx);
        const lastUse = new Map<string, Execution>();
        for (const { execution, succeeded } of calls) {
          if (succeeded && execution.connected_account_id !== null)
            lastUse.set(execution.connected_account_id, execution);
        }
        for (const [id, { environment_id, at }] of lastUse) await accounts.touch(environment_id, id, at);
      });
      this.#isLate = false;
    } catch (err) {
      this.#log.error('executions_not_recorded', { count: calls.length, err });
    }
  }
}
