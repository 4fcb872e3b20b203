/** Environment variables and flags that set one setting each; all names follow from the schema of the file. */
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { nearest } from '../core/text.ts';
import { fileSchema } from './settings-schema.ts';
import type { SettingsProblem } from './types.ts';
import { settingInfo, type SettingInfo, type SettingKind } from './values.ts';

/** One setting of the file outside its lists of connections, environments and the like. */
export interface Variable {
  path: readonly string[];
  /** The documented name first, then the one that follows from the path if it differs. */
  names: readonly string[];
  kind: SettingKind;
  info: SettingInfo;
  schema: z.ZodMiniType;
}

/** A value from the environment or a flag, as YAML would have given it. */
export interface Given {
  variable: Variable;
  origin: { source: 'env' | 'flag'; key: string };
  text: string;
}

/** Variables that are not settings. Names beginning with GATEHOUSE_TEST_ belong to the tests. */
const PREFIX = 'GATEHOUSE_';

const NOT_SETTINGS: ReadonlySet<string> = new Set(['GATEHOUSE_CONFIG']);

/** The group or list inside schemas of optional settings and defaults. */
export function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  let inner: z.ZodMiniType = schema;
  while (inner instanceof z.ZodMiniExactOptional || inner instanceof z.ZodMiniPrefault)
    inner = inner.def.innerType as z.ZodMiniType;
  return inner;
}

/** Every setting with a name of its own, in the order of the file. */
export function listVariables(schema: z.ZodMiniType = fileSchema, path: readonly string[] = []): Variable[] {
  const info = settingInfo(schema);
  if (info !== undefined) {
    const derived = `GATEHOUSE_${path.join('_').replaceAll('.', '_').toUpperCase()}`;
    const names = info.variable === undefined ? [derived] : [info.variable, derived];
    return [{ path, names, kind: info.kind, info, schema }];
  }
  const group = unwrapped(schema);
  if (!(group instanceof z.ZodMiniObject)) return [];
  return Object.entries(group.shape).flatMap(([key, member]) =>
    listVariables(member as z.ZodMiniType, [...path, key]),
  );
}

/** The schema of the setting at a path, also inside lists; `undefined` if there is no single setting. */
export function settingAt(path: readonly (string | number)[]): z.ZodMiniType | undefined {
  let schema: z.ZodMiniType | undefined = fileSchema;
  for (const part of path) {
    const group: z.ZodMiniType = unwrapped(schema);
    if (typeof part === 'number')
      schema = group instanceof z.ZodMiniArray ? (group.def.element as z.ZodMiniType) : undefined;
    else
      schema =
        group instanceof z.ZodMiniObject ? (group.shape[part] as z.ZodMiniType | undefined) : undefined;
    if (schema === undefined) return undefined;
  }
  return schema;
}

/** Compares without the common prefix, which says nothing about the intended name. */
function nearestName(key: string, known: Iterable<string>): string | undefined {
  const word = nearest(
    key.slice(PREFIX.length),
    Array.from(known, (name) => name.slice(PREFIX.length)),
  );
  return word === undefined ? undefined : PREFIX + word;
}

/**
 * Picks settings out of the environment. An empty variable counts as not set.
 *
 * Unknown GATEHOUSE_ names and two names of one setting with different values are problems. In both cases
 * somebody believes that a setting is in force while it is not.
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly Variable[],
): { given: Given[]; problems: SettingsProblem[] } {
  const known = new Set([...NOT_SETTINGS, ...variables.flatMap((variable) => variable.names)]);
  const problems: SettingsProblem[] = [];
  for (const key of Object.keys(env).sort()) {
    if (!key.startsWith(PREFIX) || key.startsWith('GATEHOUSE_TEST_') || known.has(key)) continue;
    const suggestion = nearestName(key, known);
    const message = `is not a setting. ${suggestion === undefined ? 'Unset it.' : `Did you mean ${suggestion}?`}`;
    problems.push({ source: 'env', key, message });
  }
  const given: Given[] = [];
  for (const variable of variables) {
    const set = variable.names.filter((name) => (env[name] ?? '') !== '');
    const [key] = set;
    if (key === undefined) continue;
    if (new Set(set.map((name) => env[name]?.trim())).size > 1)
      problems.push({
        source: 'env',
        key,
        message: `and ${set.slice(1).join(', ')} are set differently. They are two names of one setting: set one of them.`,
      });
    given.push({ variable, origin: { source: 'env', key }, text: env[key] ?? '' });
  }
  return { given, problems };
}

/** Settings that flags may set; the names are those of the options after parsing. */
const FLAG_PATHS = {
  host: 'host',
  port: 'port',
  dataDir: 'data_dir',
  baseUrl: 'base_url',
  logLevel: 'log_level',
  connectors: 'mcp.connectors',
  toolsets: 'mcp.toolsets',
  tools: 'mcp.tools',
  readOnly: 'mcp.read_only',
  discovery: 'mcp.discovery',
} as const;

/** Flags of the command line; text as typed. `config` names the settings file. */
export interface SettingsFlags {
  config?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  /** A relative path starts from the working directory. */
  dataDir?: string | undefined;
  baseUrl?: string | undefined;
  logLevel?: string | undefined;
  connectors?: string | undefined;
  toolsets?: string | undefined;
  tools?: string | undefined;
  readOnly?: boolean | undefined;
  discovery?: string | true | undefined;
}

/**
 * Picks settings out of the flags; `undefined` means not given. A path is relative to the working directory.
 */
export function readFlags(flags: SettingsFlags, cwd: string, variables: readonly Variable[]): Given[] {
  const typed = flags.dataDir ? { ...flags, dataDir: resolve(cwd, flags.dataDir) } : flags;
  const given: Given[] = [];
  for (const [name, path] of Object.entries(FLAG_PATHS)) {
    const value = typed[name as keyof typeof FLAG_PATHS];
    const variable = variables.find((candidate) => candidate.path.join('.') === path);
    if (value === undefined || variable === undefined) continue;
    const key = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    given.push({ variable, origin: { source: 'flag', key }, text: String(value) });
  }
  return given;
}
