/**
 * The sandbox: stand-in providers on a loopback port of their own, for the demo and the tests.
 *
 * It contains only invented data. In the program only the demo and `gatehouse sandbox` start it; a server for
 * real use must never import it.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { systemClock, type Clock } from '../src/core/clock.ts';
import { newSecret } from '../src/core/ids.ts';
import { startCrm, type CrmOptions } from './crm/crm.ts';
import { startMail } from './mail/mail.ts';
import { startNotes } from './notes/notes.ts';
import { appsRoutes } from './oauth/apps-routes.ts';
import type { SandboxProvider, StandIn } from './oauth/provider.ts';
import { startVideo, type VideoOptions } from './video/video.ts';
import { startWarehouse } from './warehouse/warehouse.ts';
import { websearchRoutes } from './websearch/routes.ts';

/** A request the sandbox received. */
export interface SandboxRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON; the text if it is not JSON; `undefined` without a body. */
  body: unknown;
  /** Status of the answer. */
  status: number;
}

/** Connectors with OAuth that have a stand-in. */
export type OAuthConnector = 'crm' | 'mail' | 'video' | 'warehouse';

/** A running sandbox. */
export interface Sandbox {
  /** `http://127.0.0.1:<port>`; replaces the origins of all providers. */
  url: string;
  /** The only key that web search accepts, generated for each sandbox that is not public. */
  apiKey: string;
  /** The CRM: the app registered with it, and operations on its tokens. */
  crm: SandboxProvider;
  /** The same for all stand-ins with OAuth, including the CRM, by connector. */
  providers: Readonly<Record<OAuthConnector, SandboxProvider>>;
  /** Somebody else's MCP server. */
  notes: {
    /** Its address. */
    url: string;
    provider: SandboxProvider;
    /** Says something else of a tool from now on. */
    retell: (tool: string, description: string) => void;
  };
  /** The last 1,000 requests, oldest first. */
  requests(): readonly SandboxRequest[];
  close(): Promise<void>;
}

/** Options for starting the sandbox. */
export interface SandboxOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Takes any redirect URI on loopback, and secrets that are the same in every sandbox. */
  isPublic?: boolean;
  clock?: Clock;
  crm?: CrmOptions;
  video?: VideoOptions;
}

const MAX_KEPT_REQUESTS = 1_000;
const MAX_BODY_BYTES = 1_000_000;

/**
 * Starts the stand-in providers on loopback.
 *
 * @throws the listen error if the port is taken
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port: wantedPort = 0, isPublic = false, clock = systemClock } = options;
  const apiKey = isPublic ? 'sandbox-public-key' : `sandbox-${newSecret()}`;
  const standIns: Record<OAuthConnector, StandIn> = {
    mail: startMail(clock),
    video: startVideo(clock, options.video),
    warehouse: startWarehouse(clock),
    // Last, because it takes every path under /v2.
    crm: startCrm(clock, options.crm ?? {}),
  };
  const notes = startNotes(clock);
  const all = [notes, ...Object.values(standIns)];
  if (isPublic) for (const { provider } of all) provider.openToEverybody();
  const { crm, mail, video, warehouse } = standIns;
  const kept: SandboxRequest[] = [];
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.use(async (c, next) => {
    const text = await c.req.raw.clone().text();
    await next();
    const { pathname, search } = new URL(c.req.url);
    kept.push({
      method: c.req.method,
      path: pathname + search,
      headers: c.req.header(),
      body: parseBody(text),
      status: c.res.status,
    });
    if (kept.length > MAX_KEPT_REQUESTS) kept.shift();
  });
  app.route('/', appsRoutes(all.map(({ provider }) => provider)));
  for (const { routes } of all) app.route('/', routes);
  app.route('/', websearchRoutes({ apiKey, clock }));

  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: wantedPort });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    crm: crm.provider,
    providers: {
      crm: crm.provider,
      mail: mail.provider,
      video: video.provider,
      warehouse: warehouse.provider,
    },
    notes: { url: `http://127.0.0.1:${port}${notes.path}`, provider: notes.provider, retell: notes.retell },
    requests: () => kept,
    close: () => closeServer(server),
  };
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function closeServer(server: ServerType): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
}
