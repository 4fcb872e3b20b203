/**
 * Spans: pieces of work that belong together, from the request down to the statement. Without a tracer nothing is
 * recorded, and asking for a span costs next to nothing. app/services/trace-exporter.ts is the tracer of `gatehouse
 * serve`.
 *
 * Requests, calls and refreshes are spans that others belong to. Statements and requests to providers are reported
 * once they have ended (measured.ts), and belong to the span in which they ran.
 */
import { providerRequests, statements, upstreamRequests } from './measured.ts';

/** Facts about a span: never input, output, links or the caller's own text. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span that has begun. */
export interface Span {
  /** W3C `traceparent` that names this span as the parent. */
  readonly traceparent: string;
  /** Runs `work`, and what it starts belongs to the span. */
  run<T>(work: () => T): T;
  /** @param error code of what went wrong */
  end(attributes: SpanAttributes, error?: string): void;
}

/** Records spans. Must not throw. */
export interface Tracer {
  /** @param parent `traceparent` header of a request; other spans belong to the one in which they begin */
  begin(name: string, kind: 'server' | 'internal', parent?: string): Span;
  /** Records a span that has ended. Times are Unix milliseconds. */
  add(span: {
    name: string;
    kind: 'client';
    startedAt: number;
    endedAt: number;
    attributes: SpanAttributes;
    error?: string;
  }): void;
}

let tracer: Tracer | undefined;

/** Records spans of this process from now on. @returns a function that ends it */
export function traceWith(used: Tracer): () => void {
  const stops = [
    statements.listen(({ sql, startedAt, endedAt }) => {
      const operation = /^\s*(\w+)/.exec(sql)?.[1] ?? 'statement';
      // Texts have no values.
      const attributes = { 'db.query.text': sql.slice(0, 1_000) };
      used.add({ name: operation, kind: 'client', ...unixTimes(startedAt, endedAt), attributes });
    }),
    providerRequests.listen(({ connector, method, host, status, isRepeat, startedAt, endedAt }) => {
      const code = Number(status);
      const attributes = {
        'gatehouse.connector': connector,
        'gatehouse.is_repeat': isRepeat,
        'http.request.method': method,
        'server.address': host,
        ...(Number.isNaN(code) ? {} : { 'http.response.status_code': code }),
      };
      used.add({
        name: `${method} ${connector}`,
        kind: 'client',
        ...unixTimes(startedAt, endedAt),
        attributes,
        ...((Number.isNaN(code) || code >= 400) && { error: status }),
      });
    }),
    upstreamRequests.listen(({ connector, method, host, outcome, startedAt, endedAt }) => {
      if (outcome === 'spared') return;
      used.add({
        name: `${method} ${connector}`,
        kind: 'client',
        ...unixTimes(startedAt, endedAt),
        attributes: { 'gatehouse.connector': connector, 'mcp.method.name': method, 'server.address': host },
        ...(outcome !== 'ok' && { error: outcome }),
      });
    }),
  ];
  tracer = used;
  return () => {
    for (const stop of stops) stop();
    if (tracer === used) tracer = undefined;
  };
}

/** Begins the span of a request. @returns `undefined` if nobody records spans */
export function beginRequest(parent: string | undefined): Span | undefined {
  return tracer?.begin('request', 'server', parent);
}

/** Runs `work` as a span of its own. @param describe facts of its outcome and, for a failure, its code */
export function asSpan<T>(name: string, work: () => Promise<T>, describe: Describe<T>): Promise<T> {
  const span = tracer?.begin(name, 'internal');
  return span === undefined ? work() : within(span, work, describe);
}

type Describe<T> = (outcome: { value: T } | { error: unknown }) => {
  attributes?: SpanAttributes;
  error?: string;
};

async function within<T>(span: Span, work: () => Promise<T>, describe: Describe<T>): Promise<T> {
  const end = (outcome: { value: T } | { error: unknown }): void => {
    const { attributes = {}, error } = describe(outcome);
    span.end(attributes, error);
  };
  try {
    const value = await span.run(work);
    end({ value });
    return value;
  } catch (error) {
    end({ error });
    throw error;
  }
}

function unixTimes(startedAt: number, endedAt: number): { startedAt: number; endedAt: number } {
  return { startedAt: performance.timeOrigin + startedAt, endedAt: performance.timeOrigin + endedAt };
}
