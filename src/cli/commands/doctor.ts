/** `gatehouse doctor`: reports what works, what does not, and how to fix it. */
import { SettingsError } from '../../settings/settings.ts';
import { problemLine } from '../../settings/problems.ts';
import type { App } from '../terminal/app.ts';
import { command } from '../terminal/command.ts';
import { CommandFailed } from '../terminal/failure.ts';
import { commandLog, readSettings, type CommonOptions } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Check = Awaited<ReturnType<App['runDoctor']>>['checks'][number];

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

/** The command `doctor`. */
export const doctorCommand = command({
  name: 'doctor',
  description:
    'Checks settings, key file, database, catalog, connections and listener. Exit code 1 when there is a problem.',
  example: 'gatehouse doctor --json',
  run: async ({ terminal, options, out }) => {
    const checks = await withProgress(terminal, 'Checking the installation', async () =>
      runChecks(terminal, options),
    );
    if (out.isJson) out.json({ checks });
    else for (const { name, status, message } of checks) out.print(`${MARKS[status]}${name}: ${message}`);
    if (checks.some(({ status }) => status === 'problem')) throw new CommandFailed();
  },
});

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
