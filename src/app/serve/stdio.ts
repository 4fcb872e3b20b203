/** `gatehouse mcp`: MCP over stdio for one desktop client, on the same data as every other command. */
import { normalizeText } from '../../core/text-rules.ts';
import type { Settings } from '../../settings/settings.ts';
import { SCOPES, type Caller } from '../../core/caller.ts';
import type { Log } from '../../core/log.ts';
import { serveStdioMcp } from '../../mcp/transports/stdio.ts';
import { openServices } from '../services/services.ts';
import { startFileCheck } from './file-check.ts';
import type { LinkListener } from './link-listener.ts';
import { buildMcp } from './build-mcp.ts';
import { startRetention } from './retention-timer.ts';
import { startSealingRecord } from './sealing-record-timer.ts';
import { toldToStop } from './stop-signal.ts';
import { warnOfOpenKeyFile } from '../services/open-vault.ts';

/**
 * Serves until the client disconnects or a signal stops the process, then closes everything.
 *
 * After a signal, running calls are answered first; a disconnect cancels them. Both are recorded.
 */
export async function runStdio({
  settings,
  log,
  environment: environmentName = 'development',
}: {
  settings: Settings;
  log: Log;
  environment?: string;
}): Promise<void> {
  let listener: Promise<LinkListener> | undefined;
  // Loaded on demand: its listener and pages slow the start, and sessions without links never need them.
  const openListener = async (): Promise<LinkListener> => {
    const { LinkListener } = await import('./link-listener.ts');
    return new LinkListener(services);
  };
  const services = await openServices({
    settings,
    log,
    linkBase: async (environmentId) => (await (listener ??= openListener())).baseUrl(environmentId),
  });
  warnOfOpenKeyFile(settings, log);
  const stopRetention = startRetention(services);
  const endSealingRecord = startSealingRecord(services, 'mcp');
  const fileCheck = startFileCheck(services);
  services.deliverer.start();
  const stopping = new AbortController();
  const { userId, organizationId = '' } = settings.mcp;
  const caller: Caller = {
    kind: 'operator',
    environmentId: services.environments.byName(environmentName).id,
    actor: 'local',
    scopes: new Set(SCOPES),
    source: 'mcp',
    owner: { userId: normalizeText(userId), organizationId: normalizeText(organizationId) },
    ip: '',
  };
  try {
    const { parts, publisher } = buildMcp(services);
    stopping.signal.addEventListener('abort', () => services.shortenTimeouts());
    void toldToStop(log).then(() => stopping.abort());
    services.outbound.loadSoon();
    log.info('mcp_stdio_ready', { path: settings.dataDir, pid: process.pid });
    const session = {
      caller,
      get publishedTools() {
        return publisher.in(caller.environmentId).base;
      },
      listDependsOnCaller: false,
    };
    await serveStdioMcp(parts, session, { signal: stopping.signal });
  } finally {
    services.shortenTimeouts();
    await (await listener)?.close();
    await stopRetention();
    await fileCheck.stop();
    await endSealingRecord();
    await services.close();
  }
}
