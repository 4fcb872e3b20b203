/** Loopback servers for a browser: the pages over a desk of links, and sites of other people. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { openDesk, type DeskOptions } from '../pages/support.ts';

/** A running server. */
interface Site {
  origin: string;
  close: () => Promise<void>;
}

/** The pages at an address of their own. */
export async function servePages(options: DeskOptions): Promise<Site & ReturnType<typeof openDesk>> {
  const server = createServer();
  const site = await listen(server);
  const desk = openDesk({ ...options, baseUrl: site.origin });
  const listener = getRequestListener(desk.app.fetch);
  server.on('request', (request, response) => void listener(request, response));
  return { ...desk, ...site };
}

/** Somebody else's site: answers everything with one document, or redirects, and keeps what it received. */
export async function serveSite(
  answer: { html?: string; redirectTo?: () => string } = {},
): Promise<Site & { received: IncomingMessage[] }> {
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    if (answer.redirectTo !== undefined) response.writeHead(302, { location: answer.redirectTo() }).end();
    else
      response.writeHead(200, { 'content-type': 'text/html' }).end(answer.html ?? '<h1>Somebody else</h1>');
  });
  return { ...(await listen(server)), received };
}

async function listen(server: ReturnType<typeof createServer>): Promise<Site> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
