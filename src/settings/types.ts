/** What the settings are once they are read, and what one fault in them is. Types only. */
import type { Path } from '../core/yaml-tree.ts';
import type { ConnectionDeclaration, InterceptorDeclaration, WebhookDeclaration } from './declarations.ts';

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

/** One fault. `line` and `file` are set when the place is in gatehouse.yaml. */
export interface SettingsProblem {
  source: 'file' | 'env' | 'flag';
  /** Absolute path of the settings file. */
  file?: string;
  /** Line in that file, from 1. */
  line?: number;
  /** Dotted yaml path, environment variable or flag; '' when the file as a whole is meant. */
  key: string;
  message: string;
}
