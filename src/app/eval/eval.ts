/**
 * `gatehouse eval`: tasks against the stand-ins, solved by a model or by the calls that each task declares. Reports
 * which are solved, and their cost in calls and tokens.
 */
import { systemClock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { AgentTool } from '../demo/demo-agent.ts';
import { openEvalStage } from './eval-stage.ts';
import { shippedTasks, type EvalTask } from './eval-task.ts';
import { runModel, type ModelOutcome } from './model-run.ts';
import type { ModelEndpoint } from './model-wire.ts';
import { runSolution, type TaskOutcome } from './solved-run.ts';

/** Options of the evaluation. */
export interface EvalOptions {
  /** The model. Without it the calls that the tasks declare are run. */
  endpoint?: ModelEndpoint | undefined;
  /** Beginning of the ids of tasks to run; default: all. */
  only?: string | undefined;
  /** The published tools, as in the query of the MCP address: `toolsets=default`. */
  query: string;
  /** Called after each task. */
  onOutcome: (outcome: TaskOutcome | ModelOutcome) => void;
  log: Log;
}

/** The cost of all tasks, and the tasks that were not solved. */
export interface EvalReport {
  /** Tokens of the list of tools, which a model reads once per conversation. */
  listTokens: number;
  outcomes: readonly (TaskOutcome | ModelOutcome)[];
}

/** A token is about four bytes of JSON. */
const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of a text without a tokenizer. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * Runs each task on a Gatehouse of its own, so that no task sees the changes of another.
 *
 * @throws Error if no task has such an id, or the endpoint of the model fails
 */
export async function runEval({
  endpoint,
  only = '',
  query,
  onOutcome,
  log,
}: EvalOptions): Promise<EvalReport> {
  const all = shippedTasks();
  const tasks = all.filter(({ id }) => id.startsWith(only));
  if (tasks.length === 0)
    throw new Error(`No task is called ${only}. There are: ${all.map(({ id }) => id).join(', ')}.`);
  const outcomes: (TaskOutcome | ModelOutcome)[] = [];
  let listTokens = 0;
  for (const task of tasks) {
    const { outcome, list } = await runTask(task, { endpoint, query, log });
    listTokens = list;
    outcomes.push(outcome);
    onOutcome(outcome);
  }
  return { listTokens, outcomes };
}

async function runTask(
  task: EvalTask,
  { endpoint, query, log }: Pick<EvalOptions, 'endpoint' | 'query' | 'log'>,
): Promise<{ outcome: TaskOutcome | ModelOutcome; list: number }> {
  const stage = await openEvalStage(log);
  try {
    const agent = await stage.connectAgent(query);
    const tools = await agent.tools();
    const options = { agent, stage, countTokens: estimatedTokens, now: systemClock.now() };
    const isDiscovery = tools.some(({ name }) => name === 'describe_tool');
    const outcome =
      endpoint === undefined
        ? await runSolution(task, { ...options, access: isDiscovery ? 'discovery' : 'list' })
        : await runModel(task, { ...options, endpoint });
    return { outcome, list: listTokens(tools) };
  } finally {
    await stage.close();
  }
}

/** Size of the parts of the list that a model reads: names, descriptions and input schemas. */
function listTokens(tools: readonly AgentTool[]): number {
  return estimatedTokens(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
}
