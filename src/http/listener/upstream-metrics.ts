/** Metrics of remote MCP servers. Labels are names of the catalog and our own words, never a text of a server. */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import type Registry from 'prom-client/lib/registry.js';
import {
  schemaViolations,
  upstreamLists,
  upstreamLooks,
  upstreamRegistrations,
  upstreamRequests,
} from '../../core/telemetry/measured.ts';

const ANSWER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const LIST_BYTES = [4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

/** Outcomes of a registration. Those after the first are reasons of a failure. */
const REGISTRATION_OUTCOMES = ['registered', 'client_refused', 'not_sent', 'temporary'];

/** State of remote MCP servers that is read when somebody asks for the metrics. */
export interface UpstreamReadings {
  /** Figures of this process. */
  use: {
    /** Open sessions of servers that keep them. */
    sessions: number;
    /** Servers that get no calls for a moment, because they have failed several times in a row. */
    sparedServers: number;
  };
  /** Forms of tools that wait for an operator, from the last count; `undefined` before the first one. */
  held: readonly { environment: string; connector: string; state: string; count: number }[] | undefined;
}

/** Metrics of remote MCP servers, in a registry of the caller. */
export class UpstreamMetrics {
  readonly #requests: Counter<'connector' | 'method' | 'era' | 'outcome'>;
  readonly #seconds: Histogram<'connector' | 'method'>;
  readonly #listBytes: Histogram<'connector'>;
  readonly #violations: Counter<'connector'>;
  readonly #looks: Counter<'by' | 'outcome'>;
  readonly #registrations: Counter<'outcome'>;
  readonly #sessions: Gauge;
  readonly #spared: Gauge;
  readonly #held: Gauge<'environment' | 'connector' | 'state'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'gatehouse_upstream_requests_total',
      help: 'Calls and lists of remote MCP servers, each attempt.',
      labelNames: ['connector', 'method', 'era', 'outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'gatehouse_upstream_request_duration_seconds',
      help: 'Time of these, with the session that they open.',
      labelNames: ['connector', 'method'],
      buckets: ANSWER_SECONDS,
      registers,
    });
    this.#listBytes = new Histogram({
      name: 'gatehouse_upstream_list_bytes',
      help: 'Size of whole lists of tools.',
      labelNames: ['connector'],
      buckets: LIST_BYTES,
      registers,
    });
    this.#violations = new Counter({
      name: 'gatehouse_upstream_schema_violations_total',
      help: 'Structured results that do not fit the output schema of their tool.',
      labelNames: ['connector'],
      registers,
    });
    this.#looks = new Counter({
      name: 'gatehouse_upstream_looks_total',
      help: 'Looks at remote MCP servers, by an operator or before a consent.',
      labelNames: ['by', 'outcome'],
      registers,
    });
    this.#registrations = new Counter({
      name: 'gatehouse_upstream_registrations_total',
      help: 'Ended registrations at authorization servers.',
      labelNames: ['outcome'],
      registers,
    });
    this.#sessions = new Gauge({
      name: 'gatehouse_upstream_sessions',
      help: 'Open sessions of remote MCP servers.',
      registers,
    });
    this.#spared = new Gauge({
      name: 'gatehouse_upstream_spared_servers',
      help: 'Remote MCP servers that get no calls for a moment, because they have failed several times in a row.',
      registers,
    });
    this.#held = new Gauge({
      name: 'gatehouse_upstream_held_tools',
      help: 'New and changed tools that wait for an operator at the time of the last sample, for all processes.',
      labelNames: ['environment', 'connector', 'state'],
      registers,
    });
    // A series that appears with its first event would hide that event.
    for (const outcome of REGISTRATION_OUTCOMES) this.#registrations.inc({ outcome }, 0);
    for (const by of ['operator', 'consent'])
      for (const outcome of ['found', 'failed']) this.#looks.inc({ by, outcome }, 0);
  }

  /** Starts to count. @returns functions that stop it */
  listen(): (() => void)[] {
    return [
      upstreamRequests.listen(({ connector, method, era, outcome, startedAt, endedAt }) => {
        this.#requests.inc({ connector, method, era, outcome });
        if (outcome !== 'spared') this.#seconds.observe({ connector, method }, (endedAt - startedAt) / 1_000);
      }),
      upstreamLists.listen(({ connector, bytes }) => this.#listBytes.observe({ connector }, bytes)),
      schemaViolations.listen(({ connector }) => this.#violations.inc({ connector })),
      upstreamLooks.listen(({ by, outcome }) => this.#looks.inc({ by, outcome })),
      upstreamRegistrations.listen(({ outcome }) => this.#registrations.inc({ outcome })),
    ];
  }

  /** Sets the gauges. */
  show({ use, held }: UpstreamReadings): void {
    this.#sessions.set(use.sessions);
    this.#spared.set(use.sparedServers);
    if (held === undefined) return;
    this.#held.reset();
    for (const { environment, connector, state, count } of held)
      this.#held.set({ environment, connector, state }, count);
  }
}
