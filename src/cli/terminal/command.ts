/**
 * Defines commands. One declaration gives a command its help and gives `run` the types of its arguments and options.
 *
 * Declaring a command opens nothing: settings and the installation are opened when the command runs.
 */
import { Command, Option } from 'commander';
import type { Caller } from '../../core/caller.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Admin } from './app.ts';
import {
  COMMON_OPTIONS,
  commandLog,
  JSON_OPTION,
  readSettings,
  type CommonOptions,
  type OptionSpec,
  type OptionSpecs,
  type OptionValues,
} from './options.ts';
import { Output } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Makes a command for the terminal it runs in. */
export type CommandBuilder = (terminal: Terminal) => Command;

/** Texts of arguments by name, in order. The last name may end with `...`, which takes any number of words, or with `?`. */
type ArgumentSpecs = Readonly<Record<string, string>>;

type ArgumentValues<Specs extends ArgumentSpecs> = {
  [Name in keyof Specs & string as ArgumentName<Name>]: Name extends `${string}...`
    ? string[]
    : Name extends `${string}?`
      ? string | undefined
      : string;
};

/** `never` for a command without arguments: nothing can be read from its `args`. */
type ArgumentName<Name extends string> = string extends Name
  ? never
  : Name extends `${infer Word}...` | `${infer Word}?`
    ? Word
    : Name;

/** The context that a command runs in. */
interface CommandContext<Args extends ArgumentSpecs, Options extends OptionSpecs> {
  terminal: Terminal;
  args: ArgumentValues<Args>;
  options: OptionValues<Options> & CommonOptions;
  out: Output;
}

/** An open installation, and the operator in the selected environment. */
export interface Operator {
  admin: Admin;
  caller: Caller;
  settings: Settings;
}

/** A command: what its help shows, and what it does. */
interface CommandDeclaration<Args, Options, Context> {
  name: string;
  /** Its line in the help of its group; default: the description. */
  summary?: string;
  description: string;
  args?: Args;
  /**
   * Its own options. The options that every command has follow them, unless they are named here too: then they
   * keep the place and the text that they have here.
   */
  options?: Options;
  /** Whether it has `--json`; default: true. */
  json?: boolean;
  /** Shown before the examples. */
  notes?: string;
  /** One example, or several. */
  example: string | readonly string[];
  run: (context: Context) => Promise<void>;
}

interface AdminDeclaration<
  Args extends ArgumentSpecs,
  Options extends OptionSpecs,
  Input,
> extends CommandDeclaration<Args, Options, CommandContext<Args, Options> & Operator & { input: Input }> {
  /** Reads and checks what the command needs before the installation is opened. */
  input?: (context: CommandContext<Args, Options>) => Promise<Input>;
}

/** Defines a command. */
export function command<Args extends ArgumentSpecs, Options extends OptionSpecs>({
  name,
  summary = '',
  description,
  args,
  options,
  json = true,
  notes,
  example,
  run,
}: CommandDeclaration<Args, Options, CommandContext<Args, Options>>): CommandBuilder {
  return (terminal) => {
    const built = new Command(name)
      .summary(summary)
      .description(description)
      .addHelpText('after', helpText(notes, example));
    for (const [argument, about] of Object.entries<string>(args ?? {}))
      built.argument(argumentOf(argument), about);
    // A member that is spread again keeps its first place and gets its last value.
    const all: OptionSpecs = { ...options, ...COMMON_OPTIONS, ...(json && JSON_OPTION), ...options };
    for (const [flags, spec] of Object.entries(all)) built.addOption(optionOf(flags, spec));
    return built.action(async () => {
      const values = built.opts<OptionValues<Options> & CommonOptions>();
      const given = built.registeredArguments.map((argument, index): [string, unknown] => [
        argument.name(),
        built.processedArgs[index],
      ]);
      await run({
        terminal,
        args: Object.fromEntries(given) as ArgumentValues<Args>,
        options: values,
        out: new Output(terminal, values.json === true),
      });
    });
  };
}

/** Defines a command that opens the installation, acts as the operator in the selected environment, and closes it. */
export function adminCommand<Args extends ArgumentSpecs, Options extends OptionSpecs, Input>({
  input,
  run,
  ...declaration
}: AdminDeclaration<Args, Options, Input>): CommandBuilder {
  return command<Args, Options>({
    ...declaration,
    run: async (context) => {
      const read = (await input?.(context)) as Input;
      const { settings, environment } = readSettings(context.terminal, context.options);
      const admin = await context.terminal.app.openAdmin({ settings, log: commandLog(settings) });
      try {
        const caller = await admin.caller(environment.name);
        await run({ ...context, admin, caller, settings, input: read });
      } finally {
        await admin.close();
      }
    },
  });
}

/** Defines a command that only has subcommands, in the order of its help. */
export function commandGroup({
  name,
  description,
  commands,
}: {
  name: string;
  description: string;
  commands: readonly CommandBuilder[];
}): CommandBuilder {
  return (terminal) => {
    const group = new Command(name).description(description);
    for (const build of commands) group.addCommand(build(terminal));
    return group;
  };
}

function argumentOf(name: string): string {
  if (name.endsWith('...')) return `[${name}]`;
  return name.endsWith('?') ? `[${name.slice(0, -1)}]` : `<${name}>`;
}

function optionOf(flags: string, spec: OptionSpec): Option {
  if (typeof spec === 'string') return new Option(flags, spec);
  const { about, parse, fallback, required = false, conflicts = [] } = spec;
  const option = new Option(flags, about)
    .default(fallback)
    .makeOptionMandatory(required)
    .conflicts(conflicts);
  return parse === undefined ? option : option.argParser(parse);
}

function helpText(notes: string | undefined, example: string | readonly string[]): string {
  const examples = typeof example === 'string' ? [example] : example;
  const title = typeof example === 'string' ? 'Example' : 'Examples';
  const shown = `\n${title}:\n${examples.map((line) => `  ${line}`).join('\n')}`;
  return notes === undefined ? shown : `\n${notes}\n${shown}`;
}
