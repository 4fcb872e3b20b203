/** Every shipped evaluation task: the calls that it declares lead to the state that it wants, in each way of finding tools. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvalStage, type EvalStage } from '../../../src/app/eval/eval-stage.ts';
import { shippedTasks } from '../../../src/app/eval/eval-task.ts';
import { runSolution, type TaskOutcome } from '../../../src/app/eval/solved-run.ts';
import type { DemoAgent } from '../../../src/app/demo/demo-agent.ts';
import { silentLog } from '../../../src/core/log.ts';

const TASKS = shippedTasks();

const GROUPS = [...new Set(TASKS.map(({ id }) => id.split('.')[0] ?? ''))];

/** Solves a task by the tools of a list. Its cost is not looked at. */
const solved = (task: (typeof TASKS)[number], agent: DemoAgent, stage: EvalStage): Promise<TaskOutcome> =>
  runSolution(task, { agent, stage, access: 'list', countTokens: () => 0, now: Date.now() });

describe('evaluation tasks', () => {
  it('has at least eight of every day and of each connector, each with an id of its own', () => {
    expect(GROUPS).toEqual(['crm', 'everyday', 'mail', 'video', 'warehouse', 'websearch']);
    expect(new Set(TASKS.map(({ id }) => id)).size).toBe(TASKS.length);
    for (const group of GROUPS)
      expect(TASKS.filter(({ id }) => id.startsWith(`${group}.`)).length, group).toBeGreaterThanOrEqual(8);
  });

  it('wants something of each task: a text in the answer, or a state', () => {
    const unchecked = TASKS.filter(({ answer, end }) => answer.length === 0 && end.length === 0);
    expect(unchecked.map(({ id }) => id)).toEqual([]);
  });
});

describe.each(GROUPS)('solutions of the evaluation tasks %s', (group) => {
  let stage: EvalStage;
  let agent: DemoAgent;

  beforeAll(async () => {
    stage = await openEvalStage(silentLog);
    agent = await stage.connectAgent('toolsets=all');
  });

  afterAll(async () => stage?.close());

  it.each(TASKS.filter(({ id }) => id.startsWith(`${group}.`)))('solves the task $id', async (task) => {
    const outcome = await solved(task, agent, stage);
    expect(outcome.faults).toEqual([]);
  });
});

describe('everyday tools alone', () => {
  let stage: EvalStage;

  beforeAll(async () => {
    stage = await openEvalStage(silentLog);
  });

  afterAll(async () => stage?.close());

  it.each(['mail.cancel-one-of-ten', 'mail.move-one-of-a-series', 'crm.task-done', 'video.reply'])(
    'solve the task %s',
    async (id) => {
      const agent = await stage.connectAgent('toolsets=default');
      const task = TASKS.find((one) => one.id === id)!;
      const listed = new Set((await agent.tools()).map(({ name }) => name));
      expect(task.calls.map(({ tool }) => tool).filter((tool) => !listed.has(tool))).toEqual([]);
      const outcome = await solved(task, agent, stage);
      expect(outcome.faults).toEqual([]);
    },
  );
});

describe('cost of everyday evaluation tasks for a model', () => {
  let stage: EvalStage;

  beforeAll(async () => {
    stage = await openEvalStage(silentLog);
  });

  afterAll(async () => stage?.close());

  it.each([
    ['the everyday tools', 'toolsets=default', 'list', 20_000, 7_500],
    ['the core', 'discovery=core', 'list', 8_500, 7_500],
    ['discovery', 'discovery=1', 'discovery', 1_000, 17_000],
  ] as const)('stays within its tokens and calls with %s', async (_what, query, access, listed, spent) => {
    const agent = await stage.connectAgent(query);
    const tools = await agent.tools();
    const list = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const outcomes: TaskOutcome[] = [];
    for (const task of TASKS.filter(({ id }) => id.startsWith('everyday.')))
      outcomes.push(await runSolution(task, { agent, stage, access, countTokens, now: Date.now() }));
    expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
    const sum = (of: (outcome: TaskOutcome) => number): number =>
      outcomes.reduce((total, outcome) => total + of(outcome), 0);
    expect(countTokens(JSON.stringify(list))).toBeLessThanOrEqual(listed);
    expect(sum(({ inputTokens, resultTokens }) => inputTokens + resultTokens)).toBeLessThanOrEqual(spent);
    expect(sum(({ calls }) => calls)).toBeLessThanOrEqual(100);
  });
});
