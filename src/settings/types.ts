/** Types of the settings after reading, and of one problem in them. Types only. */
import type { Brand } from '../core/environment.ts';
import type { SettingInForce } from '../core/telemetry/installation-report.ts';
import type { Path } from '../core/yaml/yaml-tree.ts';
import type { ConnectionDeclaration, InterceptorDeclaration, WebhookDeclaration } from './declarations.ts';

/** Values of `log_level`, from everything to failures only. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Everything that can be set. Durations are milliseconds, sizes bytes, paths absolute. */
export interface Settings {
  /** Absolute path of gatehouse.yaml; absent without the file. */
  configFile?: string;
  dataDir: string;
  /** `sqlite:<absolute path>` or `postgres://…`. May hold a password. */
  databaseUrl: string;
  database: { poolSize: number };
  /** Address that the listener binds; an IPv6 address has no brackets. */
  host: string;
  /** 0 means any free port. */
  port: number;
  /** If `masterKey` is set, the key file is not used. */
  keys: { masterKey?: string; masterKeyFile: string };
  outbound: {
    allowPrivateHosts: readonly string[];
    caFile?: string;
    connectTimeoutMs: number;
    headersTimeoutMs: number;
    totalTimeoutMs: number;
    maxResponseBytes: number;
    connectionsPerOrigin: number;
  };
  logLevel: LogLevel;
  /** Whether each tool call and each other request is logged. */
  logRequests: boolean;
  /** Whether `/docs` shows the REST API in a browser. */
  servesDocs: boolean;
  /** The listener for `/metrics` alone; absent without `metrics.port`. */
  metrics?: { host: string; port: number };
  lifetimes: {
    tokenMs: number;
    linkMs: number;
    stateMs: number;
    pendingVerificationMs: number;
    sessionMs: number;
  };
  refresh: { marginMs: number; leaseMs: number; deadlineMs: number };
  inbound: { maxBodyBytes: number; maxConnections: number; keepAliveTimeoutMs: number; drainDelayMs: number };
  executions: { areRequired: boolean };
  mcp: {
    /** All connectors if absent. */
    connectors?: readonly string[];
    toolsets?: readonly string[];
    tools?: readonly string[];
    readOnly: boolean;
    discovery: 'off' | 'on' | 'auto' | 'core';
    ownTools: boolean;
    maxResultBytes: number;
    /** '' if a stdio session acts for an organization. */
    userId: string;
    organizationId?: string;
  };
  retention: {
    executionsMs: number;
    summariesMs: number;
    interceptorLogsMs: number;
    webhookDeliveriesMs: number;
  };
  webhooks: { giveUpAfterMs: number };
  smtp?: { url: string; from: string };
  requestInfo?: {
    trustedProxies: readonly string[];
    ipHeader?: string;
    regionHeader?: string;
    cityHeader?: string;
  };
  /** Folders in addition to the shipped catalogs. */
  catalogDirs: readonly string[];
  /** The first is `development`, the top level of the file. */
  environments: readonly [EnvironmentSettings, ...EnvironmentSettings[]];
  /** Settings of the installation and of one environment, as they are in force. */
  inForce: (environmentName: string) => readonly SettingInForce[];
  /**
   * Builds a problem at the place where a setting was written, for rules that look at more than the settings.
   *
   * @param path as in the file: `['connections', 0, 'connector']`
   * @param concerns paths of the other settings that the rule looks at
   * @returns `undefined` if one of them is already faulty
   */
  problemAt: (path: Path, message: string, concerns?: readonly Path[]) => SettingsProblem | undefined;
}

/** Settings that each environment has for itself. */
export interface EnvironmentSettings {
  name: string;
  /** An origin. Absent only for `development` while the port is 0; see resolveBaseUrl. */
  baseUrl?: string;
  /** Client id and client secret are both set or both absent. */
  clientId?: string;
  clientSecret?: string;
  userVerification: 'none' | 'app' | 'signed_in';
  userVerifyUrl?: string;
  /** `userVerifyUrl` alone if the file names none; any URL is allowed if empty. */
  userVerifyUrls: readonly string[];
  signUp: 'closed' | 'invited' | 'open';
  /** Base URL and listener are both on loopback. */
  isLocalOnly: boolean;
  brand: Brand;
  connections: readonly ConnectionDeclaration[];
  interceptors: readonly InterceptorDeclaration[];
  webhooks: readonly WebhookDeclaration[];
}

/** One problem. `line` and `file` are set if the place is in gatehouse.yaml. */
export interface SettingsProblem {
  source: 'file' | 'env' | 'flag';
  /** Absolute path of the settings file. */
  file?: string;
  /** Line in that file, from 1. */
  line?: number;
  /** Dotted yaml path, environment variable or flag; '' if the problem is about the file as a whole. */
  key: string;
  message: string;
}
