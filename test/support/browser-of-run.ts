/** The one Chromium of a run: starting it takes longer than most pages. Runs in vitest's main process only. */
import { chromium, type BrowserServer } from 'playwright-core';

/** Path of the system's Chromium. */
export const CHROMIUM = process.env.GATEHOUSE_TEST_CHROMIUM ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @throws when it is missing */
export async function startBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: CHROMIUM, args: ARGUMENTS });
}
