/** The dashboard of a site at an address of its own, for a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openSite, type Site, type SiteOptions, type Who } from '../dashboard/dashboard-site.ts';
import { listen } from './accessibility.ts';

/** A site that real browsers reach. */
export interface ServedSite extends Site {
  origin: string;
  /** A page of a person who is signed in, and what it said on its console. */
  open(
    browser: Browser,
    who: Who,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<{ page: Page; heard: string[] }>;
  close(): Promise<void>;
}

/** Opens a site and serves it on a port of its own. @param options as for `openSite` */
export async function serveSite(options: Omit<SiteOptions, 'baseUrl'> = {}): Promise<ServedSite> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site = await openSite({ ...options, baseUrl: origin });
  const listener = getRequestListener(site.app.fetch);
  server.on('request', (request, response) => void listener(request, response));
  return {
    ...site,
    origin,
    open: async (browser, who, path, contextOptions) => {
      const context = await browser.newContext(contextOptions);
      await context.addCookies([{ name: 'gatehouse_session', value: await site.cookieOf(who), url: origin }]);
      const page = await context.newPage();
      const heard = listen(page);
      await page.goto(origin + path);
      return { page, heard };
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
