import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyFile, newKey, readKeyFile, replaceKeyFile } from '../../src/vault/key-file.ts';

describe('key file replacement', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
    file = join(folder, 'master.key');
    createKeyFile(file);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes the keys in their order, for the owner only, and leaves nothing else', () => {
    const [old] = readKeyFile(file);
    const fresh = newKey();
    replaceKeyFile(file, [fresh, old]);
    expect(readKeyFile(file)).toEqual([fresh, old]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['master.key']);
  });

  it('renames the new file over the old one: a reader never sees half of it', () => {
    const before = statSync(file).ino;
    replaceKeyFile(file, [newKey()]);
    expect(statSync(file).ino).not.toBe(before);
  });

  it('keeps the file mode that the operator set', () => {
    chmodSync(file, 0o640);
    replaceKeyFile(file, [newKey()]);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('follows a symbolic link to the key file', () => {
    const link = join(folder, 'link.key');
    symlinkSync(file, link);
    const fresh = newKey();
    replaceKeyFile(link, [fresh]);
    expect(readKeyFile(file)).toEqual([fresh]);
  });

  it('explains a failure, and leaves the file unchanged', () => {
    rmSync(folder, { recursive: true });
    expect(() => replaceKeyFile(file, [newKey()])).toThrow(`The key file ${file} cannot be changed: ENOENT`);
    createKeyFile(file);
    const before = readFileSync(file, 'utf8');
    expect(() => replaceKeyFile(join(file, 'x'), [newKey()])).toThrow('cannot be changed: ENOTDIR');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it.skipIf(!existsSync('/usr/bin/prlimit'))('fails when the disk stores only a part of the keys', () => {
    const before = readFileSync(file, 'utf8');
    const child = spawnSync('/usr/bin/prlimit', [
      '--fsize=100',
      process.execPath,
      join(import.meta.dirname, 'children/replace-key.ts'),
      file,
    ]);
    expect(child.stderr.toString()).toContain('cannot be changed: EFBIG');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['master.key']);
  });
});
