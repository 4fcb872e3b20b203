/** `gatehouse backup`: a copy of the database, while processes use it. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../terminal/failure.ts';
import { addCommonOptions, addJsonOption, readSettings, type CommonOptions } from '../terminal/options.ts';
import { printJson } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

/** The command `backup`. */
export function createCommand(terminal: Terminal): Command {
  const command = new Command('backup')
    .description(
      'Copies the SQLite database into one file, while servers run, and checks the copy. The master keys are not in it.',
    )
    .argument('<file>', 'where the copy goes')
    .option('--force', 'replace a file of this name')
    .addHelpText('after', '\nExample:\n  gatehouse backup /backups/gatehouse-2026-11-22.db');
  addJsonOption(addCommonOptions(command));
  return command.action(async (written: string, options: CommonOptions & { force?: true }) => {
    const { settings } = readSettings(terminal, options);
    if (!settings.databaseUrl.startsWith('sqlite:'))
      throw new UsageError(
        'The database is Postgres, which this command does not copy. Use pg_dump: see docs/operations.md.',
      );
    const file = resolve(terminal.cwd, written);
    const result = await withProgress(terminal, 'Copying and checking the database', async () =>
      terminal.app.backUp({ settings, file, force: options.force === true }),
    );
    const { masterKey, masterKeyFile } = settings.keys;
    const keys = masterKey === undefined ? masterKeyFile : 'GATEHOUSE_MASTER_KEY';
    if (options.json === true) printJson(terminal, { ...result, keys_in: keys });
    else
      print(
        terminal,
        `${result.file}: ${result.bytes} bytes, checked. Sealed with: ${result.key_ids.join(', ')}.`,
      );
    say(
      terminal,
      `The master keys are not in it, and without them its secrets cannot be opened. They are in ${keys}: keep a copy of them in another place.`,
    );
  });
}
