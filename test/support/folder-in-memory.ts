/** Folders for the files of tests. */
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'gatehouse-tests-';

/** No run takes that long. */
const DAY_MS = 86_400_000;

/** Far more than the files of all tests and their Postgres take together. */
const ENOUGH_BYTES = 4_000_000_000;

/**
 * Makes a folder in memory where there is room, else among the temporary files: hundreds of small databases are
 * written and removed, and a disk that is busy with something else would decide how long a test takes.
 */
export function folderInMemory(what = ''): string {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK);
    removeForgotten(memory);
    const { bavail, bsize } = statfsSync(memory);
    const room = Math.min(bavail * bsize, process.availableMemory() / 2);
    return mkdtempSync(join(room > ENOUGH_BYTES ? memory : tmpdir(), PREFIX + what));
  } catch {
    return mkdtempSync(join(tmpdir(), PREFIX + what));
  }
}

/** Files of a run that was killed would stay in memory for ever. */
function removeForgotten(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(folder, name);
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (made < Date.now() - DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}
