/**
 * Sends the events of the outbox, while its process lives: each at least once, in up to seven attempts over an
 * hour and a half. Several processes share the work; one of them makes each attempt (webhook-delivery-store.ts).
 *
 * One attempt at a time per webhook keeps its events in order as long as they are accepted. A slow endpoint
 * delays only its own events. If a process dies, its attempt is made again after its lease.
 */
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { databaseTime } from '../store/engine/database-time.ts';
import type { Database } from '../store/engine/database.ts';
import {
  WebhookDeliveryStore,
  type AttemptResult,
  type DueWebhook,
  type TakenDelivery,
} from '../store/policy/webhook-delivery-store.ts';
import type { WebhookDelivery } from '../store/tables/webhook-tables.ts';
import type { PostOutcome, SignedSender } from '../signed-sender/signed-sender.ts';

/** Wait before each attempt, including the first; after the last one a delivery stays failed. */
const WAITS_MS = [0, 5_000, 30_000, 120_000, 300_000, 900_000, 3_600_000] as const;

const TIMEOUT_MS = 10_000;

/** Time after which an attempt without an outcome is given up: its timeout, and time to store the outcome. */
const LEASE_MS = 20_000;

/** Interval of polling the outbox, for events written by other processes and for retries. */
const POLL_MS = 1_000;

/** Webhooks served at the same time. */
const MAX_AT_ONCE = 32;

/** Time for attempts under way when the process stops. */
const STOP_GRACE_MS = 2_000;

/** Times that tests shorten. */
export interface DelivererTimes {
  timeoutMs: number;
  leaseMs: number;
  stopGraceMs: number;
}

interface WebhookDelivererDeps {
  db: Database;
  clock: Clock;
  log: Log;
  sender: Pick<SignedSender, 'post'>;
  environmentIds: () => readonly string[];
  times?: Partial<DelivererTimes>;
}

export class WebhookDeliverer {
  readonly #deps: WebhookDelivererDeps;
  readonly #times: DelivererTimes;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isNudged = false;
  #isPassing = false;
  #passing: Promise<void> = Promise.resolve();
  /** Id of the webhook that was served last: the next pass starts after it. */
  #last = '';
  #isFailing = false;

  /** @param deps.environmentIds environments whose events this process sends */
  constructor(deps: WebhookDelivererDeps) {
    this.#deps = deps;
    this.#times = { timeoutMs: TIMEOUT_MS, leaseMs: LEASE_MS, stopGraceMs: STOP_GRACE_MS, ...deps.times };
  }

  /** Starts sending, until `stop`. Does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = setInterval(() => this.nudge(), POLL_MS).unref();
    this.nudge();
  }

  /** Looks at the outbox now; does nothing before `start` or after `stop`. */
  nudge(): void {
    this.#isNudged = true;
    if (this.#timer !== undefined && !this.#isPassing) this.#passing = this.#passes();
  }

  /** Resolves when everything that is due now was attempted. */
  async settled(): Promise<void> {
    do {
      await this.#passing;
      await Promise.all(this.#underWay);
    } while (this.#isPassing || this.#underWay.size > 0);
  }

  /** Makes no further attempts. Those under way have 2 s to end; the next process repeats those cut short. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const cut = setTimeout(() => this.#stopping.abort(), this.#times.stopGraceMs);
    await this.settled();
    clearTimeout(cut);
  }

  async #passes(): Promise<void> {
    this.#isPassing = true;
    while (this.#isNudged && !this.#isStopped) {
      this.#isNudged = false;
      try {
        await this.#pass();
        this.#isFailing = false;
      } catch (err) {
        if (!this.#isFailing) this.#deps.log.warn('webhook_outbox_unreadable', { err });
        this.#isFailing = true;
      }
    }
    this.#isPassing = false;
  }

  /** Starts one attempt for every webhook with a due delivery. */
  async #pass(): Promise<void> {
    const due = await new WebhookDeliveryStore(this.#deps.db.read).dueWebhooks(
      this.#deps.environmentIds(),
      databaseTime(this.#deps.db, this.#deps.clock),
    );
    for (const webhook of inTurn(due, this.#last)) {
      if (this.#underWay.size >= MAX_AT_ONCE || this.#isStopped) return;
      const taken = await this.#take(webhook);
      if (taken === undefined) continue;
      this.#last = webhook.webhookId;
      const attempt = this.#attempt(taken).finally(() => {
        this.#underWay.delete(attempt);
        this.nudge();
      });
      this.#underWay.add(attempt);
    }
  }

  /** Claims the next attempt of this webhook, unless another process was faster. */
  async #take(webhook: DueWebhook): Promise<TakenDelivery | undefined> {
    return this.#deps.db.transaction(async (tx) => {
      const store = new WebhookDeliveryStore(tx);
      return store.take(webhook, databaseTime(this.#deps.db, this.#deps.clock), this.#times.leaseMs);
    });
  }

  /** Never rejects: an outcome that cannot be stored counts as none, and the attempt is made again. */
  async #attempt({ row, url }: TakenDelivery): Promise<void> {
    const outcome = await this.#send(row, url);
    const wasCut = outcome.kind === 'aborted' && this.#stopping.signal.aborted;
    const result = this.#resultOf(outcome, row.attempts);
    try {
      const isStored = await this.#deps.db.transaction(async (tx) => {
        const store = new WebhookDeliveryStore(tx);
        return wasCut
          ? store.giveBack(row)
          : store.finish(row, result, databaseTime(this.#deps.db, this.#deps.clock));
      });
      if (!isStored || wasCut || result.end !== 'failed') return;
      this.#deps.log.warn('webhook_delivery_failed', {
        environment_id: row.environment_id,
        host: new URL(url).host,
        count: row.attempts,
        ...(result.lastFailure !== null && { message: result.lastFailure }),
      });
    } catch (err) {
      this.#deps.log.warn('webhook_outcome_lost', { environment_id: row.environment_id, err });
    }
  }

  async #send(row: WebhookDelivery, url: string): Promise<AttemptOutcome> {
    try {
      return await this.#deps.sender.post({
        environmentId: row.environment_id,
        url,
        id: row.event_id,
        body: row.body,
        families: ['webhook'],
        timeoutMs: this.#times.timeoutMs,
        signal: this.#stopping.signal,
      });
    } catch (err) {
      this.#deps.log.warn('webhook_attempt_broken', { environment_id: row.environment_id, err });
      return BROKEN;
    }
  }

  #resultOf({ isDelivered, status, failure }: AttemptOutcome, attempts: number): AttemptResult {
    if (isDelivered)
      return { end: 'delivered', at: this.#deps.clock.now(), lastStatus: status, lastFailure: null };
    const retryInMs = WAITS_MS[attempts];
    const last = { lastStatus: status, lastFailure: failure };
    if (retryInMs === undefined) return { end: 'failed', at: this.#deps.clock.now(), ...last };
    return { end: null, retryInMs, ...last };
  }
}

type AttemptOutcome = Pick<PostOutcome, 'isDelivered' | 'status' | 'failure' | 'kind'>;

const BROKEN: AttemptOutcome = {
  isDelivered: false,
  status: null,
  failure: 'Gatehouse could not make the attempt. Its log says why.',
  kind: null,
};

/** The same webhooks, starting after the one served last: if there are too many to serve at once, each gets its turn. */
function inTurn(due: readonly DueWebhook[], last: string): DueWebhook[] {
  const next = due.findIndex(({ webhookId }) => webhookId > last);
  return next <= 0 ? [...due] : [...due.slice(next), ...due.slice(0, next)];
}
