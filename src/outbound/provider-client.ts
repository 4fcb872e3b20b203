/**
 * Calls a provider's JSON API: sends, repeats where that is safe, reads the answer, and turns every failure
 * into a TOOL_ERROR. Knows no tool, account or connector; the call contains everything it needs from them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, type Clock } from '../core/clock.ts';
import type { CallTimes } from '../core/telemetry/call-times.ts';
import { providerRequests } from '../core/telemetry/measured.ts';
import { AnswerReader, type ErrorRules, type ProviderAnswer } from './answer-reader.ts';
import { OutboundFailure } from './outbound-failure.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from './outbound.ts';
import type { ProviderFailure } from './provider-failure.ts';
import type { RequestSigner } from './request-signer.ts';
import { RetryBudget } from './retry-budget.ts';
import { isOverloaded, MAX_RETRIES, mayRetry, parseRetryAfter, retryDelayMs, type Effect } from './retry.ts';

/** Sends requests: an Outbound, or an object that creates one on first use. */
export type Sender = Pick<Outbound, 'send' | 'totalTimeoutMs'>;

/** Waits; rejects when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** One call of a tool. */
export interface ProviderCall {
  request: OutboundRequest;
  /** Name in the catalog, for metrics. */
  connector: string;
  effect: Effect;
  errors: ErrorRules;
  /** `exe_…`; repeated in errors. */
  executionId: string;
  /**
   * Unix milliseconds by which everything ends, repeats included; default: the request's total time from now.
   */
  deadline?: number;
  signal?: AbortSignal;
  /** `text`: a 2xx answer is returned as text, whatever it contains; default: it has to be JSON. */
  answer?: 'text';
  /** Proves the credential again for each attempt; its headers replace those of the request. */
  sign?: RequestSigner | undefined;
  /** Credentials in the request; removed from all text of the provider. */
  secrets: readonly string[];
  /** The provider's name for people, in messages; default `The provider`. */
  title?: string;
  /** Called as soon as the provider may have seen a request of the call. */
  reached?: (() => void) | undefined;
  /** Called with the `Retry-After` of a 429, in milliseconds, before the call continues. Must not fail. */
  limited?: ((retryAfterMs: number) => Promise<void>) | undefined;
  /** Notes attempts and where their time goes. */
  times?: CallTimes;
}

/** An answer as received, except for live secrets. */
export interface PassedAnswer {
  response: OutboundResponse;
  /**
   * The failure that a tool would report; `undefined` for a status below 400 that does not refuse the
   * credential.
   */
  failure: ProviderFailure | undefined;
}

/** Makes provider calls over one Sender. */
export class ProviderClient {
  readonly #sender: Sender;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #random: () => number;
  readonly #budget = new RetryBudget();

