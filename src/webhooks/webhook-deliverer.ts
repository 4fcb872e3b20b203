/**
 * Sends the events of the outbox, while its process lives: each at least once, in attempts that become rarer until
 * `webhooks.give_up_after`. Several processes share the work; one of them makes each attempt
 * (webhook-delivery-store.ts).
 *
 * Up to eight attempts at a time per webhook, one per account, so that the events of an account arrive in order. An
 * endpoint that accepts nothing gets single attempts (endpoint-breakers.ts), and its deliveries cost the others nothing.
 * If a process dies, its attempts are made again after their lease.
 */
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { databaseTime } from '../store/engine/database-time.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import {
  MAX_PER_WEBHOOK,
  WebhookDeliveryStore,
  type AttemptResult,
  type DueWebhook,
  type EndedAttempt,
  type TakenDelivery,
} from '../store/policy/webhook-delivery-store.ts';
import type { WebhookDelivery } from '../store/tables/webhook-tables.ts';
import type { PostOutcome, SignedSender } from '../signed-sender/signed-sender.ts';
import { EndpointBreakers } from './endpoint-breakers.ts';

/** Wait before each attempt, including the first; the last one is the wait before all that follow. */
const WAITS_MS = [0, 5_000, 30_000, 120_000, 300_000, 900_000, 3_600_000] as const;

const TIMEOUT_MS = 10_000;

/** Time after which an attempt without an outcome is given up: its timeout, and time to store the outcome. */
const LEASE_MS = 20_000;

/** Interval of polling the outbox, for events written by other processes, retries and pauses that are over. */
const POLL_MS = 1_000;

/** Attempts at the same time, to all webhooks together. Endpoints whose last attempt failed get half of them at most. */
const MAX_AT_ONCE = 256;
const MAX_AT_ONCE_TO_FAILING = MAX_AT_ONCE / 2;

/** Webhooks served by one transaction, so that it stays short. The next pass serves those after them. */
const MAX_PER_PASS = 16;

/** Deliveries that one transaction gives up. */
const GIVE_UP_BATCH = 500;

const NOT_ACCEPTED = 'The endpoint accepted no events until it was too late for this one.';

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
  giveUpAfterMs: number;
  times?: Partial<DelivererTimes>;
}

/** A webhook, and how many more attempts to it this process may begin. */
interface Room {
  webhook: DueWebhook;
  most: number;
}

/** Work for the next pass, collected from the attempts since the last one. */
class PassWork {
  readonly ended: (EndedAttempt & { webhook: DueWebhook })[] = [];
  /** Deliveries that failed while their endpoint accepted nothing, which it does again. */
  readonly recovered: { environmentId: string; ids: readonly string[] }[] = [];
  /** Paused webhooks by id; their deliveries that are too old end. */
  readonly paused = new Map<string, DueWebhook>();

  get isEmpty(): boolean {
    return this.ended.length === 0 && this.recovered.length === 0 && this.paused.size === 0;
  }
}

/** The result of a pass. */
interface Written {
  /** Ids of the attempts whose outcome was stored. */
  stored: ReadonlySet<string>;
  givenUp: ReadonlyMap<DueWebhook, number>;
  taken: readonly TakenDelivery[];
  /** Whether another pass may find more to do at once. */
  hasMore: boolean;
}

export class WebhookDeliverer {
  readonly #deps: WebhookDelivererDeps;
  readonly #times: DelivererTimes;
  readonly #breakers = new EndpointBreakers();
  readonly #underWay = new Map<Promise<void>, DueWebhook>();
  readonly #stopping = new AbortController();
  #work = new PassWork();
  #timer: NodeJS.Timeout | undefined;
  #collecting: NodeJS.Immediate | undefined;
  #isStopped = false;
  #isWoken = false;
  #isPassing = false;
  #passing: Promise<void> = Promise.resolve();
  /** Id of the webhook that was served last: the next pass starts after it. */
  #last = '';
  #isFailing = false;

