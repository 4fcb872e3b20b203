/** The example connectors: good files, and not published by an installation that does not ask for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkCatalog } from '../../../src/catalog/load/lint.ts';
import { loadCatalog } from '../../../src/catalog/load/load.ts';
import { catalogFolder } from '../files.ts';

const SHIPPED = fileURLToPath(new URL('../../../catalogs', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../catalogs/examples', import.meta.url));

it('checks the example connectors without mistakes or lint warnings', () => {
  expect(checkCatalog([EXAMPLES]).problems).toEqual([]);
});

it('keeps the example connectors out of the shipped catalog', () => {
  const shipped = loadCatalog([SHIPPED]);
  const examples = loadCatalog([EXAMPLES]);
  expect(examples.tools.has('weatherbox_find')).toBe(true);
  expect([...examples.connectors.keys()].filter((name) => shipped.connectors.has(name))).toEqual([]);
  expect([...examples.tools.keys()].filter((name) => shipped.tools.has(name))).toEqual([]);
});

it('adds example connectors to the catalog by naming their folder', () => {
  const both = loadCatalog([SHIPPED, EXAMPLES]);
  expect([...both.tools.keys()].toSorted()).toEqual(
    [SHIPPED, EXAMPLES].flatMap((dir) => [...loadCatalog([dir]).tools.keys()]).toSorted(),
  );
  expect(both.tools.has('weatherbox_find')).toBe(true);
});

it("keeps an operator's connector with the name examples", () => {
  const text = readFileSync(join(EXAMPLES, 'api-key/connector.yaml'), 'utf8');
  const dir = catalogFolder({
    'examples/connector.yaml': text.replace('name: weatherbox', 'name: examples'),
  });
  expect([...loadCatalog([dir]).connectors.keys()]).toEqual(['examples']);
});
