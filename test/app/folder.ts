/** An installation's folder for one test, and settings that lead there. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { loadSettings, type Settings } from '../../src/settings/settings.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** An empty folder, removed after the test; `files` by their path in it. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-app-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Settings with their data in `<folder>/data` and nothing of the machine's own. */
export function settingsIn(folder: string, env: Readonly<Record<string, string>> = {}): Settings {
  return loadSettings({
    flags: {},
    env: { GATEHOUSE_DATA_DIR: join(folder, 'data'), GATEHOUSE_PORT: '0', ...env },
    cwd: folder,
    homeDir: folder,
  });
}
