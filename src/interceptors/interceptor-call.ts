/**
 * Calls one interceptor once: signs, sends, reads the answer. Without an answer the fallback decides. Stores nothing.
 * Nothing the endpoint does makes it throw.
 */
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Interceptor } from '../store/tables/policy-tables.ts';
import { readAnswer, type Granted } from './interceptor-answer.ts';
import type { Tell } from './interceptor-body.ts';
import type { SignedSender } from '../signed-sender/signed-sender.ts';

/** Part of an answer's body shown in the log and in the Test action; the rest was read and is not shown. */
const SHOWN_BYTES = 64 * 1_024;

const NO_ANSWER_MESSAGE =
  'A policy of this service could not be checked, so the request was stopped. Try again later, or ask its administrator.';

/** The request and its outcome. */
export interface CallOutcome {
  /** `evt_…`, the header `interceptor-id`. */
  id: string;
  /** Unix milliseconds. */
  at: number;
  /** `body` as sent. */
  request: { headers: Readonly<Record<string, string>>; body: string };
  /** null without a complete answer. */
  response: { status: number; body: string } | null;
  /** The reason why the fallback decided, in our own words; null if it did not. */
  failure: string | null;
  /** The decision that holds, from the answer or the fallback. */
  verdict: { decision: 'ALLOW'; granted: Granted } | { decision: 'DENY'; message: string };
  durationMs: number;
}

interface InterceptorCallDeps {
  sender: Pick<SignedSender, 'post'>;
  clock: Clock;
  stopping?: AbortSignal | undefined;
}

export class InterceptorCall {
  readonly #deps: InterceptorCallDeps;

  /** @param deps.stopping aborts when the process stops waiting for answers */
  constructor(deps: InterceptorCallDeps) {
    this.#deps = deps;
  }

  /**
   * @param before changes by the interceptors called earlier
   * @throws ServiceError UNAVAILABLE if the database cannot be read, or the process stops: the endpoint did
   *   not fail then, so no fallback decides
   */
  async ask(row: Interceptor, tell: Tell, before: Granted = { claims: {} }): Promise<CallOutcome> {
    const triggerPoint = row.trigger_point;
    const at = this.#deps.clock.now();
    const id = newId('evt', at);
    const body = JSON.stringify({
      display_name: row.name,
      trigger_point: triggerPoint,
      ...tell(at, before),
    });
    const startedAt = performance.now();
    const posted = await this.#deps.sender.post({
      environmentId: row.environment_id,
      url: row.endpoint,
      id,
      body,
      families: ['interceptor', 'webhook'],
      timeoutMs: row.timeout_ms,
      ...(this.#deps.stopping !== undefined && { signal: this.#deps.stopping }),
    });
    if (posted.kind === 'aborted')
      throw new ServiceError('UNAVAILABLE', 'Gatehouse is stopping. Try again in a moment.');
    const durationMs = Math.round(performance.now() - startedAt);
    const { status, body: answered, contentType } = posted;
    const response = status === null || answered === null ? null : { status, body: shown(answered) };
    const answer =
      posted.isDelivered && answered !== null
        ? readAnswer(triggerPoint, { body: answered, contentType }, before)
        : { decision: 'UNREADABLE' as const, failure: posted.failure ?? 'There was no answer.' };
    const isReadable = answer.decision !== 'UNREADABLE';
    return {
      id,
      at,
      request: { headers: posted.sent, body },
      response,
      failure: isReadable ? null : answer.failure,
      verdict: isReadable ? answer : fallbackOf(row, before),
      durationMs,
    };
  }
}

function fallbackOf(row: Interceptor, before: Granted): CallOutcome['verdict'] {
  return row.fallback === 'allow'
    ? { decision: 'ALLOW', granted: before }
    : { decision: 'DENY', message: NO_ANSWER_MESSAGE };
}

/** Postgres cannot store NUL in a text. */
function shown(body: Buffer): string {
  return body.subarray(0, SHOWN_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
}
