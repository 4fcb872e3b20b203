/** Every shipped evaluation task: the calls that it declares lead to the state that it wants, in each way of finding tools. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvalStage, type EvalStage } from '../../../src/app/eval/eval-stage.ts';
import { shippedTasks } from '../../../src/app/eval/eval-task.ts';
import { runSolution } from '../../../src/app/eval/solved-run.ts';
import type { DemoAgent } from '../../../src/app/demo/demo-agent.ts';
import { silentLog } from '../../../src/core/log.ts';

const TASKS = shippedTasks();

const GROUPS = [...new Set(TASKS.map(({ id }) => id.split('.')[0] ?? ''))];

describe('evaluation tasks', () => {
  it('has the eight of every day and eight of each connector, each with an id of its own', () => {
    expect(GROUPS).toEqual(['crm', 'everyday', 'mail', 'video', 'warehouse', 'websearch']);
    expect(new Set(TASKS.map(({ id }) => id)).size).toBe(48);
    for (const group of GROUPS)
      expect(
        TASKS.filter(({ id }) => id.startsWith(`${group}.`)),
        group,
      ).toHaveLength(8);
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
    agent = await stage.connectAgent('');
  });

  afterAll(async () => stage?.close());

  it.each(TASKS.filter(({ id }) => id.startsWith(`${group}.`)))('solves the task $id', async (task) => {
    const outcome = await runSolution(task, { agent, stage, access: 'list', countTokens, now: Date.now() });
    expect(outcome.faults).toEqual([]);
  });
});
