/** Runs the calls that a task declares as its solution, as a client makes them, and counts what a model would pay. */
import { parsedJson } from '../../core/json.ts';
import type { AgentAnswer, DemoAgent } from '../demo/demo-agent.ts';
import type { EvalStage } from './eval-stage.ts';
import type { EvalTask } from './eval-task.ts';
import { filled, valueToKeep } from './eval-values.ts';
import { answerFaults, stateFaults } from './task-state.ts';

/** Cost of a run for a model, in tokens, and its number of calls. */
export interface RunCost {
  calls: number;
  /** Names and arguments of calls. */
  inputTokens: number;
  /** Texts of results. */
  resultTokens: number;
}

/** The result of one task. */
export interface TaskOutcome extends RunCost {
  id: string;
  /** Calls that were answered with an error. */
  errors: number;
  /** Reasons why the task is not solved; empty if it is. */
  faults: readonly string[];
}

/** The way a model finds tools: in the list, or with the tools of discovery. */
export type Access = 'list' | 'discovery';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

interface SolvedRunOptions {
  agent: DemoAgent;
  stage: EvalStage;
  access: Access;
  countTokens: CountTokens;
  /** Unix milliseconds. */
  now: number;
}

/** Makes the calls of a task's solution; stops at the first one that fails. */
export async function runSolution(task: EvalTask, options: SolvedRunOptions): Promise<TaskOutcome> {
  const { agent, stage, access, countTokens, now } = options;
  const kept = new Map<string, unknown>();
  const cost: RunCost = { calls: 0, inputTokens: 0, resultTokens: 0 };
  const seen: string[] = [];
  const call = async (name: string, input: Record<string, unknown>): Promise<AgentAnswer> => {
    const answer = await agent.call(name, input);
    cost.calls += 1;
    cost.inputTokens += countTokens(JSON.stringify({ name, arguments: input }));
    cost.resultTokens += countTokens(answer.texts.join('\n'));
    return answer;
  };
  const ended = (errors: number, faults: readonly string[]): TaskOutcome => ({
    id: task.id,
    ...cost,
    errors,
    faults,
  });

  if (access === 'discovery')
    await call('describe_tool', { names: [...new Set(task.calls.map(({ tool }) => tool))] });
  for (const { tool, input, keep } of task.calls) {
    const given = filled(input, kept, now);
    const answer = await (access === 'discovery'
      ? call('call_tool', { name: tool, arguments: given })
      : call(tool, given));
    const text = answer.texts.join('\n');
    if (answer.isError) return ended(1, [`${tool} failed: ${text}`]);
    seen.push(text);
    for (const [name, wanted] of Object.entries(keep)) {
      const value = valueToKeep(jsonOf(text), filled(wanted, kept, now));
      if (value === undefined) return ended(0, [`${tool} does not answer with ${name}: ${text}`]);
      kept.set(name, value);
    }
  }
  return ended(0, [...answerFaults(task, seen.join('\n'), now), ...(await stateFaults(task, stage, now))]);
}

/** The lines that `call_tool` puts around the text of an app. They are not counted as part of it. */
const MARK = /^\[data of the app (begins|ends): /;

/** The JSON of a result: its first line that is an object or a list. */
function jsonOf(text: string): unknown {
  const line = text.split('\n').find((one) => /^[{[]/.test(one) && !MARK.test(one));
  return line === undefined ? undefined : parsedJson(line);
}
