/** The dashboard of a site at an address of its own, for a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openSite, type Site, type SiteOptions, type Who } from '../dashboard/dashboard-site.ts';
import { faultsOf } from './accessibility.ts';
import { openPage, type Opened } from './chromium.ts';

/** A site that real browsers reach. */
export interface ServedSite extends Site {
  origin: string;
  /** A page of `openPage` in which a person is signed in. */
  open(browser: Browser, who: Who, path: string, options?: BrowserContextOptions): Promise<Opened>;
  /**
   * Everything that is wrong with a page as somebody finds it.
   *
   * @param look.before what is done on the page first
   * @returns as `faultsOf`
   */
  faultsAt(browser: Browser, look: Look): Promise<string[]>;
  close(): Promise<void>;
}

/** What is looked at, and by whom. */
export interface Look {
  who: Who;
  path: string;
  /** Of the screenshots. */
  name: string;
  before?: (page: Page) => Promise<unknown>;
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
  const open: ServedSite['open'] = async (browser, who, path, options) => {
    const opened = await openPage(browser, options);
    const cookie = { name: 'gatehouse_session', value: await site.cookieOf(who), url: origin };
    await opened.page.context().addCookies([cookie]);
    await opened.page.goto(origin + path);
    return opened;
  };
  return {
    ...site,
    origin,
    open,
    faultsAt: async (browser, { who, path, name, before }) => {
      const { page, heard } = await open(browser, who, path);
      await before?.(page);
      return faultsOf(page, name, heard);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
