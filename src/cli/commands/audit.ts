/** `gatehouse audit`: who did what in an environment. */
import { Command, InvalidArgumentError } from 'commander';
import {
  addCommonOptions,
  addJsonOption,
  positiveInteger,
  withAdmin,
  type CommonOptions,
} from '../terminal/options.ts';
import { printList } from '../terminal/output.ts';
import { print, type Terminal } from '../terminal/terminal.ts';

interface FilterOptions extends CommonOptions {
  actor?: string;
  action?: string;
  target?: string;
  from?: number;
  until?: number;
}

/** The command `audit` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('audit')
    .description('Shows the audit log. Nothing of it can be changed or removed.')
    .addCommand(listCommand(terminal))
    .addCommand(exportCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list')
    .description('Lists the newest lines.')
    .option('--limit <count>', 'how many, at most 100', positiveInteger, 30);
  addJsonOption(addFilterOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse audit list --action connection.',
  );
  return command.action(async (options: FilterOptions & { limit: number }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const answer = await admin.auditLog.list(caller, filterOf(options), {
        pageSize: Math.min(options.limit, 100),
      });
      printList(terminal, {
        json: options.json === true,
        answer,
        rows: answer.audit.map((line) => ({ ...line })),
        columns: ['at', 'actor', 'action', 'target', 'ip'],
        empty: 'There is no such line.',
      });
    }),
  );
}

function exportCommand(terminal: Terminal): Command {
  const command = new Command('export').description('Writes all lines as JSON lines, newest first.');
  addFilterOptions(command).addHelpText('after', '\nExample:\n  gatehouse audit export > audit.jsonl');
  return command.action(async (options: FilterOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      for await (const lines of admin.auditLog.lines(caller, filterOf(options)))
        print(terminal, lines.trimEnd());
    }),
  );
}

function addFilterOptions(command: Command): Command {
  return addCommonOptions(command)
    .option('--actor <id>', 'who: usr_…, cred_…, or local')
    .option('--action <action>', 'such as connection.update, or connection. for all of them')
    .option('--target <id>', 'what was acted on')
    .option('--from <time>', 'not before this time, such as 2026-01-31T12:00:00Z', time)
    .option('--until <time>', 'before this time', time);
}

function filterOf({ actor, action, target, from, until }: FilterOptions) {
  return { actor, action, target, from, until };
}

function time(written: string): number {
  const at = Date.parse(written);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return at;
}
