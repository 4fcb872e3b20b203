import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKeyRing } from '../../src/vault/key-ring.ts';
import { loadKeyRing } from '../../src/vault/load-key-ring.ts';
import { startChild } from '../support/child.ts';

const ONES = Buffer.alloc(32, 1).toString('base64');
const TWOS = Buffer.alloc(32, 2).toString('base64');

describe('master keys: parser', () => {
  it.each([
    ['one entry', `k1:${ONES}`],
    ['a newline at the end', `k1:${ONES}\n`],
    ['Windows line ends and blanks', `\r\n  k1:${ONES} \r\n\r\n`],
    ['the URL alphabet without padding', `k1:${Buffer.alloc(32, 1).toString('base64url')}`],
  ])('reads a key ring with %s', (_what, text) => {
    expect(parseKeyRing(text, 'here')).toEqual([{ id: 'k1', bytes: Buffer.alloc(32, 1) }]);
  });

  it.each([',', '\n', ',\n'])('keeps the order of entries separated by %j', (separator) => {
    const ring = parseKeyRing(`new:${TWOS}${separator}old:${ONES}`, 'here');
    expect(ring.map((key) => key.id)).toEqual(['new', 'old']);
    expect(ring[1]?.bytes).toEqual(Buffer.alloc(32, 1));
  });

  it('names every invalid entry by its position, and shows none of them', () => {
    const text = `k1:${ONES},k2:c2hvcnQ=,${TWOS},k1:${TWOS},bad id:${ONES}`;
    expect(() => parseKeyRing(text, 'GATEHOUSE_MASTER_KEY')).toThrow(
      'The master keys in GATEHOUSE_MASTER_KEY cannot be used. Entry 2 is not id:base64 of 32 bytes. ' +
        'Entry 3 is not id:base64 of 32 bytes. Entry 4 repeats the id k1. Entry 5 is not id:base64 of 32 bytes. ' +
        'A key is made with: echo "key1:$(openssl rand -base64 32)"',
    );
  });

  it.each(['', ' \n,', '\n\n'])('refuses %j, which contains no key', (text) => {
    expect(() => parseKeyRing(text, 'the file')).toThrow(
      'The master keys in the file cannot be used. It holds no key.',
    );
  });
});

describe('master keys: first start', () => {
  let folder: string;
  let masterKeyFile: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
    masterKeyFile = join(folder, 'data', 'master.key');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('creates a key file for its owner only, and reads the same key again', () => {
    const made = loadKeyRing({ masterKeyFile, createIfMissing: true });
    expect(made).toHaveLength(1);
    expect(made[0].bytes).toHaveLength(32);
    expect(made[0].id).toMatch(/^key_[0-9a-z]{26}$/);
    expect(statSync(masterKeyFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'data'))).toEqual(['master.key']);
    expect(loadKeyRing({ masterKeyFile, createIfMissing: true })).toEqual(made);
    expect(loadKeyRing({ masterKeyFile, createIfMissing: false })).toEqual(made);
  });

  it('creates another key each time', () => {
    const first = loadKeyRing({ masterKeyFile, createIfMissing: true });
    rmSync(masterKeyFile);
    const second = loadKeyRing({ masterKeyFile, createIfMissing: true });
    expect(second[0].bytes.equals(first[0].bytes)).toBe(false);
  });

  it('prefers the given key, and creates no file', () => {
    const ring = loadKeyRing({ masterKey: `k1:${ONES}`, masterKeyFile, createIfMissing: true });
    expect(ring).toEqual([{ id: 'k1', bytes: Buffer.alloc(32, 1) }]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses to create a key when the database knows one already', () => {
    expect(() => loadKeyRing({ masterKeyFile, createIfMissing: false })).toThrow(
      `The key file ${masterKeyFile} is missing, but the database holds secrets that only its key can open. ` +
        'Put the file back, or give the key in GATEHOUSE_MASTER_KEY. No new key was made. ' +
        'If the key is lost for good, start with an empty database and connect the accounts again.',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not overwrite an unusable key file', () => {
    loadKeyRing({ masterKeyFile, createIfMissing: true });
    writeFileSync(masterKeyFile, 'scribble');
    expect(() => loadKeyRing({ masterKeyFile, createIfMissing: true })).toThrow(
      `${masterKeyFile} cannot be used`,
    );
    expect(readFileSync(masterKeyFile, 'utf8')).toBe('scribble');
  });

  it('explains why a key file cannot be read', () => {
    expect(() => loadKeyRing({ masterKeyFile: folder, createIfMissing: true })).toThrow(
      `The key file ${folder} cannot be read: EISDIR`,
    );
  });

  it('explains why a key file cannot be created', () => {
    writeFileSync(join(folder, 'file'), '');
    const path = join(folder, 'file', 'master.key');
    expect(() => loadKeyRing({ masterKeyFile: path, createIfMissing: true })).toThrow(
      `The key file ${path} cannot be made: EEXIST: file already exists, mkdir`,
    );
  });

  it('gives processes that start at the same time the same key', async () => {
    const children = Array.from({ length: 4 }, () =>
      startChild(join(import.meta.dirname, 'children/load-key.ts'), [masterKeyFile]),
    );
    await Promise.all(children.map(async (child) => child.line('ready')));
    for (const child of children) child.process.stdin.write('go\n');
    await Promise.all(children.map(async (child) => child.ended));
    const [key] = loadKeyRing({ masterKeyFile, createIfMissing: false });
    const expected = ['ready', `${key.id} ${key.bytes.toString('hex')}`];
    expect(children.map((child) => child.lines)).toEqual([expected, expected, expected, expected]);
    expect(readdirSync(join(folder, 'data'))).toEqual(['master.key']);
  });
});
