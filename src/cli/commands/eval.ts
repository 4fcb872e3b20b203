/** `gatehouse eval`: how well a model works with the tools, measured against the stand-ins. */
import { createLog } from '../../core/pino-log.ts';
import type { App } from '../terminal/app.ts';
import { command } from '../terminal/command.ts';
import { CommandFailed, UsageError } from '../terminal/failure.ts';

/** Environment variable with the key of the model's endpoint. A flag would show the key in the list of processes. */
const KEY_VARIABLE = 'GATEHOUSE_EVAL_API_KEY';

const APIS = ['openai', 'anthropic'] as const;

/** The command `eval`. */
export const evalCommand = command({
  name: 'eval',
  description:
    'Runs everyday tasks against the built-in stand-ins and says which are solved, and what they cost in calls and tokens. ' +
    'With --model and --base-url a model solves them; without, the calls that each task declares are made. ' +
    'Every task has a Gatehouse of its own in a temporary folder.',
  options: {
    '--model <name>': 'name of the model at the endpoint',
    '--base-url <url>': "the endpoint's address with its version, such as http://127.0.0.1:11434/v1",
    '--api <name>': 'openai (chat completions, the default) or anthropic (messages)',
    '--toolsets <names>': 'publish these toolsets only',
    '--discovery': 'publish the tools of discovery instead of the list',
    '--task <id>': 'only tasks whose id begins like this, such as crm',
  },
  notes: `The key of the endpoint, if it has one, is read from ${KEY_VARIABLE}.`,
  example: [
    'gatehouse eval --task everyday',
    `${KEY_VARIABLE}=… gatehouse eval --model MODEL --base-url https://api.example.com/v1`,
  ],
  run: async ({ terminal, options, out }) => {
    const { model, baseUrl, api = 'openai', toolsets, discovery, task } = options;
    const wireApi = APIS.find((one) => one === api);
    if (wireApi === undefined) throw new UsageError(`--api must be one of: ${APIS.join(', ')}.`);
    if ((model === undefined) !== (baseUrl === undefined))
      throw new UsageError('Give --model and --base-url together.');
    if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
      throw new UsageError('--base-url must be an http or https address.');
    const query = new URLSearchParams({
      ...(toolsets !== undefined && { toolsets }),
      ...(discovery === true && { discovery: '1' }),
    });
    const report = await terminal.app.runEval({
      ...(model !== undefined &&
        baseUrl !== undefined && {
          endpoint: { api: wireApi, baseUrl, model, apiKey: terminal.env[KEY_VARIABLE] },
        }),
      only: task,
      query: query.toString(),
      onOutcome: ({ id, faults }) => {
        if (!out.isJson) out.say(faults.length === 0 ? `${id}: solved` : `${id}: ${faults.join('; ')}`);
      },
      log: createLog('error'),
    });
    const { outcomes, listTokens } = report;
    const solved = outcomes.filter(({ faults }) => faults.length === 0).length;
    out.list({
      answer: { solved, tasks: outcomes.length, list_tokens: listTokens, outcomes: outcomes.map(view) },
      rows: outcomes.map(view),
      columns: [
        'id',
        'solved',
        'calls',
        'errors',
        'input_tokens',
        'result_tokens',
        'model_tokens',
        'dead_end',
      ],
      empty: 'No task ran.',
    });
    out.say(
      `${solved} of ${outcomes.length} tasks solved. The list of tools costs about ${listTokens} tokens.`,
    );
    if (solved < outcomes.length) throw new CommandFailed();
  },
});

type Outcome = Parameters<Parameters<App['runEval']>[0]['onOutcome']>[0];

/** An outcome in the words of the output. */
function view(outcome: Outcome) {
  return {
    id: outcome.id,
    solved: outcome.faults.length === 0,
    calls: outcome.calls,
    errors: outcome.errors,
    input_tokens: outcome.inputTokens,
    result_tokens: outcome.resultTokens,
    model_tokens: 'modelTokens' in outcome ? outcome.modelTokens : null,
    dead_end: 'isDeadEnd' in outcome ? outcome.isDeadEnd : null,
    faults: outcome.faults,
  };
}
