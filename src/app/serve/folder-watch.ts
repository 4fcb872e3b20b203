/**
 * Says that something below some folders has changed, once for changes that come together. Knows nothing of what is
 * in them.
 */
import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/** An editor writes a file in several steps: what comes within this time is one change. */
const QUIET_MS = 100;

/** Watches each folder by itself: a recursive watcher loses folders that are made while it runs. */
export class FolderWatch {
  readonly #dirs: readonly string[];
  readonly #onChange: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * Watches from now on.
   *
   * @param onChange called for one change after the other, never twice at once; must not throw. Changes while it runs
   *   make another call
   * @param onFailure called where folders cannot be watched after a change (there are too many, say): those from before
   *   stay watched, new ones are not until the next change; must not throw
   * @throws what `watch` throws, for a folder that cannot be watched
   */
  constructor(dirs: readonly string[], onChange: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#dirs = dirs;
    this.#onChange = onChange;
    this.#onFailure = onFailure;
    this.#open();
  }

  /** Ends the watch, after the work that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    closeAll(this.#watchers);
    await this.#work;
  }

  /** The watchers from before go when all new ones are there. */
  #open(): void {
    const opened: FSWatcher[] = [];
    try {
      for (const folder of this.#dirs.flatMap(foldersIn)) {
        // A folder that goes away takes its watcher along; the change is reported by the one above it.
        const watcher = watch(folder, () => this.#changed()).on('error', () => watcher.close());
        opened.push(watcher);
      }
    } catch (error) {
      closeAll(opened);
      throw error;
    }
    closeAll(this.#watchers);
    this.#watchers = opened;
  }

  #changed(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(async () => this.#settle());
    }, QUIET_MS);
  }

  /** Watches again before anything is read, so that no change falls between the two. */
  async #settle(): Promise<void> {
    if (this.#isClosed) return;
    try {
      this.#open();
    } catch (error) {
      // A folder went away between being found and being watched.
      if (hasCode(error, 'ENOENT')) this.#changed();
      else this.#onFailure(error);
    }
    await this.#onChange();
  }
}

function closeAll(watchers: readonly FSWatcher[]): void {
  for (const watcher of watchers) watcher.close();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The folder and all below it; a folder that is gone has none. */
function foldersIn(dir: string): string[] {
  try {
    const below = readdirSync(dir, { recursive: true, withFileTypes: true });
    return [
      dir,
      ...below.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
    ];
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !existsSync(dir)) return [];
    throw error;
  }
}
