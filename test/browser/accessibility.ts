/**
 * Looks at a page as a strict visitor: axe-core in light and dark, wide and narrow, which is each of the four in the full
 * rounds and one of two in the others; no control smaller than 24 px (WCAG 2.2, 2.5.8); nothing on the console; nothing
 * that the policy had to block; nothing wider than the screen.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROUNDS } from '../support/rounds.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where screenshots go, for a look at the pages. */
const SHOTS = process.env.GATEHOUSE_TEST_SHOTS;

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 740 };

const LOOKS = [
  { size: WIDE, colorScheme: 'light' },
  { size: NARROW, colorScheme: 'dark' },
  { size: WIDE, colorScheme: 'dark' },
  { size: NARROW, colorScheme: 'light' },
] as const;

/** How a page is looked at. In the reduced rounds half of the pages are wide and light, the others narrow and dark. */
function looksAt(name: string): readonly (typeof LOOKS)[number][] {
  if (ROUNDS.everyTheme || SHOTS !== undefined) return LOOKS;
  const half = name.length % 2;
  return LOOKS.slice(half, half + 1);
}

/** Collects what a page says on its console, its errors and what its policy blocks. Begin before the first page. */
export function listen(page: Page): string[] {
  const heard: string[] = [];
  page.on('console', (message) => void heard.push(message.text()));
  page.on('pageerror', (error) => void heard.push(error.message));
  return heard;
}

/**
 * Everything that is wrong with the page that is open; `[]` for a good one.
 *
 * @param name of the screenshots, which are made where GATEHOUSE_TEST_SHOTS names a folder
 * @param heard of `listen`
 */
export async function faultsOf(page: Page, name: string, heard: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for (const { size, colorScheme } of looksAt(name)) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const at = `${name} ${size.width} ${colorScheme}`;
    const wide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (wide > 0) found.push(`${at}: ${wide} px wider than the screen`);
    found.push(...(await violations(page)).map((violation) => `${at}: ${violation}`));
    if (SHOTS !== undefined)
      await page.screenshot({
        path: join(SHOTS, `${name}-${size.width}-${colorScheme}.png`),
        fullPage: true,
        // Hiding it takes a style element, which the policy of a page blocks.
        caret: 'initial',
      });
  }
  return [...found, ...heard];
}

/** Pages to which every document brings axe-core along: sending and compiling it takes longer than a look. */
const withAxe = new WeakSet<Page>();

/** What axe-core finds. Its script runs outside of the policy of the page. */
async function violations(page: Page): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('globalThis.bringAxe?.(); typeof axe !== "undefined"');
  if (!isThere) {
    if (!withAxe.has(page)) await page.addInitScript(`globalThis.bringAxe = () => { ${AXE} };`);
    withAxe.add(page);
    await page.evaluate(AXE);
  }
  return page.evaluate<string[]>(
    `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`,
  );
}
