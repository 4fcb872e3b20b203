/**
 * Makes the pictures of README.md: the browser tests take them, of made-up data. Needs Chromium.
 *
 *     npm run pictures
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/pictures');

/** Test of each picture, its name there, and the name here. */
const PICTURES = [
  ['test/browser/dashboard.test.ts', 'overview-1280-light.png', 'dashboard.png'],
  ['test/browser/connect-page.test.ts', 'connect-1280-light.png', 'connect.png'],
] as const;

const shots = mkdtempSync(join(tmpdir(), 'gatehouse-pictures-'));
try {
  const tests = PICTURES.map(([file]) => file);
  execFileSync(join(ROOT, 'node_modules/.bin/vitest'), ['run', '--project', 'all', ...tests], {
    cwd: ROOT,
    env: { ...process.env, GATEHOUSE_TEST_SHOTS: shots },
    stdio: 'inherit',
  });
  mkdirSync(FOLDER, { recursive: true });
  for (const [, taken, name] of PICTURES) copyFileSync(join(shots, taken), join(FOLDER, name));
} finally {
  rmSync(shots, { recursive: true, force: true });
}
