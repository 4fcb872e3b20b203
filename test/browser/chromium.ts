/**
 * The system's Chromium for tests that only a real browser can prove.
 *
 * Where it is missing these tests are skipped with a sentence, but never in CI (`CI=true`): there they fail.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATH = process.env.GATEHOUSE_TEST_CHROMIUM ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** True where the browser tests cannot run and need not. */
export const isWithoutBrowser = !existsSync(PATH) && process.env.CI !== 'true';

if (isWithoutBrowser) {
  process.stderr.write(
    `Browser tests are skipped: there is no Chromium at ${PATH}. Install it (apt-get install chromium) or set GATEHOUSE_TEST_CHROMIUM.\n`,
  );
}

/** Starts the browser. @throws when it is missing in CI */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: ARGUMENTS });
}
