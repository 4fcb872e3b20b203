/**
 * Keeps the operator's own catalog compiled, in `catalog-cache/` of the data folder: a start reads it in a tenth of the
 * time that checking the YAML takes.
 *
 * What is kept is known by a digest of the files' texts and of the program, so a change in either is a miss. A kept file
 * that is damaged, or that anybody else can write, counts as absent. Nothing here fails a start: without the cache it is
 * only slower.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SourceTexts } from '../../catalog/load/source-texts.ts';
import type { CompiledCatalog } from '../../catalog/model/compiled.ts';
import { codeOf } from '../../core/errors.ts';

/** Several settings files may share a data folder; more than these are removed, the oldest first. */
const MAX_KEPT = 4;

/** Stores the compiled form of the catalog files, for one state of the files. */
export class CatalogCache {
  readonly #folder: string;
  readonly #key: string;

  /**
   * @param dataDir a folder that does not exist yet is not made
   * @param program what identifies the program: its version and everything of its build
   */
  constructor(dataDir: string, program: readonly string[], { files }: SourceTexts) {
    this.#folder = join(dataDir, 'catalog-cache');
    this.#key = digest([...program, ...files.flatMap(({ file, text }) => [file, text])]);
  }

  /** The compiled form of these files that this program has kept, as `catalogFromCompiled` takes it; `undefined` if it has kept none. */
  read(): unknown {
    try {
      const whole = readOwnFile(this.#file());
      const end = whole.indexOf('\n');
      const body = whole.subarray(end + 1);
      const isWhole = whole.toString('utf8', 0, end) === this.#checksum(body);
      return isWhole ? JSON.parse(body.toString('utf8')) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps the catalog, whole or not at all. */
  keep(catalog: CompiledCatalog): void {
    const body = Buffer.from(JSON.stringify(catalog));
    const draft = `${this.#file()}.${randomBytes(4).toString('hex')}`;
    try {
      makeFolder(this.#folder);
      try {
        writeFileSync(draft, Buffer.concat([Buffer.from(`${this.#checksum(body)}\n`), body]), {
          flag: 'wx',
          mode: 0o600,
        });
        renameSync(draft, this.#file());
      } finally {
        rmSync(draft, { force: true });
      }
      this.#removeOldest();
    } catch {
      // A read-only or full disk: the next start reads the YAML again.
    }
  }

  #file(): string {
    return join(this.#folder, `${this.#key}.json`);
  }

  /** Of the key too, so that a kept file is worthless under another name. */
  #checksum(body: Buffer): string {
    return digest([this.#key, body]);
  }

  #removeOldest(): void {
    const kept = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    const byAge = kept
      .map((file) => ({ file, time: statSync(file).mtimeMs }))
      .sort((a, b) => b.time - a.time);
    for (const { file } of byAge.slice(MAX_KEPT)) rmSync(file, { force: true });
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** @throws Error if it is no plain file of this user, or others may write it */
function readOwnFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { mode, uid } = fstatSync(file);
    const isForeign = process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0);
    if (isForeign) throw new Error(`${path} may have been written by somebody else.`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Of parts whose borders count. Each is hashed as it is: one text of all of them would cost a start more than the hash. */
function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}\n`).update(part);
  return hash.digest('hex');
}
