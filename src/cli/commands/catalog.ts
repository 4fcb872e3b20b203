/** `gatehouse catalog`: validates catalog files before they are used, and writes first ones. */
import { resolve } from 'node:path';
import type { CatalogCheck } from '../../app/commands/catalog.ts';
import { importCommand } from './catalog-import.ts';
import { command, commandGroup } from '../terminal/command.ts';
import { CommandFailed } from '../terminal/failure.ts';
import { readSettings } from '../terminal/options.ts';

/** The size of the tool list that a model gets, in bytes: a count of tokens would depend on the model. */
function costLine({ summary }: CatalogCheck): string {
  const total = (key: 'tools' | 'bytes'): number => summary.reduce((sum, toolset) => sum + toolset[key], 0);
  return `A list of all ${total('tools')} tools has ${total('bytes')} bytes.`;
}

const check = command({
  name: 'check',
  summary: 'validate catalog files',
  description:
    'Validates the shipped catalog together with folders of your own; without a folder, those of catalog_dirs.',
  args: { 'folders...': 'folders of catalog files' },
  example: 'gatehouse catalog check ./catalogs',
  run: async ({ terminal, args: { folders }, options, out }) => {
    const dirs =
      folders.length > 0
        ? folders.map((folder) => resolve(terminal.cwd, folder))
        : readSettings(terminal, options).settings.catalogDirs;
    const result = await terminal.app.checkCatalogFiles(dirs);
    const { problems } = result;
    if (out.isJson) out.json(result);
    else if (problems.length === 0) out.print(`The catalog is valid. ${costLine(result)}`);
    else for (const { file, line, message } of problems) out.print(`${file}:${line}: ${message}`);
    if (problems.length > 0) throw new CommandFailed();
  },
});

/** The command `catalog` with its subcommands. */
export const catalogCommand = commandGroup({
  name: 'catalog',
  description: 'Works with catalog files: connectors and tools as data.',
  commands: [check, importCommand],
});
