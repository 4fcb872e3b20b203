/**
 * The settings of one process: read once at the start, checked as a whole, never changed (docs/contract.md#2-settings).
 *
 * What each setting is called, means and may be is in file-schema.ts.
 */
import { join } from 'node:path';
import { CollectedSettings, type SettingsSources } from './collect.ts';
import type { ConnectionDeclaration, InterceptorDeclaration, WebhookDeclaration } from './declarations.ts';
import type { EnvironmentFileSettings } from './environment-schema.ts';
import { listenerOrigin } from '../core/hosts.ts';
import { absoluteDatabaseUrl, absolutePath, defaultDataDir, type Places } from './file-locations.ts';
import { SettingsError, type SettingsProblem } from './problems.ts';
import { checkRules, configuredBaseUrl, isLocalOnly, TOP_ENVIRONMENT } from './rules.ts';
import type { Path } from '../core/yaml-tree.ts';

export type { ConnectionDeclaration, InterceptorDeclaration, WebhookDeclaration } from './declarations.ts';
export { SettingsError, type SettingsProblem } from './problems.ts';
export type { SettingsFlags } from './variables.ts';
export type { SettingsSources } from './collect.ts';

/** Words of `log_level`, from everything to failures only. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Everything that can be set. Durations are milliseconds, sizes bytes, paths absolute. */
export interface Settings {
  /** Absolute path of gatehouse.yaml; absent when there is none. */
  configFile?: string;
  dataDir: string;
  /** `sqlite:<absolute path>` or `postgres://…`. May hold a password. */
  databaseUrl: string;
  /** Address the listener binds, an IPv6 one without brackets. */
  host: string;
  /** 0: a free one. */
  port: number;
  /** With `masterKey` the key file is not used. */
  keys: { masterKey?: string; masterKeyFile: string };
  outbound: {
    allowPrivateHosts: readonly string[];
    caFile?: string;
    connectTimeoutMs: number;
    headersTimeoutMs: number;
    totalTimeoutMs: number;
    maxResponseBytes: number;
  };
  logLevel: LogLevel;
  lifetimes: {
    tokenMs: number;
    linkMs: number;
    stateMs: number;
    pendingVerificationMs: number;
    sessionMs: number;
  };
  refresh: { marginMs: number; leaseMs: number; deadlineMs: number };
  inbound: { maxBodyBytes: number; maxConnections: number };
  mcp: {
    /** Absent: not narrowed. */
    connectors?: readonly string[];
    toolsets?: readonly string[];
    tools?: readonly string[];
    readOnly: boolean;
    discovery: boolean;
    maxResultBytes: number;
    /** '' when a stdio session acts for an organization. */
    userId: string;
    organizationId?: string;
  };
  retention: { executionsMs: number; interceptorLogsMs: number; webhookDeliveriesMs: number };
  smtp?: { url: string; from: string };
  requestInfo?: {
    trustedProxies: readonly string[];
    ipHeader?: string;
    regionHeader?: string;
    cityHeader?: string;
  };
  /** Folders beside the shipped catalogs. */
  catalogDirs: readonly string[];
  /** The first is `development`, the top level of the file. */
  environments: readonly [EnvironmentSettings, ...EnvironmentSettings[]];
  /**
   * A problem at the place where a setting was written, found by looking at more than the settings.
   *
   * @param path as in the file: `['connections', 0, 'connector']`
   * @param concerns paths of what else was looked at
   * @returns undefined where one of them is faulty already
   */
  problemAt: (path: Path, message: string, concerns?: readonly Path[]) => SettingsProblem | undefined;
}

/** What each environment has of its own. */
export interface EnvironmentSettings {
  name: string;
  /** An origin. Absent only for `development` while the port is 0: see resolveBaseUrl. */
  baseUrl?: string;
  /** Both or none. */
  clientId?: string;
  clientSecret?: string;
  userVerification: 'none' | 'app' | 'signed_in';
  userVerifyUrl?: string;
  /** Empty: no allow-list. */
  userVerifyUrls: readonly string[];
  signUp: 'closed' | 'invited' | 'open';
  /** Base URL and listener are both on loopback. */
  isLocalOnly: boolean;
  connections: readonly ConnectionDeclaration[];
  interceptors: readonly InterceptorDeclaration[];
  webhooks: readonly WebhookDeclaration[];
}

/**
 * Reads the settings; later wins: defaults, gatehouse.yaml, environment, flags.
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
 * @param actualPort the port that was bound; matters only where no base URL is configured
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
  const { keys, outbound, lifetimes, refresh, inbound, mcp, retention, smtp, request_info: info } = values;
  const dataDir =
    values.data_dir === undefined ? defaultDataDir(places) : absolutePath(values.data_dir, places);
  const keyFile = keys.master_key_file;
  const own = (name: string, part: EnvironmentFileSettings): EnvironmentSettings =>
    environmentSettings(name, part, values);
  return {
    ...given('configFile', file.path),
    dataDir,
    databaseUrl: absoluteDatabaseUrl(
      values.database_url ?? `sqlite:${join(dataDir, 'gatehouse.db')}`,
      places,
    ),
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
    },
    logLevel: values.log_level,
    lifetimes: {
      tokenMs: lifetimes.token,
      linkMs: lifetimes.link,
      stateMs: lifetimes.state,
      pendingVerificationMs: lifetimes.pending_verification,
      sessionMs: lifetimes.session,
    },
    refresh: { marginMs: refresh.margin, leaseMs: refresh.lease, deadlineMs: refresh.deadline },
    inbound: { maxBodyBytes: inbound.max_body_bytes, maxConnections: inbound.max_connections },
    mcp: {
      ...given('connectors', mcp.connectors),
      ...given('toolsets', mcp.toolsets),
      ...given('tools', mcp.tools),
      readOnly: mcp.read_only,
      discovery: mcp.discovery,
      maxResultBytes: mcp.max_result_bytes,
      userId: mcp.user_id ?? (mcp.organization_id === undefined ? 'local' : ''),
      ...given('organizationId', mcp.organization_id),
    },
    retention: {
      executionsMs: retention.executions,
      interceptorLogsMs: retention.interceptor_logs,
      webhookDeliveriesMs: retention.webhook_deliveries,
    },
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
    problemAt: (path, message, concerns) => collected.problemAt(path, message, concerns),
  };
}

function environmentSettings(
  name: string,
  part: EnvironmentFileSettings,
  listener: { host: string; port: number },
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
    userVerifyUrls: part.user_verify_urls ?? [],
    signUp: part.sign_up ?? (localOnly ? 'open' : 'closed'),
    isLocalOnly: localOnly,
    connections: (part.connections ?? []).map((entry) => ({ ...entry, name: entry.name ?? entry.connector })),
    interceptors: part.interceptors ?? [],
    webhooks: part.webhooks ?? [],
  };
}

/** A member that is there only when it has a value. */
function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
