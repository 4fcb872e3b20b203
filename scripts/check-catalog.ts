/**
 * `npm run catalog [-- DIR…]`: checks the shipped catalog and the named folders, and prints their cost in a
 * tool list, per tool, toolset and selection: the tokens of what a model is given (name, description, input schema), and
 * of the whole answer. Exit code 1 with every problem if there is one, also if a shipped list exceeds its ceiling.
 */
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { checkCatalog } from '../src/catalog/load/lint.ts';
import { toolsetOf } from '../src/catalog/model/tool-selection.ts';
import { handlers } from '../src/connectors/index.ts';
import { LARGE_TOOLS } from './large-tools.ts';
import {
  costProblems,
  listProblems,
  listTokens,
  selectionsOf,
  toolCosts,
  type ListTokens,
} from './token-cost.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const shipped = relative(process.cwd(), fileURLToPath(new URL('../catalogs', import.meta.url))) || '.';
const options = { handlers: new Set(handlers.keys()) };
const { problems, tools } = checkCatalog([shipped, ...positionals], options);
const costs = toolCosts(tools);
const { tools: ofShipped } = checkCatalog([shipped], options);

head('tool');
for (const cost of costs.toSorted((a, b) => b.whole - a.whole)) line(cost.name, [cost.name], cost);
head('toolset');
for (const [name, own] of Map.groupBy(tools, toolsetOf)) line(name, own, listTokens(own));
head('selection');
for (const [name, own] of selectionsOf(tools)) line(name, own, listTokens(own));

const lines = [
  ...problems.map(({ file, line: number, message }) => `${file}:${number}: ${message}`),
  ...costProblems(toolCosts(ofShipped), LARGE_TOOLS),
  ...listProblems(ofShipped),
];
if (lines.length > 0) {
  console.error(`\n${lines.length} ${lines.length === 1 ? 'problem' : 'problems'}:`);
  for (const text of lines) console.error(`  ${text}`);
  process.exitCode = 1;
}

function head(name: string): void {
  console.log(`\n${row(name, 'tools', 'given', 'whole')}`);
}

function line(name: string, { length }: readonly unknown[], { given, whole }: ListTokens): void {
  console.log(row(name, length, given, whole));
}

function row(name: string, ...cells: readonly (string | number)[]): string {
  return `${name.padEnd(40)}${cells.map((cell) => String(cell).padStart(12)).join('')}`;
}
