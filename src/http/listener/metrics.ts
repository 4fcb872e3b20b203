/**
 * Counters and durations in the Prometheus format. Labels come from closed sets (route patterns, tool names of the
 * catalog), so that no caller can increase the number of series.
 */
import Counter from 'prom-client/lib/counter.js';
import collectDefaultMetrics from 'prom-client/lib/defaultMetrics.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { RequestSummary } from './listener.ts';
import { WorkMetrics, type Readings } from './work-metrics.ts';

const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const TOOL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** One finished tool call. */
export interface ToolCallSummary {
  tool: string;
  status: 'ok' | 'error';
  durationMs: number;
}

/** The metrics of a process, in their own registry. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #requestSeconds: Histogram<'method' | 'route'>;
  readonly #toolCalls: Counter<'tool' | 'status'>;
  readonly #toolSeconds: Histogram<'tool' | 'status'>;
  readonly #lostRecords: Counter;
  readonly #work: WorkMetrics;
  #readings: (() => Promise<Readings>) | undefined;

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'gatehouse_http_requests_total',
      help: 'Finished HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'gatehouse_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: REQUEST_SECONDS,
      registers,
    });
    this.#toolCalls = new Counter({
      name: 'gatehouse_tool_executions_total',
      help: 'Finished tool executions.',
      labelNames: ['tool', 'status'],
      registers,
    });
    this.#toolSeconds = new Histogram({
      name: 'gatehouse_tool_execution_duration_seconds',
      help: 'Time of tool executions, the provider included.',
      labelNames: ['tool', 'status'],
      buckets: TOOL_SECONDS,
      registers,
    });
    this.#lostRecords = new Counter({
      name: 'gatehouse_execution_records_lost_total',
      help: 'Records of finished tool executions that could not be stored.',
      registers,
    });
    this.#work = new WorkMetrics(this.#registry);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Media type of the text, with the version of the format. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** For the listener's `onRequest`. */
  countRequest({ method, route, status, durationMs }: RequestSummary): void {
    this.#requests.inc({ method, route, status: String(status) });
    this.#requestSeconds.observe({ method, route }, durationMs / 1000);
  }

  /** For the executor's observer. @param call its `tool` is a name of the catalog */
  countToolCall({ tool, status, durationMs }: ToolCallSummary): void {
    this.#toolCalls.inc({ tool, status });
    this.#toolSeconds.observe({ tool, status }, durationMs / 1000);
  }

  /** For the executor's records. */
  countLostRecords(count: number): void {
    this.#lostRecords.inc(count);
  }

  /**
   * Starts to count what core/telemetry/measured.ts tells.
   *
   * @param readings must not fail; asked each time the metrics are shown
   * @returns a function that stops it
   */
  listen(readings: () => Promise<Readings>): () => void {
    this.#readings = readings;
    return this.#work.listen();
  }

  /** All metrics in the text format. */
  async render(): Promise<string> {
    if (this.#readings !== undefined) this.#work.show(await this.#readings());
    return this.#registry.metrics();
  }
}
