/**
 * `npm run catalog [-- DIR…]`: checks the shipped catalog and the named folders, and prints their cost in a
 * tool list: per tool, toolset, connector and in all. Exit code 1 with every problem if there is one, also if
 * the shipped list exceeds its limits.
 */
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { checkCatalog } from '../src/catalog/load/lint.ts';
import { handlers } from '../src/connectors/index.ts';
import { LARGE_TOOLS } from './large-tools.ts';
import { costProblems, listTokens, toolCosts, type ToolCost } from './token-cost.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const shipped = relative(process.cwd(), fileURLToPath(new URL('../catalogs', import.meta.url))) || '.';
const options = { handlers: new Set(handlers.keys()) };
const { problems, tools } = checkCatalog([shipped, ...positionals], options);
const costs = toolCosts(tools);
const { tools: ofShipped } = checkCatalog([shipped], options);

head('tool');
for (const cost of costs.toSorted((a, b) => b.tokens - a.tokens)) line(cost.name, [cost]);
head('toolset');
for (const name of new Set(costs.map(toolsetOf))) sum(name, (cost) => toolsetOf(cost) === name);
head('connector');
for (const name of new Set(costs.map(({ connector }) => connector)))
  sum(name, ({ connector }) => connector === name);
sum('all', () => true);

const lines = [
  ...problems.map(({ file, line: number, message }) => `${file}:${number}: ${message}`),
  ...costProblems(listTokens(ofShipped), toolCosts(ofShipped), LARGE_TOOLS),
];
if (lines.length > 0) {
  console.error(`\n${lines.length} ${lines.length === 1 ? 'problem' : 'problems'}:`);
  for (const text of lines) console.error(`  ${text}`);
  process.exitCode = 1;
}

function toolsetOf({ connector, toolset }: ToolCost): string {
  return `${connector}.${toolset}`;
}

function head(name: string): void {
  console.log(`\n${row(name, 'tools', 'bytes', 'tokens', 'tokens/tool')}`);
}

function sum(name: string, wanted: (cost: ToolCost) => boolean): void {
  line(name, costs.filter(wanted));
}

function line(name: string, rows: readonly ToolCost[]): void {
  const total = (key: 'bytes' | 'tokens'): number => rows.reduce((result, cost) => result + cost[key], 0);
  const each = rows.length === 0 ? 0 : Math.round(total('tokens') / rows.length);
  console.log(row(name, rows.length, total('bytes'), total('tokens'), each));
}

function row(name: string, ...cells: readonly (string | number)[]): string {
  return `${name.padEnd(40)}${cells.map((cell) => String(cell).padStart(12)).join('')}`;
}
