/** `gatehouse interceptors`: the operator's endpoints that decide on sign-up, sessions, invitations and machine tokens. */
import type { Admin } from '../../terminal/app.ts';
import { deleteConfirmed } from '../../terminal/ask.ts';
import { adminCommand, commandGroup, type CommandBuilder, type Operator } from '../../terminal/command.ts';
import { findByIdOrName } from '../../terminal/did-you-mean.ts';
import { UsageError } from '../../terminal/failure.ts';
import { positiveInteger, YES_OPTION } from '../../terminal/options.ts';

type Interceptor = Awaited<ReturnType<Admin['interceptors']['get']>>;

const INTERCEPTOR = { interceptor: 'id or name' };

const TIMEOUT = { about: 'how long an answer may take', parse: positiveInteger };

const list = adminCommand({
  name: 'list',
  description: 'Lists interceptors in the order in which they are called.',
  example: 'gatehouse interceptors list',
  run: async ({ admin, caller, out }) => {
    const interceptors = await admin.interceptors.inOrder(caller.environmentId);
    out.list({
      answer: { interceptors },
      rows: interceptors,
      columns: [
        'id',
        'name',
        'trigger_point',
        'endpoint',
        'timeout_ms',
        'fallback',
        'enabled',
        'managed_by_file',
      ],
      empty: 'There is no interceptor.',
    });
  },
});

/** A command that takes one interceptor, does something with it, and prints the result. */
function oneCommand(
  verb: string,
  description: string,
  work: (operator: Operator, interceptor: Interceptor) => Promise<Interceptor>,
): CommandBuilder {
  return adminCommand({
    name: verb,
    description,
    args: INTERCEPTOR,
    example: `gatehouse interceptors ${verb} "Stop strangers"`,
    run: async ({ args, out, ...operator }) =>
      out.fields(await work(operator, await named(operator, args.interceptor))),
  });
}

const show = oneCommand('show', 'Shows an interceptor.', async (_operator, interceptor) => interceptor);

const create = adminCommand({
  name: 'create',
  description: 'Creates an interceptor. It is called from then on, unless it is created disabled.',
  options: {
    '--name <text>': { about: 'what it is for', required: true },
    '--trigger-point <name>': {
      about: 'PRE_SIGNUP, PRE_SESSION_CREATION, PRE_USER_INVITATION or PRE_M2M_TOKEN_CREATION',
      required: true,
    },
    '--endpoint <url>': { about: 'the URL that is called', required: true },
    '--fallback <word>': {
      about: 'allow or block: the decision if no readable answer comes in time',
      required: true,
    },
    '--timeout-ms <milliseconds>': { ...TIMEOUT, fallback: 5_000 },
    '--disabled': 'not called until it is enabled',
  },
  example:
    'gatehouse interceptors create --name "Stop strangers" --trigger-point PRE_SIGNUP --endpoint https://hooks.example.test/signup --fallback block',
  run: async ({ admin, caller, options, out }) =>
    out.fields(
      await admin.interceptors.create(caller, {
        name: options.name,
        trigger_point: options.triggerPoint,
        endpoint: options.endpoint,
        timeout_ms: options.timeoutMs,
        fallback: options.fallback,
        enabled: options.disabled !== true,
      }),
    ),
});

const update = adminCommand({
  name: 'update',
  description: 'Changes what is given and leaves the rest.',
  args: INTERCEPTOR,
  options: {
    '--name <text>': 'what it is for',
    '--trigger-point <name>': 'the flow it may stop or change',
    '--endpoint <url>': 'the URL that is called',
    '--fallback <word>': 'allow or block',
    '--timeout-ms <milliseconds>': TIMEOUT,
  },
  example: 'gatehouse interceptors update "Stop strangers" --timeout-ms 2000',
  input: async ({ options: { name, triggerPoint, endpoint, timeoutMs, fallback } }) => {
    const change = { name, trigger_point: triggerPoint, endpoint, timeout_ms: timeoutMs, fallback };
    if (Object.values(change).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --endpoint.');
    return change;
  },
  run: async ({ args, input, out, ...operator }) => {
    const { id } = await named(operator, args.interceptor);
    out.fields(await operator.admin.interceptors.update(operator.caller, id, input));
  },
});

const enable = oneCommand('enable', 'Enables an interceptor.', async ({ admin, caller }, { id }) =>
  admin.interceptors.enable(caller, id),
);

const disable = oneCommand('disable', 'Disables an interceptor.', async ({ admin, caller }, { id }) =>
  admin.interceptors.disable(caller, id),
);

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes an interceptor and its log.',
  args: INTERCEPTOR,
  options: YES_OPTION,
  example: 'gatehouse interceptors delete "Stop strangers"',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { id } = await named(context, args.interceptor);
    await deleteConfirmed(context, {
      question: `Delete the interceptor ${args.interceptor} and its log?`,
      name: args.interceptor,
      remove: async () => admin.interceptors.remove(caller, id),
    });
  },
});

const test = adminCommand({
  name: 'test',
  description:
    'Calls an interceptor, enabled or not, with invented people, and shows request and answer. Records nothing.',
  args: INTERCEPTOR,
  example: 'gatehouse interceptors test "Stop strangers"',
  run: async ({ args, out, ...operator }) => {
    const { id } = await named(operator, args.interceptor);
    const tested = await operator.admin.interceptorTest.run(operator.caller.environmentId, id);
    if (out.isJson) return out.json(tested);
    const { request, response, failure, would } = tested;
    out.print('Request:');
    out.fields(request.headers);
    out.json(request.body);
    out.print('\nAnswer:');
    out.fields({ status: response?.status, body: response?.body, failure, would });
  },
});

const logs = adminCommand({
  name: 'logs',
  description: 'Lists the latest requests to an interceptor and their outcomes.',
  args: INTERCEPTOR,
  options: { '--limit <count>': { about: 'how many, at most 100', parse: positiveInteger, fallback: 30 } },
  example: 'gatehouse interceptors logs "Stop strangers" --json',
  run: async ({ args, options, out, ...operator }) => {
    const { admin, caller } = operator;
    const { id } = await named(operator, args.interceptor);
    const query = { pageSize: Math.min(options.limit, 100) };
    const answer = await admin.interceptorLog.list(caller.environmentId, id, query);
    out.list({
      answer,
      rows: answer.logs.map((line) => ({ ...line, status: line.response?.status })),
      columns: ['at', 'id', 'decision', 'status', 'duration_ms', 'failure'],
      empty: 'It was not called yet.',
    });
  },
});

/** The command `interceptors` with its subcommands. */
export const interceptorsCommand = commandGroup({
  name: 'interceptors',
  description: 'Manages interceptors. Those that gatehouse.yaml declares are changed there.',
  commands: [list, show, create, update, enable, disable, remove, test, logs],
});

/** Finds an interceptor by its id or its name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(operator: Operator, idOrName: string): Promise<Interceptor> {
  const { admin, caller } = operator;
  return findByIdOrName(operator, idOrName, {
    command: 'interceptors list',
    known: async () => admin.interceptors.inOrder(caller.environmentId),
    get: async () => admin.interceptors.get(caller.environmentId, idOrName),
  });
}
