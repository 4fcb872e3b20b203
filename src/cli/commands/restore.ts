/** `gatehouse restore`: a backup in the place of the database. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../terminal/failure.ts';
import { addCommonOptions, addJsonOption, readSettings, type CommonOptions } from '../terminal/options.ts';
import { printJson } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

/** The command `restore`. */
export function createCommand(terminal: Terminal): Command {
  const command = new Command('restore')
    .description(
      'Puts a backup in the place of the SQLite database, once no process has that open. ' +
        'The master keys must be those of the backup. The database that was there is kept beside it.',
    )
    .argument('<file>', 'a file that "gatehouse backup" made')
    .option(
      '--force',
      'also when the present database is too damaged to tell whether a process has it open; stop them all before',
    )
    .addHelpText('after', '\nExample:\n  gatehouse restore /backups/gatehouse-2026-11-22.db');
  addJsonOption(addCommonOptions(command));
  return command.action(async (written: string, options: CommonOptions & { force?: true }) => {
    const { settings } = readSettings(terminal, options);
    if (!settings.databaseUrl.startsWith('sqlite:'))
      throw new UsageError(
        'The database is Postgres, which this command does not restore. Use pg_restore: see docs/operations.md.',
      );
    const file = resolve(terminal.cwd, written);
    const result = await withProgress(terminal, 'Checking and copying the backup', async () =>
      terminal.app.restore({ settings, file, force: options.force === true }),
    );
    if (options.json === true) return printJson(terminal, result);
    print(terminal, `${result.database} is the backup ${file} now.`);
    if (result.replaced !== null) print(terminal, `What was there before is ${result.replaced}.`);
    say(terminal, 'Check its secrets with "gatehouse keys verify", then start the servers.');
  });
}
