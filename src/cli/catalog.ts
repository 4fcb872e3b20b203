/** `gatehouse catalog`: validates catalog files before they are used, and writes first ones. */
import { Command } from 'commander';
import { resolve } from 'node:path';
import { importCommand } from './catalog-import.ts';
import { CommandFailed } from './failure.ts';
import { addCommonOptions, addJsonOption, readSettings, type CommonOptions } from './options.ts';
import { printJson } from './output.ts';
import { print, type Terminal } from './terminal.ts';

/** The command `catalog` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  const check = new Command('check')
    .summary('validate catalog files')
    .description(
      'Validates the shipped catalog together with folders of your own; without a folder, those of catalog_dirs.',
    )
    .argument('[folders...]', 'folders of catalog files')
    .addHelpText('after', '\nExample:\n  gatehouse catalog check ./catalogs');
  addJsonOption(addCommonOptions(check));
  check.action(async (folders: string[], options: CommonOptions) => {
    const dirs =
      folders.length > 0
        ? folders.map((folder) => resolve(terminal.cwd, folder))
        : readSettings(terminal, options).settings.catalogDirs;
    const result = await terminal.app.checkCatalogFiles(dirs);
    const { problems } = result;
    if (options.json === true) printJson(terminal, result);
    else if (problems.length === 0) print(terminal, 'The catalog is valid.');
    else for (const { file, line, message } of problems) print(terminal, `${file}:${line}: ${message}`);
    if (problems.length > 0) throw new CommandFailed();
  });
  return new Command('catalog')
    .description('Works with catalog files: connectors and tools as data.')
    .addCommand(check)
    .addCommand(importCommand(terminal));
}
