/** Runs one command line: loads the named command only, parses the arguments, and returns the exit code. */
import { Command, CommanderError } from 'commander';
import { SettingsError } from '../settings/settings.ts';
import { COMMANDS } from './commands.ts';
import { reportFailure } from './terminal/failure.ts';
import { print, type Terminal } from './terminal/terminal.ts';

const EXAMPLES = `
Start here:
  gatehouse demo                    watch the whole job, nothing to set up
  gatehouse init                    write gatehouse.yaml, get the snippet for your desktop client
  gatehouse connect websearch       connect your own account
  gatehouse serve                   REST and MCP over HTTP

Every command has --help. Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/**
 * Runs the command of the arguments.
 *
 * @param argv without node and program
 * @returns 0 done, 1 failed, 2 wrong usage
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  const [first = ''] = argv;
  const words = wordsOf(argv);
  if (first === '--version' || first === '-V') {
    const { programVersion } = await import('../core/program-version.ts');
    print(terminal, programVersion());
    return 0;
  }
  try {
    const program = await buildProgram(words[0] ?? '', terminal);
    await program.parseAsync([...words], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const whole = error instanceof SettingsError ? await terminal.app.withDeclaredProblems(error) : error;
    return reportFailure(terminal, whole, argv.includes('--json'));
  }
}

/**
 * The arguments that are parsed. `help x` means `x --help`. What follows an unknown command is left out: `--help`
 * would otherwise hide that there is no such command.
 */
function wordsOf(argv: readonly string[]): readonly string[] {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const [name = ''] = words;
  return name === '' || name === 'help' || name.startsWith('-') || Object.hasOwn(COMMANDS, name)
    ? words
    : [name];
}

/** Registers every command with its name and summary, and loads only the chosen one. */
async function buildProgram(chosen: string, terminal: Terminal): Promise<Command> {
  const program = new Command('gatehouse')
    .description("Gives AI agents authenticated access to other people's apps, and keeps the keys.")
    .usage('<command> [options]')
    .option('-V, --version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .helpCommand('help [command]', 'show what a command does');
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = name === chosen ? (await load())(terminal) : new Command(name);
    program.addCommand(command.summary(summary));
  }
  configure(program, terminal);
  return program;
}

function configure(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ helpWidth: 100 })
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.messages.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'gatehouse: ')),
    });
  for (const inner of command.commands) configure(inner, terminal);
}
