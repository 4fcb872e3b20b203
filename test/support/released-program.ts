/**
 * Version 0.1.0 as it was packed, to be run beside the program of today. test/fixtures/README.md says what is in it. It
 * takes its packages from this checkout.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export class ReleasedProgram {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-0.1.0-'));

  constructor() {
    const packed = join(ROOT, 'test/fixtures/gatehouse-0.1.0.tgz');
    execFileSync('tar', ['-xzf', packed, '-C', this.#folder]);
    symlinkSync(join(ROOT, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** What `node <path> serve` starts. */
  get path(): string {
    return join(this.#folder, 'package/bin/gatehouse.js');
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
