/**
 * Agent runs: research in the background. Kept in memory for the life of the sandbox.
 *
 * Each look at a run advances it, not time: queued, then running, then completed.
 */
import type { Clock } from '../../src/core/clock.ts';
import { CORPUS } from './corpus.ts';
import { cutPage, type Page } from './pages.ts';
import { rank } from './ranking.ts';
import { Refusal } from './refusal.ts';
import { composeAnswer, shapeAnswer, stableId } from './rendering.ts';
import type { AgentRunRequest } from './requests.ts';

type JsonObject = Record<string, unknown>;

interface AgentRun {
  id: string;
  request: AgentRunRequest;
  status: 'queued' | 'running' | 'completed' | 'cancelled';
  createdAt: string;
  completedAt: string | null;
}

/** Prices in US dollars by effort, close to what the provider charges. */
const PRICE: Readonly<Record<AgentRunRequest['effort'], number>> = {
  minimal: 0.01,
  low: 0.025,
  medium: 0.1,
  high: 0.5,
  xhigh: 2,
  auto: 0.1,
};

/** The agent runs of one sandbox. */
export class AgentRuns {
  readonly #runs: AgentRun[] = [];
  readonly #clock: Clock;
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Refusal 404 if the run to continue is not there */
  create(request: AgentRunRequest): JsonObject {
    if (request.previousRunId !== undefined) this.#find(request.previousRunId);
    const run: AgentRun = {
      id: `agent_run_${stableId('agent_run', ++this.#created)}`,
      request,
      status: 'queued',
      createdAt: this.#now(),
      completedAt: null,
    };
    this.#runs.unshift(run);
    return render(run);
  }

  /** A look at a run advances it. */
  get(id: string): JsonObject {
    const run = this.#find(id);
    if (run.status === 'running') this.#end(run, 'completed');
    if (run.status === 'queued') run.status = 'running';
    return render(run);
  }

  /** Newest first. */
  list(query: { cursor?: string | undefined; limit: number }): Page {
    return { object: 'list', ...cutPage(this.#runs.map(render), query) };
  }

  /** A finished run stays as it is. */
  cancel(id: string): JsonObject {
    const run = this.#find(id);
    if (run.completedAt === null) this.#end(run, 'cancelled');
    return render(run);
  }

  #end(run: AgentRun, status: 'completed' | 'cancelled'): void {
    run.status = status;
    run.completedAt = this.#now();
  }

  #find(id: string): AgentRun {
    const run = this.#runs.find((entry) => entry.id === id);
    if (run === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no agent run with this id.');
    return run;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

const STOP_REASON = { queued: null, running: null, completed: 'schema_satisfied', cancelled: 'cancelled' };

function render(run: AgentRun): JsonObject {
  const { id, request, status, createdAt, completedAt } = run;
  const isDone = status === 'completed';
  return {
    id,
    object: 'agent_run',
    status,
    stopReason: STOP_REASON[status],
    createdAt,
    completedAt,
    request,
    output: isDone ? outputOf(request) : null,
    ...(isDone && {
      usage: { agentComputeUnits: 1, searches: 1 },
      costDollars: { total: PRICE[request.effort], agentCompute: PRICE[request.effort] },
    }),
  };
}

function outputOf({ query, outputSchema }: AgentRunRequest): JsonObject {
  const { answer, sources } = composeAnswer(query, rank(query, CORPUS));
  const citations = sources.map(({ url, title }) => ({ url, title }));
  return {
    text: answer,
    structured: outputSchema === undefined ? null : shapeAnswer(answer, outputSchema),
    grounding: [{ field: 'text', citations, confidence: 'high' }],
  };
}
