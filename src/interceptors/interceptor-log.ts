/** The log of an interceptor: its requests, their answers and the decisions. */
import { toTimestamp } from '../core/clock.ts';
import { membersOf, parsedJson } from '../core/json.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import { recentDecisions } from '../store/policy/interceptor-store.ts';
import type { InterceptorLogEntry } from '../store/tables/policy-tables.ts';
import { foundInterceptor } from './interceptors.ts';
import type { TriggerPoint } from '../core/stored-words.ts';

/** One request and its outcome, as the API shows it. */
export interface InterceptorLogView {
  /** `evt_…`, the header `interceptor-id` of the request. */
  id: string;
  at: string;
  /** The interceptor, which may be deleted by now. */
  interceptor_id: string;
  trigger_point: TriggerPoint;
  /** The body as sent. */
  request: Record<string, unknown>;
  /** null without a complete answer. `body` is cut to 64 kB. */
  response: { status: number; body: string } | null;
  /** The reason why the fallback decided; null if the answer did. */
  failure: string | null;
  decision: 'ALLOW' | 'DENY';
  duration_ms: number;
}

/** One page of a log, newest first. */
export interface InterceptorLogPage extends PageLinks {
  logs: InterceptorLogView[];
}

/** The latest decisions of an interceptor. */
export interface RecentDecisions {
  allowed: number;
  denied: number;
  /** Without a readable answer in time: the fallback decided. */
  failed: number;
  /** There were more requests than were counted. */
  isAtLeast: boolean;
}

/** Requests that are counted for one interceptor. */
const MAX_COUNTED = 1_000;

export class InterceptorLog {
  readonly #db: Database;
  readonly #pageTokens: PageTokens;

  constructor({ db, pageTokens }: { db: Database; pageTokens: PageTokens }) {
    this.#db = db;
    this.#pageTokens = pageTokens;
  }

  /** One page, newest first. @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for a bad page token */
  async list(environmentId: string, id: string, query: PageQuery): Promise<InterceptorLogPage> {
    foundInterceptor(await rows(this.#db.read, 'interceptors').find(environmentId, id));
    const { interceptor_logs: logs, ...links } = await this.listAll(environmentId, id, query);
    return { logs, ...links };
  }

  /** Counts the decisions of an interceptor since a time (Unix milliseconds), the newest of them if there are many. */
  async decisions(environmentId: string, id: string, since: number): Promise<RecentDecisions> {
    const of = { environmentId, interceptorId: id, since, atMost: MAX_COUNTED };
    const recent = await recentDecisions(this.#db.longRead, of);
    const readable = recent.filter(({ failure }) => failure === null);
    const allowed = readable.filter(({ decision }) => decision === 'ALLOW').length;
    return {
      allowed,
      denied: readable.length - allowed,
      failed: recent.length - readable.length,
      isAtLeast: recent.length === MAX_COUNTED,
    };
  }

  /**
   * One page of the logs of deleted interceptors too, newest first.
   *
   * @param id of the only interceptor that counts; `undefined` for all
   * @throws ServiceError INVALID_ARGUMENT for a bad page token
   */
  async listAll(
    environmentId: string,
    id: string | undefined,
    query: PageQuery,
  ): Promise<PageLinks & { interceptor_logs: InterceptorLogView[] }> {
    const { rows: page, links } = await newestFirst(this.#pageTokens, query, {
      bound: ['interceptor_logs', environmentId, id],
      ...rows(this.#db.longRead, 'interceptor_logs').pages(environmentId, { interceptor_id: id }),
    });
    return { interceptor_logs: page.map(toView), ...links };
  }
}

function toView(row: InterceptorLogEntry): InterceptorLogView {
  const { response_status: status, response_body: body } = row;
  return {
    id: row.id,
    at: toTimestamp(row.at),
    interceptor_id: row.interceptor_id,
    trigger_point: row.trigger_point,
    request: membersOf(parsedJson(row.request)),
    response: status === null ? null : { status, body: body ?? '' },
    failure: row.failure,
    decision: row.decision,
    duration_ms: row.duration_ms,
  };
}