  /** @param options time and chance, which tests replace */
  constructor(sender: Sender, options: { clock?: Clock; sleep?: Sleep; random?: () => number } = {}) {
    this.#sender = sender;
    this.#clock = options.clock ?? systemClock;
    this.#sleep =
      options.sleep ?? ((ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }));
    this.#random = options.random ?? Math.random;
  }

  /**
   * Unix milliseconds by which a call that starts now ends.
   *
   * @param totalMs total time of the call; default: from the settings
   */
  deadlineFromNow(totalMs: number = this.#sender.totalTimeoutMs): number {
    return this.#clock.now() + totalMs;
  }

  /**
   * Makes a call. Reads are repeated at most twice, writes only if nothing was sent; always within the
   * deadline.
   *
   * @returns the answer if it is 2xx and JSON or empty, or text where that is requested
   * @throws ProviderFailure (TOOL_ERROR): 403, 404, 409, 429 as the provider said, 504 for the deadline,
   * otherwise 502
   */
  async call(call: ProviderCall): Promise<ProviderAnswer> {
    const { reader, response, retryAfterMs } = await this.#exchange(call);
    return reader.read(response, retryAfterMs, call.answer);
  }

  /**
   * Same as `call`, for an answer that is passed on with any status and body.
   *
   * @throws ProviderFailure (TOOL_ERROR) if there is no complete answer: 504 for the deadline, otherwise 502
   */
  async exchange(call: ProviderCall): Promise<PassedAnswer> {
    const { reader, response, retryAfterMs } = await this.#exchange(call);
    return { response: reader.clean(response), failure: reader.failureOf(response, retryAfterMs) };
  }

  async #exchange(
    call: ProviderCall,
  ): Promise<{ reader: AnswerReader; response: OutboundResponse; retryAfterMs: number | undefined }> {
    const deadline = call.deadline ?? this.deadlineFromNow(call.request.totalTimeoutMs);
    const context = { title: call.title ?? 'The provider', effect: call.effect };
    const reader = new AnswerReader(context, call.errors, call.executionId, call.secrets, this.#clock);
    const { origin, host } = call.request.url;
    for (let repeats = 0; ; repeats++) {
      const outcome = await this.#measured(call, deadline, repeats > 0);
      if (!(outcome instanceof OutboundFailure) || outcome.sent) call.reached?.();
      if ('status' in outcome && !isOverloaded(outcome)) this.#budget.earn(origin);
      const retryAfterMs =
        outcome instanceof OutboundFailure
          ? undefined
          : parseRetryAfter(outcome.headers['retry-after'], this.#clock.now());
      if ('status' in outcome && outcome.status === 429 && retryAfterMs) await call.limited?.(retryAfterMs);
      const waitMs = retryDelayMs(repeats, retryAfterMs, this.#random());
      const isInTime = this.#clock.now() + waitMs < deadline;
      const mayRepeat = repeats < MAX_RETRIES && isInTime && mayRetry(call.effect, outcome, retryAfterMs);
      if (mayRepeat && (!isOverloaded(outcome) || this.#budget.take(origin))) {
        await this.#pause(waitMs, call.signal, reader);
      } else if (outcome instanceof OutboundFailure) {
        const { kind, sent, code } = outcome;
        throw reader.failure(kind, sent, { host, code });
      } else {
        return { reader, response: outcome, retryAfterMs };
      }
    }
  }

  async #measured(
    call: ProviderCall,
    deadline: number,
    isRepeat: boolean,
  ): Promise<OutboundResponse | OutboundFailure> {
    const startedAt = performance.now();
    const outcome = await this.#attempt(call, deadline);
    const { method, url } = call.request;
    providerRequests.tell({
      connector: call.connector,
      method,
      host: url.host,
      status: outcome instanceof OutboundFailure ? outcome.kind : String(outcome.status),
      isRepeat,
      startedAt,
      endedAt: performance.now(),
    });
    return outcome;
  }

  async #attempt(call: ProviderCall, deadline: number): Promise<OutboundResponse | OutboundFailure> {
    const totalTimeoutMs = Math.min(
      call.request.totalTimeoutMs ?? this.#sender.totalTimeoutMs,
      deadline - this.#clock.now(),
    );
    if (totalTimeoutMs <= 0) return new OutboundFailure('timeout', false);
    try {
      const signal = call.signal === undefined ? {} : { signal: call.signal };
      const headers = await signedHeaders(call);
      const request = { ...call.request, headers, ...signal, totalTimeoutMs };
      if (call.times === undefined) return await this.#sender.send(request);
      return await call.times.attempt((onTurn) => this.#sender.send({ ...request, onTurn }));
    } catch (error) {
      if (error instanceof OutboundFailure) return error;
      throw error;
    }
  }

  async #pause(ms: number, signal: AbortSignal | undefined, reader: AnswerReader): Promise<void> {
    try {
      await this.#sleep(ms, signal);
    } catch (error) {
      if (signal?.aborted === true) throw reader.failure('aborted', false);
      throw error;
    }
  }
}

async function signedHeaders({ request, sign }: ProviderCall): Promise<Readonly<Record<string, string>>> {
  const { method, url, headers, body } = request;
  if (sign === undefined) return headers;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const added = await sign({ method, url, headers, body: bytes });
  const replaced = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...added };
}
