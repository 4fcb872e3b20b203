/**
 * Where a running process gets its keys. Those of the environment stay; the key file is read again when it has
 * changed, so that a rotation needs no restart.
 */
import { statSync } from 'node:fs';
import { readKeyFile } from './key-file.ts';
import type { KeyRing } from './key-ring.ts';

/** The keys of a process. */
export interface KeySource {
  /** As read last. */
  readonly ring: KeyRing;
  /** As they are now. Keys that cannot be used leave those read last. */
  latest(): Promise<KeyRing>;
}

/** Keys that stay as they are. */
export function fixedKeys(ring: KeyRing): KeySource {
  return { ring, latest: async () => ring };
}

/** After a file that could not be used, how long it is left alone. */
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
  /** Which version of the file the ring is from. */
  #version: string | undefined;
  #reading: Promise<KeyRing> | undefined;
  #restUntil = 0;

  /**
   * @param options.ring read before; the first `latest` compares it with the file
   * @param options.fits whether keys are those of the database: others would seal what nobody can open
   * @param options.refused told when the file has changed and its keys are not taken
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

/** Changes with every way of changing a file; undefined where none can be seen. */
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
