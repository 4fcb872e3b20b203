/** A folder with a gatehouse.yaml, and the settings or problems that come of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import {
  loadSettings,
  SettingsError,
  type Settings,
  type SettingsFlags,
} from '../../src/settings/settings.ts';

export interface Sources {
  /** Text of gatehouse.yaml; undefined: no file. */
  yaml?: string | undefined;
  env?: Record<string, string>;
  flags?: SettingsFlags;
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** An empty folder that is removed after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-settings-'));
  folders.push(folder);
  mkdirSync(join(folder, 'work'));
  mkdirSync(join(folder, 'home'));
  return folder;
}

/** Settings of a process started in `work` of a fresh folder. */
export function settingsOf({ yaml, env = {}, flags = {} }: Sources, folder = emptyFolder()): Settings {
  if (yaml !== undefined) writeFileSync(join(folder, 'work', 'gatehouse.yaml'), yaml);
  return loadSettings({ flags, env, cwd: join(folder, 'work'), homeDir: join(folder, 'home') });
}

/** Problems as `line key: message`, `key: message` outside the file; empty when the settings are valid. */
export function problemsOf(sources: Sources): string[] {
  try {
    settingsOf(sources);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(
      ({ line, key, message }) => `${line === undefined ? '' : `${line} `}${key}: ${message}`,
    );
  }
}
