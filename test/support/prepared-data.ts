/**
 * The data folder of an installation that has started once: its database has its tables, and a key that signs tokens.
 * Making both takes a program a quarter of a second of a processor, and tests start many programs that are new. Made once
 * for each worker. In the full rounds, and outside of vitest, every program begins without data.
 */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../src/app/serve/serve.ts';
import { silentLog } from '../../src/core/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { ROUNDS } from './rounds.ts';

/** The API credential that the environment variables of the tests' programs give. */
export const API_CREDENTIAL = {
  id: 'test-client',
  secret: 'a-secret-of-the-test-that-is-long-enough-0123456789',
};

let made: Promise<string> | undefined;

/** Gives an installation with `API_CREDENTIAL` and without `environments` in its settings what its first start makes. */
export async function prepareData(folder: string): Promise<void> {
  if (process.env.VITEST === undefined || ROUNDS.full) return;
  made ??= make();
  cpSync(await made, folder, { recursive: true, preserveTimestamps: true });
}

/** Lives until the end of the run, as its folder does. */
async function make(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-prepared-'));
  const env = {
    GATEHOUSE_DATA_DIR: 'data',
    GATEHOUSE_CLIENT_ID: API_CREDENTIAL.id,
    GATEHOUSE_CLIENT_SECRET: API_CREDENTIAL.secret,
  };
  const settings = loadSettings({ flags: { port: '0' }, env, cwd: folder, homeDir: folder });
  const server = await startServer({ settings, log: silentLog });
  // The first look at the keys makes one.
  await (await fetch(`${server.baseUrl}/keys`)).text();
  await server.stop();
  return join(folder, 'data');
}
