/** Lets a model solve a task: it gets the tools, the instructions and the task, and makes calls until it answers. */
import type { DemoAgent } from '../demo/demo-agent.ts';
import type { EvalStage } from './eval-stage.ts';
import type { EvalTask } from './eval-task.ts';
import { startConversation, type ModelEndpoint } from './model-wire.ts';
import type { TaskOutcome } from './solved-run.ts';
import { answerFaults, stateFaults } from './task-state.ts';

/** A model's result on a task. */
export interface ModelOutcome extends TaskOutcome {
  /** Tokens of all requests, as the endpoint counts them. */
  modelTokens: number;
  /** Whether its last call was answered with an error, or it was stopped while it was still calling. */
  isDeadEnd: boolean;
}

/** Most answers of a model. One that still makes calls after these is stopped. */
const MAX_TURNS = 30;

interface ModelRunOptions {
  endpoint: ModelEndpoint;
  agent: DemoAgent;
  stage: EvalStage;
  countTokens: (text: string) => number;
  /** Unix milliseconds. */
  now: number;
}

/** @throws Error if the endpoint of the model fails */
export async function runModel(task: EvalTask, options: ModelRunOptions): Promise<ModelOutcome> {
  const { endpoint, agent, stage, countTokens, now } = options;
  const today = new Date(now).toUTCString().slice(0, 16);
  const conversation = startConversation(endpoint, {
    tools: await agent.tools(),
    instructions: `${agent.instructions()}\n\nToday is ${today}. Nobody can answer questions: do the task, then say in a few words what you found or did.`,
    task: task.ask,
  });
  const cost = { calls: 0, inputTokens: 0, resultTokens: 0, errors: 0, modelTokens: 0 };
  const ended = (isDeadEnd: boolean, faults: readonly string[]): ModelOutcome => ({
    id: task.id,
    ...cost,
    isDeadEnd,
    faults,
  });
  let isLastError = false;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const { text, calls, tokens } = await conversation.next();
    cost.modelTokens += tokens;
    if (calls.length === 0)
      return ended(isLastError, [...answerFaults(task, text, now), ...(await stateFaults(task, stage, now))]);
    const results = [];
    for (const { id, name, input } of calls) {
      const answer = await callAsModel(agent, name, input);
      cost.calls += 1;
      cost.inputTokens += countTokens(JSON.stringify({ name, arguments: input }));
      cost.resultTokens += countTokens(answer.text);
      cost.errors += answer.isError ? 1 : 0;
      isLastError = answer.isError;
      results.push({ id, ...answer });
    }
    conversation.addResults(results);
  }
  return ended(true, [`it was still calling tools after ${MAX_TURNS} answers`]);
}

/** Makes a call for the model. The protocol refuses the name of an unknown tool; hosts pass that on to the model. */
async function callAsModel(
  agent: DemoAgent,
  name: string,
  input: Record<string, unknown>,
): Promise<{ text: string; isError: boolean }> {
  try {
    const { texts, isError } = await agent.call(name, input);
    return { text: texts.join('\n'), isError };
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isError: true };
  }
}
