/** `gatehouse doctor`: what works and what does not, and what to do about it. */
import { Command } from 'commander';
import { SettingsError } from '../../settings/settings.ts';
import { problemLine } from '../../settings/problems.ts';
import type { App } from '../terminal/app.ts';
import { CommandFailed } from '../terminal/failure.ts';
import {
  addCommonOptions,
  addJsonOption,
  commandLog,
  readSettings,
  type CommonOptions,
} from '../terminal/options.ts';
import { printJson } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { print, type Terminal } from '../terminal/terminal.ts';

type Check = Awaited<ReturnType<App['runDoctor']>>['checks'][number];

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

/** The command `doctor`. */
export function createCommand(terminal: Terminal): Command {
  const command = new Command('doctor')
    .description(
      'Checks settings, key file, database, catalog, connections and listener. Exit code 1 when there is a problem.',
    )
    .addHelpText('after', '\nExample:\n  gatehouse doctor --json');
  addJsonOption(addCommonOptions(command));
  return command.action(async (options: CommonOptions) => {
    const checks = await withProgress(terminal, 'Checking the installation', async () =>
      runChecks(terminal, options),
    );
    if (options.json === true) printJson(terminal, { checks });
    else
      for (const { name, status, message } of checks) print(terminal, `${MARKS[status]}${name}: ${message}`);
    if (checks.some(({ status }) => status === 'problem')) throw new CommandFailed();
  });
}

async function runChecks(terminal: Terminal, options: CommonOptions): Promise<Check[]> {
  try {
    const { settings } = readSettings(terminal, options);
    return (await terminal.app.runDoctor({ settings, log: commandLog(settings) })).checks;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { problems } = await terminal.app.withDeclaredProblems(error);
    return problems.map((problem) => ({
      name: 'settings',
      status: 'problem',
      message: problemLine(problem),
    }));
  }
}