  /**
   * @param deps.environmentIds environments whose events this process sends
   * @param deps.giveUpAfterMs age of an event after which no further attempt is made
   */
  constructor(deps: WebhookDelivererDeps) {
    this.#deps = deps;
    this.#times = { timeoutMs: TIMEOUT_MS, leaseMs: LEASE_MS, stopGraceMs: STOP_GRACE_MS, ...deps.times };
  }

  /** Starts sending, until `stop`. Does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  /** Looks at the outbox now; does nothing before `start`, and sends nothing after `stop`. */
  wake(): void {
    this.#isWoken = true;
    clearImmediate(this.#collecting);
    this.#collecting = undefined;
    if (this.#timer !== undefined && !this.#isPassing) this.#passing = this.#passes();
  }

  /** Resolves when everything that is due now was attempted, and every outcome is stored. */
  async settled(): Promise<void> {
    do {
      await this.#passing;
      await Promise.all(this.#underWay.keys());
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
    while (this.#isWoken) {
      this.#isWoken = false;
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

  /** Stores the outcomes since the last pass and takes new attempts, in one transaction, and starts these. */
  async #pass(): Promise<void> {
    const rooms = this.#isStopped ? [] : await this.#rooms();
    const work = this.#work;
    this.#work = new PassWork();
    if (work.isEmpty && rooms.length === 0) return;
    try {
      const done = await this.#deps.db.transaction(async (tx) => this.#write(tx, work, rooms));
      this.#last = rooms.at(-1)?.webhook.webhookId ?? this.#last;
      for (const taken of done.taken) this.#begin(taken);
      this.#isWoken ||= done.hasMore;
      this.#report(work, done);
    } catch (err) {
      if (work.ended.length === 0) throw err;
      this.#deps.log.warn('webhook_outcome_lost', { count: work.ended.length, err });
    }
  }

  /** The webhooks that the next pass serves, each in its turn. */
  async #rooms(): Promise<Room[]> {
    const { db, clock } = this.#deps;
    const environmentIds = this.#deps.environmentIds();
    const due = await new WebhookDeliveryStore(db.read).dueWebhooks(environmentIds, databaseTime(db, clock));
    const underWay = [...this.#underWay.values()];
    const now = clock.now();
    let free = MAX_AT_ONCE - underWay.length;
    let freeForFailing =
      MAX_AT_ONCE_TO_FAILING - underWay.filter((each) => this.#breakers.isFailing(each)).length;
    const rooms: Room[] = [];
    for (const webhook of inTurn(due, this.#last)) {
      const own = underWay.filter(({ webhookId }) => webhookId === webhook.webhookId).length;
      const isFailing = this.#breakers.isFailing(webhook);
      const allowed = this.#breakers.allowed(webhook, MAX_PER_WEBHOOK, now) - own;
      const most = Math.min(allowed, isFailing ? Math.min(free, freeForFailing) : free);
      if (most <= 0) continue;
      rooms.push({ webhook, most });
      free -= most;
      if (isFailing) freeForFailing -= most;
      if (rooms.length === MAX_PER_PASS) break;
    }
    return rooms;
  }

  /** Runs again if the database is busy, so it changes nothing but rows. */
  async #write(tx: WriteTransaction, work: PassWork, rooms: readonly Room[]): Promise<Written> {
    const { db, clock, giveUpAfterMs } = this.#deps;
    const store = new WebhookDeliveryStore(tx);
    const at = clock.now();
    const { stored, following } = await store.finish(work.ended, { now: databaseTime(db, clock), at });
    for (const { environmentId, ids } of work.recovered) await store.bringForward(environmentId, ids);
    const tooOld = { createdBefore: at - giveUpAfterMs, failure: NOT_ACCEPTED, at, limit: GIVE_UP_BATCH };
    const givenUp = new Map<DueWebhook, number>();
    for (const webhook of work.paused.values()) givenUp.set(webhook, await store.giveUp(webhook, tooOld));
    const taken: TakenDelivery[] = [];
    let isMoreDue = following > 0 || work.recovered.length > 0;
    for (const { webhook, most } of this.#isStopped ? [] : rooms) {
      const { leaseMs } = this.#times;
      const batch = await store.take(webhook, { now: databaseTime(db, clock), leaseMs, most });
      taken.push(...batch.taken);
      isMoreDue ||= batch.putOff > 0;
    }
    const isCut = rooms.length === MAX_PER_PASS && taken.length > 0;
    return { stored, givenUp, taken, hasMore: isMoreDue || isCut };
  }

  #report(work: PassWork, { stored, givenUp }: Written): void {
    const { log } = this.#deps;
    for (const { row, result, webhook } of work.ended) {
      if (result?.end !== 'failed' || !stored.has(row.id)) continue;
      log.warn('webhook_delivery_failed', {
        ...placeOf(webhook),
        count: row.attempts,
        ...(result.lastFailure !== null && { message: result.lastFailure }),
      });
    }
    for (const [webhook, count] of givenUp) {
      if (count > 0) log.warn('webhook_deliveries_given_up', { ...placeOf(webhook), count });
      if (count < GIVE_UP_BATCH) continue;
      this.#work.paused.set(webhook.webhookId, webhook);
      this.#isWoken = true;
    }
  }

  #begin(taken: TakenDelivery): void {
    const attempt = this.#attempt(taken).finally(() => {
      this.#underWay.delete(attempt);
      // Everything that has arrived meanwhile is stored together: one outcome takes as long as many.
      if (this.#underWay.size === 0) this.wake();
      else this.#collecting ??= setImmediate(() => this.wake());
    });
    this.#underWay.set(attempt, webhookOf(taken));
  }

  /** Never rejects: an outcome that cannot be stored counts as none, and the attempt is made again. */
  async #attempt(taken: TakenDelivery): Promise<void> {
    const { row } = taken;
    const webhook = webhookOf(taken);
    const outcome = await this.#send(taken);
    if (outcome.kind === 'aborted' && this.#stopping.signal.aborted) {
      this.#work.ended.push({ webhook, row });
      return;
    }
    this.#work.ended.push({ webhook, row, result: this.#resultOf(outcome, row) });
    const { change, failedIds } = outcome.isDelivered
      ? this.#breakers.succeeded(webhook)
      : this.#breakers.failed(webhook, row.id, this.#deps.clock.now());
    if (change === 'recovered')
      this.#work.recovered.push({ environmentId: row.environment_id, ids: failedIds });
    if (this.#breakers.isPaused(webhook)) this.#work.paused.set(webhook.webhookId, webhook);
    if (change === 'paused') this.#deps.log.warn('webhook_endpoint_paused', placeOf(webhook));
    if (change === 'recovered') this.#deps.log.info('webhook_endpoint_recovered', placeOf(webhook));
  }

  async #send({ row, url }: TakenDelivery): Promise<AttemptOutcome> {
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

  #resultOf({ isDelivered, status, failure }: AttemptOutcome, row: WebhookDelivery): AttemptResult {
    if (isDelivered) return { end: 'delivered', lastStatus: status, lastFailure: null };
    const retryInMs = WAITS_MS[row.attempts] ?? WAITS_MS[6];
    const isTooLate = this.#deps.clock.now() + retryInMs > row.created_at + this.#deps.giveUpAfterMs;
    const last = { lastStatus: status, lastFailure: failure };
    return isTooLate ? { end: 'failed', ...last } : { end: null, retryInMs, ...last };
  }
}

type AttemptOutcome = Pick<PostOutcome, 'isDelivered' | 'status' | 'failure' | 'kind'>;

const BROKEN: AttemptOutcome = {
  isDelivered: false,
  status: null,
  failure: 'Gatehouse could not make the attempt. Its log says why.',
  kind: null,
};

function webhookOf({ row, url }: TakenDelivery): DueWebhook {
  return { environmentId: row.environment_id, webhookId: row.webhook_id, url };
}

function placeOf({ environmentId, url }: DueWebhook): { environment_id: string; host: string } {
  return { environment_id: environmentId, host: new URL(url).host };
}

/** The same webhooks, starting after the one served last: if there are too many to serve at once, each gets its turn. */
function inTurn(due: readonly DueWebhook[], last: string): DueWebhook[] {
  const next = due.findIndex(({ webhookId }) => webhookId > last);
  return next <= 0 ? [...due] : [...due.slice(next), ...due.slice(0, next)];
}
