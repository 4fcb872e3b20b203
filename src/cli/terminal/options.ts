/** Options as commands declare them, options that commands share, and the settings they select. */
import { InvalidArgumentError } from 'commander';
import {
  loadSettings,
  type EnvironmentSettings,
  type Settings,
  type SettingsFlags,
} from '../../settings/settings.ts';
import type { Log } from '../../core/log.ts';
import { createLog } from '../../core/pino-log.ts';
import { UsageError } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** An option: its text in the help, or an object if there is more to say. */
export type OptionSpec =
  | string
  | {
      about: string;
      /** Converts the text. `before` is the value so far if the option is given several times. */
      parse?(this: void, written: string, before?: unknown): unknown;
      /** Value if the option is not given. */
      fallback?: unknown;
      required?: true;
      /** Value name of an option that cannot be given together with this one. */
      conflicts?: string;
    };

/** Options by their flags, such as `--page-size <number>`, in the order of the help. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** The values of options by name: `--page-size <number>` becomes `pageSize`. */
export type OptionValues<Specs extends OptionSpecs> = {
  [Flags in keyof Specs & string as ValueName<Flags>]: ValueOf<Flags, Specs[Flags]>;
};

type ValueName<Flags extends string> = Flags extends `--no-${infer Words}`
  ? CamelCase<Words>
  : Flags extends `--${infer Words} ${'<' | '['}${string}`
    ? CamelCase<Words>
    : Flags extends `--${infer Words}`
      ? CamelCase<Words>
      : never;

type CamelCase<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;

type ValueOf<Flags extends string, Spec> = Flags extends `--no-${string}`
  ? false | undefined
  : Flags extends `${string} <${string}`
    ? Converted<Spec> | (Spec extends { required: true } | { fallback: unknown } ? never : undefined)
    : Flags extends `${string} [${string}`
      ? string | true | undefined
      : true | undefined;

type Converted<Spec> = Spec extends { parse: (...given: never[]) => infer Value } ? Value : string;

/** `--environment` and `--config`, which every command has. */
export const COMMON_OPTIONS = {
  '--environment <name>': { about: 'the environment to work in', fallback: 'development' },
  '--config <file>': 'the settings file; see docs/configuration.md for where it is looked for',
} as const satisfies OptionSpecs;

/** `--json`, for commands that print data. */
export const JSON_OPTION = { '--json': 'print JSON, and errors as JSON' } as const satisfies OptionSpecs;

/** `--user` or `--organization`. */
export const OWNER_OPTIONS = {
  '--user <id>': { about: 'the user whose account it is', conflicts: 'organization' },
  '--organization <id>': 'the organization whose account it is',
} as const satisfies OptionSpecs;

/** `--page-size` and `--page-token`, for lists that come in pages. */
export const PAGE_OPTIONS = {
  '--page-size <number>': { about: '1 to 100', parse: positiveInteger },
  '--page-token <token>': 'the page that the last one pointed to',
} as const satisfies OptionSpecs;

/** `--yes`, for commands that ask for confirmation. */
export const YES_OPTION = { '--yes': 'do not ask' } as const satisfies OptionSpecs;

/** Options of servers: the tools that MCP publishes, and where data and log go. */
export const TOOL_SELECTION_OPTIONS = {
  '--connectors <names>': 'publish tools of these connectors only, separated by commas',
  '--toolsets <names>': 'publish these toolsets only, such as websearch.search, or default, core or all',
  '--tools <names>': 'publish these tools only',
  '--read-only': 'publish and run only tools that read',
  '--discovery [mode]': 'publish tools that find and call the others: on (without a mode), auto, core or off',
  '--data-dir <folder>': 'folder of the database and the key file',
  '--log-level <level>': 'debug, info, warn or error',
} as const satisfies OptionSpecs;

/** Values of the options that every command has. */
export type CommonOptions = OptionValues<typeof COMMON_OPTIONS & typeof JSON_OPTION>;

/** The owner of an account, in the options of several commands. */
export type OwnerOptions = OptionValues<typeof OWNER_OPTIONS>;

/** Parses an option that has to be a whole number of at least 1. */
export function positiveInteger(written: string): number {
  if (!/^[1-9]\d{0,8}$/.test(written))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(written);
}

/** Parses an option that has to be a port. */
export function portNumber(written: string): number {
  if (!/^[1-9]\d{0,4}$/.test(written) || Number(written) > 65_535)
    throw new InvalidArgumentError('It must be a port: 1 to 65535.');
  return Number(written);
}

/** Parses an option that has to be words separated by commas. */
export function commaList(written: string): string[] {
  const words = written
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) throw new InvalidArgumentError('It must name at least one, separated by commas.');
  return words;
}

/** Parses an option that has to be a time. @returns Unix milliseconds */
export function timeOf(written: string): number {
  const at = Date.parse(written);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return at;
}

/** An option that has to be one of these words. */
export function oneOf<Word extends string>(...words: readonly Word[]) {
  const about = words.join(', ');
  const parse = (written: string): Word => {
    const found = words.find((word) => word === written);
    if (found === undefined) throw new InvalidArgumentError(`It must be one of: ${about}.`);
    return found;
  };
  return { about, parse };
}

/** The page that the options ask for. @throws UsageError for a page of more than 100 */
export function pageOf({ pageSize, pageToken }: OptionValues<typeof PAGE_OPTIONS>): {
  pageSize: number | undefined;
  pageToken: string | undefined;
} {
  if (pageSize !== undefined && pageSize > 100) throw new UsageError('--page-size is at most 100.');
  return { pageSize, pageToken };
}

/**
 * Reads the settings, and finds the selected environment in them.
 *
 * @throws SettingsError; UsageError for an unknown environment
 */
export function readSettings(
  { env, cwd, homeDir }: Terminal,
  options: CommonOptions,
  flags: SettingsFlags = {},
): { settings: Settings; environment: EnvironmentSettings } {
  const settings = loadSettings({ flags: { ...flags, config: options.config }, env, cwd, homeDir });
  const environment = settings.environments.find(({ name }) => name === options.environment);
  if (environment === undefined) {
    const names = settings.environments.map(({ name }) => name).join(', ');
    throw new UsageError(`There is no environment ${options.environment}. There are: ${names}.`);
  }
  return { settings, environment };
}

/** The owner given in the options, or the owner of stdio sessions, whose accounts a desktop client uses. */
export function ownerOrDefault(
  { user, organization }: OwnerOptions,
  { mcp }: Settings,
): { userId?: string; organizationId?: string } {
  if (user !== undefined) return { userId: user };
  if (organization !== undefined) return { organizationId: organization };
  return mcp.organizationId === undefined ? { userId: mcp.userId } : { organizationId: mcp.organizationId };
}

/** A log for commands that are not servers: warnings and errors only, unless another level is set. */
export function commandLog({ logLevel }: Settings): Log {
  return createLog(logLevel === 'info' ? 'warn' : logLevel);
}

/** Logs, at every start of a server, the private hosts that are open to tools (docs/contract.md#limits-and-lifetimes). */
export function warnOfPrivateHosts(log: Log, { outbound }: Settings): void {
  const { allowPrivateHosts } = outbound;
  if (allowPrivateHosts.length > 0) log.warn('private_hosts_allowed', { host: allowPrivateHosts.join(', ') });
}
