/** `gatehouse catalog`: validates catalog files before they are used, and writes first ones. */
import { Command } from 'commander';
import { resolve } from 'node:path';
import type { CatalogCheck } from '../../app/commands/catalog.ts';
import { importCommand } from './catalog-import.ts';
import { CommandFailed } from '../terminal/failure.ts';
import { addCommonOptions, addJsonOption, readSettings, type CommonOptions } from '../terminal/options.ts';
import { printJson } from '../terminal/output.ts';
import { print, type Terminal } from '../terminal/terminal.ts';

/** What a model is told about the tools, in bytes of the tool list: tokens would need an encoding of some model. */
function costLine({ summary }: CatalogCheck): string {
  const total = (key: 'tools' | 'bytes'): number => summary.reduce((sum, toolset) => sum + toolset[key], 0);
  return `A list of all ${total('tools')} tools has ${total('bytes')} bytes.`;
}

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
    else if (problems.length === 0) print(terminal, `The catalog is valid. ${costLine(result)}`);
    else for (const { file, line, message } of problems) print(terminal, `${file}:${line}: ${message}`);
    if (problems.length > 0) throw new CommandFailed();
  });
  return new Command('catalog')
    .description('Works with catalog files: connectors and tools as data.')
    .addCommand(check)
    .addCommand(importCommand(terminal));
}
