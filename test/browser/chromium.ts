/**
 * The system's Chromium for tests that only a real browser can prove.
 *
 * Where it is missing these tests are skipped with a sentence, but never in CI (`CI=true`): there they fail.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM } from '../support/browser-of-run.ts';

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
