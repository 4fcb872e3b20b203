/** `gatehouse catalog import`: a first catalog file from an OpenAPI description. */
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { basename, dirname, relative, resolve } from 'node:path';
import type { WrittenCatalog } from '../../app/commands/catalog-import.ts';
import { SettingsError } from '../../settings/settings.ts';
import { CommandFailed } from '../terminal/failure.ts';
import {
  addCommonOptions,
  addJsonOption,
  commaList,
  readSettings,
  type CommonOptions,
} from '../terminal/options.ts';
import { printJson } from '../terminal/output.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

interface ImportOptions extends CommonOptions {
  operations: string[];
  name?: string;
  title?: string;
  server?: string;
  out: string;
  force?: true;
}

const DETAILS = `
Writes <out>/<name>/connector.yaml and one file of tools for each tag. What the catalog cannot express is listed on
stderr and at the head of the files: read it, and shorten descriptions for models, before you use them.

Examples:
  gatehouse catalog import openapi.json --operations all
  gatehouse catalog import openapi.yaml --operations 'listBooks,getBook' --name shop --out ./catalog
  gatehouse catalog import openapi.json --operations 'GET /v2/*' --force
  gatehouse catalog check ./catalog`;

/** The subcommand. */
export function importCommand(terminal: Terminal): Command {
  const command = new Command('import')
    .summary('write a connector from an OpenAPI description')
    .description(
      'Writes a connector and its tools from an OpenAPI 3.0 or 3.1 description, JSON or YAML. Nothing is fetched.',
    )
    .argument('<file>', 'the description; - for stdin')
    .requiredOption(
      '--operations <names>',
      'operationIds or "METHOD /path", separated by commas, * for any text; all for every operation',
      collected,
    )
    .option('--name <name>', 'name of the connector and prefix of its tools; left out, made of the title')
    .option('--title <title>', 'what people call the provider; left out, the title of the description')
    .option('--server <url>', 'where the API is, when the description does not say it')
    .option('--out <folder>', 'the folder that gets the folder of the connector', 'catalog')
    .option('--force', 'replace what an earlier import wrote')
    .addHelpText('after', DETAILS);
  addJsonOption(addCommonOptions(command));
  return command.action(async (file: string, options: ImportOptions) => {
    const { operations, name, title, server } = options;
    const written = await terminal.app.importCatalog({
      text: await read(terminal, file),
      source: file === '-' ? 'stdin' : basename(file),
      operations,
      name,
      title,
      server,
      today: new Date().toISOString().slice(0, 10),
      outDir: resolve(terminal.cwd, options.out),
      isForced: options.force === true,
    });
    if (options.json === true) printJson(terminal, written);
    else await report(terminal, written, options);
  });
}

async function report(
  terminal: Terminal,
  { folder, files, remarks, operations }: WrittenCatalog,
  options: CommonOptions,
): Promise<void> {
  const { reportLines } = await import('../../app/commands/catalog-import.ts');
  for (const remark of remarks) say(terminal, `- ${remark}`);
  for (const operation of operations.filter(({ notes }) => notes.length > 0))
    for (const line of reportLines(operation)) say(terminal, line);
  for (const name of files) print(terminal, relative(terminal.cwd, `${folder}/${name}`));
  const tools = operations.filter(({ tool }) => tool !== null).length;
  const next = isNamed(terminal, dirname(folder), options)
    ? 'check them: gatehouse catalog check'
    : 'name their folder in catalog_dirs';
  say(terminal, `${tools} of ${operations.length} operations became tools. Read the files, then ${next}.`);
}

/** Whether `catalog_dirs` has the folder. Settings with mistakes, which an import does not need, name nothing. */
function isNamed(terminal: Terminal, folder: string, options: CommonOptions): boolean {
  try {
    return readSettings(terminal, options).settings.catalogDirs.includes(folder);
  } catch (error) {
    if (error instanceof SettingsError) return false;
    throw error;
  }
}

async function read(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return text(terminal.input);
  const path = resolve(terminal.cwd, file);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailed(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
    );
  }
}

/** Several uses of the option count together. */
function collected(written: string, before: readonly string[] = []): string[] {
  return [...before, ...commaList(written)];
}
