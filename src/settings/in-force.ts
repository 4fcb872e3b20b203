/** Lists the settings in force, each with its source. Secrets are never shown, only that they are set. */
import * as z from 'zod/mini';
import type { SettingInForce } from '../core/telemetry/installation-report.ts';
import type { Path } from '../core/yaml/yaml-tree.ts';
import type { CollectedSettings } from './collect.ts';
import { environmentSchema, environmentShape } from './environment-schema.ts';
import { TOP_ENVIRONMENT } from './rules.ts';
import type { Settings } from './types.ts';
import { listVariables, type Variable } from './variables.ts';

/**
 * The settings of the installation, and those of one environment; not those of others, which have operators of their
 * own. Lists of connections, interceptors and webhooks have lists of their own.
 */
export function settingsInForce(
  collected: CollectedSettings,
  settings: Settings,
  environmentName: string,
): SettingInForce[] {
  const entries = collected.values.environments ?? [];
  const place = entries.findIndex(({ name }) => name === environmentName);
  const isTop = environmentName === TOP_ENVIRONMENT;
  const ownKeys = new Set(Object.keys(environmentShape));
  const own = listVariables(environmentSchema).filter(({ path }) => ownKeys.has(path[0] ?? ''));
  const worked = workedOut(settings, environmentName);
  const inForce = (variable: Variable, around: Path): SettingInForce =>
    settingInForce(collected, variable, around, worked);
  return [
    ...listVariables()
      .filter(({ path }) => !ownKeys.has(path[0] ?? ''))
      .map((variable) => inForce(variable, [])),
    ...own.map((variable) => inForce(variable, isTop ? [] : ['environments', place])),
  ];
}

function settingInForce(
  collected: CollectedSettings,
  { path, info, schema }: Variable,
  around: Path,
  worked: ReadonlyMap<string, SettingInForce['value'] | undefined>,
): SettingInForce {
  const key = path.join('.');
  const { value: written, from } = collected.written([...around, ...path]);
  const value = worked.get(key) ?? shown(written ?? defaultOf(schema));
  const isSecret = info.isSecret === true || (key === 'database_url' && !String(value).startsWith('sqlite:'));
  return { key, value: value !== null && isSecret ? 'set' : value, from };
}

/** Settings whose value in force is not the written one, or whose default depends on others. */
function workedOut(
  settings: Settings,
  environmentName: string,
): ReadonlyMap<string, SettingInForce['value'] | undefined> {
  const own = settings.environments.find(({ name }) => name === environmentName);
  return new Map([
    ['data_dir', settings.dataDir],
    ['database_url', settings.databaseUrl],
    ['keys.master_key_file', settings.keys.masterKeyFile],
    ['outbound.ca_file', settings.outbound.caFile],
    ['mcp.user_id', settings.mcp.userId || undefined],
    ['base_url', own?.baseUrl],
    ['user_verification', own?.userVerification],
    ['sign_up', own?.signUp],
  ]);
}

/** The default as the file would have it. */
function defaultOf(schema: z.ZodMiniType): unknown {
  return schema instanceof z.ZodMiniPrefault ? schema.def.defaultValue : null;
}

function shown(value: unknown): SettingInForce['value'] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
