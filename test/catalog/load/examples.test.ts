/** The example connectors: good files, and not published by an installation that does not ask for them. */
import { globSync, readFileSync } from 'node:fs';
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

/** The keys that docs/decisions/0032-grammar-by-need.md lists, as an example connector has them. */
const BY_NEED: Readonly<Record<string, RegExp>> = {
  'oauth.metadata': /^      metadata:$/m,
  headers: /^headers:$/m,
  'auth[].fixed': /^    fixed:$/m,
  'auth[].attach` for `OAUTH': /type: OAUTH\n[^]*?^    attach:$/m,
  'auth[].attach` as a list': /^    attach:\n      - in/m,
  'errors.failed_answer': /^  failed_answer:$/m,
  'paging.number.first`, `list: .': /^      list: \.\n(?: .*\n)*? +first: 1$/m,
  'to: body.a[0].b`, `body.a[].b': /to: body\.\w+\[0\][^]*to: body\.\S+\[\]\.\w+$/m,
  '*` in `errors.message': /^  message: .*\.\*/m,
  nullable: /^        nullable: true$/m,
  'errors.missing_scope.named': /^    named: /m,
  'auth[].who': /^    who:$/m,
  result: /^    result:$/m,
};

it('has an example connector for every key that came by need', () => {
  const decision = readFileSync(join(SHIPPED, '../docs/decisions/0032-grammar-by-need.md'), 'utf8');
  const [, table = ''] = /\| Key +\|\n([^]*?)\n\n/.exec(decision) ?? [];
  const keys = [...table.matchAll(/\| `?([^|]*?)`? +\|$/gm)].map(([, key = '']) => key);
  expect(keys.slice(1)).toEqual(Object.keys(BY_NEED));
  const texts = globSync('*/*.yaml', { cwd: EXAMPLES }).map((path) =>
    readFileSync(join(EXAMPLES, path), 'utf8'),
  );
  const missing = Object.entries(BY_NEED).filter(([, shape]) => !texts.some((text) => shape.test(text)));
  expect(missing).toEqual([]);
});

it("keeps an operator's connector with the name examples", () => {
  const text = readFileSync(join(EXAMPLES, 'api-key/connector.yaml'), 'utf8');
  const dir = catalogFolder({
    'examples/connector.yaml': text.replace('name: weatherbox', 'name: examples'),
  });
  expect([...loadCatalog([dir]).connectors.keys()]).toEqual(['examples']);
});
