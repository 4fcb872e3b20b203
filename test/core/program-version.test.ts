import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { programVersion } from '../../src/core/program-version.ts';
import { folderWith } from '../app/folder.ts';

const SOURCE = readFileSync(new URL('../../src/core/program-version.ts', import.meta.url), 'utf8');

it('reads the version from package.json in a checkout', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(programVersion()).toBe(version);
});

it('reads the version of the package, not of the folder around it', async () => {
  const folder = folderWith({
    'package.json': '{"version":"9.9.9"}',
    'gatehouse/package.json': '{"version":"1.2.3"}',
    'gatehouse/dist/version.ts': SOURCE,
  });
  const file = pathToFileURL(join(folder, 'gatehouse/dist/version.ts')).href;
  const installed = (await import(/* @vite-ignore */ file)) as { programVersion: typeof programVersion };
  expect(installed.programVersion()).toBe('1.2.3');
});
