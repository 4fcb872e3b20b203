/** `gatehouse serve`: REST, token endpoint, connect pages and MCP on one listener, until a stop signal. */
import { setTimeout as delay } from 'node:timers/promises';
import { LiveCatalog } from '../../catalog/model/live-catalog.ts';
import { resolveBaseUrl, type Settings } from '../../settings/settings.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { countingRefusals } from '../../core/telemetry/refusal-log.ts';
import { Listener } from '../../http/listener/listener.ts';
import { Metrics } from '../../http/listener/metrics.ts';
import type { ToolPublisher } from '../../mcp/published-tools.ts';
import { InstallationStore } from '../../store/installation/installation-store.ts';
import type { OpenOptions } from '../../store/open.ts';
import { placing } from '../services/declared.ts';
import {
  awaitFirstOperator,
  type FirstOperator,
  type FirstOperatorRequest,
} from '../services/first-operator.ts';
import { startFileCheck } from './file-check.ts';
import { httpRoutes } from './http-routes.ts';
import { buildIdentity, type Identity } from './build-identity.ts';
import { openServices, type Services } from '../services/services.ts';
import { answerWhileMigrating } from '../services/migration-listener.ts';
import { loadInstalledCatalog } from '../services/installed-catalog.ts';
import { lazyMcp, type McpEndpoint } from './mcp-endpoint.ts';
import { buildMcp } from './build-mcp.ts';
import { isPortTaken, portHeldMessage, whoHolds } from './port-holder.ts';
import { openMetricsListener } from './metrics-listener.ts';
import { metricsReadings } from './metrics-readings.ts';
import { readinessCheck } from './readiness-check.ts';
import { startRetention } from './retention-timer.ts';
import { startSealingRecord } from './sealing-record-timer.ts';
import { toldToStop } from './stop-signal.ts';
import { warnOfOpenKeyFile } from '../services/open-vault.ts';
import { settingsWithoutEffect } from './without-effect.ts';

/** Longest wait for another process of the same installation to release the port. */
const PORT_WAIT_MS = 10_000;

/** Longest wait for mail servers and interceptors during shutdown, so that callers still get an answer. */
const LAST_ANSWERS_MS = 9_000;

/** An API credential created at this start: the only time its secret is known. */
export interface FirstCredential {
  environment: string;
  clientId: string;
  clientSecret: string;
}

/** A running server. */
export interface RunningServer {
  services: Services;
  baseUrl: string;
  port: number;
  firstCredentials: readonly FirstCredential[];
  /** Absent if the environment that was asked about has an operator, or none was asked about. */
  firstOperator?: FirstOperator;
  /** Says that it is not ready for `inbound.drain_delay`, and serves on meanwhile. */
  drain(): Promise<void>;
  /** Finishes running requests and closes everything: within 10 s, at most 15 s. */
  stop(): Promise<void>;
}

/** Starts the server; returns when it answers. @throws the errors of openServices; ServiceError for a taken port */
export async function startServer({
  settings,
  log,
  watch = false,
  database,
  firstOperatorOf,
  clientDocumentUrl,
}: {
  settings: Settings;
  log: Log;
  firstOperatorOf?: FirstOperatorRequest | undefined;
  /** Whether changes in the folders of `catalog_dirs` take effect at once. */
  watch?: boolean;
  /** Durations that tests shorten. */
  database?: Omit<OpenOptions, 'url'>;
  /** Address of our client metadata document, where a test has another one than ours. */
  clientDocumentUrl?: (() => string) | undefined;
}): Promise<RunningServer> {
  const endTraces = await exportTraces();
  const metrics = new Metrics();
  const countingLog = countingRefusals(log);
  const live = watch
    ? new LiveCatalog(await loadInstalledCatalog(settings.catalogDirs, { cacheIn: settings.dataDir }))
    : undefined;
  const listener = new Listener({
    host: settings.host,
    port: settings.port,
    log: countingLog,
    limits: settings.inbound,
    requestInfo: settings.requestInfo,
    logRequests: settings.logRequests,
    onRequest: (summary) => metrics.countRequest(summary),
  });
  let services: Services | undefined;
  try {
    services = await openServices({
      settings,
      log: countingLog,
      ...(live !== undefined && { catalog: live }),
      ...(database !== undefined && { database }),
      ...(clientDocumentUrl !== undefined && { clientDocumentUrl }),
      observe: (call) => metrics.countToolCall(call),
      onLostRecords: (count) => metrics.countLostRecords(count),
      onMigration: async (_plan, db) => {
        const id = await new InstallationStore(db.read).get('installation_id');
        await answerWhileMigrating(listener, settings, id).catch((error: unknown) => {
          // The port is held by the previous process, or by another program, which is named when this process wants
          // to serve.
          if (!isPortTaken(error)) throw error;
        });
      },
    });
    const server = await serveInstallation(services, { listener, metrics, live, firstOperatorOf });
    return {
      ...server,
      stop: async () => {
        await server.stop();
        await endTraces?.();
        countingLog.end();
      },
    };
  } catch (error) {
    await listener.close();
    await services?.close();
    await endTraces?.();
    countingLog.end();
    throw error;
  }
}

