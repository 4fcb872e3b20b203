/** `gatehouse backup`: a copy of the database while processes use it. */
import { resolve } from 'node:path';
import { command } from '../terminal/command.ts';
import { UsageError } from '../terminal/failure.ts';
import { readSettings } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';

/** The command `backup`. */
export const backupCommand = command({
  name: 'backup',
  description:
    'Copies the SQLite database into one file, while servers run, and checks the copy. The master keys are not in it.',
  args: { file: 'where the copy goes' },
  options: { '--force': 'replace a file of this name' },
  example: 'gatehouse backup /backups/gatehouse-2026-11-22.db',
  run: async ({ terminal, args, options, out }) => {
    const { settings } = readSettings(terminal, options);
    if (!settings.databaseUrl.startsWith('sqlite:'))
      throw new UsageError(
        'The database is Postgres, which this command does not copy. Use pg_dump: see docs/operations.md.',
      );
    const file = resolve(terminal.cwd, args.file);
    const result = await withProgress(terminal, 'Copying and checking the database', async () =>
      terminal.app.backUp({ settings, file, force: options.force === true }),
    );
    const { masterKey, masterKeyFile } = settings.keys;
    const keys = masterKey === undefined ? masterKeyFile : 'GATEHOUSE_MASTER_KEY';
    if (out.isJson) out.json({ ...result, keys_in: keys });
    else
      out.print(`${result.file}: ${result.bytes} bytes, checked. Sealed with: ${result.key_ids.join(', ')}.`);
    out.say(
      `The master keys are not in it, and without them its secrets cannot be opened. They are in ${keys}: keep a copy of them in another place.`,
    );
  },
});
