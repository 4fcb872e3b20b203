/** `gatehouse restore`: replaces the database with a backup. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { command } from '../terminal/command.ts';
import { confirmed } from '../terminal/ask.ts';
import { CommandFailed, UsageError } from '../terminal/failure.ts';
import { readSettings, YES_OPTION } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';

/** The command `restore`. */
export const restoreCommand = command({
  name: 'restore',
  description:
    'Replaces the SQLite database with a backup, once no process has it open. ' +
    'The master keys must be those of the backup. The previous database is kept next to it.',
  args: { file: 'a file that "gatehouse backup" made' },
  options: {
    ...YES_OPTION,
    '--force':
      'also when the present database is too damaged to tell whether a process has it open; stop them all before',
  },
  example: 'gatehouse restore /backups/gatehouse-2026-11-22.db --yes',
  run: async ({ terminal, args, options, out }) => {
    const { settings } = readSettings(terminal, options);
    if (!settings.databaseUrl.startsWith('sqlite:'))
      throw new UsageError(
        'The database is Postgres, which this command does not restore. Use pg_restore: see docs/operations.md.',
      );
    const file = resolve(terminal.cwd, args.file);
    if (!existsSync(file)) throw new CommandFailed(`There is no database at ${file}.`);
    if (options.yes !== true && !(await confirmed(terminal, `Replace the database with ${file}?`)))
      throw new CommandFailed('Nothing was replaced.');
    const result = await withProgress(terminal, 'Checking and copying the backup', async () =>
      terminal.app.restore({ settings, file, force: options.force === true }),
    );
    if (out.isJson) return out.json(result);
    out.print(`${result.database} is the backup ${file} now.`);
    if (result.replaced !== null) out.print(`The previous database is now ${result.replaced}.`);
    out.say('Check its secrets with "gatehouse keys verify", then start the servers.');
  },
});
