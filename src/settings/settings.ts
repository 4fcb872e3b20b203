/**
 * The settings of one process: read once at start, checked as a whole, never changed
 * (docs/contract.md#2-settings).
 *
 * settings-schema.ts defines names, meanings and allowed values.
 */
import { join } from 'node:path';
import { CollectedSettings, type SettingsSources } from './collect.ts';
import type { EnvironmentFileSettings } from './environment-schema.ts';
import type { Brand } from '../core/environment.ts';
import { listenerOrigin } from '../core/hosts.ts';
import { absoluteDatabaseUrl, absolutePath, defaultDataDir, type Places } from './file-locations.ts';
import { settingsInForce } from './in-force.ts';
import { readLogo } from './logo.ts';
import { SettingsError } from './problems.ts';
import { checkRules, configuredBaseUrl, isLocalOnly, TOP_ENVIRONMENT } from './rules.ts';
import type { EnvironmentSettings, Settings } from './types.ts';

export { SettingsError } from './problems.ts';
export type { SettingsFlags } from './variables.ts';
export type { SettingsSources } from './collect.ts';
export type { EnvironmentSettings, Settings, SettingsProblem } from './types.ts';

/** Hosts of models handle no longer result well, whatever the settings say. */
const MAX_RESULT_BYTES = 60_000;

/**
 * Reads the settings. Later sources win: defaults, gatehouse.yaml, environment, flags.
 *
 * @throws SettingsError with every problem of every source
 */
export function loadSettings(sources: SettingsSources): Settings {
  const collected = new CollectedSettings(sources);
  const places: Places = { folder: collected.file.folder, homeDir: sources.homeDir };
  checkRules(collected, places);
  const settings = assemble(collected, places);
  if (collected.problems.length > 0) throw new SettingsError(collected.problems, settings);
  return settings;
}

/**
 * The public address of an environment, once the listener's port is known.
 *
 * @param actualPort the bound port; matters only if no base URL is configured
 */
export function resolveBaseUrl(
  settings: Pick<Settings, 'host'>,
  environment: Pick<EnvironmentSettings, 'baseUrl'>,
  actualPort: number,
): string {
  return environment.baseUrl ?? listenerOrigin(settings.host, actualPort);
}

