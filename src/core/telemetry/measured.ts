/**
 * Measurements of the program's work. Modules report them here, and the metrics and traces of `gatehouse serve`
 * listen. In other commands nobody listens, and then reporting costs next to nothing.
 *
 * There is one set of listeners for the process, because the work is done far below the server that shows the
 * figures.
 */
import type { TriggerPoint } from '../stored-words.ts';

/** One kind of measured work. */
class Signal<T> {
  readonly #listeners = new Set<(event: T) => void>();

  /** Tells all listeners at once, in the caller's asynchronous context. */
  tell(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** @param listener must not throw. @returns a function that stops it */
  listen(listener: (event: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Work between two readings of `performance.now()`. */
interface Timed {
  startedAt: number;
  endedAt: number;
}

/** A statement of the database; on Postgres the time includes the way to the server. */
export const statements = new Signal<
  Timed & {
    /** The text, without values. */
    sql: string;
  }
>();

/** One attempt of a request for a tool call or the proxy. */
export const providerRequests = new Signal<
  Timed & {
    /** Name in the catalog. */
    connector: string;
    method: string;
    host: string;
    /** HTTP status, or the kind of failure if there was no answer. */
    status: string;
    /** An earlier attempt of the same call failed. */
    isRepeat: boolean;
  }
>();

/** Queues in which work waits for other work of this process: a connection to a provider, a renewal, the database. */
export type Queue = 'provider' | 'refresh' | 'database';

/** A call waited for a millisecond or more, or anything did for the database. */
export const queueWaits = new Signal<{ queue: Queue; durationMs: number }>();

/** The end of a refresh: `renewed`, `discarded` (nothing wanted its tokens any more), or why it failed. */
export const refreshes = new Signal<{ outcome: string }>();

/** A refresh whose lease another process had let run out. */
export const leaseTakeOvers = new Signal<void>();

/** An interceptor was asked. */
export const interceptorCalls = new Signal<{
  triggerPoint: TriggerPoint;
  decision: 'ALLOW' | 'DENY';
  /** There was no usable answer, so its fallback decided. */
  isFallback: boolean;
  durationMs: number;
}>();

/** A rate limit refused something. */
export const rateRefusals = new Signal<{ key: string }>();

/** A run of retention. */
export const retentionRuns = new Signal<{
  outcome: 'ok' | 'error';
  durationMs: number;
  /** Removed rows by what they were; empty after an error. */
  removed: Readonly<Record<string, number>>;
}>();

/**
 * Outcome of a request to a remote MCP server.
 * - `tool_error`: the tool reports a failure
 * - `rpc_error`: the server refused the message
 * - `refused`: it refused the credential
 * - `limited`: it accepts no more for now (429), or too many calls of the account wait here
 * - `failed`: 5xx
 * - `unreadable`: the answer is not MCP, is too large, or redirects elsewhere
 * - `not_sent`: the address is not allowed
 * - `given_up`: the caller left
 * - `spared`: nothing was sent, because the server had failed several times in a row
 */
export type UpstreamOutcome =
  | 'ok'
  | 'tool_error'
  | 'rpc_error'
  | 'refused'
  | 'limited'
  | 'failed'
  | 'unreachable'
  | 'timeout'
  | 'unreadable'
  | 'not_sent'
  | 'given_up'
  | 'spared';

/** One attempt of a call or a list of a remote MCP server, with the session that it opened. */
export const upstreamRequests = new Signal<
  Timed & {
    /** Name in the catalog. */
    connector: string;
    method: 'tools/call' | 'tools/list';
    /** `unknown`: it was not found out. */
    era: 'legacy' | 'modern' | 'unknown';
    host: string;
    outcome: UpstreamOutcome;
  }
>();

/** A remote MCP server has sent a whole list of tools. */
export const upstreamLists = new Signal<{ connector: string; bytes: number }>();

/** A structured result of a remote MCP server does not fit the output schema that is published for its tool. */
export const schemaViolations = new Signal<{ connector: string }>();

/** The documents of a remote MCP server were read: for an operator who looks at it, or before a consent. */
export const upstreamLooks = new Signal<{ by: 'operator' | 'consent'; outcome: 'found' | 'failed' }>();

/** The end of a registration at an authorization server: `registered`, or why it failed. */
export const upstreamRegistrations = new Signal<{ outcome: string }>();
