import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compiledCatalog } from './test/support/compiled-catalog.ts';
import { madeSigningKeys } from './test/support/made-signing-keys.ts';
import { migratedTemplate } from './test/support/migrated-template.ts';
import { ROUNDS } from './test/support/rounds.ts';

/** Files that start programs, browsers and servers. They mostly wait, and they take longest. */
const SLOW = 'test/{bench,process,browser,conformance,store/engine,upstream}/**/*.test.ts';

/** It explains the statements that all other files send, so it runs when they have ended. */
const LAST = 'test/store/statement-plans.test.ts';

const plugins = ROUNDS.full ? [] : [compiledCatalog(), migratedTemplate(), madeSigningKeys()];
const test = {
  setupFiles: ['test/support/noted-statements.ts', 'test/support/close-after-file.ts'],
  // For what hangs only: a busy machine may take many times as long as a quiet one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
  // Files share a worker's modules: half the time of short ones. Each cleans up after itself.
  isolate: false,
  // Halves the time of a start, and tests start many processes.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // One group after the other, the longest files first: one of them at the end would leave a core without work.
    projects: [
      { plugins, test: { ...test, name: 'slow', include: [SLOW], maxWorkers: 4 } },
      {
        plugins,
        test: {
          ...test,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [SLOW, LAST],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      { plugins, test: { ...test, name: 'last', include: [LAST], sequence: { groupOrder: 2 } } },
    ],
  },
});