function assemble(collected: CollectedSettings, places: Places): Settings {
  const { file, values } = collected;
  const { keys, outbound, lifetimes, refresh, inbound, mcp, metrics, retention, smtp } = values;
  const { request_info: info } = values;
  const dataDir =
    values.data_dir === undefined ? defaultDataDir(places) : absolutePath(values.data_dir, places);
  const keyFile = keys.master_key_file;
  const own = (name: string, part: EnvironmentFileSettings): EnvironmentSettings =>
    environmentSettings(name, part, values, places);
  const settings: Settings = {
    ...given('configFile', file.path),
    dataDir,
    databaseUrl: absoluteDatabaseUrl(
      values.database_url ?? `sqlite:${join(dataDir, 'gatehouse.db')}`,
      places,
    ),
    database: { poolSize: values.database.pool_size },
    host: values.host,
    port: values.port,
    keys: {
      ...given('masterKey', keys.master_key),
      masterKeyFile: keyFile === undefined ? join(dataDir, 'master.key') : absolutePath(keyFile, places),
    },
    outbound: {
      allowPrivateHosts: outbound.allow_private_hosts ?? [],
      ...given('caFile', outbound.ca_file === undefined ? undefined : absolutePath(outbound.ca_file, places)),
      connectTimeoutMs: outbound.connect_timeout,
      headersTimeoutMs: outbound.headers_timeout,
      totalTimeoutMs: outbound.timeout,
      maxResponseBytes: outbound.max_response_bytes,
      connectionsPerOrigin: outbound.connections_per_origin,
    },
    logLevel: values.log_level,
    logRequests: values.log_requests,
    servesDocs: values.docs,
    ...given('metrics', metrics.port === undefined ? undefined : { host: metrics.host, port: metrics.port }),
    lifetimes: {
      tokenMs: lifetimes.token,
      linkMs: lifetimes.link,
      stateMs: lifetimes.state,
      pendingVerificationMs: lifetimes.pending_verification,
      sessionMs: lifetimes.session,
    },
    refresh: { marginMs: refresh.margin, leaseMs: refresh.lease, deadlineMs: refresh.deadline },
    inbound: {
      maxBodyBytes: inbound.max_body_bytes,
      maxConnections: inbound.max_connections,
      keepAliveTimeoutMs: inbound.keep_alive,
      drainDelayMs: inbound.drain_delay,
    },
    executions: { areRequired: values.executions.required },
    mcp: {
      ...given('connectors', mcp.connectors),
      ...given('toolsets', mcp.toolsets),
      ...given('tools', mcp.tools),
      readOnly: mcp.read_only,
      discovery: mcp.discovery,
      ownTools: mcp.own_tools,
      maxResultBytes: Math.min(mcp.max_result_bytes, MAX_RESULT_BYTES),
      userId: mcp.user_id ?? (mcp.organization_id === undefined ? 'local' : ''),
      ...given('organizationId', mcp.organization_id),
    },
    retention: {
      executionsMs: retention.executions,
      summariesMs: retention.summaries,
      interceptorLogsMs: retention.interceptor_logs,
      webhookDeliveriesMs: retention.webhook_deliveries,
    },
    webhooks: { giveUpAfterMs: values['webhooks.give_up_after'] },
    ...given('smtp', smtp),
    ...given(
      'requestInfo',
      info && {
        trustedProxies: info.trusted_proxies ?? [],
        ...given('ipHeader', info.ip_header),
        ...given('regionHeader', info.region_header),
        ...given('cityHeader', info.city_header),
      },
    ),
    catalogDirs: (values.catalog_dirs ?? []).map((folder) => absolutePath(folder, places)),
    environments: [
      own(TOP_ENVIRONMENT, values),
      ...(values.environments ?? []).map((entry) => own(entry.name, entry)),
    ],
    inForce: (environmentName) => settingsInForce(collected, settings, environmentName),
    problemAt: (path, message, concerns) => collected.problemAt(path, message, concerns),
  };
  return settings;
}

function environmentSettings(
  name: string,
  part: EnvironmentFileSettings,
  listener: { host: string; port: number },
  places: Places,
): EnvironmentSettings {
  const baseUrl = configuredBaseUrl(part.base_url, listener);
  const localOnly = isLocalOnly(listener.host, baseUrl);
  return {
    name,
    ...given('baseUrl', baseUrl),
    ...given('clientId', part.client_id),
    ...given('clientSecret', part.client_secret),
    userVerification: part.user_verification ?? (localOnly ? 'none' : 'app'),
    ...given('userVerifyUrl', part.user_verify_url),
    userVerifyUrls: allowedVerifyUrls(part),
    signUp: part.sign_up ?? (localOnly ? 'open' : 'closed'),
    isLocalOnly: localOnly,
    brand: brandOf(part, places),
    connections: (part.connections ?? []).map((entry) => ({ ...entry, name: entry.name ?? entry.connector })),
    interceptors: part.interceptors ?? [],
    webhooks: part.webhooks ?? [],
  };
}

/** The brand; a logo that the rules have refused is left out. */
function brandOf({ brand = {} }: EnvironmentFileSettings, places: Places): Brand {
  const logo = brand.logo === undefined ? undefined : readLogo(absolutePath(brand.logo, places));
  return {
    ...given('name', brand.name),
    ...given('logo', typeof logo === 'string' ? undefined : logo),
    ...given('accent', brand.accent),
    ...given('helpUrl', brand.help_url),
    ...given('privacyUrl', brand.privacy_url),
  };
}

/** Returns where links may lead. Without a list that is the app's own page, not any page that a caller names. */
function allowedVerifyUrls(part: EnvironmentFileSettings): readonly string[] {
  const { user_verify_url: url, user_verify_urls: urls = [] } = part;
  return urls.length === 0 && url !== undefined ? [url] : urls;
}

/** A member that exists only if it has a value. */
function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
