/** `gatehouse interceptors`: endpoints of yours that decide over sign-up, sessions, invitations and tokens of machines. */
import { Command } from 'commander';
import type { Caller } from '../../core/caller.ts';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { withHint } from '../terminal/did-you-mean.ts';
import { UsageError } from '../terminal/failure.ts';
import {
  addCommonOptions,
  addJsonOption,
  positiveInteger,
  withAdmin,
  type CommonOptions,
} from '../terminal/options.ts';
import { printFields, printJson, printList } from '../terminal/output.ts';
import { print, type Terminal } from '../terminal/terminal.ts';

type Interceptor = Awaited<ReturnType<Admin['interceptors']['get']>>;

interface ChangeOptions extends CommonOptions {
  name?: string;
  triggerPoint?: string;
  endpoint?: string;
  timeoutMs?: number;
  fallback?: string;
}

interface CreateOptions extends ChangeOptions {
  name: string;
  triggerPoint: string;
  endpoint: string;
  fallback: string;
  disabled?: true;
}

/** The command `interceptors` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('interceptors')
    .description('Manages interceptors. Those that gatehouse.yaml declares are changed there.')
    .addCommand(listCommand(terminal))
    .addCommand(
      oneCommand(
        terminal,
        'show',
        'Shows an interceptor.',
        async (_admin, _caller, interceptor) => interceptor,
      ),
    )
    .addCommand(createInterceptorCommand(terminal))
    .addCommand(updateCommand(terminal))
    .addCommand(
      oneCommand(terminal, 'enable', 'Has an interceptor asked.', async (admin, caller, { id }) =>
        admin.interceptors.enable(caller, id),
      ),
    )
    .addCommand(
      oneCommand(terminal, 'disable', 'Asks an interceptor no more.', async (admin, caller, { id }) =>
        admin.interceptors.disable(caller, id),
      ),
    )
    .addCommand(deleteCommand(terminal))
    .addCommand(testCommand(terminal))
    .addCommand(logsCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list').description('Lists interceptors in the order in which they are asked.');
  addJsonOption(addCommonOptions(command)).addHelpText('after', '\nExample:\n  gatehouse interceptors list');
  return command.action(async (options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const interceptors = await admin.interceptors.inOrder(caller.environmentId);
      printList(terminal, {
        json: options.json === true,
        answer: { interceptors },
        rows: interceptors.map((interceptor) => ({ ...interceptor })),
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
    }),
  );
}

/** A command that takes one interceptor and prints what becomes of it. */
function oneCommand(
  terminal: Terminal,
  verb: string,
  description: string,
  work: (admin: Admin, caller: Caller, interceptor: Interceptor) => Promise<Interceptor>,
): Command {
  const command = new Command(verb).description(description).argument('<interceptor>', 'id or name');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    `\nExample:\n  gatehouse interceptors ${verb} "Stop strangers"`,
  );
  return command.action(async (name: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const interceptor = await work(admin, caller, await named(admin, caller, name));
      printFields(terminal, options.json === true, { ...interceptor });
    }),
  );
}

function createInterceptorCommand(terminal: Terminal): Command {
  const command = new Command('create')
    .description('Makes an interceptor. It is asked from then on, unless it is made disabled.')
    .requiredOption('--name <text>', 'what it is for')
    .requiredOption(
      '--trigger-point <name>',
      'PRE_SIGNUP, PRE_SESSION_CREATION, PRE_USER_INVITATION or PRE_M2M_TOKEN_CREATION',
    )
    .requiredOption('--endpoint <url>', 'where it is asked')
    .requiredOption('--fallback <word>', 'allow or block: what holds without a readable answer in time')
    .option('--timeout-ms <milliseconds>', 'how long an answer may take', positiveInteger, 5_000)
    .option('--disabled', 'not asked until it is enabled');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse interceptors create --name "Stop strangers" --trigger-point PRE_SIGNUP --endpoint https://hooks.example.test/signup --fallback block',
  );
  return command.action(async (options: CreateOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const interceptor = await admin.interceptors.create(caller, {
        name: options.name,
        trigger_point: options.triggerPoint,
        endpoint: options.endpoint,
        timeout_ms: options.timeoutMs,
        fallback: options.fallback,
        enabled: options.disabled !== true,
      });
      printFields(terminal, options.json === true, { ...interceptor });
    }),
  );
}

