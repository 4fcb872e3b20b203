/**
 * The sandbox: stand-in providers on a loopback port of their own, for the demo and the tests.
 *
 * It holds invented data only. Nothing starts it but the demo: it must never be imported by a server that
 * people use for real.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { systemClock, type Clock } from '../core/clock.ts';
import { newSecret } from '../core/ids.ts';
import { websearchRoutes } from './websearch/routes.ts';

/** A request the sandbox received. */
export interface SandboxRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON; the text when it is not JSON; undefined without a body. */
  body: unknown;
  /** Status of the answer. */
  status: number;
}

/** A running sandbox. */
export interface Sandbox {
  /** `http://127.0.0.1:<port>`; stands in for `https://api.exa.ai`. */
  url: string;
  /** The only key it accepts, made anew for each sandbox. */
  apiKey: string;
  /** The last 1,000 requests, oldest first. */
  requests(): readonly SandboxRequest[];
  close(): Promise<void>;
}

const MAX_KEPT_REQUESTS = 1_000;
const MAX_BODY_BYTES = 1_000_000;

/**
 * Starts the stand-in web-search provider on loopback.
 *
 * @param options.port default 0: a free one
 * @throws the listen error when the port is taken
 */
export async function startSandbox(options: { port?: number; clock?: Clock } = {}): Promise<Sandbox> {
  const apiKey = `sandbox-${newSecret()}`;
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
  app.route('/', websearchRoutes({ apiKey, clock: options.clock ?? systemClock }));

  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: options.port ?? 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, apiKey, requests: () => kept, close: () => closeServer(server) };
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
