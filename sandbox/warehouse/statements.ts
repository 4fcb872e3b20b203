/**
 * Statements from the request to the end of their results: running, finished and canceled.
 *
 * Nothing here takes real time. A statement that waits (SYSTEM$WAIT) finishes when the clock says so. If it
 * is asynchronous, or takes longer than the provider waits, the first request after that runs it.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/core/clock.ts';
import { DEFAULTS } from './account.ts';
import type { Bindings } from './bindings.ts';
import { WarehouseDatabase } from './database.ts';
import type { SentQuery } from './queries/query-history.ts';
import { SqlFailure, unsupported } from './refusal.ts';
import { runStatement, said, waitSeconds, type StatementResult } from './run-statement.ts';
import { isSymbol, isWord, scanStatements, type Token } from './scanner.ts';
import { Session, type SessionChoice } from './session.ts';

/** A request to run something. */
export interface Submission extends SessionChoice {
  statement: string;
  /** Seconds; 0 and `undefined` mean no limit. */
  timeout?: number | undefined;
  bindings?: Bindings | undefined;
  /** Number of statements in the text; 0 means any number. */
  count: number;
  requestId: string | undefined;
  isAsync: boolean;
  /** If false, NULL is written as the text null. */
  isNullable: boolean;
}

/** One statement, or the parent of several. */
export interface StatementRecord {
  handle: string;
  user: string;
  requestId: string | undefined;
  /** As sent; of one among several, its own. */
  text: string;
  role: string;
  warehouse: string;
  isNullable: boolean;
  /** Unix milliseconds. */
  createdAt: number;
  state: 'running' | 'done' | 'failed';
  result?: StatementResult;
  failure?: SqlFailure;
  /** Handles of the statements of a text with several. */
  handles?: readonly string[];
}

interface Pending extends StatementRecord {
  /** Unix milliseconds. */
  doneAt: number;
  run: () => void;
}

/** Maximum time that the real provider lets a request wait for an answer. */
const PATIENCE_SECONDS = 45;

/** Minimum duration of an asynchronous statement, so that it can be seen running. */
const ASYNC_SECONDS = 2;

const KEPT_MS = 86_400_000;

/** Maximum number of statements kept; the oldest are dropped first. */
const MAX_KEPT = 500;

