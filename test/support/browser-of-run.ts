/** The one Chromium of a run: starting it takes longer than most pages. */
import { existsSync } from 'node:fs';
import { chromium, type BrowserServer } from 'playwright-core';

/** Chromium without windows: with it the tests take a fifth less time. */
const HEADLESS = '/usr/bin/chromium-headless-shell';

/** Path of the system's Chromium. */
export const CHROMIUM =
  process.env.GATEHOUSE_TEST_CHROMIUM ?? (existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium');

/**
 * What no test needs of the program around the pages: each of its windows would start two processes for suggestions
 * below the address, and each page one for a page that may follow. Together half as much as the pages themselves.
 */
const LEFT_OUT = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];

/** What playwright-core leaves out. Chromium heeds the last list only, so this is said again. */
const LEFT_OUT_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...LEFT_OUT_BY_PLAYWRIGHT, ...LEFT_OUT].join(',')}`,
];

/** @throws when it is missing */
export async function startBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: CHROMIUM, args: ARGUMENTS });
}
