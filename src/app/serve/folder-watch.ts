/**
 * Reports changes below some folders, once for changes that come together. Knows nothing about the content of the
 * folders.
 */
import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/** Editors write a file in several steps: changes within this time count as one. */
const QUIET_MS = 100;

/** Watches each folder separately: a recursive watcher misses folders that are created while it runs. */
export class FolderWatch {
  readonly #dirs: readonly string[];
  readonly #onChange: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * Starts to watch.
   *
   * @param onChange called once per change, never concurrently; must not throw. Later changes cause
   *   another call
   * @param onFailure called if folders cannot be watched after a change, for example because there are too many. The
   *   previous folders stay watched, new ones are not until the next change. Must not throw
   * @throws the error of `watch`, for a folder that cannot be watched
   */
  constructor(dirs: readonly string[], onChange: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#dirs = dirs;
    this.#onChange = onChange;
    this.#onFailure = onFailure;
    this.#open();
  }

  /** Ends the watch, after the running call. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    closeAll(this.#watchers);
    await this.#work;
  }

  /** The previous watchers close once all new ones exist. */
  #open(): void {
    const opened: FSWatcher[] = [];
    try {
      for (const folder of this.#dirs.flatMap(foldersIn)) {
        // A removed folder ends its watcher; the folder above reports the change.
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

  /** Watches again before anything is read, so that no change in between is missed. */
  async #settle(): Promise<void> {
    if (this.#isClosed) return;
    try {
      this.#open();
    } catch (error) {
      // A folder was removed after it was found and before it was watched.
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

/** The folder and all folders below it; empty if the folder is gone. */
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
