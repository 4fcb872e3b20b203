/** The server as `gatehouse serve` builds it, with the suite's tools in addition to the catalog's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIdentity } from '../../src/app/serve/build-identity.ts';
import { httpRoutes } from '../../src/app/serve/http-routes.ts';
import { openServices } from '../../src/app/services/services.ts';
import { buildMcp } from '../../src/app/serve/build-mcp.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog } from '../../src/core/log.ts';
import { Listener } from '../../src/http/listener/listener.ts';
import { Metrics } from '../../src/http/listener/metrics.ts';
import { McpHttp } from '../../src/mcp/transports/http.ts';
import type { ExtraTool } from '../../src/mcp/session.ts';

/** @returns the MCP address, a token for it, and how to stop */
export async function startRealServer(
  extraTools: readonly ExtraTool[],
): Promise<{ url: string; token: string; close: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-'));
  const settings = loadSettings({
    flags: {},
    env: { GATEHOUSE_DATA_DIR: dir, GATEHOUSE_PORT: '0' },
    cwd: dir,
    homeDir: dir,
  });
  const services = await openServices({ settings, log: silentLog });
  const identity = buildIdentity(services);
  const { parts, publisher } = buildMcp(services);
  const mcp = new McpHttp(
    { ...parts, extraTools },
    { publisher, maxBodyBytes: settings.inbound.maxBodyBytes },
  );
  const listener = new Listener({ host: settings.host, port: 0, log: silentLog });
  const { port } = await listener.listen();
  const baseUrl = `http://127.0.0.1:${port}`;
  const { id } = services.environments.byName('development');
  services.environments.assignBaseUrl(id, baseUrl);
  const { clientId, clientSecret = '' } = await identity.credentials.ensureFirst(id, {});
  listener.serve({
    environments: services.environments.all,
    routes: httpRoutes({ services, identity, mcp, metrics: new Metrics(), ready: async () => ({}) }),
  });
  return {
    url: `${baseUrl}/mcp`,
    token: await fetchToken(baseUrl, clientId, clientSecret),
    close: async () => {
      await mcp.close();
      await listener.close({ softMs: 500, hardMs: 1_000 });
      await services.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function fetchToken(baseUrl: string, clientId: string, clientSecret: string): Promise<string> {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
