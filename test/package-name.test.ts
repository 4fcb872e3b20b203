/**
 * The name of the npm package. `gatehouse`, `gatehouse-mcp` and `@gatehouse/…` on npm belong to strangers, so nobody
 * may be told to install or run them.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const TEXTS = globSync(
  [
    '*.{md,json,yaml}',
    '{bin,bench,catalogs,docs,sandbox,scripts,src}/**/*.{js,json,md,sh,ts,yaml,yml,html,css}',
    'test/surface/**/*',
  ],
  { cwd: ROOT },
).filter((path) => /\.\w+$/.test(path));

/** Each names a package of strangers, or runs one. */
const FOREIGN = [
  /\b(npx|npm (i|install|exec|x|create|add|update|view)|(pnpm|yarn|bun)( \w+)?|bunx)( -{1,2}[\w=-]+)* ["']?gatehouse(?![\w-])/i,
  /(?<![\w-])gatehouse-mcp\b/i,
  /@gatehouse\//i,
  /\bnpmjs\.(com|org)\/(package\/)?gatehouse\b/i,
];

function foreignNames(text: string): string[] {
  return FOREIGN.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}

it('never sends anyone to an npm package of strangers', () => {
  expect(TEXTS.length).toBeGreaterThan(700);
  const found = TEXTS.flatMap((path) =>
    foreignNames(readFileSync(join(ROOT, path), 'utf8')).map((name) => `${path}: ${name}`),
  );
  expect(found).toEqual([]);
});

it.each([
  'npx gatehouse init',
  'npx -y gatehouse',
  'npm install -g gatehouse"',
  'npm i gatehouse',
  'npx gatehouse-mcp',
  'import "@gatehouse/sdk"',
  'https://www.npmjs.com/package/gatehouse',
])('finds the name of a foreign package in: %s', (text) => {
  expect(foreignNames(text)).not.toEqual([]);
});

it.each([
  'npx mcp-gatehouse',
  'npm install -g mcp-gatehouse',
  'the link listener of gatehouse mcp',
  'docs/contract.md#the-link-listener-of-gatehouse-mcp',
])('leaves our own names alone: %s', (text) => {
  expect(foreignNames(text)).toEqual([]);
});

it('names our package mcp-gatehouse and its command gatehouse', () => {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Record<string, unknown>;
  expect(read('package.json')).toMatchObject({
    name: 'mcp-gatehouse',
    bin: { gatehouse: 'bin/gatehouse.js' },
  });
  expect(read('package-lock.json')).toMatchObject({
    name: 'mcp-gatehouse',
    packages: { '': { name: 'mcp-gatehouse' } },
  });
});
