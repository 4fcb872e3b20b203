/** The dashboard of a site at an address of its own, for a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openSite, type Site, type SiteOptions, type Who } from '../dashboard/dashboard-site.ts';
import { bringAxe, faultsOf, listen } from './accessibility.ts';

/** A site that real browsers reach. */
export interface ServedSite extends Site {
  origin: string;
  /** A page of a person who is signed in, and what it said on its console. */
  open(browser: Browser, who: Who, path: string, options?: BrowserContextOptions): Promise<Opened>;
  /**
   * Everything that is wrong with a page as somebody finds it. All looks of one person are in one page of the browser.
   *
   * @param look.before what is done on the page first
   * @returns as `faultsOf`
   */
  faultsAt(browser: Browser, look: Look): Promise<string[]>;
  close(): Promise<void>;
}

/** A page of a browser, and what it said on its console. */
export interface Opened {
  page: Page;
  heard: string[];
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
  const signedIn = async (
    browser: Browser,
    who: Who,
    contextOptions?: BrowserContextOptions,
  ): Promise<Opened> => {
    const context = await browser.newContext(contextOptions);
    await context.addCookies([{ name: 'gatehouse_session', value: await site.cookieOf(who), url: origin }]);
    const page = await context.newPage();
    return { page, heard: listen(page) };
  };
  const looking = new Map<Who, Opened>();
  const lookAs = async (browser: Browser, who: Who): Promise<Opened> => {
    const opened = looking.get(who) ?? (await signedIn(browser, who));
    if (!looking.has(who)) await bringAxe(opened.page);
    looking.set(who, opened);
    opened.heard.length = 0;
    return opened;
  };
  return {
    ...site,
    origin,
    open: async (browser, who, path, contextOptions) => {
      const opened = await signedIn(browser, who, contextOptions);
      await opened.page.goto(origin + path);
      return opened;
    },
    faultsAt: async (browser, { who, path, name, before }) => {
      const { page, heard } = await lookAs(browser, who);
      await page.goto(origin + path);
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