/** OpenTelemetry is loaded only where somebody receives traces. @throws ServiceError that says what to install */
async function exportTraces(): Promise<(() => Promise<void>) | undefined> {
  if ((process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') === '') return undefined;
  const { startTraceExport } = await import('../services/trace-exporter.ts');
  return startTraceExport();
}

async function serveInstallation(
  services: Services,
  {
    listener,
    metrics,
    live,
    firstOperatorOf,
  }: {
    listener: Listener;
    metrics: Metrics;
    live: LiveCatalog | undefined;
    firstOperatorOf: FirstOperatorRequest | undefined;
  },
): Promise<RunningServer> {
  const { settings, log, environments } = services;
  for (const message of settingsWithoutEffect(settings)) log.warn('setting_without_effect', { message });
  warnOfOpenKeyFile(settings, log);
  const identity = buildIdentity(services);
  const { parts, publisher } = buildMcp(services, { listsChange: live !== undefined });
  let metricsListener: Listener | undefined;
  const stopMeasuring = metrics.listen(metricsReadings(services));
  try {
    const { port } = await listen(listener, services);
    metricsListener = await openMetricsListener(services, metrics);
    for (const environment of settings.environments) {
      const { id, baseUrl } = environments.byName(environment.name);
      if (baseUrl === '') environments.assignBaseUrl(id, resolveBaseUrl(settings, environment, port));
    }
    const firstCredentials = await ensureFirstCredentials(services, identity);
    const firstOperator = await awaitFirstOperator(services, firstOperatorOf);
    const mcp = lazyMcp(parts, { publisher, maxBodyBytes: settings.inbound.maxBodyBytes });
    let isDraining = false;
    const fileCheck = startFileCheck(services);
    const ready = readinessCheck(services, fileCheck, () => isDraining);
    listener.serve({
      environments: environments.all,
      routes: httpRoutes({ services, identity, mcp, metrics, ready }),
    });
    const stopRetention = startRetention(services);
    const endSealingRecord = startSealingRecord(services, 'serve');
    services.deliverer.start();
    const stopWatching = live && (await watchFolders(services, { live, publisher, mcp }));
    return {
      services,
      baseUrl: environments.byName('development').baseUrl,
      port,
      firstCredentials,
      ...(firstOperator !== undefined && { firstOperator }),
      drain: async () => {
        isDraining = true;
        await delay(settings.inbound.drainDelayMs);
      },
      stop: async () => {
        services.shortenTimeouts();
        const end = AbortSignal.timeout(LAST_ANSWERS_MS);
        identity.mailer?.endBy(end);
        services.endInterceptorsBy(end);
        await stopWatching?.();
        await Promise.all([
          listener.close(),
          metricsListener?.close(),
          mcp.close(),
          stopRetention(),
          fileCheck.stop(),
          services.deliverer.stop(),
        ]);
        await identity.mailer?.settled();
        stopMeasuring();
        await endSealingRecord();
        await services.close();
      },
    };
  } catch (error) {
    stopMeasuring();
    await metricsListener?.close();
    throw error;
  }
}

/** Gives new calls and lists the new catalog. Connections that need no declaration appear with their connector. */
async function watchFolders(
  { settings, log, environments, connections }: Services,
  { live, publisher, mcp }: { live: LiveCatalog; publisher: ToolPublisher; mcp: McpEndpoint },
): Promise<() => Promise<void>> {
  const { catalogDirs: dirs } = settings;
  if (dirs.length === 0)
    log.warn('setting_without_effect', {
      message: '--watch reads the folders of catalog_dirs again, and the settings name none.',
    });
  const { watchCatalog } = await import('./catalog-watch.ts');
  return watchCatalog({
    dirs,
    live,
    log,
    load: async () => loadInstalledCatalog(dirs),
    replace: async (next) => {
      const show = publisher.prepared(next);
      for (const environment of settings.environments)
        await connections.synchronize(
          environments.byName(environment.name).id,
          environment.connections,
          next,
        );
      live.replace(next);
      show();
      mcp.toolsChanged();
    },
  });
}

/** Credentials of the settings, and one for every environment that has none yet. */
async function ensureFirstCredentials(
  { settings, environments }: Services,
  { credentials }: Identity,
): Promise<FirstCredential[]> {
  const made: FirstCredential[] = [];
  for (const environment of settings.environments) {
    const { id } = environments.byName(environment.name);
    const { created, clientId, clientSecret } = await placing(settings, environment, async () =>
      credentials.ensureFirst(id, environment),
    );
    if (created && clientSecret !== undefined)
      made.push({ environment: environment.name, clientId, clientSecret });
  }
  return made;
}

/** Serves until SIGTERM or SIGINT, then drains after SIGTERM, and shuts down. `ready` is called once, when the server answers. */
export async function runServe(options: {
  settings: Settings;
  log: Log;
  watch?: boolean;
  firstOperatorOf?: FirstOperatorRequest;
  ready: (server: RunningServer) => void;
}): Promise<void> {
  const server = await startServer(options);
  // Signals are handled before anybody learns that the server answers and might send one.
  const stopped = toldToStop(options.log, options.settings.inbound.drainDelayMs);
  options.ready(server);
  server.services.outbound.loadSoon();
  // Ctrl-C stops at once, because it is pressed by a person and not by a load balancer.
  if ((await stopped) === 'SIGTERM') await server.drain();
  await server.stop();
}

async function listen(listener: Listener, { settings, id, log }: Services): Promise<{ port: number }> {
  const deadline = performance.now() + PORT_WAIT_MS;
  let isWaiting = false;
  for (;;) {
    try {
      return await listener.listen();
    } catch (error) {
      if (!isPortTaken(error)) throw error;
      const holder = await whoHolds(`http://127.0.0.1:${settings.port}`, id);
      const pid = holder.kind === 'same' ? holder.pid : undefined;
      if (pid !== undefined && performance.now() < deadline) {
        if (!isWaiting) log.warn('waiting_for_port', { host: `${settings.host}:${settings.port}`, pid });
        isWaiting = true;
        await delay(500);
        continue;
      }
      const message = portHeldMessage(settings.port, holder, settings.lifetimes.linkMs);
      throw new ServiceError('UNAVAILABLE', message, { cause: error });
    }
  }
}
