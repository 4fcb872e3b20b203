/** Options that commands share, and what becomes of them. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  loadSettings,
  type EnvironmentSettings,
  type Settings,
  type SettingsFlags,
} from '../../settings/settings.ts';
import type { Caller } from '../../core/caller.ts';
import type { Log } from '../../core/log.ts';
import { createLog } from '../../core/pino-log.ts';
import type { Admin } from './app.ts';
import { UsageError } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command has. */
export interface CommonOptions {
  environment: string;
  config?: string;
  json?: true;
}

/** Whose account, in the options of several commands. */
export interface OwnerOptions {
  user?: string;
  organization?: string;
}

/** `--environment` and `--config`, which every command has. */
export function addCommonOptions(command: Command): Command {
  return command
    .option('--environment <name>', 'the environment to work in', 'development')
    .option('--config <file>', 'the settings file; see docs/configuration.md for where it is looked for');
}

/** `--json`, for commands that print data. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON, and errors as JSON');
}

/** `--user` or `--organization`. */
export function addOwnerOptions(command: Command): Command {
  return command
    .addOption(new Option('--user <id>', 'the user whose account it is').conflicts('organization'))
    .option('--organization <id>', 'the organization whose account it is');
}

/** Flags that choose which tools MCP publishes. */
export function addSurfaceOptions(command: Command): Command {
  return command
    .option('--connectors <names>', 'publish tools of these connectors only, separated by commas')
    .option('--toolsets <names>', 'publish these toolsets only, such as websearch.search')
    .option('--tools <names>', 'publish these tools only')
    .option('--read-only', 'publish and run only tools that read')
    .option('--discovery', 'publish three tools that find and call the others')
    .option('--data-dir <folder>', 'folder of the database and the key file')
    .option('--log-level <level>', 'debug, info, warn or error');
}

/** A whole number of at least 1 in an option. */
export function positiveInteger(written: string): number {
  if (!/^[1-9]\d{0,8}$/.test(written))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(written);
}

/** Words separated by commas in an option. */
export function commaList(written: string): string[] {
  const words = written
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) throw new InvalidArgumentError('It must name at least one, separated by commas.');
  return words;
}

/** Settings, and the chosen environment in them. @throws SettingsError; UsageError for an unknown environment */
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

/** A log for commands that are not servers: what is worth a person's attention, unless they asked for more. */
export function commandLog({ logLevel }: Settings): Log {
  return createLog(logLevel === 'info' ? 'warn' : logLevel);
}

/** Opens the installation, lets `work` act as the operator in the chosen environment, and closes it. */
export async function withAdmin<T>(
  terminal: Terminal,
  options: CommonOptions,
  work: (admin: Admin, caller: Caller, settings: Settings) => Promise<T>,
): Promise<T> {
  const { settings, environment } = readSettings(terminal, options);
  const admin = await terminal.app.openAdmin({ settings, log: commandLog(settings) });
  try {
    return await work(admin, await admin.caller(environment.name), settings);
  } finally {
    await admin.close();
  }
}

/**
 * Said at every start of a server, because it opens the operator's own network to tools
 * (docs/contract.md#limits-and-lifetimes).
 */
export function warnOfPrivateHosts(log: Log, { outbound }: Settings): void {
  const { allowPrivateHosts } = outbound;
  if (allowPrivateHosts.length > 0) log.warn('private_hosts_allowed', { host: allowPrivateHosts.join(', ') });
}
