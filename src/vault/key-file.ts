/**
 * The key file on disk: made once, then only replaced as a whole. A reader sees the keys before or after a
 * change, and a power loss leaves one of the two.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { newId } from '../core/ids.ts';
import { KeyError, parseKeyRing, type Key, type KeyRing } from './key-ring.ts';

/** A key that nobody has used yet. */
export function newKey(): Key {
  return { id: newId('key'), bytes: randomBytes(32) };
}

/**
 * Creates the key file, mode 0600, with a new key. Two processes that start together end up with the same
 * file: only one of them can give it its name.
 *
 * @throws KeyError if it cannot be written
 */
export function createKeyFile(path: string): void {
  attempt(path, 'made', () => {
    mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
    writeDraft(path, [newKey()], undefined, (draft) => {
      try {
        linkSync(draft, path);
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
    });
  });
}

/**
 * Replaces the keys in the file. Owner and mode stay the same, so everybody who could read the file still
 * can.
 *
 * @throws KeyError if it cannot be written; the file is unchanged then
 */
export function replaceKeyFile(path: string, keys: KeyRing): void {
  attempt(path, 'changed', () => {
    const real = realpathSync(path);
    writeDraft(real, keys, statSync(real), (draft) => renameSync(draft, real));
  });
}

/** Whether anyone except its owner has access to the file. On Windows the mode does not tell. */
export function isReadableByOthers(path: string): boolean {
  const mode = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })?.mode;
  return mode !== undefined && (mode & 0o077) !== 0;
}

/** @throws KeyError if there is no such file, or its keys cannot be used */
export function readKeyFile(path: string): KeyRing {
  return parseKeyRing(
    attempt(path, 'read', () => readFileSync(path, 'utf8')),
    path,
  );
}

/** Writes the keys to a draft next to the file, lets `place` give it its name, and removes the draft. */
function writeDraft(
  path: string,
  keys: readonly Key[],
  like: Stats | undefined,
  place: (draft: string) => void,
): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    if (like !== undefined) {
      fchownSync(file, like.uid, like.gid);
      fchmodSync(file, like.mode & 0o777);
    }
    // Unlike writeSync, this continues until everything is written, or throws.
    writeFileSync(file, keys.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}\n`).join(''));
    fsyncSync(file);
    place(draft);
  } finally {
    closeSync(file);
    if (existsSync(draft)) rmSync(draft);
  }
  syncFolder(dirname(resolve(path)));
}

/**
 * A new name survives a power loss only if its folder was written too. Some systems do not allow opening a
 * folder.
 */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function attempt<T>(path: string, what: 'made' | 'read' | 'changed', work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KeyError(`The key file ${path} cannot be ${what}: ${reason}.`, { cause: error });
  }
}
