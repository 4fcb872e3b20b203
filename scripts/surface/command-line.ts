/**
 * Output of the command line: help of every command, exit codes, and JSON if the answer is always the same.
 */
import { join } from 'node:path';
import { digest } from './names.ts';
import { pretty, type Pages, type Workplace } from './program.ts';

/** Command lines that fail, most of them as wrong usage. */
const REFUSED = [
  'bogus',
  'tool',
  '--bogus',
  'serve --port abc',
  'serve --port 70000',
  'serve --log-level loud',
  'serve --tools nope',
  'mcp --toolsets nope.nope',
  'tools list --conector websearch',
  'tools list --config missing.yaml',
  'tools show',
  'tools show nope',
  'tools show nope --json',
  'tools call websearch_search extra',
  'tools call nope --json',
  'accounts show acc_nope --json',
  'accounts delete',
  'connections create --json',
  'connections show nope',
  'credentials show nope --json',
  'users show nope --json',
  'mcp-servers show nope --json',
  'interceptors show nope --json',
  'audit list --page-size 0',
  'catalog check missing',
  'keys bogus',
  'backup',
  'restore missing.backup --yes',
  'tools list --environment nope',
];

/** Command lines whose answers depend only on the program. */
const ANSWERED = [
  'tools show crm_create_note --json',
  'tools show websearch_search',
  'tools show websearch_search --json',
  'tools list --connector websearch',
  'accounts list --json',
  'connections list --json',
  'users list --json',
  'mcp-servers list --json',
  'interceptors list --json',
  'doctor --json',
];

/** Requires an existing database and a free port. */
export async function commandLine(place: Workplace): Promise<Pages> {
  const [help, refused, answered, tools] = await Promise.all([
    allHelp(place),
    transcript(place, REFUSED),
    transcript(place, ANSWERED),
    place.run(['tools', 'list', '--json']),
  ]);
  return {
    'cli/help.txt': help,
    'cli/refused.txt': refused,
    'cli/answered.txt': answered,
    'cli/tools-list.json': pretty(withDigests(JSON.parse(tools.stdout) as { tools: { name: string }[] })),
  };
}

async function allHelp(place: Workplace): Promise<string> {
  const { stdout, stderr, code } = await place.runFile(join(import.meta.dirname, 'help-walk.ts'), []);
  if (code !== 0) throw new Error(`The help could not be read: ${stderr}`);
  const found = Object.entries(JSON.parse(stdout) as Record<string, string>);
  return found
    .map(([words, text]) => `${`# gatehouse ${words} --help`.replace('  ', ' ')}\n\n${text}`)
    .join('\n');
}

/** Runs one after another: two such lists at a time are enough for a small machine. */
async function transcript(place: Workplace, lines: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await place.run(line.split(' '));
    parts.push(`# gatehouse ${line}\nexit code ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`);
  }
  return parts.join('\n');
}

/** The same list with a digest instead of each tool. */
export function withDigests<List extends { tools: { name: string }[] }>(list: List): object {
  return { ...list, tools: list.tools.map((tool) => `${tool.name} ${digest(JSON.stringify(tool))}`) };
}
