/**
 * Packs the desktop bundle: a folder with the manifest of ops/desktop-bundle and the packed npm package, installed
 * from the registry as anybody would install it.
 *
 * Usage: node scripts/desktop-bundle.ts FILE.mcpb
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const [output] = process.argv.slice(2);
if (output === undefined) throw new Error('Name the file to write: node scripts/desktop-bundle.ts FILE.mcpb');

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundle-'));
try {
  const [packed, contents] = ['packed', 'contents'].map((name) => join(folder, name)) as [string, string];
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
  execFileSync('sh', ['-c', `mv "$1"/*.tgz "$2"`, 'sh', folder, `${packed}.tgz`]);
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock', '--prefix', contents];
  execFileSync('npm', ['install', ...flags, `${packed}.tgz`], { cwd: folder, stdio: 'inherit' });
  writeFileSync(join(contents, 'package.json'), '{"private": true}\n');
  copyFileSync(join(ROOT, 'ops/desktop-bundle/manifest.json'), join(contents, 'manifest.json'));
  const mcpb = join(ROOT, 'node_modules/.bin/mcpb');
  execFileSync(mcpb, ['validate', join(contents, 'manifest.json')], { stdio: 'inherit' });
  execFileSync(mcpb, ['pack', contents, resolve(output)], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