function updateCommand(terminal: Terminal): Command {
  const command = new Command('update')
    .description('Changes what is given and leaves the rest.')
    .argument('<interceptor>', 'id or name')
    .option('--name <text>', 'what it is for')
    .option('--trigger-point <name>', 'the flow it may stop or change')
    .option('--endpoint <url>', 'where it is asked')
    .option('--fallback <word>', 'allow or block')
    .option('--timeout-ms <milliseconds>', 'how long an answer may take', positiveInteger);
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse interceptors update "Stop strangers" --timeout-ms 2000',
  );
  return command.action(async (name: string, options: ChangeOptions) => {
    const change = {
      name: options.name,
      trigger_point: options.triggerPoint,
      endpoint: options.endpoint,
      timeout_ms: options.timeoutMs,
      fallback: options.fallback,
    };
    if (Object.values(change).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --endpoint.');
    await withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await named(admin, caller, name);
      const interceptor = await admin.interceptors.update(caller, id, change);
      printFields(terminal, options.json === true, { ...interceptor });
    });
  });
}

function deleteCommand(terminal: Terminal): Command {
  const command = new Command('delete')
    .description('Deletes an interceptor and its log.')
    .argument('<interceptor>', 'id or name')
    .option('--yes', 'do not ask');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse interceptors delete "Stop strangers"',
  );
  return command.action(async (name: string, options: CommonOptions & { yes?: true }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await named(admin, caller, name);
      await deleteConfirmed(terminal, options, {
        question: `Delete the interceptor ${name} and its log?`,
        name,
        remove: async () => admin.interceptors.remove(caller, id),
      });
    }),
  );
}

function testCommand(terminal: Terminal): Command {
  const command = new Command('test')
    .description(
      'Asks an interceptor, enabled or not, about invented people, and shows request and answer. Recorded nowhere.',
    )
    .argument('<interceptor>', 'id or name');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse interceptors test "Stop strangers"',
  );
  return command.action(async (name: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await named(admin, caller, name);
      const tested = await admin.interceptorTest.run(caller.environmentId, id);
      if (options.json === true) return printJson(terminal, tested);
      const { request, response, failure, would } = tested;
      print(terminal, 'Request:');
      printFields(terminal, false, request.headers);
      printJson(terminal, request.body);
      print(terminal, '\nAnswer:');
      printFields(terminal, false, { status: response?.status, body: response?.body, failure, would });
    }),
  );
}

function logsCommand(terminal: Terminal): Command {
  const command = new Command('logs')
    .description('Lists what an interceptor was asked last and what came of it.')
    .argument('<interceptor>', 'id or name')
    .option('--limit <count>', 'how many, at most 100', positiveInteger, 30);
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse interceptors logs "Stop strangers" --json',
  );
  return command.action(async (name: string, options: CommonOptions & { limit: number }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await named(admin, caller, name);
      const query = { pageSize: Math.min(options.limit, 100) };
      const answer = await admin.interceptorLog.list(caller.environmentId, id, query);
      printList(terminal, {
        json: options.json === true,
        answer,
        rows: answer.logs.map((line) => ({ ...line, status: line.response?.status })),
        columns: ['at', 'id', 'decision', 'status', 'duration_ms', 'failure'],
        empty: 'It was not asked yet.',
      });
    }),
  );
}

/** By id, else by name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(admin: Admin, { environmentId }: Caller, idOrName: string): Promise<Interceptor> {
  const all = await admin.interceptors.inOrder(environmentId);
  const found =
    all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName.normalize('NFC'));
  if (found !== undefined) return found;
  const listed = { command: 'interceptors list', known: async () => all, takes: 'name' } as const;
  return withHint(idOrName, listed, async () => admin.interceptors.get(environmentId, idOrName));
}
