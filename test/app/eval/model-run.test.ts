/** A model that solves an evaluation task, at endpoints of both protocols. The model is a script; everything else is real. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvalStage, type EvalStage } from '../../../src/app/eval/eval-stage.ts';
import { shippedTasks } from '../../../src/app/eval/eval-task.ts';
import { runModel } from '../../../src/app/eval/model-run.ts';
import type { ModelApi } from '../../../src/app/eval/model-wire.ts';
import { silentLog } from '../../../src/core/log.ts';
import { startStandIn, type StandIn, type StandInReply } from '../../support/stand-in.ts';

const TASK = shippedTasks().find(({ id }) => id === 'websearch.one-site');

/** What the scripted model says, turn by turn: a call, or its answer. */
type Script = readonly ({ tool: string; input: object } | string)[];

/** One reply of an endpoint, in the protocol of its API. */
const REPLIES: Readonly<Record<ModelApi, (said: Script[number]) => object>> = {
  openai: (said) => ({
    choices: [
      {
        message:
          typeof said === 'string'
            ? { role: 'assistant', content: said }
            : {
                role: 'assistant',
                content: null,
                tool_calls: [
                  {
                    id: 'call_1',
                    type: 'function',
                    function: { name: said.tool, arguments: JSON.stringify(said.input) },
                  },
                ],
              },
      },
    ],
    usage: { total_tokens: 100 },
  }),
  anthropic: (said) => ({
    content: [
      typeof said === 'string'
        ? { type: 'text', text: said }
        : { type: 'tool_use', id: 'toolu_1', name: said.tool, input: said.input },
    ],
    usage: { input_tokens: 90, output_tokens: 10 },
  }),
};

const SEARCH = {
  tool: 'websearch_search',
  input: { query: 'tide tables', include_domains: ['harbour-almanac.example'] },
};

const ANSWER = 'It is https://harbour-almanac.example/guides/reading-a-tide-table.';

describe('evaluation of a model', () => {
  let stage: EvalStage;
  const endpoints: StandIn[] = [];

  beforeAll(async () => {
    stage = await openEvalStage(silentLog);
  });

  afterAll(async () => {
    for (const endpoint of endpoints) await endpoint.close();
    await stage?.close();
  });

  async function run(api: ModelApi, script: Script, refusal?: StandInReply) {
    let turn = 0;
    const endpoint = await startStandIn(() => {
      const said = script[Math.min(turn++, script.length - 1)] ?? '';
      return refusal ?? { json: REPLIES[api](said) };
    });
    endpoints.push(endpoint);
    if (TASK === undefined) throw new Error('there is no such task');
    const outcome = await runModel(TASK, {
      endpoint: { api, baseUrl: `${endpoint.origin}/v1`, model: 'scripted', apiKey: 'key-of-the-model' },
      agent: await stage.connectAgent('toolsets=websearch.search'),
      stage,
      countTokens: (text) => text.length,
      now: Date.UTC(2026, 10, 24),
    });
    return { outcome, requests: endpoint.requests };
  }

  it.each(['openai', 'anthropic'] as const)('solves a task with a model that speaks %s', async (api) => {
    const { outcome, requests } = await run(api, [SEARCH, ANSWER]);
    expect(outcome).toMatchObject({ faults: [], calls: 1, errors: 0, modelTokens: 200, isDeadEnd: false });
    const [first, second] = requests;
    expect([first?.path, first?.headers[api === 'openai' ? 'authorization' : 'x-api-key']]).toEqual(
      api === 'openai'
        ? ['/v1/chat/completions', 'Bearer key-of-the-model']
        : ['/v1/messages', 'key-of-the-model'],
    );
    expect(first?.body).toContain('websearch_search');
    expect(first?.body).toContain('Tue, 24 Nov 2026');
    expect(second?.body).toContain('reading-a-tide-table');
  });

  it('says what the answer of a model lacks', async () => {
    const { outcome } = await run('openai', [SEARCH, 'I found nothing.']);
    expect(outcome.faults).toEqual([
      'the answer does not say "harbour-almanac.example/guides/reading-a-tide-table"',
    ]);
  });

  it('passes errors on to the model, unknown tools too, and counts a dead end', async () => {
    const { outcome, requests } = await run('anthropic', [{ tool: 'tide_tables', input: {} }, 'I give up.']);
    expect(outcome).toMatchObject({ calls: 1, errors: 1, isDeadEnd: true });
    expect(requests[1]?.body).toContain('"is_error":true');
    expect(requests[1]?.body).toContain('Unknown tool: tide_tables');
  });

  it('stops a model that never answers', async () => {
    const { outcome } = await run('openai', [SEARCH]);
    expect(outcome).toMatchObject({ calls: 30, isDeadEnd: true });
    expect(outcome.faults).toEqual(['it was still calling tools after 30 answers']);
  });

  it('says that an endpoint breaks the connection, or answers something else', async () => {
    await expect(run('openai', [ANSWER], 'reset')).rejects.toThrow(/\/v1 could not be reached: /);
    await expect(run('openai', [ANSWER], { text: '<html>' })).rejects.toThrow(/no JSON/);
  });

  it('fails with the reason of an endpoint that refuses', async () => {
    const refusal = { status: 401, json: { error: { message: 'no such key' } } };
    await expect(run('openai', [ANSWER], refusal)).rejects.toThrow(/answered 401: .*no such key/);
  });
});
