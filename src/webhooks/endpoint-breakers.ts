/**
 * Stops sending to endpoints that do not accept anything, except for one attempt now and then that finds out when they
 * do again. Kept in the memory of a process: each finds out for itself. Sends nothing itself.
 */
import type { DueWebhook } from '../store/policy/webhook-delivery-store.ts';

/** Failures one after the other after which an endpoint pauses. */
const FAILURES_BEFORE_PAUSE = 5;

/** Pause before the next attempt; doubled by each attempt that fails. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** Failed deliveries remembered by endpoint, to be tried at once when it accepts something again. */
const MAX_REMEMBERED = 1_000;

/** The failures of an endpoint since its last success. */
interface Series {
  url: string;
  failures: number;
  /** 0 before the first pause. */
  pauseMs: number;
  pausedAt: number;
  failedIds: string[];
}

/** The change that an attempt caused. */
export interface BreakerChange {
  change: 'paused' | 'recovered' | null;
  /** Deliveries that failed while the endpoint accepted nothing, if it has recovered. */
  failedIds: readonly string[];
}

const NO_CHANGE: BreakerChange = { change: null, failedIds: [] };

export class EndpointBreakers {
  /** By webhook. A changed address begins without failures. */
  readonly #series = new Map<string, Series>();

  /** True if the last attempt failed. */
  isFailing(endpoint: Pick<DueWebhook, 'webhookId' | 'url'>): boolean {
    return this.#of(endpoint) !== undefined;
  }

  /** True if nothing is sent but single attempts between pauses. */
  isPaused(endpoint: Pick<DueWebhook, 'webhookId' | 'url'>): boolean {
    return (this.#of(endpoint)?.pauseMs ?? 0) > 0;
  }

  /**
   * Number of attempts that may run at the same time.
   *
   * @param most for an endpoint that accepts events
   */
  allowed(endpoint: Pick<DueWebhook, 'webhookId' | 'url'>, most: number, now: number): number {
    const series = this.#of(endpoint);
    if (series === undefined || series.pauseMs === 0) return most;
    return isOver(series, now) ? 1 : 0;
  }

  /** Notes that an attempt succeeded. */
  succeeded(endpoint: Pick<DueWebhook, 'webhookId' | 'url'>): BreakerChange {
    const series = this.#of(endpoint);
    this.#series.delete(endpoint.webhookId);
    if (series === undefined || series.pauseMs === 0) return NO_CHANGE;
    return { change: 'recovered', failedIds: series.failedIds };
  }

  /** Notes that the attempt of a delivery failed. */
  failed(endpoint: Pick<DueWebhook, 'webhookId' | 'url'>, deliveryId: string, now: number): BreakerChange {
    const { url, webhookId } = endpoint;
    const before = this.#of(endpoint) ?? { url, failures: 0, pauseMs: 0, pausedAt: 0, failedIds: [] };
    const failures = before.failures + 1;
    const failedIds = [...before.failedIds, deliveryId].slice(-MAX_REMEMBERED);
    const wasPaused = before.pauseMs > 0;
    const pauses = wasPaused ? isOver(before, now) : failures >= FAILURES_BEFORE_PAUSE;
    const pause = pauses
      ? { pauseMs: Math.min(before.pauseMs * 2 || FIRST_PAUSE_MS, LONGEST_PAUSE_MS), pausedAt: now }
      : {};
    this.#series.set(webhookId, { ...before, failures, failedIds, ...pause });
    return pauses && !wasPaused ? { change: 'paused', failedIds: [] } : NO_CHANGE;
  }

  #of({ webhookId, url }: Pick<DueWebhook, 'webhookId' | 'url'>): Series | undefined {
    const series = this.#series.get(webhookId);
    return series?.url === url ? series : undefined;
  }
}

/** A clock that was set back ends a pause, so that no pause lasts for long. */
function isOver({ pausedAt, pauseMs }: Series, now: number): boolean {
  return now >= pausedAt + pauseMs || now < pausedAt;
}
