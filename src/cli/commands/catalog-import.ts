/** `gatehouse catalog import`: a first catalog file from an OpenAPI description. */
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { basename, dirname, relative, resolve } from 'node:path';
import type { WrittenCatalog } from '../../app/commands/catalog-import.ts';
import { codeOf } from '../../core/errors.ts';
import { SettingsError } from '../../settings/settings.ts';
import { command } from '../terminal/command.ts';
import { CommandFailed } from '../terminal/failure.ts';
import { commaList, readSettings, type CommonOptions } from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The subcommand `catalog import`. */
export const importCommand = command({
  name: 'import',
  summary: 'write a connector from an OpenAPI description',
  description:
    'Writes a connector and its tools from an OpenAPI 3.0 or 3.1 description, JSON or YAML. Nothing is fetched.',
  args: { file: 'the description; - for stdin' },
  options: {
    '--operations <names>': {
      about: 'operationIds or "METHOD /path", separated by commas, * for any text; all for every operation',
      required: true,
      parse: collected,
    },
    '--name <name>': 'name of the connector and prefix of its tools; left out, made of the title',
    '--title <title>': 'what people call the provider; left out, the title of the description',
    '--server <url>': 'where the API is, when the description does not say it',
    '--out <folder>': { about: 'the folder that gets the folder of the connector', fallback: 'catalog' },
    '--force': 'replace what an earlier import wrote',
  },
  notes: `Writes <out>/<name>/connector.yaml and one file of tools for each tag. What the catalog cannot express is listed on
stderr and at the head of the files: read it, and shorten descriptions for models, before you use them.`,
  example: [
    'gatehouse catalog import openapi.json --operations all',
    "gatehouse catalog import openapi.yaml --operations 'listBooks,getBook' --name shop --out ./catalog",
    "gatehouse catalog import openapi.json --operations 'GET /v2/*' --force",
    'gatehouse catalog check ./catalog',
  ],
  run: async ({ terminal, args: { file }, options, out }) => {
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
    if (out.isJson) out.json(written);
    else await report(terminal, out, written, options);
  },
});

async function report(
  terminal: Terminal,
  out: Output,
  { folder, files, remarks, operations }: WrittenCatalog,
  options: CommonOptions,
): Promise<void> {
  const { reportLines } = await import('../../app/commands/catalog-import.ts');
  for (const remark of remarks) out.say(`- ${remark}`);
  for (const operation of operations.filter(({ notes }) => notes.length > 0))
    for (const line of reportLines(operation)) out.say(line);
  for (const name of files) out.print(relative(terminal.cwd, `${folder}/${name}`));
  const tools = operations.filter(({ tool }) => tool !== null).length;
  const next = isNamed(terminal, dirname(folder), options)
    ? 'check them: gatehouse catalog check'
    : 'name their folder in catalog_dirs';
  out.say(`${tools} of ${operations.length} operations became tools. Read the files, then ${next}.`);
}

/** Whether `catalog_dirs` has the folder. An import needs no settings, so settings with mistakes name no folder. */
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
    throw new CommandFailed(`${path} cannot be read (${codeOf(error) ?? 'unknown reason'}).`);
  }
}

/** Adds the words to those of earlier uses of the option. */
function collected(written: string, before: readonly string[] = []): string[] {
  return [...before, ...commaList(written)];
}
