import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = new URL('../../src/', import.meta.url).pathname;

it('lets only the demo and its own command import the sandbox', () => {
  const importers = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox/'))
    .filter((path) => /['"][./]+\/sandbox\//.test(readFileSync(join(SOURCE, path), 'utf8')));
  expect(importers.filter((path) => !path.startsWith('app/demo'))).toEqual([]);
});
