/**
 * The keys that seal secrets: a list of `id:base64(32 bytes)`; the first seals, all open (contract section 2).
 *
 * Key material stays in the ring: no message, log line or property name carries it.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { newId } from '../core/ids.ts';

/** Keys that cannot be used at start. The message is for the operator and says what to do. */
export class KeyProblem extends Error {
  override readonly name = 'KeyProblem';
}

export interface Key {
  id: string;
  /** 32 bytes. */
  bytes: Buffer;
}

/** At least one key; the first one seals. */
export type KeyRing = readonly [Key, ...Key[]];

export interface KeyRingOptions {
  /** The keys themselves (GATEHOUSE_MASTER_KEY); wins over the file. */
  masterKey?: string | undefined;
  masterKeyFile: string;
  /** False once the database knows a key: a new one could not open what is stored. */
  createIfMissing: boolean;
}

/**
 * Reads the keys; makes the key file, 0600, when there is none and it may.
 *
 * Two processes that start at once end with the same file: only one of them can give it its name.
 *
 * @throws KeyProblem naming every fault of the list, or a missing file that must not be made anew
 */
export function loadKeyRing({ masterKey, masterKeyFile, createIfMissing }: KeyRingOptions): KeyRing {
  if (masterKey !== undefined) return parseKeyRing(masterKey, 'GATEHOUSE_MASTER_KEY');
  if (!existsSync(masterKeyFile)) {
    if (!createIfMissing) throw new KeyProblem(missing(masterKeyFile));
    attempt(masterKeyFile, 'made', () => createKeyFile(masterKeyFile));
  }
  const text = attempt(masterKeyFile, 'read', () => readFileSync(masterKeyFile, 'utf8'));
  return parseKeyRing(text, masterKeyFile);
}

/**
 * @param text entries separated by commas or newlines
 * @param source where the text is from, for messages
 * @throws KeyProblem with every faulty entry, by its position
 */
export function parseKeyRing(text: string, source: string): KeyRing {
  const problems: string[] = [];
  const keys: Key[] = [];
  for (const [index, entry] of text.split(/[,\n]/).entries()) {
    if (entry.trim() === '') continue;
    const match = /^([\w.-]{1,64}):([\w+/-]{43}=?)$/.exec(entry.trim());
    const bytes = Buffer.from(match?.[2] ?? '', 'base64');
    const id = match?.[1] ?? '';
    if (bytes.length !== 32) problems.push(`Entry ${index + 1} is not id:base64 of 32 bytes.`);
    else if (keys.some((key) => key.id === id)) problems.push(`Entry ${index + 1} repeats the id ${id}.`);
    else keys.push({ id, bytes });
  }
  const [first, ...rest] = keys;
  if (problems.length === 0 && first !== undefined) return [first, ...rest];
  if (problems.length === 0) problems.push('It holds no key.');
  throw new KeyProblem(
    `The master keys in ${source} cannot be used. ${problems.join(' ')} A key is made with: ` +
      'echo "key1:$(openssl rand -base64 32)"',
  );
}

function createKeyFile(path: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${newId('key')}:${randomBytes(32).toString('base64')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    closeSync(file);
    rmSync(draft);
  }
  syncFolder(dirname(resolve(path)));
}

/** A new name survives a power loss only when its folder was written too. Not every system lets one open a folder. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function attempt<T>(path: string, what: 'made' | 'read', work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KeyProblem(`The key file ${path} cannot be ${what}: ${reason}.`, { cause: error });
  }
}

function missing(path: string): string {
  return (
    `The key file ${path} is missing, but the database holds secrets that only its key can open. ` +
    'Put the file back, or give the key in GATEHOUSE_MASTER_KEY. No new key was made. ' +
    'If the key is lost for good, start with an empty database and connect the accounts again.'
  );
}
