/**
 * The system's Chromium for tests that only a real browser can prove.
 *
 * Where it is missing these tests are skipped with a sentence, but never in CI (`CI=true`): there they fail.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM } from '../support/browser-of-run.ts';
import { listen } from './accessibility.ts';

/** True where the browser tests cannot run and need not. */
export const isWithoutBrowser = !existsSync(CHROMIUM) && process.env.CI !== 'true';

if (isWithoutBrowser) {
  process.stderr.write(
    `Browser tests are skipped: there is no Chromium at ${CHROMIUM}. Install it (apt-get install chromium) or set GATEHOUSE_TEST_CHROMIUM.\n`,
  );
}

/** Connects to the browser of the run. Closing it ends its own pages only. @throws when it is missing in CI */
export async function connectBrowser(): Promise<Browser> {
  const response = await fetch(inject('browserAddress'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return chromium.connect(text);
}

/** A page of a browser, and what it said on its console. */
export interface Opened {
  page: Page;
  heard: string[];
}

/** Pages by browser and by the options that cannot be changed later. */
const kept = new WeakMap<Browser, Map<string, Opened>>();

/**
 * A page without cookies, in the size and colors of the options. It is the page of the test before where that had the
 * same options: opening a context takes longer than most tests. The next call takes it away.
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const { viewport = { width: 1280, height: 720 }, colorScheme = 'light', ...fixed } = options;
  const pages = kept.get(browser) ?? new Map<string, Opened>();
  kept.set(browser, pages);
  const key = JSON.stringify(fixed);
  const before = pages.get(key);
  if (before === undefined || before.page.isClosed()) {
    const page = await (await browser.newContext(options)).newPage();
    const opened = { page, heard: listen(page) };
    pages.set(key, opened);
    return opened;
  }
  const { page, heard } = before;
  const others = page.context().pages();
  await Promise.all([
    page.context().clearCookies(),
    page.unrouteAll(),
    page.emulateMedia({ colorScheme, reducedMotion: null }),
    ...(viewport === null ? [] : [page.setViewportSize(viewport)]),
    ...others.filter((other) => other !== page).map(async (other) => other.close()),
  ]);
  heard.length = 0;
  return before;
}

/** A page with scripts that shows what another page shows: where scripts are off, axe-core cannot run. */
export async function copyOf(browser: Browser, original: Page): Promise<Page> {
  const { page } = await openPage(browser);
  const body = await original.content();
  await page.route(original.url(), async (route) => route.fulfill({ body, contentType: 'text/html' }));
  await page.goto(original.url());
  return page;
}