/** All statements of one sandbox, and their database, which is created with the first. */
export class Statements {
  readonly #clock: Clock;
  readonly #records = new Map<string, Pending>();
  #database: WarehouseDatabase | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The tables, and a session of a user with a role or the default one. @throws SqlFailure for a role that is not allowed */
  open(user: string, role: string | undefined): { database: WarehouseDatabase; session: Session } {
    const database = (this.#database ??= new WarehouseDatabase(this.#clock));
    return { database, session: new Session(database, user, { role }) };
  }

  /** Runs it now or later. A known request id returns the earlier statement. */
  submit(submission: Submission, user: string): StatementRecord {
    this.#settle();
    const { requestId } = submission;
    const known = [...this.#records.values()].find(
      (record) => requestId !== undefined && record.requestId === requestId && record.user === user,
    );
    if (known !== undefined) return known;
    const now = this.#clock.now();
    const record: Pending = {
      handle: randomUUID(),
      user,
      requestId,
      text: submission.statement,
      role: submission.role ?? DEFAULTS.role,
      warehouse: submission.warehouse ?? DEFAULTS.warehouse,
      isNullable: submission.isNullable,
      createdAt: now,
      state: 'running',
      doneAt: now,
      run: () => undefined,
    };
    this.#records.set(record.handle, record);
    this.#attempt(record, () => {
      const statements = statementsOf(submission);
      const seconds = statements.reduce((sum, tokens) => sum + waitSeconds(tokens), 0);
      const delay = submission.isAsync ? Math.max(seconds, ASYNC_SECONDS) : seconds;
      const { timeout = 0 } = submission;
      const isLate = timeout > 0 && seconds > timeout;
      const duration = isLate ? timeout : delay;
      record.doneAt = now + duration * 1000;
      record.run = () => {
        if (isLate) throw tooLate(timeout);
        this.#run(record, submission, statements);
      };
      if (!submission.isAsync && duration <= PATIENCE_SECONDS) this.#finish(record);
    });
    return record;
  }

  /** `undefined` for a handle that is unknown to this user or no longer kept. */
  find(handle: string, user: string): StatementRecord | undefined {
    this.#settle();
    const record = this.#records.get(handle);
    return record?.user === user ? record : undefined;
  }

  /** @returns false if the statement is not running */
  cancel(handle: string, user: string): boolean {
    this.#settle();
    const record = this.#records.get(handle);
    if (record?.user !== user || record.state !== 'running') return false;
    record.state = 'failed';
    record.doneAt = this.#clock.now();
    record.failure = new SqlFailure('000604', '57014', 'SQL execution canceled');
    return true;
  }

  /** Runs due statements in the order of their times, and drops old ones. */
  #settle(): void {
    const now = this.#clock.now();
    const due = [...this.#records.values()]
      .filter(({ state, doneAt }) => state === 'running' && doneAt <= now)
      .toSorted((one, other) => one.doneAt - other.doneAt);
    for (const record of due) this.#finish(record);
    for (const [handle, { createdAt }] of this.#records)
      if (now - createdAt >= KEPT_MS || this.#records.size > MAX_KEPT) this.#records.delete(handle);
  }

  #sentBy(user: string): SentQuery[] {
    const now = this.#clock.now();
    return [...this.#records.values()]
      .filter((record) => record.user === user)
      .map(({ handle: id, text, role, warehouse, state, createdAt, doneAt, result, failure }) => ({
        id,
        text,
        user,
        role,
        warehouse,
        state,
        startedAt: createdAt,
        endedAt: state === 'running' ? now : doneAt,
        rows: result?.rows.length ?? 0,
        failure,
      }));
  }

  #finish(record: Pending): void {
    this.#attempt(record, () => {
      record.run();
      record.state = 'done';
    });
  }

  #attempt(record: Pending, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof SqlFailure)) {
        // A bug here fails one request, not every one after it.
        this.#records.delete(record.handle);
        throw error;
      }
      record.state = 'failed';
      record.failure = error;
    }
  }

  #run(record: Pending, submission: Submission, statements: readonly (readonly Token[])[]): void {
    const database = (this.#database ??= new WarehouseDatabase(this.#clock));
    const { statement: source, bindings = {} } = submission;
    const session = new Session(database, record.user, submission);
    const results: StatementResult[] = [];
    const handles: string[] = [];
    try {
      for (const tokens of statements) {
        const history = () => ({ queries: this.#sentBy(record.user), now: this.#clock.now() });
        const result = runStatement(database, { tokens, source, session, bindings, history });
        results.push(result);
        const child: Pending = {
          handle: randomUUID(),
          user: record.user,
          requestId: undefined,
          text: source.slice(tokens[0]?.offset, tokens.at(-1)?.end),
          role: session.role,
          warehouse: session.compute,
          isNullable: record.isNullable,
          createdAt: this.#clock.now(),
          state: 'done',
          doneAt: record.doneAt,
          run: () => undefined,
          result,
        };
        if (statements.length > 1) {
          handles.push(child.handle);
          this.#records.set(child.handle, child);
        }
      }
    } finally {
      // A transaction ends with its request.
      database.transaction('ROLLBACK');
    }
    const [first] = results;
    record.result =
      statements.length === 1 && first !== undefined
        ? first
        : said('Multiple statements executed successfully.', 'multiple statement execution');
    if (statements.length > 1) record.handles = handles;
  }
}

/** @throws SqlFailure if the text has another number of statements than announced */
function statementsOf({ statement, count, bindings }: Submission): Token[][] {
  const statements = scanStatements(statement);
  const [first = []] = statements;
  if (first.length === 0)
    throw new SqlFailure('000900', '42601', 'SQL compilation error:\nEmpty SQL statement.');
  if (isScript(first)) throw unsupported('Snowflake Scripting');
  if (count !== 0 && count !== statements.length)
    throw new SqlFailure(
      '000008',
      '0A000',
      `Actual statement count ${statements.length} did not match the desired statement count ${count}.`,
    );
  if (statements.length > 1 && Object.keys(bindings ?? {}).length > 0)
    throw new SqlFailure('002049', '42601', 'Bind variables are not supported for several statements.');
  return statements;
}

/** A block of Snowflake Scripting; BEGIN alone opens a transaction. */
function isScript([first, second]: readonly Token[]): boolean {
  if (isWord(first, 'DECLARE')) return true;
  const isTransaction =
    second === undefined || isSymbol(second, ';') || isWord(second, 'TRANSACTION', 'WORK', 'NAME');
  return isWord(first, 'BEGIN') && !isTransaction;
}

function tooLate(seconds: number): SqlFailure {
  return new SqlFailure(
    '000630',
    '57014',
    `Statement reached its statement or warehouse timeout of ${seconds} second(s) and was canceled.`,
  );
}
