/** `gatehouse restore`: replaces the database by a backup. */
import { resolve } from 'node:path';
import { command } from '../terminal/command.ts';
import { UsageError } from '../terminal/failure.ts';
import { readSettings } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';

/** The command `restore`. */
export const restoreCommand = command({
  name: 'restore',
  description:
    'Puts a backup in the place of the SQLite database, once no process has that open. ' +
    'The master keys must be those of the backup. The database that was there is kept beside it.',
  args: { file: 'a file that "gatehouse backup" made' },
  options: {
    '--force':
      'also when the present database is too damaged to tell whether a process has it open; stop them all before',
  },
  example: 'gatehouse restore /backups/gatehouse-2026-11-22.db',
  run: async ({ terminal, args, options, out }) => {
    const { settings } = readSettings(terminal, options);
    if (!settings.databaseUrl.startsWith('sqlite:'))
      throw new UsageError(
        'The database is Postgres, which this command does not restore. Use pg_restore: see docs/operations.md.',
      );
    const file = resolve(terminal.cwd, args.file);
    const result = await withProgress(terminal, 'Checking and copying the backup', async () =>
      terminal.app.restore({ settings, file, force: options.force === true }),
    );
    if (out.isJson) return out.json(result);
    out.print(`${result.database} is the backup ${file} now.`);
    if (result.replaced !== null) out.print(`What was there before is ${result.replaced}.`);
    out.say('Check its secrets with "gatehouse keys verify", then start the servers.');
  },
});
