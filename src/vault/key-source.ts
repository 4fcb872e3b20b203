/**
 * Supplies a running process with its keys. Keys from the environment never change; the key file is read
 * again when it has changed, so that a rotation needs no restart.
 */
import { statSync } from 'node:fs';
import { readKeyFile } from './key-file.ts';
import type { KeyRing } from './key-ring.ts';

/** The keys of a process. */
export interface KeySource {
  /** The keys as last read. */
  readonly ring: KeyRing;
  /** The current keys. If they cannot be used, those read last are kept. */
  latest(): Promise<KeyRing>;
}

/** Keys that never change. */
export function fixedKeys(ring: KeyRing): KeySource {
  return { ring, latest: async () => ring };
}

/** Pause after reading an unusable file, before it is read again. */
const REST_MS = 1_000;

interface KeyFileSourceDeps {
  path: string;
  ring: KeyRing;
  fits: (ring: KeyRing) => Promise<boolean>;
  refused: (reason: string) => void;
}

export class KeyFileSource implements KeySource {
  readonly #deps: KeyFileSourceDeps;
  #ring: KeyRing;
  /** Version of the file that the ring was read from. */
  #version: string | undefined;
  #reading: Promise<KeyRing> | undefined;
  #restUntil = 0;

  /**
   * @param options.ring read before; the first `latest` compares it with the file
   * @param options.fits whether keys are those of the database: with other keys it would seal values that
   * nobody can open
   * @param options.refused called when the file has changed and its keys are not accepted
   */
  constructor(options: KeyFileSourceDeps) {
    this.#deps = options;
    this.#ring = options.ring;
  }

  get ring(): KeyRing {
    return this.#ring;
  }

  async latest(): Promise<KeyRing> {
    const version = versionOf(this.#deps.path);
    if (version === undefined || version === this.#version || performance.now() < this.#restUntil) {
      return this.#ring;
    }
    this.#reading ??= this.#read(version).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(version: string): Promise<KeyRing> {
    try {
      const ring = readKeyFile(this.#deps.path);
      if (!isSame(ring, this.#ring)) {
        if (!(await this.#deps.fits(ring))) throw new Error('Its keys are not those of the database.');
        this.#ring = ring;
      }
      this.#version = version;
    } catch (error) {
      this.#restUntil = performance.now() + REST_MS;
      this.#deps.refused(error instanceof Error ? error.message : String(error));
    }
    return this.#ring;
  }
}

/** A text that changes with every change of the file; `undefined` if the file cannot be examined. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}

function isSame(one: KeyRing, other: KeyRing): boolean {
  return (
    one.length === other.length &&
    one.every(({ id, bytes }, i) => other[i]?.id === id && other[i].bytes.equals(bytes))
  );
}
